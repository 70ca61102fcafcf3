package simulator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// later is a worker that keeps its calls and settles each at the endpoint, in
// a goroutine of its own.
type later struct {
	e *Endpoint
	// after is how long each call takes, in the order of the calls.
	after []time.Duration
	// job, when set, takes the place of the settle of the n-th call, from 0.
	job func(n int, settle func(body string) called, id string)
	// first makes the settle come ahead of the empty decision.
	first bool
	began int
	// session is the id of the session.
	session string
}

const key = "Bearer " + testKey

func settles(id string) string {
	return fmt.Sprintf(`{"type":"tool.result","id":%q,"result":{"content":[{"type":"text","text":"late"}]}}`, id)
}

func (a asked) session() string {
	v, _ := jsonv.Get([]byte(a.raw), "/session_id")
	id, _ := jsonv.Text(v)
	return id
}

func (w *later) serve(_ context.Context, _ int, a asked) Got {
	if a.Trigger.Type != spec.OnToolExecute {
		return ok(a.answer())
	}
	n := w.began
	w.began++
	w.session = a.session()
	settle := func(body string) called {
		return call(w.e, "POST", "/api/machine/sessions/"+a.session()+"/calls/settle", key, body)
	}
	job := func() {
		time.Sleep(w.after[n])
		if w.job != nil {
			w.job(n, settle, a.Trigger.ID)
			return
		}
		settle(settles(a.Trigger.ID))
	}
	if w.first {
		job()
	} else {
		go job()
	}
	return ok(`{}`)
}

// driveLater drives a case against such a worker on fake time.
func driveLater(t *testing.T, yaml string, w *later) recorded {
	t.Helper()
	w.e = NewEndpoint(testKey)
	in := input(planned(yaml)[0])
	in.Endpoint = w.e
	return drive(t.Context(), in, &scripted{serve: w.serve})
}

const twoCalls = `
scenario: Two at once
steps:
  - user: Go.
  - model: {calls: [{as: c1, tool: toll, arguments: {}}, {as: c2, tool: toll, arguments: {}}]}
  - AWAIT
  - model: Done.
`

func awaiting(step string) string { return strings.Replace(twoCalls, "- AWAIT", step, 1) }

func TestSettlesComeInTheirOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		got := driveLater(t, awaiting("- await: {settled: [c1, c2]}"), &later{after: []time.Duration{2 * time.Second, time.Second}})
		g.Expect(got.from("d4 tool.execute")).To(Equal([]string{
			"4 request d4 tool.execute/1 try 1", "4 response d4 whole", "4 outcome d4 accepted",
			"5 request d5 tool.execute/1 try 1", "5 response d5 whole", "5 outcome d5 accepted",
			"6 step 2 await",
			"6 input 200 worker c2  finished", "6 request d6 tool.finished/1", "6 response d6 whole", "6 outcome d6 accepted",
			"7 input 200 worker c1  finished", "7 request d7 tool.finished/1", "7 response d7 whole", "7 outcome d7 accepted",
			"8 ask", "8 step 3 model", "8 reply",
			"9 request d8 llm.finished/1", "9 response d8 whole", "9 outcome d8 accepted",
			"10 request d9 turn.finished/1", "10 response d9 whole", "10 outcome d9 accepted",
			"10 turn completed", "script done",
		}))
	})
}

// One await step after another: what the second names is settled in its window,
// although nothing moved since the first was done.
func TestAwaitAfterAwait(t *testing.T) {
	t.Parallel()
	const yaml = `
scenario: One after the other
steps:
  - user: Go.
  - model: {calls: [{as: c1, tool: toll, arguments: {}}]}
  - await: {settled: [c1]}
  - model: {calls: [{as: c2, tool: toll, arguments: {}}]}
  - await: {settled: [c2]}
  - model: Done.
`
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := &later{after: make([]time.Duration, 2), first: true}
		w.job = func(n int, settle func(string) called, id string) {
			go func() {
				time.Sleep(time.Duration(1-n) * time.Second)
				settle(settles(id))
			}()
			if n == 1 {
				// The second settle is there before its call is let go.
				synctest.Wait()
			}
		}
		got := driveLater(t, yaml, w)
		g.Expect(got.Why).To(Equal("script done"))
		g.Expect(got.settled()).To(Equal([]string{"c1", "c2"}))
		step, settled := -1, -1
		for i, line := range got.from("d4 tool.execute") {
			switch {
			case strings.Contains(line, "step 4 await"):
				step = i
			case strings.Contains(line, "input 200 worker c2"):
				settled = i
			}
		}
		g.Expect(step).To(BeNumerically(">", 0))
		g.Expect(settled).To(BeNumerically(">", step))
	})
}

// What the worker had sent is lost with it, and the next one settles the call.
func TestASettleIsLostWithTheWorker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := &later{e: NewEndpoint(testKey), after: []time.Duration{0}}
		first, path, body := make(chan called, 1), "", ""
		w.job = func(_ int, settle func(string) called, id string) {
			path, body = "/api/machine/sessions/"+w.session+"/calls/settle", settles(id)
			first <- settle(body)
		}
		in := withRestart(interrupted("until: {trigger: tool.execute, call: c1}", "restart: worker"))
		in.Endpoint = w.e
		in.Restart = func(context.Context) error {
			go func() {
				time.Sleep(time.Second)
				call(w.e, "POST", path, key, body)
			}()
			return nil
		}
		got := drive(t.Context(), in, &scripted{serve: func(ctx context.Context, n int, a asked) Got {
			answer := w.serve(ctx, n, a)
			// The settle is there before the empty decision.
			synctest.Wait()
			return answer
		}})
		g.Expect((<-first).Status).To(Equal(503))
		g.Expect(got.from("outcome d4")[1:6]).To(Equal([]string{
			"5 step 2 until", "5 step 3 restart", "5 input 0 worker c1 ", "5 worker restarted", "5 input 200 worker c1  finished",
		}))
		g.Expect(got.Why).To(Equal("script done"))
	})
}

func TestAListedOrderIsForced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		replies := make(chan string, 2)
		began := time.Now()
		got := driveLater(t, awaiting("- await: {settled: [c2, c1], order: listed, within: 10s}"), &later{
			after: []time.Duration{time.Second, 3 * time.Second},
			job: func(n int, settle func(string) called, id string) {
				r := settle(settles(id))
				replies <- fmt.Sprintf("%d: %d after %s", n, r.Status, time.Since(began))
			},
		})
		g.Expect(got.settled()).To(Equal([]string{"c2", "c1"}))
		g.Expect([]string{<-replies, <-replies}).To(ConsistOf("0: 200 after 3s", "1: 200 after 3s"))
		g.Expect(got.Why).To(Equal("script done"))
	})
}

func TestWhoSettlesOneAfterTheOtherIsLetThrough(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		told := make(chan struct{})
		got := driveLater(t, awaiting("- await: {settled: [c2, c1], order: listed, within: 10s}"), &later{
			after: []time.Duration{time.Second, 0},
			job: func(n int, settle func(string) called, id string) {
				if n == 1 {
					<-told
				}
				settle(settles(id))
				if n == 0 {
					close(told)
				}
			},
		})
		g.Expect(got.settled()).To(Equal([]string{"c1", "c2"}))
		g.Expect(got.story()).To(ContainElements("6 time patience +0 c1 ", "6 step 2 await"))
		g.Expect(got.Why).To(Equal("script done"))
	})
}

func TestASettleAheadOfTheEmptyDecision(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]string{"awaited": "- await: {settled: [c1, c2]}", "not awaited": "- wait: 1s"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				began := time.Now()
				got := driveLater(t, awaiting(step), &later{after: make([]time.Duration, 2), first: true})
				g.Expect(got.from("d4 tool.execute")[:2]).To(Equal([]string{"4 request d4 tool.execute/1 try 1", map[bool]string{
					true: "4 time patience +0 c1 ", false: "4 input 200 worker c1  finished",
				}[name == "awaited"]}))
				g.Expect(got.settled()).To(Equal([]string{"c1", "c2"}))
				g.Expect(got.Why).To(Equal("script done"))
				g.Expect(time.Since(began)).To(BeNumerically("<=", 2*ownGrace))
			})
		})
	}
}

// settled are the calls that were settled from outside, in order.
func (r recorded) settled() (labels []string) {
	for _, e := range r.events {
		if d, ok := e.Data.(*spec.InputEvent); ok && len(d.Settled) > 0 {
			labels = append(labels, strings.TrimSpace(r.labelOf(d.Call)))
		}
	}
	return labels
}

func TestWhoNeverSettlesIsWaitedForInRealTime(t *testing.T) {
	t.Parallel()
	const oneCall = `
scenario: One call that is kept
LIMITS
engine: {retry: {tool: {run_timeout_secs: 60, max_attempts: 2, backoff_base_secs: 5, backoff_max_secs: 5}}}
steps:
  - user: Go.
  - model: {calls: [{as: c1, tool: toll, arguments: {}}]}
  - AWAIT
  - model: Done.
`
	for name, c := range map[string]struct {
		limits, await string
		patience      time.Duration
		without       bool
		want          time.Duration
		first         string
	}{
		"by its own patience":   {want: 10 * time.Second, first: "5 time patience +0"},
		"by the scenario's":     {limits: "limits: {patience: 7s}", want: 14 * time.Second, first: "5 time patience +0"},
		"by the run's":          {patience: 2 * time.Second, limits: "limits: {patience: 7s}", want: 4 * time.Second, first: "5 time patience +0"},
		"by the deadline":       {limits: "limits: {patience: 10m, real: 1h}", want: 2 * time.Minute, first: "5 time patience +0"},
		"within what is wanted": {await: "- await: {settled: [c1], within: 3s}", want: 8 * time.Second, first: "5 step 2 await"},
		"not without endpoint":  {without: true, await: "- await: {settled: [c1], within: 3s}", first: "5 step 2 await"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				yaml := strings.NewReplacer("LIMITS", c.limits, "- AWAIT", c.await).Replace(oneCall)
				if c.await == "" {
					yaml = strings.Replace(yaml, "\n  \n", "\n", 1)
				}
				w := &later{e: NewEndpoint(testKey), after: []time.Duration{time.Hour, time.Hour}}
				in := input(planned(yaml)[0])
				in.Patience = c.patience
				if !c.without {
					in.Endpoint = w.e
				}
				began := time.Now()
				got := drive(t.Context(), in, &scripted{serve: w.serve})
				g.Expect(time.Since(began)).To(Equal(c.want))
				story := got.from("4 outcome d4")[1:]
				g.Expect(story[0]).To(Equal(c.first))
				g.Expect(story).To(ContainElements("60004 time deadline +59999", "65004 time retry +5000", "125004 time deadline +59999"))
				var then []string
				for _, e := range got.events {
					if d, ok := e.Data.(*spec.TimeEvent); ok && d.Why == whyDeadline {
						then = append(then, d.Then)
					}
				}
				g.Expect(then).To(Equal([]string{"retry", ""}))
				g.Expect(got.Why).To(Equal("script done"))
				time.Sleep(2 * time.Hour)
			})
		})
	}
}

func TestASettleStepSpeaksForTheWorker(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	got := drive(t.Context(), input(planned(`
scenario: The harness settles
engine: {retry: {tool: {max_attempts: 2, backoff_base_secs: 5, backoff_max_secs: 5}}}
steps:
  - user: Go.
  - model: {calls: [{as: c1, tool: toll, arguments: {}}, {as: c2, tool: toll, arguments: {}}]}
  - settle: {call: c1, result: {text: "half", structured: 5, is_error: true}, attempt: 7, status: 409}
  - settle: {call: c1, error: busy, retryable: true}
  - settle: {call: c1, result: too soon, status: 409}
  - wait: {until: retry, call: c1}
  - settle: {call: c1, result: {content: [{type: text, text: done}]}, attempt: 1}
  - settle: {call: c1, error: again, status: 409}
  - settle: {call: c2}
  - model: Done.
`)[0]), &scripted{serve: func(_ context.Context, _ int, a asked) Got {
		if a.Trigger.Type == spec.OnToolExecute {
			return ok(`{}`)
		}
		return ok(a.answer())
	}})
	var inputs, bodies []string
	for _, e := range got.events {
		if d, ok := e.Data.(*spec.InputEvent); ok && d.From == fromMachine {
			bodies = append(bodies, strings.NewReplacer(got.idOf("c1"), "c1", got.idOf("c2"), "c2").Replace(*d.Body.Text))
		}
	}
	for _, line := range got.story() {
		if strings.Contains(line, " machine ") {
			inputs = append(inputs, line)
		}
	}
	g.Expect(inputs).To(Equal([]string{
		"6 input 409 machine c1 effect attempt mismatch",
		"6 input 200 machine c1  retry",
		"6 input 409 machine c1 effect is not pending",
		"5007 input 200 machine c1  finished",
		"5008 input 409 machine c1 effect is not pending",
		"5008 input 200 machine c2  finished",
	}))
	g.Expect(bodies[0]).To(Equal(`{"type":"tool.result","id":"c1","attempt":7,"result":{"content":[{"type":"text","text":"half"}],"structuredContent":5,"isError":true}}`))
	g.Expect(bodies[1]).To(Equal(`{"type":"tool.error","id":"c1","error":"busy","retryable":true}`))
	g.Expect(bodies[5]).To(Equal(`{"type":"tool.result","id":"c2"}`))
	g.Expect(got.story()).To(ContainElement("5011 turn completed"))
}

func (r recorded) idOf(label string) string {
	return r.events[0].Data.(*spec.HeaderEvent).Case.Labels[label]
}

func TestASubmittedAnswerComesFirst(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	in := input(planned(one)[0])
	in.Endpoint = NewEndpoint(testKey)
	var replies []called
	got := drive(t.Context(), in, &scripted{serve: func(_ context.Context, _ int, a asked) Got {
		submit := func(rest string) {
			replies = append(replies, call(in.Endpoint, "POST", "/api/machine/workers/submit", key,
				fmt.Sprintf(`{"session_id":%q,"decision_id":%q%s}`, a.session(), a.DecisionID, rest)))
		}
		switch a.Trigger.Type {
		case spec.OnSessionStart:
			submit("," + strings.TrimPrefix(declared, "{")[:len(declared)-2])
			return ok(`{}`)
		case spec.OnToolExecute:
			submit(`,"actions":[{"type":"tool.result","result":"x"}]`)
			submit(fmt.Sprintf(`,"actions":[{"type":"tool.result","id":%q,"result":"x"}]`, a.Trigger.ID))
			submit(`,"actions":[]`)
			return ok(`{"actions":[{"type":"tool.result","result":"y"}]}`)
		default:
			return ok(a.answer())
		}
	}})
	g.Expect(replies).To(Equal([]called{
		{200, `{"ok":true}`},
		{400, `{"ok":false,"error":"tool.result omitted its id, which a submitted decision must name"}`},
		{200, `{"ok":true}`},
		{200, `{"ok":true}`},
	}))
	var lines []string
	for _, line := range got.story() {
		// What the answer brought about goes on beside the request that is open,
		// so the time of what follows is not fixed.
		if _, what, _ := strings.Cut(line, " "); strings.Contains(what, " worker ") || strings.Contains(what, "dropped") {
			lines = append(lines, what)
		}
	}
	g.Expect(lines).To(Equal([]string{
		"input 200 worker ", "outcome d1 dropped",
		"input 400 worker tool.result omitted its id, which a submitted decision must name",
		"input 200 worker  finished",
		"input 200 worker  the decision was answered already",
		"outcome d4 dropped",
	}))
	g.Expect(got.Why).To(Equal("script done"))
	g.Expect(got.story()).To(ContainElement(ContainSubstring("turn completed")))
}

func TestWhatArrivesIsRecordedAndRefusedOnceTheSessionHasEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		w := &later{after: []time.Duration{time.Millisecond, time.Minute}}
		w.job = func(n int, settle func(string) called, id string) {
			if n == 0 {
				g.Expect(settle(`{"type":"tool.result"}`).Status).To(Equal(422))
				g.Expect(call(w.e, "POST", "/api/machine/workers/submit", "Bearer x", `{"session_id":"`+w.session+`"}`).Status).To(Equal(401))
				g.Expect(settle(settles("nobody")).Status).To(Equal(404))
				g.Expect(settle(settles(id)).Status).To(Equal(200))
				return
			}
			g.Expect(settle(settles(id))).To(Equal(failed(404, "session not found")))
		}
		got := driveLater(t, awaiting("- await: {settled: [c1]}"), w)
		g.Expect(slices.DeleteFunc(got.story(), func(line string) bool { return !strings.Contains(line, " worker ") })).To(Equal([]string{
			`6 input 422 worker the body settles nothing: tool.result lacks "id"`,
			"6 input 401 worker missing or wrong API key",
			"6 input 404 worker effect not found",
			"6 input 200 worker c1  finished",
		}))
		time.Sleep(time.Hour)
	})
}

func TestAWorkerThatNeverSettlesIsNotWaitedForInEachCase(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settles bool
		want    time.Duration
	}{
		"it never does": {want: 3*DefaultSettlePatience + 5*shortWait},
		"it does once":  {settles: true, want: 7 * DefaultSettlePatience},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				cases := planned(`
scenario: Eight of a kind
cases: [{name: a}, {name: b}, {name: c}, {name: d}, {name: e}, {name: f}, {name: g}, {name: h}]
steps:
  - user: Go.
  - model: {calls: [{as: c1, tool: toll, arguments: {}}]}
  - model: Done.
`)
				e := NewEndpoint(testKey)
				n := 0
				worker := &scripted{serve: func(_ context.Context, _ int, a asked) Got {
					if a.Trigger.Type != spec.OnToolExecute {
						return ok(a.answer())
					}
					if n++; n == 3 && c.settles {
						go call(e, "POST", "/api/machine/sessions/"+a.session()+"/calls/settle", key, settles(a.Trigger.ID))
					}
					return ok(`{}`)
				}}
				began := time.Now()
				Run(t.Context(), RunConfig{Settings: Settings{Seed: 1, Fixed: true, Agent: DefaultAgent(), Endpoint: e}, Jobs: 1}, cases, worker, func(Ran) {})
				g.Expect(time.Since(began)).To(Equal(c.want))
			})
		})
	}
}

func TestTheSameOrderOfSettlesGivesTheSameRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		run := func(first, second time.Duration) string {
			return driveLater(t, awaiting("- await: {settled: [c1, c2]}"), &later{after: []time.Duration{first, second}}).digest()
		}
		digest := run(2*time.Second, time.Second)
		g.Expect(run(4*time.Second, 3*time.Second)).To(Equal(digest))
		g.Expect(run(time.Second, 2*time.Second)).NotTo(Equal(digest))
	})
}
