package simulator

import (
	"context"
	"strconv"
	"time"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// The two legal forms of session.start (A3, R2).
const (
	// FormAgent proposes a config, as an engine with an agent file does.
	FormAgent = "agent"
	// FormBare proposes none.
	FormBare = "bare"
)

// DiscoveryName is the scenario that stands in the header of discovery's
// recording.
const DiscoveryName = "discovery"

// discoveryBound is how long one form may take in real time: two deliveries of
// 20 s that are not answered, and a little.
const discoveryBound = 60 * time.Second

// DefaultAgent is the config that session.start proposes when nobody gives
// one: the smallest that an engine's agent file could hold (R2).
func DefaultAgent() *spec.AgentConfig {
	return &spec.AgentConfig{Model: "hallmark-simulated", Llm: "main"}
}

// Discovery is what a worker turned out to be.
type Discovery struct {
	// Result is how the recording ended.
	Result
	// Form is the form to use for every later case, "" when none works.
	Form string
	// Agent is what later cases propose: nil with [FormBare].
	Agent *spec.AgentConfig
	// Declared is the config that the worker answered with, nil when none
	// works.
	Declared *spec.AgentConfig
	// Forms says how each form went, in the order tried.
	Forms []FormTried
}

// FormTried is one form of session.start and what came of it.
type FormTried struct {
	// Session is the alias of the form's session in the recording.
	Session, Form string
	// Why is how its session ended.
	Why string
	// Declared is the config that it yielded, nil for none.
	Declared *spec.AgentConfig
}

// Unreachable reports whether no connection was ever made (exit 3). A worker
// that takes connections and hangs up, or talks nonsense, is there and broken.
func (d Discovery) Unreachable() bool { return !d.Reached }

// Discover opens one session in each form of session.start and no further:
// first with a proposed config (s.Agent, else [DefaultAgent]), then without
// (R2). The first form that yields a config is the one to use; the other is
// asked too, since a worker should start from both. only, when it is not "",
// names the single form to ask. A worker that is not there, or hangs, is asked
// once only.
//
// The events go to sink as those of a case do, the two sessions s1 and s2 in
// one recording.
func Discover(ctx context.Context, s Settings, only string, t Poster, sink func(spec.Event)) Discovery {
	in := CaseInput{Settings: s.withDefaults(), Case: discoveryCase(s)}
	if in.Agent == nil {
		in.Agent = DefaultAgent()
	}
	skip(in, "", sink)
	var found Discovery
	for _, form := range []string{FormAgent, FormBare} {
		if only != "" && only != form {
			continue
		}
		tried := FormTried{Session: "s" + strconv.Itoa(len(found.Forms)+1), Form: form}
		r, err := discoverForm(ctx, in, &tried, t, sink)
		if err != nil {
			r.Why = spec.CloseReason(spec.CloseHarness, err.Error())
			tried.Why = r.Why
		}
		found.add(in, tried, r)
		if r.GaveUp() || !r.Reached {
			break
		}
	}
	return found
}

// discoveryCase is the case under which discovery is recorded.
func discoveryCase(s Settings) scenarios.Case {
	return scenarios.Case{
		ID: DiscoveryName + "#default", Name: "default",
		Doc:     &scenarios.Document{Name: DiscoveryName},
		Limits:  scenarios.Limits{Decisions: 1, Real: discoveryBound},
		Dialect: s.Dialect,
	}
}

// add takes in how one form went.
func (d *Discovery) add(in CaseInput, tried FormTried, r Result) {
	d.Forms = append(d.Forms, tried)
	reached := d.Reached || r.Reached
	r.Decisions += d.Decisions
	r.Exchanges += d.Exchanges
	r.T = max(r.T, d.T)
	if d.Form != "" {
		// The form that works is the reason how the recording ended.
		r.Why = d.Why
	}
	d.Result, d.Reached = r, reached
	if d.Form == "" && tried.Declared != nil {
		d.Form, d.Declared = tried.Form, tried.Declared
		if tried.Form == FormAgent {
			d.Agent = in.Agent
		}
	}
}

// discoverForm opens one session. Nothing of the scenario language takes part:
// the session is opened and its script is empty.
func discoverForm(ctx context.Context, in CaseInput, tried *FormTried, t Poster, sink func(spec.Event)) (Result, error) {
	if tried.Form == FormBare {
		in.Agent = nil
	}
	s, err := newSession(in, role{alias: tried.Session}, t, sink)
	if err != nil {
		return Result{}, err
	}
	s.startOnly = true
	r := s.live(ctx)
	tried.Why, tried.Declared = r.Why, s.declared
	return r, nil
}
