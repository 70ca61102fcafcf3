package serve

import (
	"fmt"
	"strings"
)

// String is the text of a report with the first of each thing.
func (r Report) String() string { return r.Text(false) }

// Text tells what came of serving, in a few lines for each thing that a person
// should look at, the first few or all that are listed, and sums up in the last.
// What others wrote stands in it as it is.
func (r Report) Text(all bool) string {
	var b strings.Builder
	most := 20
	if all {
		most = MaxFindings
	}
	list(&b, most, "unknown", r.Unknown, r.UnknownTotal)
	list(&b, most, "not served", r.NotServed, r.NotServedTotal)
	list(&b, most, "drifted", r.Drifted, r.DriftedTotal)
	list(&b, most, "unused", r.Unused, r.UnusedTotal)
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s: %s\n", n.Recording, n.Text)
	}
	if s := r.Signatures; s != nil {
		fmt.Fprintf(&b, "signatures: %d right, %d wrong, %d absent\n", s.Valid, s.Wrong, s.Absent)
	}
	fmt.Fprintf(&b, "served %d of %d recorded answers to %s", r.Served, r.Exchanges, counted(r.Requests, "request"))
	for _, part := range []struct {
		n    int
		text string
	}{
		{r.Again, "given again"}, {r.UnknownTotal, "unknown"}, {r.NotServedTotal, "not served"},
		{r.DriftedTotal, "drifted"}, {r.UnusedTotal, "unused"},
	} {
		if part.n > 0 {
			fmt.Fprintf(&b, "; %d %s", part.n, part.text)
		}
	}
	b.WriteString("\n")
	return b.String()
}

func list(b *strings.Builder, most int, what string, all []Finding, total int) {
	all = all[:min(most, len(all))]
	for _, f := range all {
		f.tell(b, what)
	}
	if total > len(all) {
		fmt.Fprintf(b, "%s: %d more\n", what, total-len(all))
	}
}

func (f Finding) tell(b *strings.Builder, what string) {
	at := ""
	if f.Exchange != "" {
		at = fmt.Sprintf("%s: %s/%s, line %d (%s)", f.Recording, f.Session, f.Exchange, f.Line, f.About)
	}
	switch f.Code {
	case CodeUnknown:
		fmt.Fprintf(b, "%s: %s\n", what, f.Request)
		if f.LiveSession != "" {
			fmt.Fprintf(b, "  session %s, decision %s\n", f.LiveSession, f.LiveDecision)
		}
		if at != "" {
			fmt.Fprintf(b, "  the closest is %s\n", at)
		}
	case CodeNotServed:
		fmt.Fprintf(b, "%s: %s\n  %s\n", what, at, f.Want)
		return
	default:
		fmt.Fprintf(b, "%s: %s\n", what, at)
	}
	if f.Pointer != "" {
		fmt.Fprintf(b, "  differs at %s\n", f.Pointer)
	}
	if f.Got != "" || f.Want != "" {
		fmt.Fprintf(b, "  got  %s\n  want %s\n", f.Got, f.Want)
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
