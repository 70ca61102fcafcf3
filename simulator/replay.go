package simulator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// Replayed is what came of driving a case again from its own recording.
type Replayed struct {
	Result
	// Requests is how many requests the recording holds, Same how many of them
	// came out again, byte for byte.
	Requests, Same int
	// Skipped is why the case was not driven in the first place, "" when it was.
	Skipped string
	// Divergence is the first difference, nil for none.
	Divergence *Divergence
}

// Divergence is the first place at which a case that is driven again does
// something else than its recording says.
type Divergence struct {
	// Session is the alias of the session, "" where it is the case as a whole.
	Session string
	// Want is the event that the recording has there, nil behind its last one.
	Want *spec.Event
	// Got is what Hallmark does in its place, nil for nothing.
	Got *spec.Event
	// GotEnd is why Hallmark ended the session or the case there, "" when it did
	// not. WantEnd is the recording's reason, where nothing but the end differs.
	WantEnd, GotEnd string
	// Last is the last request of the session that came out the same, nil for
	// none.
	Last *spec.Event
}

// The secret of a recording is not known. Whatever is signed with is as good,
// since signatures are not compared.
var someSecret = []byte("the secret of a recording is not known")

// NotReplayedError says why a recording cannot be driven again at all.
type NotReplayedError struct {
	// Reason says what is in the way, Fix what to do.
	Reason, Fix string
	Err         error
}

// Error returns the reason, with its cause.
func (e *NotReplayedError) Error() string {
	if e.Err != nil {
		return e.Reason + ": " + e.Err.Error()
	}
	return e.Reason
}

// Unwrap returns the cause.
func (e *NotReplayedError) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *NotReplayedError) Hint() string { return e.Fix }

// Replay drives the case of one of Hallmark's own recordings again, from its
// first event to its last, with no worker, no model and no clock: what came from
// outside in the live run comes when the recording says so, and all else is done
// anew and held against it (R5, R20). It waits for nothing in real time. events
// are those of the recording, the closing line included where there is one; sink
// gets those that Hallmark hands out now, up to the first difference; nil is no
// sink. The error is a [*NotReplayedError].
func Replay(ctx context.Context, events []spec.Event, sink func(spec.Event)) (Replayed, error) {
	t, err := newTape(events)
	if err != nil {
		return Replayed{}, &NotReplayedError{Reason: "replay", Fix: "record again", Err: err}
	}
	if t.header.Source != spec.SourceTest || t.header.Case == nil {
		return Replayed{}, &NotReplayedError{
			Reason: fmt.Sprintf("a recording of source %q has no case that could be driven again", t.header.Source),
			Fix:    "only recordings of hallmark test are driven from end to end",
		}
	}
	r := &replay{tape: t, sink: func(e spec.Event) {
		t.take(e)
		if sink != nil && t.diverged == nil {
			sink(e)
		}
	}}
	var out Replayed
	if len(t.order) == 0 {
		_, out.Requests = t.requests()
		if out.Skipped = "the recording holds no session"; t.close != nil {
			out.Skipped, out.Why = t.close.Why, t.close.Why
		}
		return out, nil
	}
	if out.Result, err = r.drive(ctx); err != nil {
		return Replayed{}, &NotReplayedError{Reason: "open the scenario in the recording", Fix: "replay with the hallmark that made it: " + t.header.MadeBy.Hallmark, Err: err}
	}
	t.finish(out.Why)
	out.Same, out.Requests = t.requests()
	out.Divergence = t.diverged
	return out, nil
}

type replay struct {
	tape *tape
	sink func(spec.Event)
}

// drive drives the case of the tape, or opens the sessions of discovery.
func (r *replay) drive(ctx context.Context) (Result, error) {
	in, err := r.tape.settings()
	if err != nil {
		return Result{}, err
	}
	if r.tape.header.Case.Scenario == DiscoveryName && r.tape.header.Case.Text == "" {
		return r.discover(ctx, in)
	}
	if in.Case, err = scenarioOf(r.tape); err != nil {
		return Result{}, err
	}
	in.Headers = r.tape.extraHeaders(len(in.Case.Engine.Headers))
	in.Features, in.Vars = r.tape.header.Case.Features, r.tape.header.Case.Vars
	in.Alone = r.tape.header.Case.Alone
	return Drive(ctx, in, nil, r.sink), nil
}

// discover opens the sessions of a recording of discovery again.
func (r *replay) discover(ctx context.Context, in CaseInput) (Result, error) {
	in.Headers = r.tape.extraHeaders(0)
	if d := r.tape.header.Dialect; d != nil {
		in.Dialect = scenarios.DialectOf(*d)
	}
	in.Case = discoveryCase(in.Settings)
	skip(in, "", r.sink)
	var found Discovery
	for _, alias := range slices.Clone(r.tape.order) {
		tried := FormTried{Session: alias, Form: FormAgent}
		own := in
		if own.Agent = r.tape.proposed(alias); own.Agent == nil {
			tried.Form = FormBare
		}
		result, err := discoverForm(ctx, own, &tried, nil, r.sink)
		if err != nil {
			return Result{}, err
		}
		found.add(own, tried, result)
	}
	return found.Result, nil
}

// settings are those that the run had, as far as its recording tells.
func (t *tape) settings() (CaseInput, error) {
	h := t.header
	in := CaseInput{Settings: Settings{
		Seed: h.Seed, Fixed: h.Clock == "fixed", Worker: h.Worker, MadeBy: h.MadeBy, RunOf: h.Run,
		SignatureHeader: t.signature, Clock: stillClock{}, tape: t,
	}}
	at, err := time.Parse(time.RFC3339Nano, h.At)
	if err != nil {
		return in, fmt.Errorf("the header's at: %w", err)
	}
	in.At = at
	if h.Signing != nil {
		in.Secret = someSecret
	}
	var engine engineSettings
	if h.Engine != nil {
		if err := json.Unmarshal(h.Engine, &engine); err != nil {
			return in, fmt.Errorf("the header's engine: %w", err)
		}
	}
	in.Patience = time.Duration(engine.AnswerMs) * time.Millisecond
	if engine.Endpoint {
		in.Endpoint = NewEndpoint("")
	}
	if t.close == nil || t.close.Why != spec.CloseReason(spec.CloseHarness, noRestart) {
		in.Restart = t.restart
	}
	for _, alias := range t.order {
		if s, ok := t.tracks[alias].events[0].Data.(*spec.SessionEvent); ok && in.AgentID == "" {
			in.AgentID = s.AgentID
		}
		if in.Agent == nil {
			in.Agent = t.proposed(alias)
		}
	}
	in = CaseInput{Settings: in.withDefaults()}
	return in, nil
}

// proposed is the config that the session.start of a session proposes, nil for
// none.
func (t *tape) proposed(alias string) *spec.AgentConfig {
	for _, e := range t.tracks[alias].events {
		r, ok := e.Data.(*spec.RequestEvent)
		if !ok || r.Trigger != spec.OnSessionStart {
			continue
		}
		body, err := r.Body.Bytes()
		if err != nil {
			return nil
		}
		if v, there := jsonv.Get(body, "/proposed/agent"); there && jsonv.Kind(v) == '{' {
			if agent, err := agentOf(v); err == nil {
				return agent
			}
		}
		return nil
	}
	return nil
}

// extraHeaders are those that the run added to each request, ahead of those of
// the case.
func (t *tape) extraHeaders(ofCase int) [][2]string {
	for _, alias := range t.order {
		for _, e := range t.tracks[alias].events {
			r, ok := e.Data.(*spec.RequestEvent)
			if !ok || r.Decision == "" {
				// One outside the protocol has headers of its own.
				continue
			}
			from := len(WireHeaders("", nil))
			to := len(r.Headers) - 1 - ofCase
			if r.Signature != "" && t.signature != "" && len(withoutHeader(r.Headers, t.signature)) < len(r.Headers) {
				to--
			}
			if from < to {
				return slices.Clone(r.Headers[from:to])
			}
			return nil
		}
	}
	return nil
}

// restart is the restart of a worker that is on tape: it works where it worked.
func (t *tape) restart(context.Context) error {
	if t.peek(fileTrack, 0) != nil {
		return nil
	}
	why := ""
	if t.close != nil {
		_, why = spec.SplitCloseReason(t.close.Why)
	}
	return errors.New(strings.TrimPrefix(why, "restart the worker: "))
}

// finish looks at what is left when everything was driven.
func (t *tape) finish(why string) {
	for _, alias := range append([]string{fileTrack}, t.order...) {
		if t.peek(alias, 0) != nil {
			t.diverge(alias, nil, why)
		}
	}
	if t.diverged != nil || t.close == nil || sameEnd(t.close.Why, why) {
		return
	}
	t.diverged = &Divergence{WantEnd: t.close.Why, GotEnd: why}
}

// sameEnd compares the reasons of two ends; particulars that hold a stand-in for
// a secret are not known.
func sameEnd(want, got string) bool {
	a, of := spec.SplitCloseReason(want)
	b, _ := spec.SplitCloseReason(got)
	return want == got || a == b && strings.Contains(of, spec.StandInPrefix)
}

// stillClock is the clock of a replay: nobody reads a time off it that counts,
// and nothing ever passes on it.
type stillClock struct{}

func (stillClock) Now() time.Time { return DefaultAt }

func (stillClock) AfterFunc(time.Duration, func()) func() bool { return func() bool { return true } }
