package certify

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// Config says what to run against a worker, and how.
type Config struct {
	// RunOf.ID names the run; how many cases it has is filled in.
	simulator.Settings
	// Corpus and Own are the scenarios: the built-in ones, and a user's.
	Corpus []*scenarios.Document
	Own    []Own
	// Run and Skip are patterns; see [Choose].
	Run, Skip []string
	// Dialects are those to run each case in whose scenario sets none; empty
	// means the default. Discovery speaks the first.
	Dialects []scenarios.Dialect
	// Form is the one form of session.start to use, "" to find out (R2).
	Form string
	// Consent is what was said about calling tools; Declared is filled in.
	Consent simulator.ConsentOptions
	// Wanted, when set, says by its id whether a case that the patterns keep, or
	// any further run of it, is run; the others are left out. It may leave out all of them.
	Wanted func(id string) bool
	// Samples are known arguments by tool and kind, Features what the worker
	// is said to have; see [scenarios.PlanOptions].
	Samples map[string]map[string]jsontext.Value
	// Disturb names the disturbances under which each case that allows it is run
	// once more each, beside a second calm run; see [scenarios.Case.Runs].
	Disturb  []string
	Features []string
	// Jobs is how many cases run side by side, 0 for one a processor.
	Jobs int
	// Another starts a further worker for a case that restarts it; see
	// [simulator.RunConfig].
	Another func(context.Context) (*simulator.Instance, error)
	// Record is a folder for every recording, Keep one for those of cases that
	// failed; "" keeps none.
	Record, Keep string
	// MaxFailures ends the run after so many failed cases; 0 is no bound.
	MaxFailures int
	// Reset, when set, puts the worker's world back before each case. Cases
	// should then run one by one.
	Reset func(context.Context) error
	// Redact takes secrets out of all that is recorded; nil takes none out.
	Redact *recorder.Redactor
	// PlanOnly stops after Announce: only session.start is sent.
	PlanOnly bool
	// Announce, when set, is told once what the run would call.
	Announce func(summary string)
	// Progress, when set, is told of each case that has ended.
	Progress func(simulator.Progress)
}

// Own is a document of a user and the folder it was read from.
type Own struct {
	Doc    *scenarios.Document
	Folder string
}

// Run certifies the worker behind t: discovery, plan, consent, the cases, and
// the judge's verdict on each recording. The report is nil after PlanOnly. The
// error is never about the worker: a pattern that fits nothing, a scenario that
// cannot be run ([scenarios.Problems]), no consent ([simulator.ConsentError]),
// or a recording that could not be written. Cancelling ctx ends the run early;
// the report says so.
func Run(ctx context.Context, cfg Config, t simulator.Poster) (*reports.Report, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cfg.Features = features(cfg)
	if len(cfg.Dialects) > 0 {
		cfg.Dialect = cfg.Dialects[0]
	}
	r := &run{cfg: cfg, tapes: map[tapeKey]*tape{}, calm: map[string]*tape{}, kept: map[string]bool{}, cancel: cancel}
	found, err := r.discover(ctx, t)
	if err != nil {
		return nil, err
	}
	if found.Form == "" {
		return Sum(r.judged), r.err
	}
	r.cfg.Agent = found.Agent
	r.cfg.Worker.Form = found.Form
	cases, err := r.plan(found)
	if err != nil || r.cfg.PlanOnly {
		return nil, err
	}
	r.cfg.RunOf.Cases = len(cases)
	simulator.Run(ctx, simulator.RunConfig{
		Settings: r.cfg.Settings, Features: r.cfg.Features, Jobs: r.cfg.Jobs, Another: r.cfg.Another, MaxFailures: r.cfg.MaxFailures,
		Origin: r.origin, Sink: func(in simulator.CaseInput) simulator.Sink { return r.sink(ctx, in) }, Failed: r.failed, Progress: r.cfg.Progress,
	}, cases, t, r.done)
	r.sayAsync()
	return Sum(r.judged), r.err
}

// features are those that are claimed for the worker, and the run's own: who can
// restart the worker has that one (R15), who gave it an endpoint has the second
// (R19), who has a secret to sign with the third, and nobody else.
func features(cfg Config) []string {
	claimed := slices.DeleteFunc(slices.Clone(cfg.Features), func(f string) bool {
		return f == scenarios.FeatureRestart || f == scenarios.FeatureSettle || f == scenarios.FeatureSecret
	})
	if cfg.Restart != nil {
		claimed = append(claimed, scenarios.FeatureRestart)
	}
	if cfg.Endpoint != nil {
		claimed = append(claimed, scenarios.FeatureSettle)
	}
	if len(cfg.Secret) > 0 {
		claimed = append(claimed, scenarios.FeatureSecret)
	}
	return claimed
}

// sayAsync says that a worker was seen to settle calls later, where nobody has
// said so and the scenarios about that were left out.
func (r *run) sayAsync() {
	settles := slices.ContainsFunc(r.judged, func(j *Judged) bool { return j.facts.settles })
	if settles && r.cfg.Announce != nil && !slices.Contains(r.cfg.Features, "async") {
		r.cfg.Announce("the worker settles calls later: with features: [async] in hallmark.yaml the scenarios about that apply")
	}
}

type run struct {
	cfg    Config
	cancel context.CancelFunc
	judged []*Judged

	mu    sync.Mutex
	tapes map[tapeKey]*tape
	// calm are the first calm runs of the cases that are run disturbed now, kept
	// says of which all runs are kept.
	calm map[string]*tape
	kept map[string]bool
	// err is the first error of writing or judging.
	err error
}

type tapeKey struct {
	ordinal int
	alone   bool
}

func (r *run) discover(ctx context.Context, t simulator.Poster) (simulator.Discovery, error) {
	form := r.cfg.Form
	if r.cfg.PlanOnly && form == "" {
		// One session.start is enough to see what is declared, where it works.
		form = simulator.FormAgent
	}
	tape := r.newTape()
	found := simulator.Discover(ctx, r.cfg.Settings, form, t, tape.Event)
	if form != r.cfg.Form && found.Form == "" && found.Reached && !found.GaveUp() {
		tape = r.newTape()
		found = simulator.Discover(ctx, r.cfg.Settings, simulator.FormBare, t, tape.Event)
	}
	if found.Unreachable() {
		_, particulars := spec.SplitCloseReason(found.Why)
		found.Why = spec.CloseReason(spec.CloseUnreachable, particulars)
	}
	tape.Close(found.Result)
	j, err := r.judge(tape)
	if err != nil {
		return found, err
	}
	r.judged = append(r.judged, j)
	return found, nil
}

// plan gives the cases to run, within what may be called.
func (r *run) plan(found simulator.Discovery) ([]scenarios.Case, error) {
	consent := r.cfg.Consent
	consent.Declared = found.Declared
	agreed, refused := simulator.Agree(r.cfg.Worker.URL, consent)
	docs := append([]*scenarios.Document(nil), r.cfg.Corpus...)
	for _, own := range r.cfg.Own {
		docs = append(docs, own.Doc)
	}
	options := scenarios.PlanOptions{
		Seed: r.cfg.Seed, Vars: r.cfg.Vars, Allowed: agreed.Callable, Samples: r.cfg.Samples, Features: r.cfg.Features,
		Dialects: r.cfg.Dialects,
	}
	if refused != nil {
		options.Allowed = nil
	}
	cases, err := scenarios.Plan(docs, scenarios.Declared{Agent: found.Declared}, options)
	if err != nil {
		return nil, err
	}
	if cases, err = Choose(cases, r.cfg.Run, r.cfg.Skip); err != nil {
		return nil, err
	}
	if wanted := r.cfg.Wanted; wanted != nil {
		cases = slices.DeleteFunc(cases, func(c scenarios.Case) bool {
			// One run of a case is nothing without the others.
			return !slices.ContainsFunc(c.Runs(r.cfg.Disturb, r.cfg.Restart != nil), func(run scenarios.Case) bool { return wanted(run.ID) })
		})
	}
	for i, c := range cases {
		cases[i] = agreed.Bind(c)
		if refused != nil {
			cases[i] = c
		}
	}
	runs, said := allRuns(cases, r.cfg)
	if r.cfg.Announce != nil {
		if line := undialed(found.Declared); r.cfg.PlanOnly && line != "" {
			r.cfg.Announce(line)
		}
		r.cfg.Announce(agreed.Summary(runs) + said)
	}
	return runs, refused
}

func (r *run) origin(c scenarios.Case) (built bool, folder string) {
	for _, own := range r.cfg.Own {
		if own.Doc == c.Doc {
			return false, own.Folder
		}
	}
	return true, ""
}

func (r *run) newTape() *tape {
	clock := r.cfg.Clock
	if clock == nil {
		clock = simulator.SystemClock
	}
	return newTape(clock, r.cfg.Record, r.cfg.Redact)
}

// sink gives the place for the events of one case, which is about to begin.
func (r *run) sink(ctx context.Context, in simulator.CaseInput) simulator.Sink {
	if r.cfg.Reset != nil && in.Case.NotApplicable == "" && ctx.Err() == nil {
		if err := r.cfg.Reset(ctx); err != nil {
			// A case in a world that was not put back would tell nothing.
			r.keepError(err)
			r.cancel()
		}
	}
	t := r.newTape()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tapes[tapeKey{in.Ordinal, in.Alone}] = t
	if in.Case.Variant.Control == 1 && !in.Alone {
		r.calm[in.Case.ID] = t
	}
	return t
}

// failed judges a case that ran.
func (r *run) failed(ran simulator.Ran) bool {
	r.mu.Lock()
	t := r.tapes[tapeKey{ran.Input.Ordinal, ran.Input.Alone}]
	kept := r.kept[ran.Input.Case.Variant.Of]
	r.mu.Unlock()
	j, err := r.judge(t)
	if err != nil {
		r.keepError(err)
		return false
	}
	t.judged = j
	if kept {
		r.save(t)
	}
	return j.Case.Status == spec.StatusFail || r.strays(t, ran.Input.Case.Variant.Of)
}

// judge judges a tape, and keeps its recording where that was asked for.
func (r *run) judge(t *tape) (*Judged, error) {
	j, err := Judge(InMemory(t.name(), t.events))
	if err != nil {
		return nil, err
	}
	keep := j.Case.Status == spec.StatusFail || j.Case.Status == spec.StatusError || j.Case.Alone
	t.judged = j
	if keep {
		r.save(t)
	}
	r.keepError(t.err)
	return t.judged, nil
}

// save keeps the recording of a tape that was judged, where recordings of failed
// cases are kept, and lets its findings name the file.
func (r *run) save(t *tape) {
	if r.cfg.Keep == "" || t.name() != "" {
		return
	}
	t.err = cmp.Or(t.err, t.save(r.cfg.Keep))
	j, err := Judge(InMemory(t.name(), t.events))
	if err != nil {
		r.keepError(err)
		return
	}
	t.judged = j
	r.keepError(t.err)
}

func (r *run) keepError(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = cmp.Or(r.err, err)
}

// done takes a case in whose turn has come.
func (r *run) done(ran simulator.Ran) {
	r.collect(ran.Input)
	if ran.Again != nil {
		r.collect(ran.Again.Input)
	}
}

// collect takes the verdict of one recording; those that did not run have not
// been judged yet. What it held is let go.
func (r *run) collect(in simulator.CaseInput) {
	key := tapeKey{in.Ordinal, in.Alone}
	r.mu.Lock()
	t := r.tapes[key]
	delete(r.tapes, key)
	delete(r.calm, in.Case.ID)
	r.mu.Unlock()
	if t == nil {
		return
	}
	j := t.judged
	if j == nil {
		var err error
		if j, err = r.judge(t); err != nil {
			r.keepError(err)
			return
		}
	}
	r.judged = append(r.judged, j)
}
