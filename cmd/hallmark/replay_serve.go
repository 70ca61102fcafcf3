package main

import (
	"context"
	"errors"
	"fmt"
	stdio "io"
	"net"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hallmarkdev/hallmark/internal/replayed"
	"github.com/hallmarkdev/hallmark/recorder/serve"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// serveFlags are those of replay --serve.
type serveFlags struct {
	address         string
	untilDone, pace bool
	strict          bool
}

// serveOnly are the flags that mean nothing without --serve.
var serveOnly = []string{"until-done", "pace", "strict"}

// serveHelp is what the help of replay says of --serve.
const serveHelp = `
With --serve ADDRESS the recordings answer a real engine in place of the worker:
point the engine at the address that this prints. Nothing is sent anywhere. A
request is found by what it is about (session, trigger, call, attempt, delivery),
and gets the recorded answer with the ids of now. One that is in no recording gets
404 and {"error": …}, which an engine shows as the error of the turn; one whose
recorded answer was not whole gets 503 where an engine tries again, else 410. INT
and TERM end it with a summary of what was unknown, drifted (answered, but it says
something else) and unused. Exit 1 when a request was unknown or its answer is not
in the recording, with --strict also for the rest; exit 2 when none came. What the
worker sent to the engine by itself, to settle a call that it had let go, is named
and not sent. --json prints a summary of its own; --report writes the report below.
`

// flags adds the flags to those of replay, among which those of --worker are.
func (f *serveFlags) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.address, "serve", "", "answer an engine as recorded, on `ADDRESS`: HOST:PORT or unix:/PATH")
	fl.BoolVar(&f.untilDone, "until-done", false, "with --serve: end once everything that is recorded was asked for")
	fl.BoolVar(&f.pace, "pace", false, "with --serve: let the parts of a streamed answer come as far apart as they did")
	fl.BoolVar(&f.strict, "strict", false, "with --serve: also fail for what drifted, was unused or was not served, and for signatures that are not right")
	fl.Lookup("secret-env").Usage = "sign each request, or with --serve check its signature, with the secret in the environment `VARIABLE`"
}

// serveTakes are the flags that mean something with --serve.
var serveTakes = append([]string{"serve", "secret-env", "signature-header", "json", "all", "report"}, serveOnly...)

// alone refuses flags that mean nothing with --serve.
func (f *serveFlags) alone(fl *pflag.FlagSet) (err error) {
	fl.Visit(func(one *pflag.Flag) {
		if err == nil && !slices.Contains(serveTakes, one.Name) {
			err = usage("--%s: means nothing with --serve", one.Name).hinted("with it go --" + strings.Join(serveTakes[1:], ", --"))
		}
	})
	return err
}

// without refuses flags that mean nothing without --serve.
func (f *serveFlags) without(fl *pflag.FlagSet) error {
	for _, name := range serveOnly {
		if fl.Changed(name) {
			return usage("--%s: nothing is served", name).hinted("give an address with --serve")
		}
	}
	return nil
}

// run serves recordings until ctx ends, or all was asked for.
func (f *serveFlags) run(ctx context.Context, io streams, fl *pflag.FlagSet, names []string, out output) error {
	if err := f.alone(fl); err != nil {
		return err
	}
	cfg := serve.Config{Pace: f.pace, Log: lineLog(io)}
	if err := f.signed(&cfg, fl); err != nil {
		return err
	}
	s := serve.New(cfg)
	for _, name := range names {
		if err := loadServed(s, name); err != nil {
			return err
		}
	}
	loaded := s.Report()
	if loaded.Exchanges == 0 {
		return usage("the recordings hold no request: there is nothing to serve")
	}
	l, err := listen(f.address)
	if err != nil {
		return failedIO(fmt.Errorf("listen: %w", err)).hinted("--serve takes HOST:PORT, as 127.0.0.1:4444, or unix:/PATH")
	}
	if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		fmt.Fprintf(io.err, "hallmark: %s is not loopback: whoever reaches it can read what is recorded\n", a)
	}
	for _, n := range loaded.Notes {
		fmt.Fprintln(io.err, reports.Clean("hallmark: "+n.Recording+": "+n.Text))
	}
	say := io.out
	if out.json {
		say = io.err
	}
	fmt.Fprintf(say, "listening on %s\n", shownAddress(l, false))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if f.untilDone {
		go func() {
			select {
			case <-s.Done():
				stop()
			case <-ctx.Done():
			}
		}()
	}
	if err := s.Serve(ctx, l); err != nil {
		return failedIO(fmt.Errorf("serve: %w", err))
	}
	r := s.Report()
	if out.json {
		err = writeJSON(io, r)
	} else {
		_, err = stdio.WriteString(io.out, reports.Clean(r.Text(out.all)))
	}
	if err != nil {
		return failedIO(err)
	}
	of := reports.Report{MadeBy: spec.MadeBy{Hallmark: version, Registry: spec.RegistryVersion}}
	command := []string{"hallmark", "replay", "--serve", f.address}
	if err := out.writeFiles(replayed.Sum(of, replayed.Served(r, f.strict, command...))); err != nil {
		return err
	}
	return f.exit(r)
}

// signed takes the secret that requests are checked with.
func (f *serveFlags) signed(cfg *serve.Config, fl *pflag.FlagSet) error {
	variable, _ := fl.GetString("secret-env")
	header, _ := fl.GetString("signature-header")
	if variable != "" {
		secret, err := secretIn(variable)
		if err != nil {
			return err
		}
		cfg.Secrets = [][]byte{[]byte(secret)}
	}
	if header == "" {
		return nil
	}
	if err := simulator.CheckSignatureHeader(header); err != nil {
		return usage("--signature-header %s: %w", header, err).hinted("for example " + spec.SignatureHeader)
	}
	if variable == "" {
		return usage("--signature-header %s: nothing is checked", header).hinted("name the variable that holds the secret by --secret-env")
	}
	cfg.SignatureHeader = header
	return nil
}

func loadServed(s *serve.Server, name string) error {
	in, err := openFile(name)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	var large *serve.TooLargeError
	if err = s.Load(name, in); errors.As(err, &large) {
		return usage("%w", err).hinted(large.Hint())
	}
	return readError(name, err)
}

// exit is the exit code of what came of serving.
func (f *serveFlags) exit(r serve.Report) error {
	strictly := r.DriftedTotal+r.UnusedTotal+r.NotServedTotal > 0 || r.Signatures != nil && r.Signatures.Wrong+r.Signatures.Absent > 0
	switch {
	case r.Requests == 0:
		return &exitError{code: reports.ExitUsage, err: errors.New("no request came: nothing was served")}
	case r.UnknownTotal > 0 || r.Lost > 0 || f.strict && strictly:
		return &exitError{code: reports.ExitFailed}
	}
	return nil
}
