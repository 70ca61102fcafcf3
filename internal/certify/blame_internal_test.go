package certify

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// ran is a recording of one case with a status.
func ran(id string, alone bool, status spec.Status) *Judged {
	j := &Judged{header: &spec.HeaderEvent{ID: id, Case: &spec.CaseHeader{Ordinal: 1, Alone: alone}}}
	j.Case = reports.Case{ID: id, Alone: alone, Status: status, Recording: id + ".jsonl"}
	j.Observations = []spec.Observation{{Requirement: sharing, Status: spec.StatusNotObserved}}
	if status == spec.StatusFail {
		j.Case.Findings = []reports.Finding{{Status: spec.StatusFail, Finding: spec.Finding{Requirement: "execute.settles", Got: "nothing"}}}
	}
	return j
}

func TestMoveBlame(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		alone spec.Status
		want  []string
	}{
		{"held alone", spec.StatusPass, []string{sharing}},
		{"warned alone", spec.StatusWarn, []string{sharing}},
		{"failed alone too", spec.StatusFail, []string{"execute.settles"}},
		{"was not run", spec.StatusNotObserved, []string{"execute.settles"}},
		{"erred", spec.StatusError, []string{"execute.settles"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := moveBlame([]*Judged{ran("a", false, spec.StatusFail), ran("a", true, tt.alone), ran("b", false, spec.StatusPass)})
			if len(out) != 2 {
				t.Fatalf("%d cases, want 2", len(out))
			}
			var got []string
			for _, f := range out[0].Case.Findings {
				got = append(got, f.Requirement)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if out[0].Case.Status != spec.StatusFail {
				t.Errorf("status %s, want fail", out[0].Case.Status)
			}
			if moved := tt.want[0] == sharing; moved != (out[0].Observations[0].Status == spec.StatusFail) {
				t.Errorf("observation %s", out[0].Observations[0].Status)
			}
		})
	}
}

// A worker that breaks alone in one case what it breaks beside others in another
// does so now and then, and shares nothing for that.
func TestBlameStaysWithWhatHappensAloneToo(t *testing.T) {
	t.Parallel()
	steady := []*Judged{ran("b", false, spec.StatusFail), ran("b", true, spec.StatusFail)}
	unsteady := []*Judged{ran("a", false, spec.StatusFail), ran("a", true, spec.StatusPass)}
	out := moveBlame(append(unsteady, steady...))
	if len(out) != 2 || out[0].Case.Findings[0].Requirement != "execute.settles" {
		t.Errorf("%d cases, the first breaks %v", len(out), out[0].Case.Findings)
	}
	if out[0].Observations[0].Status == spec.StatusFail {
		t.Error("sharing is blamed")
	}

	// Of two troubles one that no case has alone is enough.
	two := ran("a", false, spec.StatusFail)
	two.Case.Findings = append(two.Case.Findings, reports.Finding{Status: spec.StatusFail, Finding: spec.Finding{Requirement: "delivery.answers-2xx"}})
	out = moveBlame(append([]*Judged{two, ran("a", true, spec.StatusPass)}, steady...))
	if out[0].Case.Findings[0].Requirement != sharing {
		t.Errorf("the first breaks %v", out[0].Case.Findings)
	}
}

func TestOlderForms(t *testing.T) {
	t.Parallel()
	got := olderForms([]byte(`{"model":"m","sub_agents":[],"tools":[{"name":"a"},{"name":"b","input_schema":{}}]}`))
	if diff := cmp.Diff([]string{"sub_agents (today subagents)", "input_schema (today input)"}, got); diff != "" {
		t.Error(diff)
	}
	if got := olderForms([]byte(`{"model":"m","tools":[{"name":"a","input":{"properties":{"parameters":{}}}}]}`)); got != nil {
		t.Errorf("a right config gives %q", got)
	}
}
