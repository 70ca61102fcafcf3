package reports

import (
	"fmt"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// played writes the report of recordings that were played again: what went another
// way, what could not be read, of what nothing could be told, and the sums.
func (t *text) played(r *Report) {
	t.line("hallmark %s, %s played again", Clean(r.MadeBy.Hallmark), count(len(r.Cases), "recording"))
	if r.Worker.URL != "" {
		t.line("worker   %s", Clean(r.Worker.URL))
	}
	t.line("")
	t.diverged(r)
	t.harness(r)
	t.untold(r)
	t.unexplained(r)
	if r.Ended != "" {
		t.line("partial: %s", Clean(r.Ended))
		t.line("")
	}
	for _, s := range r.Summary.Replay {
		t.line("%s", s.text())
	}
	t.line("%s: %s", count(len(r.Cases), "recording"), playedText(r.Summary.Cases))
	t.line("%s", t.playedVerdict(r))
}

// diverged shows each recording that went another way, with its first places.
func (t *text) diverged(r *Report) {
	shown := 0
	for i := range r.Cases {
		c := &r.Cases[i]
		if len(c.Divergences) == 0 {
			continue
		}
		if shown == maxCases && !t.opts.All {
			t.line("… and %s that diverged; --all shows them", count(r.Summary.Cases.Fail-shown, "more recording"))
			t.line("")
			return
		}
		shown++
		t.divergence(r, c)
	}
}

func (t *text) divergence(r *Report, c *Case) {
	t.line("%s%s", t.mark(c.Status), Clean(c.ID))
	places := divergencesOf(c, t.opts.All)
	for i, p := range places {
		if i == maxPlaces && !t.opts.All {
			n := 0
			for _, left := range places[i:] {
				n += 1 + left.alike
			}
			t.line("      … and %s; --all shows them", count(n, "more place"))
			t.line("")
			break
		}
		t.told(p.Divergence)
		if p.alike > 0 {
			t.field("alike", count(p.alike, "more place")+"; --all shows them")
		}
		t.line("")
	}
	t.field("file", c.Recording)
	t.field("repeat", c.Repeat)
	if c.MadeBy != "" && c.MadeBy != r.MadeBy.Hallmark {
		t.field("note", "recorded by hallmark "+c.MadeBy+"; this is "+r.MadeBy.Hallmark+", whose engine may do other things")
	}
	t.line("")
}

// told writes what one divergence says.
func (t *text) told(d Divergence) {
	t.block("      ", d.Text+" ("+d.Code+")")
	t.field("where", d.where())
	t.field("at", strings.TrimSpace(d.In+" "+d.Pointer))
	t.field("got", d.Got)
	t.field("want", d.Want)
	t.field("rules", d.Rules)
	t.field("after", d.After)
	t.field("why", d.Reason)
	if t.opts.All {
		for _, a := range d.Assumed {
			t.field("assumed", a)
		}
	}
}

// where names the place of a divergence in its recording.
func (d Divergence) where() string {
	at := d.Session
	if d.Exchange != "" {
		at += "/" + d.Exchange
	}
	if d.Line > 0 {
		at += fmt.Sprintf(", line %d", d.Line)
	}
	return strings.TrimSpace(strings.TrimPrefix(at, ", ") + "  " + d.About)
}

type alikeDivergence struct {
	Divergence
	alike int
}

// divergencesOf gives the places of a recording, those that read the same once
// unless all are wanted.
func divergencesOf(c *Case, all bool) (places []alikeDivergence) {
	type key struct{ code, in, pointer, got, want string }
	known := map[key]int{}
	for _, d := range c.Divergences {
		k := key{d.Code, d.In, d.Pointer, d.Got, d.Want}
		if at, seen := known[k]; seen && !all {
			places[at].alike++
			continue
		}
		known[k] = len(places)
		places = append(places, alikeDivergence{Divergence: d})
	}
	return places
}

// untold shows the recordings without a verdict, and why.
func (t *text) untold(r *Report) {
	var why reasons
	for _, c := range r.Cases {
		if c.Status == spec.StatusNotObserved || c.Status == spec.StatusNotApplicable {
			why.add(c.ID, c.Reason)
		}
	}
	t.reasons("recordings without a verdict", "recording", why, len(r.Cases))
}

// unexplained shows why nothing could be told of steps, each reason once; or every
// step, where all are wanted.
func (t *text) unexplained(r *Report) {
	if t.opts.All {
		for i := range r.Cases {
			c := &r.Cases[i]
			for _, d := range c.Unexplained {
				t.line("unexplained in %s", Clean(c.ID))
				t.told(d)
				t.field("file", c.Recording)
				t.line("")
			}
		}
		return
	}
	t.why(r, func(c *Case, d Divergence) string {
		if c.sentToWorker() || c.served() {
			return ""
		}
		return d.Reason + " (" + d.Code + ")"
	}, "unexplained, since what led to it cannot be seen (--all shows each step):", "step")
	t.why(r, func(c *Case, d Divergence) string {
		if !c.sentToWorker() {
			return ""
		}
		return d.Text + " (" + d.Code + ")"
	}, "to be known of what was sent, and not (--all shows each session):", "session")
	t.why(r, func(c *Case, d Divergence) string {
		if !c.served() {
			return ""
		}
		return d.Text + " (" + d.Code + ")"
	}, "to be known of what was served, and not (--all shows each place):", "place")
}

// why counts what is unexplained by what of says of it; "" is not counted.
func (t *text) why(r *Report, of func(c *Case, d Divergence) string, head, what string) {
	var order []string
	n := map[string]int{}
	for i := range r.Cases {
		c := &r.Cases[i]
		for _, d := range c.Unexplained {
			why := of(c, d)
			if why == "" {
				continue
			}
			if n[why] == 0 {
				order = append(order, why)
			}
			n[why]++
		}
	}
	if order == nil {
		return
	}
	t.line("%s", head)
	for _, why := range order {
		t.line("  %s: %s", count(n[why], what), Clean(why))
	}
	t.line("")
}

// served reports whether a recording answered an engine.
func (c *Case) served() bool { return c.Replay != nil && c.Replay.How == PlayedEngine }

func (c *Case) sentToWorker() bool { return c.Replay != nil && c.Replay.How == PlayedWorker }

// text sums up what was played in one way.
func (r Replay) text() string {
	in := ""
	if r.Recordings != 1 {
		in = " in " + count(r.Recordings, "recording")
	}
	if r.How == PlayedWhole {
		line := fmt.Sprintf("reproduced %d of %s%s, no worker, no model", r.Reproduced, count(r.Requests, "request"), in) + r.timesText()
		if r.Diverged > 0 {
			line += fmt.Sprintf("; %d diverged", r.Diverged)
		}
		if r.Untold > 0 {
			line += fmt.Sprintf("; of %d nothing could be told", r.Untold)
		}
		return line
	}
	if r.How == PlayedWorker {
		return fmt.Sprintf("sent %d of %s%s: %s as recorded, %d not, %d not compared",
			r.Sent, count(r.Requests, "request"), in, count(r.Agree, "answer"), r.Differ, r.Unexplained)
	}
	if r.How == PlayedEngine {
		return fmt.Sprintf("served %d of %s%s: %d asked for as recorded, %d in other words, %d not asked for or not served",
			r.Agree+r.Differ, count(r.Requests, "answer"), in, r.Agree, r.Differ, r.Unexplained)
	}
	line := fmt.Sprintf("%s%s: %d agree, %d differ, %d unexplained",
		count(r.Agree+r.Differ+r.Unexplained, "step"), in, r.Agree, r.Differ, r.Unexplained) + r.timesText()
	if r.Sent > 0 {
		line += fmt.Sprintf("; %d sent", r.Sent)
	}
	return line
}

func (r Replay) timesText() string {
	if r.Times < 2 {
		return ""
	}
	return fmt.Sprintf(", the same %d times", r.Times)
}

// playedText counts recordings by what came of them.
func playedText(c Counts) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{c.Fail, "diverged"}, {c.Error, "not read"}, {c.Warn, "with a warning"}, {c.Pass, "went the same way"},
		{c.NotObserved + c.NotApplicable, "without a verdict"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func (t *text) playedVerdict(r *Report) string {
	c := r.Summary.Cases
	switch r.Exit {
	case ExitGood:
		return t.paint("good", green) + ": nothing diverged"
	case ExitFailed:
		return t.paint("failed", red) + ": " + count(c.Fail, "recording") + " diverged"
	case ExitIO:
		return t.paint("partial", yellow) + ": nothing diverged in what could be read"
	case ExitUnreachable:
		return t.paint("unreachable", red) + ": the worker could not be reached or started"
	case ExitUsage:
		if r.Ended != "" {
			return t.paint("not finished", yellow) + ": the replay ended before every recording had its turn"
		}
		return t.paint("nothing replayed", yellow) + ": the recordings hold no request that could be told"
	default:
		return t.paint("error", red) + ": the harness erred; this says nothing about the recordings"
	}
}
