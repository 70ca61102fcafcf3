package endings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// Difference is one place where a run did not end like the calm one.
type Difference struct {
	// Session is the alias of the session, Pointer a JSON pointer into what is
	// compared of it: /turns/0/is, /calls/c1/text, /tools/c1, /state/count.
	Session, Pointer string
	Got, Want        string
	// Grave says that it is more than another text (R6).
	Grave bool
	shape bool
}

// Comparison is what comparing a run with its calm runs gave. At most one of
// Unsteady and Skipped is set, and then there are no differences.
type Comparison struct {
	// Unsteady says where two calm runs went different ways, so that nothing
	// follows from a third.
	Unsteady string
	// Skipped says why the run itself cannot be compared.
	Skipped     string
	Differences []Difference
}

// Grave returns the differences that are more than another text, and Words the
// rest.
func (c Comparison) Grave() []Difference { return c.only(true) }

// Words returns the differences that are another text and no more.
func (c Comparison) Words() []Difference { return c.only(false) }

func (c Comparison) only(grave bool) (all []Difference) {
	for _, d := range c.Differences {
		if d.Grave == grave {
			all = append(all, d)
		}
	}
	return all
}

// maxDifferences bounds what is told of one comparison.
const maxDifferences = 20

// valueWidth is how much of a value a difference shows.
const valueWidth = 200

// Compare compares a run with the calm ones of the same case (R6). What differs
// between two calm runs is unsteady and is not looked at; where they differ in
// what happened, nothing can be compared. With one calm run all is taken to be
// steady. The number and the order of exchanges is never compared.
func Compare(calm []*Ending, run *Ending) Comparison {
	var c Comparison
	var unsteady []Difference
	for _, other := range calm[1:] {
		if why := calm[0].strays(other); why != "" {
			c.Unsteady = why
			return c
		}
		unsteady = append(unsteady, diff(other, calm[0])...)
	}
	if run.Why != spec.CloseScriptDone && run.Why != spec.CloseTurnFailed && run.Why != spec.CloseScriptDry {
		c.Skipped = "the run ended because: " + run.Full
		return c
	}
	if run.stale {
		c.Skipped = "a late answer was written for an older transcript, and took the session back to it"
		return c
	}
	if label := calm[0].outlasted(run); label != "" {
		c.Skipped = "the disturbance took so long that the call " + label + " passed its deadline"
		return c
	}
	for _, d := range diff(run, calm[0]) {
		if !slices.ContainsFunc(unsteady, d.below) && len(c.Differences) < maxDifferences {
			c.Differences = append(c.Differences, d)
		}
	}
	return c
}

// below reports whether d lies at or below the place of o.
func (d Difference) below(o Difference) bool {
	return d.Session == o.Session && (d.Pointer == o.Pointer || strings.HasPrefix(d.Pointer, o.Pointer+"/"))
}

// strays says where a second calm run went another way than the first, "" when
// it did not: the kind and order of decisions, result against error, what was
// recorded.
func (n *Ending) strays(other *Ending) string {
	if n.Why != other.Why {
		return fmt.Sprintf("one calm run ended because: %s, another because: %s", n.Full, other.Full)
	}
	for i, s := range n.sessions {
		if i >= len(other.sessions) {
			break
		}
		o := other.sessions[i]
		for k := range max(len(s.shape), len(o.shape)) {
			if a, b := at(s.shape, k), at(o.shape, k); a != b {
				return fmt.Sprintf("%s: decision %d was %s in one calm run and %s in another", s.alias, k+1, a, b)
			}
		}
	}
	for _, d := range diff(other, n) {
		if d.shape {
			return fmt.Sprintf("%s %s: %s in one calm run and %s in another", d.Session, d.Pointer, d.Want, d.Got)
		}
	}
	return ""
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return "none"
}

// outlasted names a call that passed its deadline in a run and in no calm one,
// though the worker did answer it: the time was spent by the disturbance.
func (n *Ending) outlasted(run *Ending) string {
	for i, s := range run.sessions {
		for _, c := range s.calls {
			if !c.late || !c.settled || i >= len(n.sessions) {
				continue
			}
			calm := slices.IndexFunc(n.sessions[i].calls, func(o *call) bool { return o.label == c.label })
			if calm < 0 || !n.sessions[i].calls[calm].late {
				return c.label
			}
		}
	}
	return ""
}

// diff lists all places where got differs from want.
func diff(got, want *Ending) []Difference {
	var all []Difference
	for i := range max(len(got.sessions), len(want.sessions)) {
		if i >= len(got.sessions) || i >= len(want.sessions) {
			all = append(all, Difference{Session: "s" + strconv.Itoa(i+1), Got: "another number of sessions", Want: strconv.Itoa(len(want.sessions)), Grave: true, shape: true})
			break
		}
		w := walk{session: got.sessions[i].alias}
		w.trees("", got.sessions[i].tree(), want.sessions[i].tree())
		all = append(all, w.found...)
	}
	return all
}
