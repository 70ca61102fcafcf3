package certify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// Single runs one scenario after the other against one worker, each as a run of
// its own would, and keeps no recordings. Discovery is made once. Make one with
// [NewSingle]. It is not safe for concurrent use.
type Single struct {
	run   *run
	found simulator.Discovery
	t     simulator.Poster
}

// SingleRun is what one run of a scenario showed.
type SingleRun struct {
	// Judged is the verdict; Alone tells of the run with nothing beside it, where
	// there was one, and then counts.
	Judged *Judged
	// Events are those of the recording that was judged.
	Events []spec.Event
}

// ErrNoStart is the error of a worker that did not start in any form.
var ErrNoStart = errors.New("the worker does not start")

// UnreachableError says that no connection to the worker was made.
type UnreachableError struct{ Why string }

// Error says why.
func (e *UnreachableError) Error() string { return "the worker could not be reached: " + e.Why }

// NewSingle finds out how the worker starts and what it declares. The scenarios of
// cfg, and its patterns, dialects and disturbances, are not looked at. The error is
// [ErrNoStart], an [*UnreachableError], or that of a run as [Run] returns it.
func NewSingle(ctx context.Context, cfg Config, t simulator.Poster) (*Single, error) {
	cfg.Features = features(cfg)
	cfg.Corpus, cfg.Own, cfg.Run, cfg.Skip, cfg.Disturb, cfg.Wanted = nil, nil, nil, nil, nil, nil
	cfg.Record, cfg.Keep, cfg.PlanOnly, cfg.Jobs = "", "", false, 1
	if len(cfg.Dialects) > 0 {
		cfg.Dialect = cfg.Dialects[0]
	}
	r := &run{cfg: cfg, tapes: map[tapeKey]*tape{}, calm: map[string]*tape{}, kept: map[string]bool{}, cancel: func() {}}
	found, err := r.discover(ctx, t)
	switch {
	case err != nil:
		return nil, err
	case found.Form == "" && !found.Reached:
		return nil, &UnreachableError{Why: found.Why}
	case found.Form == "":
		return nil, fmt.Errorf("%w: %s", ErrNoStart, found.Why)
	}
	r.cfg.Agent, r.cfg.Worker.Form = found.Agent, found.Form
	r.judged = nil
	return &Single{run: r, found: found, t: t}, nil
}

// Fingerprint is the same text for two that run a scenario alike, as far as it is
// known beforehand: by the same Hallmark, with the same settings and the same
// consent, at a worker that declares the same. It tells nothing of what it is made of.
func (s *Single) Fingerprint() (string, error) {
	cfg := s.run.cfg
	consent := cfg.Consent
	text, err := json.Marshal([]any{
		cfg.MadeBy, cfg.Seed, cfg.Fixed, cfg.AgentID, cfg.Agent, cfg.Dialect, cfg.Headers, cfg.Secret, cfg.SignatureHeader, cfg.Patience, cfg.Vars,
		cfg.Worker.Form, cfg.Samples, cfg.Features, consent.AllTools, consent.OnlyTools, consent.SkipTools, consent.Policies, s.found.Declared,
	})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// Plan gives the cases of a document for the worker, within what may be called: the
// error is a [*simulator.ConsentError] where nothing was said of that (R3), or
// [scenarios.Problems]. What a run of them would call is announced, by the
// configuration's Announce.
func (s *Single) Plan(doc *scenarios.Document) ([]scenarios.Case, error) {
	s.run.cfg.Own = []Own{{Doc: doc}}
	return s.run.plan(s.found)
}

// Run runs the first case of a document. The error is that of [Single.Plan], of
// writing, or of ctx.
func (s *Single) Run(ctx context.Context, doc *scenarios.Document) (SingleRun, error) {
	announce := s.run.cfg.Announce
	s.run.cfg.Announce = nil
	cases, err := s.Plan(doc)
	s.run.cfg.Announce = announce
	if err != nil {
		return SingleRun{}, err
	}
	r := s.run
	r.judged, r.err = nil, nil
	var out SingleRun
	cfg := r.cfg
	simulator.Run(ctx, simulator.RunConfig{
		Settings: cfg.Settings, Features: cfg.Features, Jobs: 1, Another: cfg.Another,
		Origin: func(scenarios.Case) (bool, string) { return false, "" },
		Sink:   func(in simulator.CaseInput) simulator.Sink { return r.sink(ctx, in) },
		Failed: r.failed,
	}, cases[:1], s.t, func(ran simulator.Ran) {
		out.Events = ran.Events
		if ran.Again != nil {
			out.Events = ran.Again.Events
		}
		r.done(ran)
	})
	if err := ctx.Err(); err != nil {
		return out, err
	}
	if r.err != nil {
		return out, r.err
	}
	out.Judged = r.judged[len(r.judged)-1]
	return out, nil
}
