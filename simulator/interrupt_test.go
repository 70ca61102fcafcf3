package simulator

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

// asksFirst answers a call with an interrupt and settles it when it is resumed.
func asksFirst(_ context.Context, _ int, a asked) Got {
	switch a.Trigger.Type {
	case spec.OnToolExecute:
		return ok(`{"actions":[{"type":"interrupt","reason":"May I?"}]}`)
	case spec.OnInterruptResumed:
		_, id, _ := strings.Cut(a.raw, `"calls":[{"id":"`)
		id, _, _ = strings.Cut(id, `"`)
		return ok(`{"actions":[{"type":"tool.result","id":"` + id + `","result":"rung"}]}`)
	}
	return ok(a.answer())
}

const waits = `
scenario: A bell asks first
steps:
  - user: Go.
  - model: {calls: [{as: c1, tool: toll, arguments: {}}]}
  - RESUME
  - model: Done.
`

func resuming(step string) string { return strings.Replace(waits, "- RESUME", step, 1) }

func TestAnInterruptIsResumed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		got := drive(t.Context(), input(planned(resuming("- client: {resume: open, payload: {ok: true}}"))[0]), &scripted{serve: asksFirst})
		g.Expect(got.from("d4 tool.execute")).To(Equal([]string{
			"4 request d4 tool.execute/1 try 1", "4 response d4 whole", "4 outcome d4 accepted",
			"5 step 2 client", "5 input 202", "5 request d5 interrupt.resumed/1", "5 response d5 whole", "5 outcome d5 accepted finished",
			"6 request d6 tool.finished/1", "6 response d6 whole", "6 outcome d6 accepted",
			"7 ask", "7 step 3 model", "7 reply",
			"8 request d7 llm.finished/1", "8 response d7 whole", "8 outcome d7 accepted",
			"9 request d8 turn.finished/1", "9 response d8 whole", "9 outcome d8 accepted",
			"9 turn completed", "script done",
		}))
		for _, e := range got.events {
			if d, ok := e.Data.(*spec.InputEvent); ok && strings.Contains(*d.Body.Text, "interrupt.resume") {
				g.Expect(*d.Body.Text).To(MatchRegexp(`^\{"type":"interrupt.resume","interrupt_id":"[0-9a-f-]{36}","payload":\{"ok":true\}\}$`))
			}
		}
	})
}

func TestAResumeOfNothing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		step  string
		serve func(context.Context, int, asked) Got
		want  []string
	}{
		"where nothing is open, is passed over": {
			"- client: {resume: open}", nil, []string{"step 2 client passed over"},
		},
		"of an id that nobody gave, changes nothing": {
			"- client: {resume: x}", asksFirst, []string{"step 2 client", "input 202"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				got := drive(t.Context(), input(planned(resuming(tc.step))[0]), &scripted{serve: tc.serve})
				story := strings.Join(got.story(), "\n")
				for _, want := range tc.want {
					g.Expect(story).To(ContainSubstring(want))
				}
				g.Expect(story).NotTo(ContainSubstring("interrupt.resumed"))
				g.Expect(slices.Contains(got.story(), "script done")).To(BeTrue())
			})
		})
	}
}
