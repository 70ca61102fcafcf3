package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/reports"
)

func TestPrintRepeated(t *testing.T) {
	t.Parallel()
	first := recorder.Repeated{Recording: "r.jsonl", Session: "s1", Exchange: "d4", About: "tool.execute of call_1"}
	clock := recorder.UnsteadyPlace{Pointer: "/state/at", Class: recorder.ClassTime, Rule: "/state/*", Examples: []string{"1", "2"}, First: first, Requests: 3}
	ignored := clock
	ignored.Ignored = true
	broken := recorder.UnsteadyPlace{Class: recorder.ClassWorker, Examples: []string{"a decision", "status 500"}, First: first, Requests: 1}
	changed := recorder.ChangedPlace{Pointer: "/state/n", Recorded: "1", Now: "\x1b2", First: first, Requests: 1}
	repeated := func(change func(*replay.Repeated)) replay.Repeated {
		r := replay.Repeated{Times: 5, Steadiness: recorder.Steadiness{Requests: 9, Steady: 9}}
		if change != nil {
			change(&r)
		}
		return r
	}
	for name, c := range map[string]struct {
		r    replay.Repeated
		exit int
		want string
	}{
		"steady": {repeated(nil), reports.ExitGood, `
sent 5 times: 9 of 9 requests answered alike each time
good: nothing varies
`},
		"all there is to say": {repeated(func(r *replay.Repeated) {
			r.Unsteady, r.Changed = []recorder.UnsteadyPlace{clock, broken}, []recorder.ChangedPlace{changed}
			r.Steady, r.Ignore, r.Full = 7, []string{"/state/*"}, true
			r.First.Requests = 12
		}), reports.ExitFailed, `
time    /state/at
        r.jsonl s1/d4 (tool.execute of call_1) and 2 more
        1, 2
worker  the answer as a whole
        r.jsonl s1/d4 (tool.execute of call_1)
        a decision, status 500
        the worker itself is not steady here, and no rule should hide that
changed /state/n
        r.jsonl s1/d4 (tool.execute of call_1)
        recorded 1
        now      \x1b2, each time

sent 5 times: 7 of 9 requests answered alike each time
3 of 12 recorded requests not answered twice; without --repeat it is said why
to let vary what may, and nothing else:
  --ignore '/state/*'
there is more than is held: send fewer recordings at a time
failed: 2 places that vary and are not ignored, 1 place other than recorded, each time
`},
		"ignored": {repeated(func(r *replay.Repeated) { r.Unsteady = []recorder.UnsteadyPlace{ignored} }), reports.ExitGood, `
time    /state/at
        r.jsonl s1/d4 (tool.execute of call_1) and 2 more
        1, 2
        ignored by /state/*

sent 5 times: 9 of 9 requests answered alike each time
good: nothing varies but what is ignored
`},
		"nothing": {repeated(func(r *replay.Repeated) { r.Requests, r.Steady = 0, 0 }), reports.ExitUsage, `
sent 5 times: 0 of 0 requests answered alike each time
nothing replayed: no request was answered twice
`},
		"nobody there": {repeated(func(r *replay.Repeated) {
			r.Times, r.Ended, r.EndedBy = 1, replay.EndedUnreachable, "connection refused"
		}), reports.ExitUnreachable, `
sent 1 time: 9 of 9 requests answered alike each time
unreachable: the worker could not be reached: connection refused
`},
		"hung": {repeated(func(r *replay.Repeated) { r.Ended, r.EndedBy = replay.EndedHung, "no answer within 20s" }), reports.ExitUsage, `
sent 5 times: 9 of 9 requests answered alike each time
not finished: no answer within 20s
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			if err := printRepeated(&out, c.r, false); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if exit := repeatedExit(c.r); exit != c.exit {
				t.Errorf("exit %d, want %d", exit, c.exit)
			}
		})
	}
	many := repeated(func(r *replay.Repeated) {
		for range 25 {
			r.Unsteady = append(r.Unsteady, clock)
		}
	})
	for all, want := range map[bool]int{false: shownPlaces, true: 25} {
		var out strings.Builder
		if err := printRepeated(&out, many, all); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "time    /state/at"); n != want || strings.Contains(out.String(), "and 5 places more that vary") == all {
			t.Errorf("--all=%t shows %d places:\n%s", all, n, out.String())
		}
	}
}
