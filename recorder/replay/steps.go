package replay

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// Steps is what came of playing a capture step by step (R5).
type Steps struct {
	Recording string `json:"recording"`
	ID        string `json:"id"`
	// Requests is how many requests the recording holds. Each but the first of a
	// session is a step, or begins no step that could be told.
	Requests    int `json:"requests"`
	Agrees      int `json:"agrees"`
	Differs     int `json:"differs"`
	Unexplained int `json:"unexplained"`
	// Steps are those that do not agree, at most [MaxSteps] of them.
	Steps []Step `json:"steps,omitzero"`
	// MadeBy is the version that made the recording.
	MadeBy string `json:"made_by"`
}

// MaxSteps bounds how many steps that do not agree are told.
const MaxSteps = 1000

// Step is one request of a capture, held against what the simulated engine makes
// of the request before it and its answer.
type Step struct {
	// Verdict is one of the Step constants.
	Verdict string `json:"verdict"`
	// Code is [CodeStep] where the step differs, one of [UnexplainedCodes] where it
	// is unexplained, "" where it agrees.
	Code string `json:"code,omitzero"`
	// Session, Exchange and Line say which request it is, After which one it was
	// predicted from.
	Session  string `json:"session"`
	Exchange string `json:"exchange"`
	Line     int64  `json:"line"`
	After    string `json:"after"`
	// About says what the request is about: "tool.finished of call_1".
	About string `json:"about"`
	// Pointer is the first place of the request that differs; Got is what was
	// captured there, Want what the simulated engine says. Rules are the rules of
	// the protocol that speak of that place.
	Pointer string `json:"pointer,omitzero"`
	Got     string `json:"got,omitzero"`
	Want    string `json:"want,omitzero"`
	Rules   string `json:"rules,omitzero"`
	// Reason says why a step is unexplained.
	Reason string `json:"reason,omitzero"`
	// Assumed is what a request does not tell, and was taken for given.
	Assumed []string `json:"assumed,omitzero"`
}

// The verdicts on steps.
const (
	// StepAgrees: the request says what the simulated engine says.
	StepAgrees = "agrees"
	// StepDiffers: it says something else.
	StepDiffers = "differs"
	// StepUnexplained: what led to it cannot be seen.
	StepUnexplained = "unexplained"
)

// StepFile plays the capture in a file step by step: each request is predicted
// from the one before it in its session, its answer, and what its own trigger
// tells of the world outside, and compared by meaning. Errors do not add up, so
// captures that begin in the middle or have holes can be played, and recordings
// of any source. The memory is that of the sessions' latest exchanges. The error
// is that of reading.
func StepFile(ctx context.Context, name string) (Steps, error) {
	f, err := recorder.Open(name)
	if err != nil {
		return Steps{Recording: name}, err
	}
	defer f.Close()
	s, err := StepThrough(ctx, f)
	s.Recording = name
	return s, err
}

// SourceOf is the source that the header of a recording names. The error is that
// of reading.
func SourceOf(name string) (spec.Source, error) {
	h, err := recorder.HeaderOf(name)
	if err != nil {
		return "", err
	}
	return h.Source, nil
}

// StepThrough plays the capture in r, as [StepFile] does.
func StepThrough(ctx context.Context, r io.Reader) (Steps, error) {
	var out Steps
	var fault error
	w := walk{sessions: map[string]*walked{}, out: &out}
	look := func(e spec.Event) {
		switch d := e.Data.(type) {
		case *spec.HeaderEvent:
			out.ID, w.ours, out.MadeBy = d.ID, d.Source == spec.SourceTest, d.MadeBy.Hallmark
		case *spec.GapEvent:
			if d.Lost > 0 {
				w.lost(e.N)
			}
		}
	}
	for x := range spec.Exchanges(readable(recorder.NewReader(r).All(), look, &fault)) {
		if err := ctx.Err(); err != nil {
			return out, fmt.Errorf("stopped: %w", err)
		}
		out.Requests++
		w.next(x)
	}
	return out, fault
}

// readable passes events on until one does not read.
func readable(events iter.Seq2[spec.Event, error], look func(spec.Event), fault *error) iter.Seq[spec.Event] {
	return func(yield func(spec.Event) bool) {
		for e, err := range events {
			if err != nil {
				*fault = err
				return
			}
			look(e)
			if !yield(e) {
				return
			}
		}
	}
}

// add takes a step in, and returns where it stands in the list, -1 where it does
// not.
func (s *Steps) add(step Step) int {
	switch step.Verdict {
	case StepAgrees:
		s.Agrees++
		return -1
	case StepDiffers:
		s.Differs++
	default:
		s.Unexplained++
	}
	if len(s.Steps) >= MaxSteps {
		return -1
	}
	s.Steps = append(s.Steps, step)
	return len(s.Steps) - 1
}

// walk goes through the exchanges of a recording.
type walk struct {
	sessions map[string]*walked
	// ours says that hallmark's own engine asked, by a scenario.
	ours bool
	// order are the sessions, in the order in which they were first spoken of.
	order []string
	// gap is the line of the last gap that was read, 0 for none.
	gap int64
	out *Steps
}

// maxWalked bounds the sessions whose latest exchange is remembered.
const maxWalked = 1024

// walked is one session as far as it was walked through.
type walked struct {
	last *spec.Exchange
	// differs says that the latest step does, at is where it stands in the list.
	differs bool
	at      int
	ours    bool
	// first is what the wire counts attempts from, once that was seen.
	first    uint32
	firstSet bool
}

// sameDecision reports whether r delivers the decision of an exchange again.
func sameDecision(before *spec.Exchange, r *spec.DecisionRequest) bool {
	if before == nil {
		return false
	}
	asked, fault := before.Asked()
	return fault == nil && asked.DecisionID == r.DecisionID
}

// next takes the next exchange, and adds the step that leads to it. There is none
// to the first of a session, and to what is no delivery.
func (w *walk) next(x *spec.Exchange) {
	if !x.IsDelivery() || x.Request != nil && x.Request.Broken != "" {
		return
	}
	s := w.sessions[x.Session]
	if s == nil {
		s = &walked{ours: w.ours}
		w.remember(x.Session, s)
	}
	before := s.last
	s.last = x
	s.learn(before, x)
	if before == nil {
		return
	}
	step := &Step{
		Session: x.Session, Exchange: x.D, Line: x.Line, After: before.D,
		About: about(&spec.Event{Data: x.Request}),
	}
	s.judge(step, before, x)
	if step.Verdict == StepDiffers && w.gap > before.Line {
		step.unexplained(missing)
	}
	s.differs = step.Verdict == StepDiffers
	s.at = w.out.add(*step)
}

// missing is why nothing is told across a gap.
var missing = because{CodeGap, "the recording says that something is missing here"}

// lost takes note of a gap. A recorder writes it as soon as it can, which may be
// behind the request that came after what is missing.
func (w *walk) lost(line int64) {
	w.gap = line
	for _, alias := range w.order {
		s := w.sessions[alias]
		if !s.differs {
			continue
		}
		s.differs = false
		w.out.Differs--
		w.out.Unexplained++
		if s.at >= 0 {
			w.out.Steps[s.at].unexplained(missing)
		}
	}
}

// remember keeps a session, and lets the oldest go where there are too many: of
// that the next request counts as its first.
func (w *walk) remember(alias string, s *walked) {
	if len(w.order) >= maxWalked {
		delete(w.sessions, w.order[0])
		w.order = w.order[1:]
	}
	w.sessions[alias], w.order = s, append(w.order, alias)
}

// learn takes from a request how this engine does what engines may do in two
// ways.
func (s *walked) learn(before, x *spec.Exchange) {
	r, fault := x.Asked()
	if fault != nil {
		return
	}
	if !sameDecision(before, r) && r.Attempts <= 1 && (!s.firstSet || r.Attempts < s.first) {
		s.first, s.firstSet = r.Attempts, true
	}
}
