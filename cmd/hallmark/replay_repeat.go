package main

import (
	"context"
	"fmt"
	stdio "io"
	"strings"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/simulator"
)

// maxRepeat bounds how often recordings are played.
const maxRepeat = 1000

// checkRepeat refuses a number of times that makes no sense.
func checkRepeat(n int) error {
	if n < 1 || n > maxRepeat {
		return usage("--repeat %d: out of range", n).hinted("give a number from 1 to 1000")
	}
	return nil
}

// sendTimes sends what was planned as often as wanted, and says how steady the
// worker is.
func (f *resendFlags) sendTimes(ctx context.Context, io streams, out *output, e *errand, plan *replay.ResendPlan, t simulator.Poster) error {
	r, err := plan.SendTimes(ctx, t, e.ResendConfig)
	if gone := replay.FileErrors(err); len(gone) > 0 {
		return readError(gone[0].File, gone[0].Err)
	}
	if out.json {
		err = writeJSON(io, r)
	} else {
		err = printRepeated(io.out, r, out.all)
	}
	if err != nil {
		return err
	}
	exit := repeatedExit(r)
	if exit == reports.ExitGood && len(plan.Unread) > 0 {
		exit = reports.ExitIO
	}
	if exit != reports.ExitGood {
		return &exitError{code: exit}
	}
	return refusedRule("--ignore", e.rules.Check())
}

// shownPlaces is how many places the text shows without --all.
const shownPlaces = 20

// printRepeated tells how steady a worker is.
func printRepeated(w stdio.Writer, r replay.Repeated, all bool) error {
	var b strings.Builder
	most := shownPlaces
	if all {
		most = len(r.Unsteady) + len(r.Changed)
	}
	for i, u := range r.Unsteady {
		if i == most {
			fmt.Fprintf(&b, "and %s more that vary (--all shows them)\n", counted(len(r.Unsteady)-i, "place"))
			break
		}
		head(&b, string(u.Class), u.Pointer, u.First, u.Requests)
		fmt.Fprintf(&b, "        %s\n", strings.Join(u.Examples, ", "))
		switch {
		case u.Ignored:
			fmt.Fprintf(&b, "        ignored by %s\n", u.Rule)
		case u.Rule == "":
			b.WriteString("        the worker itself is not steady here, and no rule should hide that\n")
		}
	}
	for i, c := range r.Changed {
		if i == most {
			fmt.Fprintf(&b, "and %s more that changed (--all shows them)\n", counted(len(r.Changed)-i, "place"))
			break
		}
		head(&b, "changed", c.Pointer, c.First, c.Requests)
		fmt.Fprintf(&b, "        recorded %s\n        now      %s, each time\n", c.Recorded, c.Now)
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "sent %s: %d of %s answered alike each time\n", counted(r.Times, "time"), r.Steady, counted(r.Requests, "request"))
	if n := r.First.Requests; n > r.Requests {
		fmt.Fprintf(&b, "%d of %s not answered twice; without --repeat it is said why\n", n-r.Requests, counted(n, "recorded request"))
	}
	if len(r.Ignore) > 0 {
		b.WriteString("to let vary what may, and nothing else:\n")
		for _, rule := range r.Ignore {
			fmt.Fprintf(&b, "  --ignore %s\n", reports.Quote(rule))
		}
	}
	if r.Full {
		b.WriteString("there is more than is held: send fewer recordings at a time\n")
	}
	fmt.Fprintf(&b, "%s\n", repeatedVerdict(r))
	_, err := stdio.WriteString(w, reports.Clean(b.String()))
	return err
}

// head is what a place is called, and where it is.
func head(b *strings.Builder, kind, pointer string, first recorder.Repeated, requests int) {
	if pointer == "" {
		pointer = "the answer as a whole"
	}
	fmt.Fprintf(b, "%-7s %s\n        %s %s/%s", kind, pointer, first.Recording, first.Session, first.Exchange)
	if first.About != "" {
		fmt.Fprintf(b, " (%s)", first.About)
	}
	if requests > 1 {
		fmt.Fprintf(b, " and %d more", requests-1)
	}
	b.WriteString("\n")
}

// varies counts the places that vary and are not ignored.
func varies(r replay.Repeated) (n int) {
	for _, u := range r.Unsteady {
		if !u.Ignored {
			n++
		}
	}
	return n
}

func repeatedVerdict(r replay.Repeated) string {
	var parts []string
	if n := varies(r); n > 0 {
		what := " that vary and are not ignored"
		if n == 1 {
			what = " that varies and is not ignored"
		}
		parts = append(parts, counted(n, "place")+what)
	}
	if n := len(r.Changed); n > 0 {
		parts = append(parts, counted(n, "place")+" other than recorded, each time")
	}
	switch exit := repeatedExit(r); {
	case exit == reports.ExitFailed:
		return "failed: " + strings.Join(parts, ", ")
	case exit == reports.ExitUnreachable:
		return "unreachable: the worker could not be reached: " + r.EndedBy
	case r.Ended != "":
		return "not finished: " + r.EndedBy
	case exit == reports.ExitUsage:
		return "nothing replayed: no request was answered twice"
	case len(r.Unsteady) > 0:
		return "good: nothing varies but what is ignored"
	}
	return "good: nothing varies"
}

// repeatedExit is 1 when something varies that no rule lets, or is not as
// recorded any more: a replay in a CI would be red then.
func repeatedExit(r replay.Repeated) int {
	switch {
	case varies(r)+len(r.Changed) > 0:
		return reports.ExitFailed
	case r.Ended == replay.EndedUnreachable:
		return reports.ExitUnreachable
	case r.Ended != "" || r.Requests == 0:
		return reports.ExitUsage
	}
	return reports.ExitGood
}
