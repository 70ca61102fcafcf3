package judge

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

// note is what one exchange, or one session, shows of a requirement: that it
// held, or a finding.
type note struct {
	id string
	// n counts the exchanges, by which findings are sorted.
	n       int
	finding *spec.Finding
	// at is where it held, nil where that is not known.
	at *spec.Place
	// mild makes a must weigh no more than a should (R16).
	mild bool
}

// entry is all that is kept of one requirement.
type entry struct {
	// permitted says that the recording holds the evidence; must that the
	// requirement is one.
	permitted, must bool
	count           int
	failed          bool
	notes           []note
	left            int
	// held is the first place that is known where it held.
	held *spec.Place
	// reason, when set, says why nothing was observed.
	reason string
}

// ledger adds the notes up by requirement.
type ledger struct {
	max       int
	evidence  []spec.Evidence
	hasHeader bool
	entries   map[string]*entry
}

func newLedger(most int) *ledger {
	return &ledger{max: most, entries: map[string]*entry{}}
}

// permit says which evidence the recording holds (R4).
func (l *ledger) permit(evidence []spec.Evidence) {
	l.hasHeader = true
	l.evidence = slices.Clone(evidence)
}

func (l *ledger) clone() *ledger {
	c := *l
	c.entries = make(map[string]*entry, len(l.entries))
	for id, e := range l.entries {
		copied := *e
		copied.notes = slices.Clone(e.notes)
		c.entries[id] = &copied
	}
	return &c
}

// fresh returns an empty ledger that takes the same notes.
func (l *ledger) fresh() *ledger {
	c := newLedger(l.max)
	c.evidence, c.hasHeader = l.evidence, l.hasHeader
	return c
}

// merge adds all that another ledger holds. That may be nil.
func (l *ledger) merge(o *ledger) {
	if o == nil {
		return
	}
	for _, r := range spec.Requirements() {
		from := o.entries[r.ID]
		if from == nil {
			continue
		}
		to := l.entry(r.ID)
		to.count += from.count
		if to.held == nil {
			to.held = from.held
		}
		to.failed = to.failed || from.failed
		room := min(l.max-len(to.notes), len(from.notes))
		to.notes = append(to.notes, from.notes[:room]...)
		to.left += from.left + len(from.notes) - room
	}
}

func (l *ledger) entry(id string) *entry {
	e := l.entries[id]
	if e == nil {
		r, known := spec.LookupRequirement(id)
		e = &entry{permitted: known && slices.Contains(l.evidence, r.Evidence), must: r.Level == spec.Must}
		l.entries[id] = e
	}
	return e
}

// enter adds notes. Those whose evidence the recording lacks do not count.
func (l *ledger) enter(notes []note) {
	for _, n := range notes {
		e := l.entry(n.id)
		if !e.permitted {
			continue
		}
		e.count++
		if n.finding == nil {
			if e.held == nil && n.at != nil {
				at := *n.at
				e.held = &at
			}
			continue
		}
		e.failed = e.failed || e.must && !n.mild
		if len(e.notes) == l.max {
			e.left++
			continue
		}
		e.notes = append(e.notes, n)
	}
}

// because says why a requirement was not observed, unless it was.
func (l *ledger) because(id, reason string) { l.entry(id).reason = reason }

func (l *ledger) observations(j *Judge) []spec.Observation {
	var all []spec.Observation
	moments := map[string]string{}
	for _, c := range checks() {
		moments[c.id] = c.moment
	}
	for _, r := range spec.Requirements() {
		all = append(all, l.observation(j, r, moments[r.ID]))
	}
	return all
}

func (l *ledger) observation(j *Judge, r spec.Requirement, moment string) spec.Observation {
	o := spec.Observation{Requirement: r.ID}
	e := l.entry(r.ID)
	switch {
	case !l.hasHeader:
		o.Status, o.Reason = spec.StatusNotObserved, "the recording has no header that says what it holds"
	case j.unsigned(r) != "":
		o.Status, o.Reason = spec.StatusNotApplicable, j.unsigned(r)
	case unchecked[r.ID] != "":
		o.Status, o.Reason = spec.StatusNotObserved, unchecked[r.ID]
	case r.Area() == "restart" && e.count == 0 && j.lacks(r) != "":
		o.Status, o.Reason = spec.StatusNotApplicable, j.lacks(r)
	case !slices.Contains(l.evidence, r.Evidence):
		o.Status, o.Reason = spec.StatusNotObserved, fmt.Sprintf("the recording does not hold the evidence that this needs: %s", r.Evidence)
	case len(e.notes) > 0:
		o.Status, o.Count = spec.StatusWarn, e.count
		if e.failed {
			o.Status = spec.StatusFail
		}
		o.Findings = e.findings()
		o.Example = o.Findings[0].Place()
		if e.left > 0 {
			o.Reason = fmt.Sprintf("%d more findings are left out", e.left)
		}
	case e.count > 0:
		o.Status, o.Count, o.Example = spec.StatusPass, e.count, e.held
	default:
		if reason := j.lacks(r); reason != "" {
			o.Status, o.Reason = spec.StatusNotApplicable, reason
			break
		}
		o.Status, o.Reason, o.Weak = spec.StatusNotObserved, cmp.Or(e.reason, moment), e.reason != ""
	}
	return o
}

// findings returns the findings in the order of their requests.
func (e *entry) findings() []spec.Finding {
	slices.SortStableFunc(e.notes, func(a, b note) int { return cmp.Compare(a.n, b.n) })
	found := make([]spec.Finding, len(e.notes))
	for i, n := range e.notes {
		found[i] = *n.finding
	}
	return found
}
