package recorder

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// Repeated names a request that was sent several times.
type Repeated struct {
	Recording string `json:"recording"`
	Session   string `json:"session"`
	Exchange  string `json:"exchange"`
	// About says what the request is about, for a person.
	About string `json:"about,omitzero"`
}

// Stability gathers what [Vary] finds for many requests. The zero value is ready;
// it is not safe for concurrent use.
type Stability struct {
	// Ignore are the rules that were given, nil for none.
	Ignore *Rules

	sum   Steadiness
	drift drift
}

// Steadiness is how steady a worker is: what came of sending the same requests to
// it again and again.
type Steadiness struct {
	// Requests were sent more than once; Steady is how many of them were answered
	// alike each time, but for what is ignored.
	Requests int `json:"requests"`
	Steady   int `json:"steady"`
	// Unsteady are the places that vary, in the order in which they came up.
	Unsteady []UnsteadyPlace `json:"unsteady,omitzero"`
	// Changed are places that are the same each time, and other than recorded.
	Changed []ChangedPlace `json:"changed,omitzero"`
	// Ignore are the rules, beside those that were given, that let everything vary
	// that may, and nothing else.
	Ignore []string `json:"ignore,omitzero"`
	// Full says that there is more than is told.
	Full bool `json:"full,omitzero"`
}

// UnsteadyPlace is a place that varies, in the answers to one request or to more.
type UnsteadyPlace struct {
	Pointer string `json:"pointer"`
	Class   Class  `json:"class"`
	// Rule is the rule that lets it vary, "" where none should. Ignored says that
	// it was given.
	Rule    string `json:"rule,omitzero"`
	Ignored bool   `json:"ignored,omitzero"`
	// Examples are those of the first request, First names it, and Requests counts
	// them.
	Examples []string `json:"examples"`
	First    Repeated `json:"first"`
	Requests int      `json:"requests"`
}

// ChangedPlace is a place where all answers say the same and the recorded one
// another thing.
type ChangedPlace struct {
	Pointer  string   `json:"pointer"`
	Recorded string   `json:"recorded"`
	Now      string   `json:"now"`
	First    Repeated `json:"first"`
	Requests int      `json:"requests"`
}

// Add adds the answers to one request that was sent several times, and what was
// recorded, nil when that is not known.
func (s *Stability) Add(of Repeated, recorded *Told, answers []Told) {
	unsteady, changed := (&varying{}).vary(recorded, answers)
	s.sum.Requests++
	s.sum.Full = s.sum.Full || len(unsteady)+len(changed) >= maxVarying
	if recorded != nil {
		s.drift.shape(recorded.Answer)
	}
	for _, a := range answers {
		s.drift.shape(a.Answer)
	}
	steady := true
	for _, u := range unsteady {
		given := s.Ignore.lets(u.Pointer)
		steady = steady && given != ""
		if given == "" && u.Class != ClassWorker {
			s.drift.spot(u.Pointer, "", false)
		}
		s.unsteady(of, u, given)
	}
	for _, c := range changed {
		if s.Ignore.lets(c.Pointer) == "" {
			s.changed(of, c)
		}
	}
	if steady {
		s.sum.Steady++
	}
}

// AddSteady adds a request that was answered alike each time, and as recorded.
func (s *Stability) AddSteady() {
	s.sum.Requests++
	s.sum.Steady++
}

// See takes in an answer that was given, so that no rule that is named reaches
// what does not vary there. What is added is taken in already.
func (s *Stability) See(answer jsontext.Value) { s.drift.shape(answer) }

func (s *Stability) unsteady(of Repeated, u Unsteady, given string) {
	i := slices.IndexFunc(s.sum.Unsteady, func(o UnsteadyPlace) bool { return o.Pointer == u.Pointer && o.Class == u.Class })
	switch {
	case i >= 0:
		s.sum.Unsteady[i].Requests++
	case len(s.sum.Unsteady) == maxVarying:
		s.sum.Full = true
	default:
		s.sum.Unsteady = append(s.sum.Unsteady, UnsteadyPlace{
			Pointer: u.Pointer, Class: u.Class, Examples: u.Examples, First: of, Requests: 1, Rule: given, Ignored: given != "",
		})
	}
}

func (s *Stability) changed(of Repeated, c Place) {
	i := slices.IndexFunc(s.sum.Changed, func(o ChangedPlace) bool { return o.Pointer == c.Pointer })
	switch {
	case i >= 0:
		s.sum.Changed[i].Requests++
	case len(s.sum.Changed) == maxVarying:
		s.sum.Full = true
	default:
		s.sum.Changed = append(s.sum.Changed, ChangedPlace{
			Pointer: c.Pointer, Recorded: jsonv.Short(c.A, exampleWidth), Now: jsonv.Short(c.B, exampleWidth), First: of, Requests: 1,
		})
	}
}

// Sum is what all requests gave.
func (s *Stability) Sum() Steadiness {
	out := s.sum
	out.Unsteady = slices.Clone(out.Unsteady)
	rules := s.drift.narrowest()
	for i, u := range out.Unsteady {
		if !u.Ignored && u.Class != ClassWorker {
			out.Unsteady[i].Rule = covering(rules, u.Pointer)
		}
	}
	for _, r := range rules {
		out.Ignore = append(out.Ignore, r.String())
	}
	return out
}

// Steadily reports whether nothing varies but what is ignored.
func (s Steadiness) Steadily() bool {
	return !slices.ContainsFunc(s.Unsteady, func(u UnsteadyPlace) bool { return !u.Ignored })
}

// lets is the rule that lets a place of an answer differ, "" for none.
func (r *Rules) lets(pointer string) string {
	if r == nil {
		return ""
	}
	for _, t := range r.list {
		if _, ok := t.covers(pointer); ok && !t.request {
			return t.String()
		}
	}
	return ""
}
