package retell

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/judge"
)

// The bounds of what is told again.
const (
	// MaxExchanges is how many exchanges of one session are told.
	MaxExchanges = 5000
	// MaxBytes is how long a scenario may get: no longer one is read.
	MaxBytes = 1 << 20
)

// Options say what is told.
type Options struct {
	// Name is what comments call the recording: the name of its file.
	Name string
	// Session is the alias or the id of the session to tell, "" where there is
	// one only. It counts for captures: an own recording is told as a whole.
	Session string
}

// Retold is a scenario that a recording tells.
type Retold struct {
	Tree *scenarios.Tree
	// Broken are the requirements that the recording shows broken, of level must
	// first; advice is none of them.
	Broken []string
	// Left says by name what was seen and no scenario can say.
	Left []string
	// Works are arguments of calls that ran, one for each tool, as a call writes
	// them: {arguments: …} or {raw: …}. They put a bad call right (R11).
	Works map[string]*scenarios.Tree
}

// Session is a session that a recording holds.
type Session struct {
	Alias string
	ID    string
	// Exchanges counts its requests and those of the subagents below it.
	Exchanges int
	// Said is what its client said first, as far as that was seen.
	Said string
}

// A ChoiceError says that it is not clear which session to tell.
type ChoiceError struct {
	// Wanted is what was asked for, "" for nothing.
	Wanted   string
	Sessions []Session
}

// Error says how many there are, or that none is called so.
func (e *ChoiceError) Error() string {
	if e.Wanted != "" {
		return fmt.Sprintf("no session %q in the recording", e.Wanted)
	}
	return fmt.Sprintf("the recording holds %d sessions", len(e.Sessions))
}

// A SizeError says that what was recorded is too much for one scenario.
type SizeError struct {
	What string
	Fix  string
}

// Error says what is too much.
func (e *SizeError) Error() string { return e.What }

// Hint says what to do.
func (e *SizeError) Hint() string { return e.Fix }

// ErrNothing is the error of a recording without an exchange to tell.
var ErrNothing = errors.New("the recording holds no exchange that could be told")

// Sessions lists the sessions of a recording that are no subagents', in the order
// in which they begin. The error is that of reading.
func Sessions(events iter.Seq2[spec.Event, error]) ([]Session, error) {
	var all []Session
	root := map[string]int{}
	for e, err := range events {
		if err != nil {
			return all, err
		}
		switch d := e.Data.(type) {
		case *spec.SessionEvent:
			if _, known := root[e.Session]; known {
				// The next part of a recording says so again.
				continue
			}
			if at, child := root[d.Parent]; child && d.Parent != "" {
				root[e.Session] = at
			} else {
				root[e.Session] = len(all)
				all = append(all, Session{Alias: e.Session, ID: d.SessionID})
			}
		case *spec.RequestEvent:
			at, known := root[e.Session]
			if !known {
				at = len(all)
				root[e.Session] = at
				all = append(all, Session{Alias: e.Session})
			}
			all[at].Exchanges++
			if all[at].Said == "" && d.Trigger == spec.OnClientMessages {
				all[at].Said = firstSaid(d)
			}
		}
	}
	return slices.DeleteFunc(all, func(s Session) bool { return s.Exchanges == 0 }), nil
}

// firstSaid is the first new text of a client, "" where the body is in pieces.
func firstSaid(d *spec.RequestEvent) string {
	body, err := d.Body.Bytes()
	if err != nil || body == nil {
		return ""
	}
	r, fault := spec.ParseRequest(body)
	if fault != nil {
		return ""
	}
	if t, ok := r.Trigger.(spec.ClientMessagesTrigger); ok && int(t.NewFrom) < len(t.Messages) {
		return short(textOf(t.Messages[t.NewFrom].Content), 60)
	}
	return ""
}

// choose finds the session that is meant.
func choose(all []Session, wanted string) (Session, error) {
	switch {
	case len(all) == 0:
		return Session{}, ErrNothing
	case wanted == "" && len(all) == 1:
		return all[0], nil
	case wanted == "":
		return Session{}, &ChoiceError{Sessions: all}
	}
	i := slices.IndexFunc(all, func(s Session) bool { return s.Alias == wanted || s.ID == wanted })
	if i < 0 {
		return Session{}, &ChoiceError{Wanted: wanted, Sessions: all}
	}
	return all[i], nil
}

// From tells a recording again. events must give the same events each time they
// are gone through: that is done twice. The error is that of reading, a
// [*ChoiceError], a [*SizeError], [ErrNothing], or that of an own recording whose
// scenario no longer reads.
func From(events iter.Seq2[spec.Event, error], o Options) (*Retold, error) {
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		h, ok := e.Data.(*spec.HeaderEvent)
		if ok && h.Case != nil && h.Case.Text != "" {
			return own(events, h, o)
		}
		break
	}
	sessions, err := Sessions(events)
	if err != nil {
		return nil, err
	}
	chosen, err := choose(sessions, o.Session)
	if err != nil {
		return nil, err
	}
	if chosen.Exchanges > MaxExchanges {
		return nil, &SizeError{
			What: fmt.Sprintf("session %s has %d exchanges, at most %d are told", chosen.Alias, chosen.Exchanges, MaxExchanges),
			Fix:  "cut the recording, or tell another session of it",
		}
	}
	t, err := tell(events, chosen)
	if err != nil {
		return nil, err
	}
	return t.finish(o)
}

// tell goes through the exchanges of a session and those below it.
func tell(events iter.Seq2[spec.Event, error], chosen Session) (*teller, error) {
	t := newTeller(chosen)
	verdicts := judge.New(judge.Options{})
	var fault error
	watch := func(yield func(spec.Event) bool) {
		for e, err := range events {
			if err != nil {
				fault = err
				return
			}
			verdicts.Add(e)
			t.event(e)
			if !yield(e) {
				return
			}
		}
	}
	for x := range spec.Exchanges(watch) {
		t.exchange(x)
	}
	if fault != nil {
		return nil, fault
	}
	t.broken = brokenIn(verdicts.Verdict(), t.mine)
	return t, nil
}

// broke is a finding of a requirement that is no advice.
type broke struct {
	spec.Finding
	must bool
}

// brokenIn are the findings about sessions that are told, those of musts first and
// else in the order of the registry.
func brokenIn(v judge.Verdict, mine func(alias string) bool) []broke {
	var all []broke
	for _, o := range v.Observations {
		q, _ := spec.LookupRequirement(o.Requirement)
		if q.Level == spec.Advice {
			continue
		}
		for _, f := range o.Findings {
			if f.Session == "" || mine(f.Session) {
				all = append(all, broke{f, q.Level == spec.Must})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b broke) int {
		return cmp.Compare(weight(a), weight(b))
	})
	return all
}

func weight(b broke) int {
	if b.must {
		return 0
	}
	return 1
}

// own tells the case of an own recording again, as it ran.
func own(events iter.Seq2[spec.Event, error], h *spec.HeaderEvent, o Options) (*Retold, error) {
	c, err := scenarios.Reopen(h)
	if err != nil {
		return nil, fmt.Errorf("read the scenario in the recording: %w", err)
	}
	verdicts := judge.New(judge.Options{})
	var fault error
	works := map[string]*scenarios.Tree{}
	for x := range spec.Exchanges(func(yield func(spec.Event) bool) {
		for e, err := range events {
			if fault = err; err != nil {
				return
			}
			verdicts.Add(e)
			if !yield(e) {
				return
			}
		}
	}) {
		asked, broken := x.Asked()
		decided, failure := x.Decided()
		if broken == nil && failure == nil {
			worked(works, asked, decided)
		}
	}
	if fault != nil {
		return nil, fault
	}
	out := &Retold{Tree: c.Concrete(), Works: works}
	if c.NotApplicable != "" {
		out.Left = append(out.Left, "it did not run: "+c.NotApplicable)
	}
	if d := h.Case.Disturbed; d != nil {
		out.Left = append(out.Left, "the run was disturbed on purpose: hallmark test --disturb "+d.Do)
	}
	broken := brokenIn(verdicts.Verdict(), func(string) bool { return true })
	out.Broken = ids(broken)
	out.Tree.Comment = strings.Join(comment(o, fmt.Sprintf("as %s ran", h.ID), broken, out.Left), "\n")
	return out, nil
}

// ids are the requirements of findings, each once.
func ids(broken []broke) []string {
	var all []string
	for _, b := range broken {
		if !slices.Contains(all, b.Requirement) {
			all = append(all, b.Requirement)
		}
	}
	return all
}

// maxTold is how many findings the comments of a scenario tell.
const maxTold = 5

// comment says where a scenario comes from, what the recording shows broken, and
// what cannot be said.
func comment(o Options, what string, broken []broke, left []string) []string {
	lines := []string{short(fmt.Sprintf("From the recording %s, %s.", cmp.Or(o.Name, "given"), what), 200)}
	for i, b := range broken {
		if i == maxTold {
			lines = append(lines, fmt.Sprintf("And %d more places where a requirement is broken.", len(broken)-i))
			break
		}
		where := ""
		if b.Exchange != "" {
			where = fmt.Sprintf(" at %s/%s", b.Session, b.Exchange)
		}
		lines = append(lines, short(fmt.Sprintf("Broken%s: %s. Got %s, want %s.", where, b.Requirement, b.Got, b.Want), 300))
	}
	for _, text := range left {
		lines = append(lines, short("Not told: "+text+".", 300))
	}
	return lines
}
