package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/replayed"
	"github.com/hallmarkdev/hallmark/internal/suggest"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// resendFlags say how recordings are sent to a worker.
type resendFlags struct {
	workerFlags
	worker   string
	startEnv []string
	jobs     int
	patience string
	sameIDs  bool
	exact    bool
	ignore   []string
	// repeat is how often everything is sent.
	repeat int
	accept acceptFlags
}

// ofWorker are the flags that mean nothing without a worker.
var ofWorker = []string{
	"start-env", "ready-timeout", "header", "header-env", "secret-env", "signature-header", "only-tools", "skip-tools",
	"all-tools", "timeout", "config", "plan", "jobs", "patience", "same-ids", "exact", "ignore",
	"accept", "out", "redact-env", "redact-header", "redact-key", "redact-pointer", "redact-pattern", "stand-in-key-env",
}

func (f *resendFlags) flags(cmd *cobra.Command) {
	f.workerFlags.flags(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.worker, "worker", "", "send the recorded requests to the worker at `URL`, and compare its answers")
	fl.BoolVar(&f.planOnly, "plan", false, "print what would be called of the worker and stop: nothing is sent")
	fl.StringArrayVar(&f.startEnv, "start-env", nil, "set `NAME=VALUE` in the environment of the worker that --start starts; {engine_url}, {api_key} and {port} stand for those of the replay; may be repeated")
	fl.IntVar(&f.jobs, "jobs", 0, "how many recordings are sent side by side; 0 is one a processor")
	fl.StringVar(&f.patience, "patience", "", "how long one answer may take, a `DURATION` or none; without it what the deadline leaves, 20s or less")
	fl.BoolVar(&f.sameIDs, "same-ids", false, "send the ids as they were recorded: a worker that remembers what it answered answers that again")
	fl.BoolVar(&f.exact, "exact", false, "want the bytes of answers to be equal, and not only what they mean")
	fl.StringArrayVar(&f.ignore, "ignore", nil, "let the place at the JSON `POINTER` of answers differ; * is any segment; may be repeated")
	fl.Lookup("all-tools").Usage = "call every tool that was called, wherever the worker is"
	f.accept.flags(cmd)
	cmd.MarkFlagsMutuallyExclusive("exact", "ignore")
	cmd.MarkFlagsMutuallyExclusive("exact", "repeat")
	cmd.MarkFlagsMutuallyExclusive("exact", "accept")
	cmd.MarkFlagsMutuallyExclusive("repeat", "accept")
	cmd.MarkFlagsMutuallyExclusive("worker", "steps")
	cmd.MarkFlagsMutuallyExclusive("start", "steps")
}

// wanted reports whether a worker is asked; the error names a flag that needs one.
func (f *resendFlags) wanted(cmd *cobra.Command) (bool, error) {
	if f.worker != "" || f.start != "" {
		return true, nil
	}
	for _, name := range ofWorker {
		if cmd.Flags().Changed(name) {
			return false, usage("--%s: there is no worker to ask", name).hinted("name it by --worker URL, or start it by --start COMMAND")
		}
	}
	return false, nil
}

// errand is what is sent to a worker, and how.
type errand struct {
	replay.ResendConfig
	names   []string
	rules   *recorder.Rules
	project *scenarios.Config
}

// run sends recordings to the worker.
func (f *resendFlags) run(cmd *cobra.Command, io streams, out *output, names []string) error {
	if f.repeat > 1 && len(out.files) > 0 {
		return usage("--report: how steady a worker is makes no report of a run").hinted("print it as JSON by --json")
	}
	e, err := f.errand(cmd, io, names)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, f.timeout, fmt.Errorf("--timeout %s has passed", f.timeout))
		defer cancel()
	}
	plan, err := f.plan(ctx, io, e)
	if err != nil {
		return err
	}
	if f.planOnly {
		return printCalls(io, plan)
	}
	if f.start == "" {
		return f.send(ctx, io, out, e, plan, f.worker)
	}
	engine, err := takeSettles()
	if err != nil {
		return failedIO(err)
	}
	defer engine.close()
	env := (&engineFlags{startEnv: f.startEnv}).startEnvironment(engine)
	p, err := simulator.Start(ctx, simulator.ProcessConfig{Command: f.start, URL: f.worker, Env: env, ReadyTimeout: f.readyTimeout})
	if err != nil {
		return startError(io, err)
	}
	defer p.Stop()
	err = f.send(ctx, io, out, e, plan, p.URL)
	if p.HasEnded() {
		fmt.Fprintf(io.err, "the worker's process ended by itself: %s\n%s", p.Ended().Exit, lastLines(p.Stderr()))
	}
	return err
}

// errand reads the flags; everything is checked before anything is sent.
func (f *resendFlags) errand(cmd *cobra.Command, io streams, names []string) (*errand, error) {
	e := &errand{names: names}
	if f.worker != "" {
		if _, err := simulator.ParseWorkerURL(strings.ReplaceAll(f.worker, "{port}", "1")); err != nil {
			return nil, usage("%w", err).hinted(urlHint(f.worker))
		}
	}
	if err := (&engineFlags{startEnv: f.startEnv}).checkStartEnv(f.start); err != nil {
		return nil, err
	}
	if f.jobs < 0 {
		return nil, usage("--jobs %d: want 0 or more", f.jobs)
	}
	var cfg certify.Config
	if err := (&runFlags{patience: f.patience}).readPatience(&cfg); err != nil {
		return nil, err
	}
	for _, text := range f.ignore {
		if strings.HasPrefix(text, "request:") {
			return nil, usage("--ignore %s: the requests are the recorded ones", text).hinted("name a place of answers, such as /actions/0/result")
		}
	}
	var err error
	if len(f.ignore) > 0 {
		if e.rules, err = recorder.ParseRules(f.ignore); err != nil {
			return nil, usage("--ignore %w", err)
		}
	}
	if err := f.accept.open(names); err != nil {
		return nil, err
	}
	if e.project, err = readProject(io, f.project); err != nil {
		return nil, err
	}
	cfg.Consent = f.consent()
	if err := f.dress(&cfg); err != nil {
		return nil, err
	}
	if c := e.project; c != nil {
		if f.signatureHeader == "" {
			f.signatureHeader = c.SignatureHeader
		}
		if f.start != "" && !cmd.Flags().Changed("start-env") {
			f.startEnv = c.StartEnv
		}
		if err := f.apply(c, f.worker, &cfg); err != nil {
			return nil, err
		}
		if f.signatureHeader != "" && len(cfg.Secret) == 0 && !cmd.Flags().Changed("signature-header") {
			f.signatureHeader = ""
		}
	}
	if err := f.signedBy(&cfg); err != nil {
		return nil, err
	}
	// What the recordings declare is not known yet; the names are checked then.
	cfg.Consent.Declared = namesOnly(slices.Concat(f.onlyTools, f.skipTools))
	consent, err := simulator.Agree(f.worker, cfg.Consent)
	if err != nil && !errors.Is(err, simulator.ErrNoConsent) {
		return nil, usage("%w", err)
	}
	e.ResendConfig = replay.ResendConfig{
		Consent: consent, Jobs: f.jobs, SameIDs: f.sameIDs, Seed: anySeed(), Headers: cfg.Headers,
		Secret: cfg.Secret, SignatureHeader: cfg.SignatureHeader, Patience: cfg.Patience, Exact: f.exact, Ignore: e.rules,
		Accept: f.accept.taken,
	}
	return e, nil
}

// namesOnly is a config that declares tools of these names.
func namesOnly(names []string) *spec.AgentConfig {
	c := &spec.AgentConfig{}
	for _, name := range names {
		c.Tools = append(c.Tools, spec.AgentTool{Name: name})
	}
	return c
}

// anySeed makes the ids of a replay others than those of any before it: a worker
// may remember them (D5).
func anySeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return binary.LittleEndian.Uint64(b[:])
}

// collectLess lets the heap grow further between two collections: hardly anything
// of what is sent and compared is kept, and a fifth of the work was collecting it.
// The limit holds where bodies are large. What the environment says goes first.
func collectLess() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(1 << 30)
}

// plan says what is called, before anything is sent (R3).
func (f *resendFlags) plan(ctx context.Context, io streams, e *errand) (*replay.ResendPlan, error) {
	collectLess()
	plan, err := replay.PlanResend(ctx, e.names, e.Consent)
	if err != nil {
		return nil, failedIO(fmt.Errorf("replay: %w", context.Cause(ctx)))
	}
	plan.Repeat = f.repeat
	for _, u := range plan.Unread {
		if !damaged(u.Err) {
			return nil, readError(u.File, u.Err)
		}
		report(io.err, readError(u.File, u.Err))
	}
	for _, name := range slices.Concat(f.onlyTools, f.skipTools) {
		if !slices.Contains(plan.Declared, name) {
			return nil, usage("tool %q: no recording calls or declares it", name).hinted(suggest.Hint(name, plan.Declared))
		}
	}
	if plan.MayCall() {
		fmt.Fprintln(io.err, reports.Clean(plan.Summary(f.planOnly)))
		return plan, nil
	}
	would := plan
	if e.Consent.Refused() {
		if would, err = replay.PlanResend(ctx, e.names, simulator.Consent{}); err != nil {
			return nil, failedIO(fmt.Errorf("replay: %w", context.Cause(ctx)))
		}
	}
	would.Repeat = f.repeat
	fmt.Fprintln(io.err, reports.Clean(would.Summary(true)))
	if e.Consent.Refused() {
		return nil, usage("worker at %s: %w", f.worker, simulator.ErrNoConsent).hinted("allow it by --all-tools, by --only-tools NAME, or by a tools section in hallmark.yaml")
	}
	return nil, usage("worker at %s: none of the recorded calls may be made", f.worker).hinted("allow some by --only-tools NAME, or in hallmark.yaml")
}

// printCalls tells what would be called, tool by tool.
func printCalls(io streams, plan *replay.ResendPlan) error {
	for _, c := range plan.Calls {
		line := fmt.Sprintf("%s  %s", c.Tool, counted(c.Times*max(1, plan.Repeat), "time"))
		if c.Held > 0 {
			line += fmt.Sprintf(", %d held back", c.Held)
		}
		if _, err := fmt.Fprintln(io.out, reports.Clean(line)); err != nil {
			return err
		}
	}
	return nil
}

// send sends what was planned, and reports.
func (f *resendFlags) send(ctx context.Context, io streams, out *output, e *errand, plan *replay.ResendPlan, url string) error {
	t, err := simulator.NewTransport(simulator.TransportConfig{URL: url})
	if err != nil {
		return usage("%w", err)
	}
	defer t.Close()
	if f.repeat > 1 {
		return f.sendTimes(ctx, io, out, e, plan, t)
	}
	r, err := plan.Send(ctx, t, e.ResendConfig)
	// What was sent was sent: it is told, whatever became of other files.
	gone := replay.FileErrors(err)
	if err := f.accept.write(io, f.secrets); err != nil {
		return err
	}
	results := replayed.Sent(r, plan.Files(), f.repeatWords(e)...)
	for _, u := range plan.Unread {
		results = append(results, replayed.Unreadable(u.File, reports.Result{}, u.Err))
	}
	for _, u := range gone {
		report(io.err, readError(u.File, u.Err))
		i := slices.IndexFunc(results, func(one reports.Result) bool { return one.Case.Recording == u.File })
		if i < 0 {
			i = len(results)
			results = append(results, reports.Result{})
		}
		results[i] = replayed.Unreadable(u.File, results[i], u.Err)
	}
	of := reports.Report{
		MadeBy: spec.MadeBy{Hallmark: version, Registry: spec.RegistryVersion},
		Worker: reports.Worker{URL: url, Start: f.start}, Ended: endedText(r),
	}
	if err := out.write(io, replayed.Sum(of, results)); err != nil {
		return err
	}
	if r.Ended != "" || len(gone) > 0 {
		return nil
	}
	// What a rule was good for shows only where everything was compared.
	if err := refusedRule("--ignore", e.rules.Check()); err != nil {
		return err
	}
	return f.accept.unusedRule()
}

// repeatWords are the words that send one recording again; secrets are named by
// their variables.
func (f *resendFlags) repeatWords(e *errand) []string {
	words := []string{"hallmark", "replay"}
	add := func(flag string, values ...string) {
		for _, v := range values {
			if v != "" {
				words = append(words, flag, v)
			}
		}
	}
	add("--worker", f.worker)
	add("--start", f.start)
	add("--start-env", f.startEnv...)
	if e.project != nil {
		add("--config", e.project.File)
	}
	add("--header", f.headers...)
	add("--header-env", f.headersEnv...)
	add("--secret-env", f.secretEnv)
	add("--signature-header", f.signatureHeader)
	add("--only-tools", f.onlyTools...)
	add("--skip-tools", f.skipTools...)
	add("--patience", f.patience)
	add("--ignore", f.ignore...)
	for _, b := range []struct {
		flag string
		on   bool
	}{{"--all-tools", f.allTools}, {"--same-ids", f.sameIDs}, {"--exact", f.exact}} {
		if b.on {
			words = append(words, b.flag)
		}
	}
	return words
}

// endedText says why not everything was sent.
func endedText(r replay.Resent) string {
	switch r.Ended {
	case replay.EndedUnreachable:
		return "the worker could not be reached: " + r.EndedBy
	case replay.EndedHung:
		return "the worker does not answer: " + r.EndedBy + ", in " + strconv.Itoa(replay.HungSessions) + " sessions in a row"
	case replay.EndedStopped:
		return "stopped: " + r.EndedBy
	}
	return ""
}

// takeSettles serves an endpoint that takes whatever a worker settles later:
// without one a worker that would settle later may answer at once.
func takeSettles() (*engineServer, error) {
	l, err := net.Listen("tcp", anyPort)
	if err != nil {
		return nil, fmt.Errorf("listen for what is settled later: %w", err)
	}
	e := &engineServer{url: "http://" + l.Addr().String(), key: rand.Text(), done: make(chan struct{})}
	e.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusAccepted)
	})}
	go func() {
		defer close(e.done)
		_ = e.server.Serve(l)
	}()
	return e, nil
}
