package reference_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
)

var _ = Describe("what the worker remembers", func() {
	var (
		runs atomic.Int64
		url  string
	)
	serve := func(memory int) {
		runs.Store(0)
		url = serving(reference.Options{Memory: memory, Ran: func(reference.Run) { runs.Add(1) }})
	}
	booking := func(session, decision, id string) string {
		arguments := `{"kiln":"east","day":"2026-09-14"}`
		t := &talk{session: session}
		r := t.executing(toolCall{id, "book_kiln", arguments}, valid(arguments), false)
		r.DecisionID = decision
		return encoded(r)
	}

	It("answers a decision delivered again alike, and acts once", func() {
		serve(0)
		first := post(url, booking("s1", "d1", "c1"))
		Expect(post(url, booking("s1", "d1", "c1")).body).To(Equal(first.body))
		Expect(runs.Load()).To(Equal(int64(1)))
	})

	DescribeTable("acts again for what is another call", func(session, decision, id string) {
		serve(0)
		post(url, booking("s1", "d1", "c1"))
		post(url, booking(session, decision, id))
		Expect(runs.Load()).To(Equal(int64(2)))
	},
		Entry("another decision with equal arguments", "s1", "d2", "c1"),
		Entry("another call", "s1", "d1", "c2"),
		Entry("another session with equal ids", "s2", "d1", "c1"),
	)

	It("forgets the oldest answer first", func() {
		serve(2)
		for _, decision := range []string{"d1", "d2", "d1", "d3"} {
			post(url, booking("s1", decision, "c1"))
		}
		Expect(runs.Load()).To(Equal(int64(3)), "d1 was still known")
		post(url, booking("s1", "d2", "c1"))
		Expect(runs.Load()).To(Equal(int64(3)), "d2 was still known")
		post(url, booking("s1", "d1", "c1"))
		Expect(runs.Load()).To(Equal(int64(4)), "d1 was forgotten")
	})

	It("does not remember what it was proposed", func() {
		serve(0)
		trigger := `{"type":"tool.execute","id":"c1","name":"find_glaze","arguments":"{","input":{"status":"malformed","error":"x"},"attempt":0}`
		for _, text := range []string{"one", "two"} {
			proposed := `{"actions":[{"type":"tool.error","id":"c1","error":"` + text + `"}]}`
			Expect(post(url, raw(trigger, proposed)).body).To(Equal(proposed))
		}
	})

	It("acts once for two deliveries at the same time", func() {
		serve(0)
		var all sync.WaitGroup
		answers := make([]string, 16)
		for i := range answers {
			all.Go(func() {
				defer GinkgoRecover()
				answers[i] = post(url, booking("s1", "d1", "c1")).body
			})
		}
		all.Wait()
		Expect(runs.Load()).To(Equal(int64(1)))
		Expect(answers).To(HaveEach(answers[0]))
	})

	It("keeps sessions apart that run side by side", func() {
		serve(0)
		var all sync.WaitGroup
		for i := range 32 {
			all.Go(func() {
				defer GinkgoRecover()
				session := fmt.Sprintf("session-%d", i)
				t := &talk{session: session}
				for n := range 8 {
					name := fmt.Sprintf("canary-%d-%d", i, n)
					arguments := `{"glaze":"` + name + `"}`
					e := failedWith(post(url, encoded(t.executing(toolCall{"c" + name, "find_glaze", arguments}, valid(arguments), false))))
					Expect(e.Error).To(ContainSubstring(name))
					Expect(strings.Count(e.Error, "canary")).To(Equal(1))
					Expect(*e.ID).To(Equal("c" + name))
				}
			})
		}
		all.Wait()
		Expect(runs.Load()).To(Equal(int64(256)))
	})
})
