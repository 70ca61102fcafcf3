package scenarios

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

// Expectations judges what one case expects, from the events of its recording
// and nothing else ("how a scenario runs", 5 and 6). Feed it every event in
// order, then ask for the findings. It keeps the events it is given: a test's
// recording is bounded by the limits of its case. It is not safe for
// concurrent use.
type Expectations struct {
	c         Case
	events    []spec.Event
	exchanges []*spec.Exchange
	readings  *spec.Readings
	// verdict is what the events taken so far show, nil before it was asked for.
	verdict *verdict
}

// verdict is what a case shows of its expectations.
type verdict struct {
	findings []spec.Finding
	// unobserved is why those from some step on could not be judged, "" when all
	// were.
	unobserved string
}

// NewExpectations returns the judge of c, a planned case that applies.
func NewExpectations(c Case) *Expectations { return &Expectations{c: c} }

// ShareReadings lets x decode bodies together with whoever reads the same
// events with r. It is called before the first event.
func (x *Expectations) ShareReadings(r *spec.Readings) { x.readings = r }

// Title returns the title of the scenario.
func (x *Expectations) Title() string { return x.c.Doc.Title }

// About returns why the scenario exists.
func (x *Expectations) About() string { return x.c.Doc.About }

// Requirements returns the ids that the scenario says must be observed.
func (x *Expectations) Requirements() []string {
	ids := make([]string, len(x.c.Doc.Requirements))
	for i, r := range x.c.Doc.Requirements {
		ids[i] = r.ID
	}
	return ids
}

// HasCompany reports whether several sessions of the case are under way at
// once.
func (x *Expectations) HasCompany() bool { return x.c.HasCompany() }

// Add takes the next event.
func (x *Expectations) Add(e spec.Event) {
	x.events, x.exchanges, x.verdict = append(x.events, e), nil, nil
}

// Events gives back the events taken so far.
func (x *Expectations) Events() iter.Seq[spec.Event] { return slices.Values(x.events) }

// Exchanges returns the exchanges of the events taken so far. They are put
// together and decoded once, whoever asks.
func (x *Expectations) Exchanges() iter.Seq[*spec.Exchange] {
	if x.exchanges == nil {
		x.exchanges = slices.Collect(x.readings.Exchanges(x.Events()))
	}
	return slices.Values(x.exchanges)
}

// Findings returns every item that did not hold, in the order of the scenario.
// The same events give the same findings. They are shared: do not change them.
func (x *Expectations) Findings() []spec.Finding { return x.judged().findings }

// Unobserved says why the expectations from some step on could not be judged:
// what that step waits for cannot be seen on this worker or in this run. It is
// empty where all of them were.
func (x *Expectations) Unobserved() string { return x.judged().unobserved }

// judged judges the events taken so far, once.
func (x *Expectations) judged() *verdict {
	if x.verdict == nil {
		x.verdict = &verdict{}
		x.verdict.findings, x.verdict.unobserved = x.judge()
	}
	return x.verdict
}

func (x *Expectations) judge() (all []spec.Finding, unobserved string) {
	copies := seenSessions(x.events, 1+len(x.c.Copies))
	events := bySession(x.events)
	byD := map[[2]string]*spec.Exchange{}
	for e := range x.Exchanges() {
		byD[[2]string{e.Session, e.D}] = e
	}
	living := livesIn(x.events, byD)
	several := len(copies) > 1 || len(copies[0]) > 1
	for n, sessions := range copies {
		c := x.c
		if n > 0 {
			c = x.c.Copies[n-1]
		}
		views := map[string]*view{}
		for _, s := range sessions {
			v := newView(c, events[s.alias], byD)
			v.lives = living[s.alias]
			if several {
				v.session = s.alias
			}
			views[s.label] = v
		}
		found, reason := copyFindings(c, sessions, views)
		all, unobserved = append(all, found...), cmp.Or(unobserved, reason)
	}
	return all, unobserved
}

// copyFindings judges one copy of the script, all its sessions. With a reason
// why a step shows nothing, what follows it is left out.
func copyFindings(c Case, sessions []seen, views map[string]*view) (all []spec.Finding, unobserved string) {
	for i := range c.Steps {
		v := views[c.Steps[i].sessionLabel()]
		if v == nil {
			// The case ended before it had this session.
			v = newView(c, nil, nil)
			v.closed = "no session of that label was begun"
		}
		found, reason := v.verb(i, &c.Steps[i])
		if all = append(all, found...); reason != "" {
			return all, reason
		}
		all = append(all, v.step(i, &c.Steps[i])...)
	}
	owners := callOwners(c.Steps)
	for i := range c.Finally {
		place := fmt.Sprintf("finally[%d]", i)
		check := &c.Finally[i]
		for _, s := range sessions {
			owner, named := check.owner(owners)
			if named && owner != s.label && len(sessions) > 1 || !named && s.child {
				continue
			}
			v := views[s.label]
			if check.Exchange != nil {
				all = append(all, v.anywhere(place, check, v.exchanges)...)
			} else {
				all = append(all, v.state(place, check, v.end, atEnd)...)
			}
		}
	}
	return all, ""
}

// step judges the window of one step.
func (v *view) step(i int, s *Step) []spec.Finding {
	place := func(k int) string { return fmt.Sprintf("steps[%d].expect[%d]", i, k) }
	w, acted := v.windows[i]
	if !acted {
		return v.neverReached(i, s, place)
	}
	var all []spec.Finding
	next := 0
	matched := make([]bool, len(w.exchanges))
	for k := range s.Expect {
		check := &s.Expect[k]
		switch {
		case check.State != nil:
			all = append(all, v.state(place(k), check, w.end, i)...)
		case check.Exchange.Never || check.Exchange.Times != nil:
			all = append(all, v.anywhere(place(k), check, w.exchanges)...)
			v.mark(check.Exchange, w.exchanges, matched)
		default:
			n, found := v.inOrder(place(k), check, w, next)
			all = append(all, found...)
			if n >= 0 {
				next, matched[n] = n+1, true
			}
		}
	}
	if s.Exactly {
		all = append(all, v.unexpected(i, s, w.exchanges, matched)...)
	}
	return all
}

// neverReached reports the items of a step that did not act.
func (v *view) neverReached(i int, s *Step, place func(int) string) []spec.Finding {
	got := "did not happen: the case ended because: " + v.closed
	if v.passed[i] {
		got = "did not happen: the step was passed over, since nobody asked the model"
		if s.Client != nil {
			got = "did not happen: the step was passed over, since the session waited for no interrupt"
		}
	}
	var all []spec.Finding
	for k := range s.Expect {
		if x := s.Expect[k].Exchange; x != nil && x.wanted() == 0 {
			continue
		}
		f := v.finding(place(k), &s.Expect[k], got, s.Expect[k].words())
		f.Step = &i
		all = append(all, f)
	}
	return all
}

// inOrder finds the first exchange from next on that fits wholly. Without one
// it speaks of the first that the item is about. It returns the place of the
// exchange, -1 when there is none.
func (v *view) inOrder(place string, check *Check, w *window, next int) (int, []spec.Finding) {
	x, exchanges := check.Exchange, w.exchanges
	about := -1
	for n := next; n < len(exchanges); n++ {
		if !v.isAbout(x, exchanges[n]) {
			continue
		}
		if len(v.unmet(x, exchanges[n])) == 0 {
			return n, nil
		}
		if about < 0 {
			about = n
		}
	}
	if about < 0 && v.submittedBefore(x) {
		return -1, nil
	}
	if about < 0 {
		got := "did not happen in this window"
		if w.refused != "" {
			got += "; " + w.refused
		}
		return -1, []spec.Finding{v.finding(place, check, got, check.words())}
	}
	return about, v.describe(place, check, exchanges[about])
}

// anywhere counts the exchanges that fit, in any place.
func (v *view) anywhere(place string, check *Check, exchanges []*spec.Exchange) []spec.Finding {
	x := check.Exchange
	want := x.wanted()
	var fit, about []*spec.Exchange
	for _, e := range exchanges {
		if !v.isAbout(x, e) {
			continue
		}
		about = append(about, e)
		if len(v.unmet(x, e)) == 0 {
			fit = append(fit, e)
		}
	}
	switch {
	case len(fit) == want, want == 1 && x.Times == nil && len(fit) > 0:
		return nil
	case len(about) == 0 && v.submittedBefore(x):
		return nil
	case len(fit) < want && len(about) > len(fit):
		for _, e := range about {
			if unmet := v.describe(place, check, e); len(unmet) > 0 {
				return unmet
			}
		}
	}
	f := v.finding(place, check, timesText(len(fit)), timesText(want)+": "+check.words())
	if len(fit) > want {
		v.locate(&f, fit[want])
	}
	return []spec.Finding{f}
}

// submittedBefore reports whether an item is about a later delivery of a decision
// that the worker has answered by a submission: whatever became of its answer to
// the request, nobody asks again (I2).
func (v *view) submittedBefore(x *ExchangeCheck) bool {
	if x.Delivery == nil || *x.Delivery < 2 {
		return false
	}
	first := *x
	return slices.ContainsFunc(v.exchanges, func(e *spec.Exchange) bool {
		first.Delivery = &e.Request.Delivery
		return e.Submission != nil && e.Request.Delivery < *x.Delivery && v.isAbout(&first, e)
	})
}

// wanted is how many exchanges are to fit.
func (x *ExchangeCheck) wanted() int {
	switch {
	case x.Never:
		return 0
	case x.Times != nil:
		return *x.Times
	default:
		return 1
	}
}

func timesText(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	default:
		return fmt.Sprintf("%d times", n)
	}
}

// mark notes which exchanges a counted item fits.
func (v *view) mark(x *ExchangeCheck, exchanges []*spec.Exchange, matched []bool) {
	for n, e := range exchanges {
		if v.isAbout(x, e) && len(v.unmet(x, e)) == 0 {
			matched[n] = true
		}
	}
}

func (v *view) unexpected(i int, s *Step, exchanges []*spec.Exchange, matched []bool) []spec.Finding {
	var all []spec.Finding
	for n, e := range exchanges {
		if matched[n] {
			continue
		}
		f := spec.Finding{
			Expectation: fmt.Sprintf("steps[%d].exactly", i), Line: s.Line,
			Got: "an exchange that no item expects: " + v.nameOf(e), Want: "exactly the exchanges listed",
		}
		v.locate(&f, e)
		all = append(all, f)
	}
	return all
}

// describe gives one finding for each demand that e does not meet.
func (v *view) describe(place string, check *Check, e *spec.Exchange) []spec.Finding {
	var all []spec.Finding
	for _, u := range v.unmet(check.Exchange, e) {
		f := v.finding(place, check, u.got, u.want)
		f.Pointer = u.pointer
		v.locate(&f, e)
		all = append(all, f)
	}
	return all
}

func (v *view) finding(place string, check *Check, got, want string) spec.Finding {
	return spec.Finding{Expectation: place, Session: v.session, Line: check.Line, Got: got, Want: want}
}

func (v *view) locate(f *spec.Finding, e *spec.Exchange) {
	f.Session, f.Exchange, f.Step, f.Trigger = e.Session, e.D, e.Step, e.Request.Trigger
}

func (v *view) nameOf(e *spec.Exchange) string {
	name := string(e.Request.Trigger)
	if label, ok := v.labelOf[e.Request.Call]; ok {
		name += " of " + label
	}
	return name
}

// unmet is one demand that does not hold.
type unmet struct{ pointer, got, want string }
