package simulator

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

const calm = `
scenario: A berth is found
steps:
  - user: Find me a berth.
  - model: {calls: [{as: c1, tool: find_berth, arguments: {length: 12}}, {as: c2, tool: toll, raw: ""}]}
  - model: Berth 4.
`

const one = `
scenario: One call
engine: {retry: {tool: {max_attempts: 3, backoff_base_secs: 2, backoff_max_secs: 30}}}
steps:
  - user: Go.
  - model: {calls: [{as: c1, tool: toll, arguments: {}}]}
  - model: Done.
`

// from returns the story from the first line that contains start.
func (r recorded) from(start string) []string {
	story := r.story()
	for i, l := range story {
		if strings.Contains(l, start) {
			return story[i:]
		}
	}
	return story
}

func (r recorded) request(d string) *spec.RequestEvent {
	for _, e := range r.events {
		if q, ok := e.Data.(*spec.RequestEvent); ok && q.D == d {
			return q
		}
	}
	return nil
}

func TestDriveACalmCase(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	got := drive(t.Context(), input(planned(calm)[0]), &scripted{})
	g.Expect(got.story()).To(Equal([]string{
		"0 session", "0 step 0 user", "0 input 202", "0 turn started",
		"0 request d1 session.start/1", "0 response d1 whole", "0 outcome d1 accepted",
		"1 request d2 client.messages/1", "1 response d2 whole", "1 outcome d2 accepted",
		"2 ask", "2 step 1 model", "2 reply",
		"3 request d3 llm.finished/1", "3 response d3 whole", "3 outcome d3 accepted",
		"4 request d4 tool.execute/1 try 1", "4 response d4 whole", "4 outcome d4 accepted finished",
		"5 request d5 tool.execute/1 try 1", "5 response d5 whole", "5 outcome d5 accepted finished",
		"6 request d6 tool.finished/1", "6 response d6 whole", "6 outcome d6 accepted",
		"7 request d7 tool.finished/1", "7 response d7 whole", "7 outcome d7 accepted",
		"8 ask", "8 step 2 model", "8 reply",
		"9 request d8 llm.finished/1", "9 response d8 whole", "9 outcome d8 accepted",
		"10 request d9 turn.finished/1", "10 response d9 whole", "10 outcome d9 accepted",
		"10 turn completed", "script done",
	}))
	g.Expect(got.Decisions).To(Equal(9))
	q := got.request("d1")
	g.Expect(q.Headers[:2]).To(Equal([][2]string{{"content-type", "application/json"}, {"accept", "text/event-stream, application/json"}}))
	g.Expect(q.Now).To(Equal("2026-08-28T12:00:00.000Z"))
	h := got.events[0].Data.(*spec.HeaderEvent)
	g.Expect(h.Case.Labels).To(HaveKey("c1"))
	g.Expect(*got.request("d4").Body.Text).To(ContainSubstring(`"id":"` + h.Case.Labels["c1"] + `"`))
}

func TestDriveGivesTheSameRequestsTwice(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	asked := func(in CaseInput) string {
		r := drive(t.Context(), in, &scripted{})
		return r.digest()
	}
	first := asked(input(planned(calm)[0]))
	g.Expect(asked(input(planned(calm)[0]))).To(Equal(first))
	other := input(planned(calm)[0])
	other.Seed = 2
	g.Expect(asked(other)).NotTo(Equal(first))
	alone := input(planned(calm)[0])
	alone.Alone = true
	g.Expect(asked(alone)).NotTo(Equal(first))
}

func TestDriveUnderTheLiveClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		time.Sleep(1234567 * time.Nanosecond)
		in := input(planned(one)[0])
		in.Fixed = false
		got := drive(t.Context(), in, &scripted{})
		q := got.request("d4")
		// synctest begins at midnight UTC, 2000-01-01.
		g.Expect(q.Now).To(Equal("2000-01-01T00:00:00.001Z"))
		g.Expect(*q.Body.Text).To(ContainSubstring(`"deadline":"2000-01-01T00:00:20.001Z"`))
		g.Expect(*q.Body.Text).To(ContainSubstring(`"deadline":"2000-01-01T00:02:00.001Z"`))
		g.Expect(q.Decision).To(Equal(drive(t.Context(), input(planned(one)[0]), &scripted{}).request("d4").Decision))
	})
}

func TestDriveAWorkerThatHangs(t *testing.T) {
	hangOn := func(trigger spec.TriggerType, times int) *scripted {
		return &scripted{serve: func(ctx context.Context, _ int, a asked) Got {
			if a.Trigger.Type == trigger && a.seen <= times {
				return hang(ctx)
			}
			return ok(a.answer())
		}}
	}
	t.Run("twice", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			start := time.Now()
			got := drive(t.Context(), input(planned(one)[0]), hangOn(spec.OnToolExecute, 9))
			g.Expect(time.Since(start)).To(Equal(40 * time.Second))
			g.Expect(got.from("d4")).To(Equal([]string{
				"4 request d4 tool.execute/1 try 1", "20004 time deadline +20000", "20004 outcome d4 failed",
				"22004 time retry +2000", "22004 request d5 tool.execute/2 try 1",
				"42004 time deadline +20000", "42004 outcome d5 failed",
				"42004 response d4 timeout", "42004 response d5 timeout",
				"gave up: no answer to tool.execute within 20s",
			}))
			g.Expect(got.GaveUp()).To(BeTrue())
			g.Expect(got.request("d5").Decision).To(Equal(got.request("d4").Decision))
		})
	})
	t.Run("twice, with less patience", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			start := time.Now()
			in := input(planned(one)[0])
			in.Patience = 3 * time.Second
			got := drive(t.Context(), in, hangOn(spec.OnToolExecute, 9))
			g.Expect(time.Since(start)).To(Equal(6 * time.Second))
			g.Expect(got.Why).To(Equal("gave up: no answer to tool.execute within 3s"))
			g.Expect(string(got.events[0].Data.(*spec.HeaderEvent).Engine)).To(ContainSubstring(`"answer_ms":3000`))
		})
	})
	t.Run("once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			got := drive(t.Context(), input(planned(one)[0]), hangOn(spec.OnToolExecute, 1))
			g.Expect(got.Why).To(Equal("script done"))
			g.Expect(got.from("d5")[:3]).To(Equal([]string{
				"22004 request d5 tool.execute/2 try 1", "22004 response d5 whole", "22004 outcome d5 accepted finished",
			}))
			g.Expect(got.story()).To(ContainElement("22009 response d4 timeout"))
		})
	})
	t.Run("once, at the very end", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			got := drive(t.Context(), input(planned(one)[0]), hangOn(spec.OnTurnFinished, 1))
			g.Expect(got.story()).To(ContainElement(HaveSuffix("turn completed")))
		})
	})
	t.Run("and answers late", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			w := &scripted{serve: func(_ context.Context, _ int, a asked) Got {
				if a.Trigger.Type == spec.OnToolExecute {
					time.Sleep([]time.Duration{25 * time.Second, 8 * time.Second}[a.seen-1])
				}
				return ok(a.answer())
			}}
			got := drive(t.Context(), input(planned(one)[0]), w)
			g.Expect(got.from("d5")).To(ContainElements(
				"22004 request d5 tool.execute/2 try 1", "22004 response d4 whole", "22004 outcome d4 late finished",
			))
			g.Expect(got.story()).To(ContainElement(HaveSuffix("outcome d5 dropped")))
			g.Expect(got.Why).To(Equal("script done"))
		})
	})
	t.Run("under a debugger", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			in := input(planned(one)[0])
			in.Patience = -1
			got := drive(t.Context(), in, &scripted{serve: func(_ context.Context, _ int, a asked) Got {
				time.Sleep(10 * time.Minute)
				return ok(a.answer())
			}})
			g.Expect(got.Why).To(Equal("script done"))
			g.Expect(got.request("d4").Body.Text).To(HaveValue(ContainSubstring(`"deadline":"2026-08-28T13:00:00.004Z"`)))
		})
	})
}

func TestDriveEnds(t *testing.T) {
	const retry = `
scenario: A call is tried again
engine: {retry: {tool: {max_attempts: 3, backoff_base_secs: 2, backoff_max_secs: 30}}}
steps:
  - user: Go.
  - model: {calls: [{as: c1, tool: toll, arguments: {}}]}
`
	fails := func(a asked) string {
		if a.Trigger.Type == spec.OnToolExecute {
			return `{"actions":[{"type":"tool.error","error":"busy","retryable":true}]}`
		}
		return a.answer()
	}
	for name, tc := range map[string]struct {
		yaml  string
		serve func(ctx context.Context, n int, a asked) Got
		took  time.Duration
		tail  []string
	}{
		"a step that nobody asks for is passed over": {
			yaml: "scenario: s\nsteps: [{user: a}, {model: b}, {model: c}, {user: d}, {model: e}]",
			tail: []string{"5 step 2 model passed over", "5 step 3 user", "5 input 202", "5 turn started"},
		},
		"the model says something when no step is left": {
			yaml: "scenario: s\nsteps: [{user: a}]",
			tail: []string{"2 ask", "2 reply", "3 request d3 llm.finished/1"},
		},
		"but not for ever": {
			yaml: "scenario: s\nengine: {spare_replies: 2}\nsteps: [{user: a}]",
			serve: func(_ context.Context, _ int, a asked) Got {
				if a.Trigger.Type == spec.OnLlmFinished {
					return ok(`{"actions":[{"type":"llm.call","llm":"main","model":"m","messages":[]}]}`)
				}
				return ok(a.answer())
			},
			tail: []string{"6 ask", "script dry"},
		},
		"a turn that failed": {
			yaml: one,
			serve: func(_ context.Context, _ int, a asked) Got {
				got := ok(a.answer())
				if a.Trigger.Type == spec.OnToolExecute {
					got.Answer.Status = http.StatusNotFound
				}
				return got
			},
			tail: []string{"4 outcome d4 failed", "4 turn failed", "turn failed"},
		},
		"a turn that failed, and a user who goes on": {
			yaml: "scenario: s\nsteps: [{user: a}, {user: b}, {model: c}]",
			serve: func(_ context.Context, n int, a asked) Got {
				got := ok(a.answer())
				if n == 2 {
					got.Answer.Status = http.StatusNotFound
				}
				return got
			},
			tail: []string{"1 turn failed", "2 step 1 user", "2 input 202"},
		},
		"too many decisions": {
			yaml: "scenario: s\nlimits: {decisions: 2}\nsteps: [{user: a}, {model: b}]",
			tail: []string{"2 reply", "bound: decisions: 2"},
		},
		"too much real time": {
			yaml: "scenario: s\nlimits: {real: 40s}\nsteps: [{user: a}, {model: b}]",
			serve: func(_ context.Context, _ int, a asked) Got {
				time.Sleep(15 * time.Second)
				return ok(a.answer())
			},
			took: 45 * time.Second,
			tail: []string{"3 request d3 llm.finished/1", "3 response d3 whole", "bound: real time: 40s"},
		},
		"time passes while nothing else can": {
			yaml:  retry + "  - model: Done.\n",
			serve: func(_ context.Context, _ int, a asked) Got { return ok(fails(a)) },
			tail: []string{"4 outcome d4 accepted retry", "2004 time retry +1999", "2004 request d5 tool.execute/1 try 2", "2004 response d5 whole",
				"2004 outcome d5 accepted retry", "6004 time retry +3999", "6004 request d6 tool.execute/1 try 3"},
		},
		"time passes to just before the retry": {
			yaml:  retry + "  - wait: {until: retry, call: c1, less: 500ms}\n",
			serve: func(_ context.Context, _ int, a asked) Got { return ok(fails(a)) },
			tail:  []string{"4 outcome d4 accepted retry", "5 step 2 wait", "1504 time wait +1499", "script done"},
		},
		"time passes beyond the deadline": {
			yaml: retry + "  - wait: {until: deadline, call: c1, plus: 1s}\n",
			serve: func(_ context.Context, _ int, a asked) Got {
				if a.Trigger.Type == spec.OnToolExecute && a.Trigger.Attempt == 0 {
					return ok("{}")
				}
				return ok(a.answer())
			},
			tail: []string{"4 outcome d4 accepted", "5 step 2 wait", "120004 time deadline +119999", "121004 time wait +1000", "script done"},
		},
		"a moment that a call does not have": {
			yaml: retry + "  - wait: {until: retry, call: c1}\n  - wait: 3s",
			tail: []string{"9 step 2 wait passed over", "9 step 3 wait", "3009 time wait +3000", "script done"},
		},
		"the model answers while time passes": {
			yaml: retry + "  - wait: 1m\n  - model: Done.\n  - user: b\n",
			serve: func(_ context.Context, _ int, a asked) Got {
				if a.Trigger.Type == spec.OnToolExecute && a.Trigger.Attempt == 0 {
					return ok(fails(a))
				}
				return ok(a.answer())
			},
			tail: []string{"5 step 2 wait", "2004 time retry +1999", "2004 request d5 tool.execute/1 try 2", "2004 response d5 whole", "2004 outcome d5 accepted finished",
				"2005 request d6 tool.finished/1", "2005 response d6 whole", "2005 outcome d6 accepted", "2006 ask", "2006 step 3 model", "2006 reply",
				"2007 request d7 llm.finished/1", "2007 response d7 whole", "2007 outcome d7 accepted",
				"2008 request d8 turn.finished/1", "2008 response d8 whole", "2008 outcome d8 accepted", "2008 turn completed",
				"60005 time wait +57996", "60005 step 4 user"},
		},
		"a held call with nothing that could come": {
			yaml: one,
			serve: func(_ context.Context, _ int, a asked) Got {
				if a.Trigger.Type == spec.OnToolExecute && a.Trigger.Attempt == 0 {
					return ok("{}")
				}
				return ok(a.answer())
			},
			tail: []string{"4 outcome d4 accepted", "120004 time deadline +119999", "122004 time retry +2000", "122004 request d5 tool.execute/1 try 2"},
		},
		"a held call while an earlier answer could still come": {
			yaml: one,
			serve: func(ctx context.Context, n int, a asked) Got {
				if a.Trigger.Type == spec.OnToolExecute && a.Trigger.Attempt == 0 {
					if n == 4 {
						return hang(ctx)
					}
					return ok("{}")
				}
				return ok(a.answer())
			},
			took: 25 * time.Second,
			tail: []string{"22004 outcome d5 accepted", "22005 time patience +0", "120004 time deadline +97999"},
		},
		"a last delivery that ends as it goes out": {
			yaml: one,
			serve: func(_ context.Context, _ int, a asked) Got {
				got := ok(a.answer())
				if a.Trigger.Type == spec.OnToolExecute {
					got.Answer.Status = http.StatusServiceUnavailable
				}
				return got
			},
			tail: []string{"302004 time retry +25999", "302004 request d25 tool.execute/10 try 1", "302004 outcome d25 failed", "302004 turn failed"},
		},
		"something that is not simulated": {
			yaml: one,
			serve: func(_ context.Context, _ int, a asked) Got {
				if a.Trigger.Type == spec.OnClientMessages {
					return ok(`{"actions":[{"type":"message.send","session_id":"s","message":{"role":"user"}}]}`)
				}
				return ok(a.answer())
			},
			tail: []string{"1 outcome d2 accepted", "harness error: not simulated: action message.send"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				start := time.Now()
				w := &scripted{serve: tc.serve}
				got := drive(t.Context(), input(planned(tc.yaml)[0]), w)
				g.Expect(strings.Join(got.story(), "\n") + "\n").To(ContainSubstring(strings.Join(tc.tail, "\n") + "\n"))
				g.Expect(time.Since(start)).To(Equal(tc.took))
			})
		})
	}
}

func TestDriveSendsAStaleDeliveryOnceMore(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	w := &scripted{serve: func(_ context.Context, n int, a asked) Got {
		if n == 4 {
			return Got{Answer: spec.Answer{End: spec.EndStale, Reason: spec.ReasonClosed}}
		}
		return ok(a.answer())
	}}
	got := drive(t.Context(), input(planned(one)[0]), w)
	g.Expect(got.from("d4")[:5]).To(Equal([]string{
		"4 request d4 tool.execute/1 try 1", "4 response d4 stale",
		"4 request d5 tool.execute/1 try 1", "4 response d5 whole", "4 outcome d5 accepted finished",
	}))
	g.Expect(w.bodies[4]).To(Equal(w.bodies[3]))
	g.Expect(w.fresh[:5]).To(Equal([]bool{false, false, false, false, true}))
	g.Expect(got.Why).To(Equal("script done"))
}

func TestDriveAWorkerThatIsNotThere(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	got := drive(t.Context(), input(planned(one)[0]), &scripted{offline: true})
	g.Expect(got.from("d1")).To(Equal([]string{
		"0 request d1 session.start/1", "0 response d1 reset", "0 outcome d1 failed", "unreachable: connection refused",
	}))
	g.Expect(got.Reached).To(BeFalse())
}

func TestDriveStopsWhenTheRunDoes(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	w := &scripted{serve: func(ctx context.Context, n int, a asked) Got {
		if n == 3 {
			cancel(errors.New("enough"))
			return hang(ctx)
		}
		return ok(a.answer())
	}}
	got := drive(ctx, input(planned(one)[0]), w)
	g.Expect(got.Why).To(Equal("not run: the run was stopped"))
	g.Expect(got.from("d3")).To(ContainElement("3 response d3 timeout"))
}

func TestDrivePlantsWhatTheCaseGives(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	got := drive(t.Context(), input(planned(`
scenario: s
given:
  state: {currency: EUR}
  messages:
    - {role: user, content: Hello.}
    - {role: assistant, calls: [{as: old, tool: toll, arguments: {n: 1}}]}
    - {role: tool, call: old, content: rang}
steps: [{user: a}, {model: b}]
`)[0]), &scripted{serve: func(_ context.Context, _ int, a asked) Got {
		if a.Trigger.Type == spec.OnSessionStart {
			return ok(strings.Replace(declared, "{", `{"state":{"own":1},`, 1))
		}
		return ok(a.answer())
	}})
	g.Expect(got.story()[:5]).To(Equal([]string{"0 session", "0 input 202", "0 request d1 session.start/1", "0 response d1 whole", "0 outcome d1 accepted"}))
	body := *got.request("d2").Body.Text
	g.Expect(body).To(ContainSubstring(`"state":{"currency":"EUR"}`))
	g.Expect(body).To(ContainSubstring(`"content":"Hello."`))
	g.Expect(body).To(ContainSubstring(got.events[0].Data.(*spec.HeaderEvent).Case.Labels["old"]))
	g.Expect(got.Why).To(Equal("script done"))
}

func TestDriveUsesTheIdsAndHeadersOfTheScenario(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	in := input(planned(`
scenario: s
engine: {headers: {X-Team: kiln}, agent_id: billing, identity: {visibility: private, metadata: {plan: pro}}}
steps:
  - user: {text: a, id: msg-1}
  - model: {id: llm-one, calls: [{as: c1, id: call-one, tool: toll, arguments: {}}]}
  - model: b
`)[0])
	in.Headers = [][2]string{{"X-Run", "7"}}
	got := drive(t.Context(), in, &scripted{})
	q := got.request("d4")
	g.Expect(q.Call).To(Equal("call-one"))
	g.Expect(q.Headers[3:]).To(HaveExactElements([2]string{"X-Run", "7"}, [2]string{"X-Team", "kiln"}, HaveExactElements("content-length", Not(BeEmpty()))))
	g.Expect(*q.Body.Text).To(And(
		ContainSubstring(`"id":"msg-1"`), ContainSubstring(`{"id":"llm-one","role":"assistant"`), ContainSubstring(`"agent_id":"billing"`),
		ContainSubstring(`"identity":{"visibility":"private","metadata":{"plan":"pro"}}`)))
}

func TestDriveBoundsWhatAWorkerSays(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	huge := strings.Repeat(" ", MaxCaseBytes/2)
	got := Drive(t.Context(), input(planned(one)[0]), &scripted{serve: func(_ context.Context, _ int, a asked) Got {
		return ok(a.answer() + huge)
	}}, func(spec.Event) {})
	g.Expect(got.Why).To(HavePrefix("bound: bytes: "))
	g.Expect(got.Exchanges).To(Equal(2))
}

func TestDriveRecordsWhyACaseIsNotDriven(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	w := &scripted{}
	got := drive(t.Context(), input(planned("scenario: s\nneeds: {tool: {name: nobody}}\nsteps: [{user: a}]")[0]), w)
	g.Expect(got.Why).To(HavePrefix("not applicable: "))
	g.Expect(got.events).To(HaveLen(1))
	g.Expect(w.bodies).To(BeEmpty())
}
