package replay_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/simulator"
)

// tickingClock is a second later each time somebody looks.
type tickingClock struct {
	simulator.Clock
	mu  sync.Mutex
	now time.Time
}

func (c *tickingClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Second)
	return c.now
}

// calling answers calls of tools with what answer says to the nth of them, and all
// else as the worker does.
func calling(worker http.Handler, answer func(n int) string, nth func() int) http.Handler {
	return answering(worker, func(trigger string, as []byte) (int, []byte) {
		if trigger != "tool.execute" {
			return 200, as
		}
		return 200, []byte(answer(nth()))
	})
}

func resultOf(text string) string {
	return `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":` + string(jsonv.Quote(text)) + `}]}}]}`
}

var _ = Describe("a recording, sent to a worker several times", func() {
	const (
		times = 4
		text  = "/actions/0/result/content/0/text"
	)
	// recorded are the recordings of a worker that answers so at its first call.
	recorded := func(answer func(n int) string) []string {
		GinkgoHelper()
		var front func(http.Handler) http.Handler
		if answer != nil {
			front = func(worker http.Handler) http.Handler { return calling(worker, answer, func() int { return 0 }) }
		}
		all := filesIn(runBehind(front, func(c *certify.Config) {
			chosen("execute/valid.yaml")(c)
			c.Jobs = 1
		}))
		return all[len(all)-1:]
	}
	live := func(answer func(n int) string) http.Handler {
		n := 0
		return calling(referenceWorker(settling()), answer, func() int { n++; return n })
	}
	send := func(files []string, h http.Handler, cfg replay.ResendConfig) replay.Repeated {
		GinkgoHelper()
		p, err := replay.PlanResend(context.Background(), files, cfg.Consent)
		Expect(err).NotTo(HaveOccurred())
		cfg.Patience = -1
		p.Repeat = times
		r, err := p.SendTimes(context.Background(), to(h), cfg)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Times).To(Equal(times))
		Expect(p.Summary(false)).To(And(HavePrefix("will call 1 of 1 tool, 4 times, in "), HaveSuffix(", each sent 4 times")))
		return r
	}

	It("says that nothing varies", func() {
		r := send(recorded(nil), referenceWorker(settling()), replay.ResendConfig{Jobs: 2})
		Expect(r.Steadiness).To(Equal(recorder.Steadiness{Requests: r.First.Sent, Steady: r.First.Sent}))
		Expect(r.Requests).To(BeNumerically(">", 5))
	})

	It("sends other ids each time", func() {
		seen := map[string]int{}
		worker := referenceWorker(settling())
		r := send(recorded(nil), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen[r.Header.Get("traceparent")]++
			worker.ServeHTTP(w, r)
		}), replay.ResendConfig{})
		Expect(seen).To(HaveLen(times * r.First.Sent))
	})

	clock := &tickingClock{Clock: simulator.SystemClock, now: time.Date(2027, 3, 1, 10, 0, 0, 0, time.UTC)}
	random := rand.New(rand.NewPCG(1, 2))
	DescribeTable("says what varies, what kind of thing it is, and which rule allows it",
		func(answer func(n int) string, class recorder.Class, pointer, rule string) {
			files, worker := recorded(answer), live(answer)
			r := send(files, worker, replay.ResendConfig{Clock: clock})
			Expect(r.Unsteady).To(HaveLen(1))
			u := r.Unsteady[0]
			Expect(u.Class).To(Equal(class))
			Expect(u.Pointer).To(Equal(pointer))
			Expect(u.Rule).To(Equal(rule))
			Expect(u.Requests).To(Equal(1))
			Expect(u.First.Exchange).To(Equal("d4"))
			Expect(u.First.About).To(ContainSubstring("tool.execute"))
			Expect(len(u.Examples)).To(BeNumerically(">", 1))
			Expect(r.Steadily()).To(BeFalse())
			if rule == "" {
				Expect(r.Ignore).To(BeEmpty())
				return
			}
			Expect(r.Ignore).To(Equal([]string{rule}))
			Expect(r.Requests).To(Equal(r.First.Sent))
			Expect(r.Steady).To(Equal(r.Requests - 1))

			By("with the rule a replay is clean, and it is not refused")
			rules, err := recorder.ParseRules(r.Ignore)
			Expect(err).NotTo(HaveOccurred())
			again := send(files, worker, replay.ResendConfig{Clock: clock, Ignore: rules})
			Expect(again.Steadily()).To(BeTrue(), "%+v", again.Unsteady)
			Expect(again.Ignore).To(BeEmpty())
			Expect(again.First.Differ).To(BeZero())
			Expect(rules.Check()).To(BeEmpty())
		},
		Entry("a clock", func(int) string {
			clock.mu.Lock()
			defer clock.mu.Unlock()
			return resultOf("It is " + clock.now.Format(time.RFC1123) + ".")
		}, recorder.ClassTime, text, text),
		Entry("an id", func(n int) string {
			return resultOf(fmt.Sprintf("%08x-1111-4222-8333-%012x", n*7919, n*104729))
		}, recorder.ClassID, text, text),
		Entry("a list in another order", func(n int) string {
			items := []string{`"red"`, `"green"`, `"blue"`}
			items[0], items[n%3] = items[n%3], items[0]
			return `{"actions":[{"type":"tool.result","structured_content":{"colours":[` + strings.Join(items, ",") + `]},"content":[]}]}`
		}, recorder.ClassOrder, "/actions/0/structured_content/colours", "/actions/0/structured_content/colours"),
		Entry("a number", func(int) string {
			return resultOf(fmt.Sprint(random.Float64()))
		}, recorder.ClassRandom, text, text),
		Entry("a result and an error by turns", func(n int) string {
			if n%2 == 0 {
				return `{"actions":[{"type":"tool.error","error":"busy"}]}`
			}
			return resultOf("done")
		}, recorder.ClassWorker, "/actions/0/type", ""),
		Entry("a failure now and then", func(n int) string {
			if n%4 == 3 {
				return `nothing`
			}
			return resultOf("done")
		}, recorder.ClassWorker, "", ""),
	)

	It("tells what is the same each time, and other than recorded", func() {
		says := func(text string) func(int) string { return func(int) string { return resultOf(text) } }
		r := send(recorded(says("a text")), live(says("another text")), replay.ResendConfig{})
		Expect(r.Steadily()).To(BeTrue())
		Expect(r.Changed).To(HaveLen(1))
		Expect(r.Changed[0].Pointer).To(Equal(text))
		Expect(r.Changed[0].Now).To(Equal(`"another text"`))
		Expect(r.Ignore).To(BeEmpty())
	})

	It("says when it ended early", func() {
		p, err := replay.PlanResend(context.Background(), recorded(nil), simulator.Consent{})
		Expect(err).NotTo(HaveOccurred())
		p.Repeat = times
		ctx, stop := context.WithCancel(context.Background())
		n := 0
		worker := referenceWorker(settling())
		r, err := p.SendTimes(ctx, to(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n++; n == 10 {
				stop()
			}
			worker.ServeHTTP(w, r)
		})), replay.ResendConfig{})
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Ended).To(Equal(replay.EndedStopped))
		Expect(r.Times).To(Equal(2))
		Expect(r.Requests).To(And(BeNumerically(">", 0), BeNumerically("<", r.First.Sent)))
	})
})
