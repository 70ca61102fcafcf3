package simulator

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// many plans n cases of one scenario.
func many(n int) []scenarios.Case {
	yaml := "scenario: Many\ncases:\n"
	for i := range n {
		yaml += fmt.Sprintf("  - {name: n%d, say: word %d}\n", i, i)
	}
	return planned(yaml + `
steps:
  - user: $case.say
  - model: {calls: [{as: c1, tool: toll, arguments: {}}]}
  - model: Done.
`)
}

// counting keeps how many cases were driven at once, by their sinks.
type counting struct {
	mu        sync.Mutex
	now, most int
	alone     int
}

func (c *counting) open(in CaseInput) Sink {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now++
	c.most = max(c.most, c.now)
	if in.Alone {
		c.alone = max(c.alone, c.now)
	}
	return c
}

func (c *counting) Event(spec.Event) {}

func (c *counting) Close(Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now--
}

func runAll(ctx context.Context, cfg RunConfig, cases []scenarios.Case, t Poster) []Ran {
	cfg.Seed, cfg.Fixed, cfg.Agent = 1, true, DefaultAgent()
	var all []Ran
	Run(ctx, cfg, cases, t, func(r Ran) { all = append(all, r) })
	return all
}

// slow answers after a time that differs from request to request, so that
// cases end in another order than they began.
func slow() *scripted {
	return &scripted{serve: func(_ context.Context, n int, a asked) Got {
		time.Sleep(time.Duration(n*7919%13) * time.Millisecond)
		return ok(a.answer())
	}}
}

func TestRunSendsTheSameWhateverTheJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		bodies := func(jobs int) []string {
			var out []string
			count := &counting{}
			for i, r := range runAll(t.Context(), RunConfig{Jobs: jobs, Sink: count.open}, many(20), slow()) {
				g.Expect(r.Input.Case.Name).To(Equal(fmt.Sprintf("n%d", i)))
				g.Expect(r.Input.Ordinal).To(Equal(i + 1))
				g.Expect(r.Why).To(Equal("script done"))
				for _, e := range r.Events {
					if q, ok := e.Data.(*spec.RequestEvent); ok {
						out = append(out, q.D+" "+*q.Body.Text)
					}
				}
			}
			g.Expect(count.most).To(Equal(jobs))
			return out
		}
		first := bodies(1)
		g.Expect(first).To(HaveLen(20 * 7))
		g.Expect(bodies(8)).To(Equal(first))
	})
}

func TestRunRepeatsAFailedCaseAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		count := &counting{}
		cfg := RunConfig{Jobs: 4, Sink: count.open, Failed: func(r Ran) bool {
			return r.Input.Case.Name == "n3" && !r.Input.Alone || r.Input.Case.Name == "n5"
		}}
		var last Progress
		cfg.Progress = func(p Progress) { last = p }
		all := runAll(t.Context(), cfg, many(9), slow())
		g.Expect(count.most).To(BeNumerically(">", 1))
		g.Expect(count.alone).To(Equal(1))
		g.Expect(last).To(Equal(Progress{Done: 9, Total: 9, Failed: 1, Last: last.Last}))
		for i, r := range all {
			g.Expect(r.Again != nil).To(Equal(i == 3 || i == 5))
		}
		g.Expect(all[3].Again.Failed).To(BeFalse())
		g.Expect(all[5].Again.Failed).To(BeTrue())
		header := all[3].Again.Events[0].Data.(*spec.HeaderEvent)
		g.Expect(header.Case.Alone).To(BeTrue())
		g.Expect(header.Case.Labels).NotTo(Equal(all[3].Events[0].Data.(*spec.HeaderEvent).Case.Labels))
	})
}

func TestRunOneJobIsNoCompany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		for _, r := range runAll(t.Context(), RunConfig{Jobs: 1, Failed: func(Ran) bool { return true }}, many(3), slow()) {
			g.Expect(r.Failed).To(BeTrue())
			g.Expect(r.Again).To(BeNil())
		}
	})
}

func TestRunStopsForAWorkerThatFellSilent(t *testing.T) {
	for name, tc := range map[string]struct {
		worker *scripted
		why    string
		took   time.Duration
	}{
		"hangs":        {&scripted{serve: func(ctx context.Context, _ int, _ asked) Got { return hang(ctx) }}, spec.CloseGaveUp, 120 * time.Second},
		"is not there": {&scripted{offline: true}, spec.CloseUnreachable, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				start := time.Now()
				all := runAll(t.Context(), RunConfig{Jobs: 1}, many(10), tc.worker)
				g.Expect(time.Since(start)).To(Equal(tc.took))
				g.Expect(all).To(HaveLen(10))
				for i, r := range all {
					why, _ := spec.SplitCloseReason(r.Why)
					if i < MaxSilentCases {
						g.Expect(why).To(Equal(tc.why))
						continue
					}
					g.Expect(r.Why).To(Equal("not run: the worker does not answer"))
					g.Expect(r.Events).To(HaveLen(1))
				}
			})
		})
	}
	t.Run("now and then only", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			n := 0
			w := &scripted{serve: func(ctx context.Context, _ int, a asked) Got {
				if a.Trigger.Type == spec.OnSessionStart && a.seen%4 != 0 {
					return hang(ctx)
				}
				return ok(a.answer())
			}}
			for _, r := range runAll(t.Context(), RunConfig{Jobs: 1}, many(10), w) {
				if r.Why == "script done" {
					n++
				}
			}
			g.Expect(n).To(Equal(5))
		})
	})
}

// dying is a worker that the first tool call brings down: its connection ends
// a second later, after every new one has been refused.
type dying struct {
	scripted
	down atomic.Bool
}

func (d *dying) Post(ctx context.Context, p Post) Got {
	if d.down.Load() {
		return Got{Answer: spec.Answer{End: spec.EndReset, Reason: spec.ReasonRefused}}
	}
	if read(p.Body).Trigger.Type != spec.OnToolExecute {
		return d.scripted.Post(ctx, p)
	}
	d.down.Store(true)
	p.OnConn("new")
	time.Sleep(time.Second)
	return Got{Conn: "new", Answer: spec.Answer{End: spec.EndReset, Reason: "EOF"}}
}

func TestRunLetsTheCaseEndThatBroughtTheWorkerDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		var ends []string
		for _, r := range runAll(t.Context(), RunConfig{Jobs: 2}, many(30), &dying{}) {
			ends = append(ends, r.Why)
		}
		g.Expect(ends).To(ContainElement(spec.CloseTurnFailed))
		g.Expect(ends[29]).To(Equal("not run: the worker does not answer"))
	})
}

func TestRunStopsAfterTooManyFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		all := runAll(t.Context(), RunConfig{Jobs: 1, MaxFailures: 2, Failed: func(Ran) bool { return true }}, many(5), slow())
		g.Expect(all[1].Failed).To(BeTrue())
		g.Expect(all[2].Why).To(Equal("not run: 2 cases had failed"))
		g.Expect(all[2].Failed).To(BeFalse())
	})
}

func TestRunCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		all := runAll(ctx, RunConfig{Jobs: 2}, many(30), slow())
		g.Expect(all).To(HaveLen(30))
		g.Expect(all[0].Why).To(Equal("script done"))
		g.Expect(all[29].Why).To(Equal("not run: the run was stopped"))
	})
}

// A case that restarts its worker runs beside the others at a worker of its own,
// and alone where there is none (R15).
func TestRunGivesARestartAWorkerOfItsOwn(t *testing.T) {
	cases := many(6)
	restarting := interrupted("restart: worker")
	cases = append(cases[:3], append([]scenarios.Case{restarting}, cases[3:]...)...)
	for name, tc := range map[string]struct {
		jobs            int
		none            bool
		fails           error
		started, beside int
		own             bool
	}{
		"beside the others": {jobs: 4, started: 1, beside: 3, own: true},
		"with one job":      {jobs: 1},
		"where none starts": {jobs: 4, fails: errors.New("the port is taken"), started: 1},
		"where none can be": {jobs: 4, none: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := NewWithT(t)
				count := &counting{}
				var started, closed, beside int
				restart := func(own *bool, of bool) func(context.Context) error {
					return func(context.Context) error {
						count.mu.Lock()
						defer count.mu.Unlock()
						*own, beside = of, count.now-1
						return nil
					}
				}
				var own bool
				cfg := RunConfig{Jobs: tc.jobs, Sink: count.open}
				cfg.Restart = restart(&own, false)
				if !tc.none {
					cfg.Another = func(context.Context) (*Instance, error) {
						if started++; tc.fails != nil {
							return nil, tc.fails
						}
						return &Instance{Poster: slow(), Restart: restart(&own, true), Close: func() { closed++ }}, nil
					}
				}
				for _, r := range runAll(t.Context(), cfg, cases, slow()) {
					g.Expect(r.Why).To(Equal("script done"))
				}
				g.Expect(started).To(Equal(tc.started))
				g.Expect(own).To(Equal(tc.own))
				g.Expect(beside).To(Equal(tc.beside))
				if tc.own {
					g.Expect(closed).To(Equal(1))
				}
			})
		})
	}
}
