package replayed_test

import (
	"strings"
	"testing"

	"github.com/hallmarkdev/hallmark/internal/replayed"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/reports"
)

// TestTimes: one recording of which not the same came each time makes the whole
// an error of the harness, and no longer the same.
func TestTimes(t *testing.T) {
	t.Parallel()
	whole := func(name string) reports.Result {
		return replayed.Times(replayed.Whole(replay.Report{Recording: name, Requests: 4, Reproduced: 4}), 3)
	}
	unlike := func(name string) reports.Result {
		return replayed.Unlike(whole(name), &replay.UnlikeError{Time: 2, First: "a", Other: "b"})
	}
	for name, c := range map[string]struct {
		results []reports.Result
		exit    int
		want    string
	}{
		"alike":           {[]reports.Result{whole("a"), whole("b")}, reports.ExitGood, "no model, the same 3 times\n"},
		"unlike":          {[]reports.Result{unlike("a")}, reports.ExitHarness, "time 2 gave b and time 1 gave a"},
		"one is unlike":   {[]reports.Result{whole("a"), unlike("b"), whole("c")}, reports.ExitHarness, "no model\n"},
		"the first is it": {[]reports.Result{unlike("a"), whole("b")}, reports.ExitHarness, "no model\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := replayed.Sum(reports.Report{}, c.results)
			var text strings.Builder
			if err := reports.WriteText(&text, r, reports.TextOptions{}); err != nil {
				t.Fatal(err)
			}
			if r.Exit != c.exit || !strings.Contains(text.String(), c.want) {
				t.Errorf("exit %d, want %d, and %q in\n%s", r.Exit, c.exit, c.want, text.String())
			}
		})
	}
}
