package reports

import (
	"fmt"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// One flaw of a worker often shows in every case, so a problem shows its first
// few places that differ, and how many are like them.
const (
	maxPlaces = 3
	maxCases  = 5
)

// place is one finding with the case that it was found in, and the number of
// places that read the same.
type place struct {
	c *Case
	f Finding
	// alike counts further places, elsewhere the cases among them.
	alike, elsewhere int
	last             string
}

// problems shows each requirement of the given status with its places. Advice
// stands by itself, below all that weighs.
func (t *text) problems(r *Report, status spec.Status) {
	for _, q := range r.Requirements {
		if q.Status == status && q.Level != spec.Advice {
			t.line("%s%s (%s)", t.mark(q.Status), q.ID, q.Level)
			t.block("      ", q.Text)
			t.places(r, q)
		}
	}
}

// advice shows each advice that was not followed, and why it matters.
func (t *text) advice(r *Report) {
	for _, q := range r.Requirements {
		if q.Status == spec.StatusWarn && q.Level == spec.Advice {
			t.line("%s%s", t.paint("NOTE", yellow)+"  ", q.ID)
			t.block("      ", q.Text)
			if known, ok := spec.LookupRequirement(q.ID); ok {
				t.block("      ", known.Why)
			}
			t.places(r, q)
		}
	}
}

func (t *text) places(r *Report, q Requirement) {
	if q.Reason != "" {
		t.block("      ", q.Reason)
	}
	places, n := t.placesOf(r, q.ID)
	t.line("      %s in %s", count(n, "place"), count(len(q.Cases), "case"))
	for i, p := range places {
		if i == maxPlaces && !t.opts.All {
			t.line("")
			t.line("      … and %s; --all shows them", count(total(places[i:]), "more place"))
			break
		}
		t.place(p)
	}
	t.line("")
}

// placesOf gives the places of a requirement that differ, and how many there
// are in all.
func (t *text) placesOf(r *Report, id string) (places []place, n int) {
	type key struct{ pointer, got, want, hint string }
	known := map[key]int{}
	for i := range r.Cases {
		c := &r.Cases[i]
		for _, f := range c.Findings {
			if f.Requirement != id {
				continue
			}
			n++
			k := key{f.Pointer, f.Got, f.Want, f.Hint}
			at, seen := known[k]
			if !seen || t.opts.All {
				known[k] = len(places)
				places = append(places, place{c: c, f: f, last: c.ID})
				continue
			}
			p := &places[at]
			p.alike++
			if c.ID != p.last {
				p.elsewhere++
				p.last = c.ID
			}
		}
	}
	return places, n
}

// total is how many places there are, those that read the same included.
func total(places []place) int {
	n := len(places)
	for _, p := range places {
		n += p.alike
	}
	return n
}

func (t *text) place(p place) {
	t.line("")
	t.line("      %s", Clean(p.c.ID))
	t.found(p.f)
	t.field("file", p.c.Recording)
	t.field("repeat", p.c.Repeat)
	t.field("curl", p.f.Curl)
	if p.alike == 0 {
		return
	}
	text := count(p.alike, "more place")
	if p.elsewhere > 0 {
		text += " in " + count(p.elsewhere, "more case")
	}
	t.field("alike", text+"; --all shows them")
}

// found writes what a finding says.
func (t *text) found(f Finding) {
	t.field("where", whereText(f))
	t.field("at", f.Pointer)
	t.field("got", f.Got)
	t.field("want", f.Want)
	t.field("hint", f.Hint)
}

func (t *text) field(name, value string) {
	if value == "" {
		return
	}
	for i, line := range strings.Split(Clean(value), "\n") {
		if i > 0 {
			name = ""
		}
		t.line("        %-7s %s", name, line)
	}
}

func whereText(f Finding) string {
	var parts []string
	if f.Exchange != "" {
		parts = append(parts, f.Session+"/"+f.Exchange)
	}
	if f.Trigger != "" {
		parts = append(parts, string(f.Trigger))
	}
	if f.Step != nil && !strings.HasPrefix(f.Expectation, "steps[") {
		parts = append(parts, fmt.Sprintf("steps[%d]", *f.Step))
	}
	if f.Expectation != "" {
		at := f.Expectation
		if f.Line > 0 {
			at += fmt.Sprintf(", line %d", f.Line)
		}
		parts = append(parts, at)
	}
	return strings.Join(parts, "  ")
}

// expectations shows what scenarios wanted and did not get. Where a requirement
// failed in the same case, that is the cause and stands above, so its name is
// enough.
func (t *text) expectations(r *Report) {
	var shown, shadowed []*Case
	for i := range r.Cases {
		c := &r.Cases[i]
		switch {
		case len(c.Expectations) == 0:
		case hasFailure(c) && !t.opts.All:
			shadowed = append(shadowed, c)
		default:
			shown = append(shown, c)
		}
	}
	for i, c := range shown {
		if i == maxCases && !t.opts.All {
			t.line("… and %s that did not go as the scenario says; --all shows them", count(len(shown)-i, "more case"))
			t.line("")
			break
		}
		t.unmet(c)
	}
	if len(shadowed) == 0 {
		return
	}
	t.line("expectations not met in cases where a requirement above failed (--all shows them):")
	for i, c := range shadowed {
		if i == maxCases {
			t.line("      … in %s", count(len(shadowed)-i, "more case"))
			break
		}
		t.line("      %s: %s", Clean(c.ID), count(len(c.Expectations), "expectation"))
	}
	t.line("")
}

// unmet shows one case and each of its expectations that did not hold.
func (t *text) unmet(c *Case) {
	t.line("%s%s", t.mark(spec.StatusFail), Clean(c.ID))
	if c.Title != "" {
		t.block("      ", c.Title)
	}
	if about := strings.TrimSpace(c.About); about != "" {
		t.block("      ", about)
	}
	t.line("      %s of the scenario did not hold", count(len(c.Expectations), "expectation"))
	for _, f := range c.Expectations {
		t.line("")
		t.found(f)
		t.field("curl", f.Curl)
	}
	if c.Recording != "" || c.Repeat != "" {
		t.line("")
		t.field("file", c.Recording)
		t.field("repeat", c.Repeat)
	}
	t.line("")
}

func hasFailure(c *Case) bool {
	for _, f := range c.Findings {
		if f.Status == spec.StatusFail {
			return true
		}
	}
	return false
}
