package replayed_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/replayed"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/recorder/serve"
	"github.com/hallmarkdev/hallmark/reports"
)

func TestServed(t *testing.T) {
	t.Parallel()
	at := func(file, code string) serve.Finding {
		return serve.Finding{Recording: file, Divergence: replay.Divergence{Code: code, Session: "s1", Exchange: "d2"}}
	}
	lost := at("lost.jsonl", serve.CodeNotServed)
	lost.Lost = true
	r := serve.Report{
		Requests: 9,
		Recordings: []serve.Recording{
			{File: "good.jsonl", Exchanges: 3, Served: 3}, {File: "drifted.jsonl", Exchanges: 3, Served: 2, Drifted: 1},
			{File: "lost.jsonl", Exchanges: 1}, {File: "unused.jsonl", Exchanges: 1}, {File: "near.jsonl", Exchanges: 1, Served: 1},
		},
		Unknown:   []serve.Finding{at("near.jsonl", serve.CodeUnknown), at("", serve.CodeUnknown)},
		Drifted:   []serve.Finding{at("drifted.jsonl", serve.CodeDrift)},
		NotServed: []serve.Finding{at("drifted.jsonl", serve.CodeNotServed), lost},
		Unused:    []serve.Finding{at("unused.jsonl", serve.CodeUnused)},
		Notes:     []serve.Note{{Code: serve.NoteGap, Recording: "near.jsonl", Text: "2 lost"}},
	}
	type told struct{ status, divergences, unexplained string }
	for strict, want := range map[bool][]told{
		false: {{"fail", "unknown-request ", ""}, {"pass", "", "not-served drift "}, {"fail", "not-served ", ""}, {"not-observed", "", "unused "}, {"fail", "unknown-request ", "gap "}},
		true:  {{"fail", "unknown-request ", ""}, {"fail", "not-served drift ", ""}, {"fail", "not-served ", ""}, {"fail", "unused ", ""}, {"fail", "unknown-request ", "gap "}},
	} {
		var got []told
		for _, one := range replayed.Served(r, strict, "hallmark", "replay") {
			c := one.Case
			codes := func(list []reports.Divergence) (all string) {
				for _, d := range list {
					if d.Text == "" || d.Text == d.Code {
						t.Errorf("%s has no words", d.Code)
					}
					all += d.Code + " "
				}
				return all
			}
			got = append(got, told{string(c.Status), codes(c.Divergences), codes(c.Unexplained)})
			if want := "hallmark replay " + c.Recording; c.Repeat != want {
				t.Errorf("repeat %q, want %q", c.Repeat, want)
			}
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(told{})); diff != "" {
			t.Errorf("strict %t: %s", strict, diff)
		}
	}
	if got := replayed.Served(serve.Report{}, true); got != nil {
		t.Errorf("of nothing came %v", got)
	}
}
