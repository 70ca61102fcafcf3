package scenarios_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("the runs of a disturbed case", func() {
	one := func(text string) scenarios.Case {
		GinkgoHelper()
		return plan(text, scenarios.PlanOptions{Features: []string{"restart"}})[0]
	}

	It("begin and end in calm", func() {
		c := one(withStep("user: Hello."))
		var ids []string
		for _, run := range c.Runs([]string{"late", "restart"}, true) {
			ids = append(ids, strings.TrimPrefix(run.ID, c.ID))
			Expect(run.Variant.Of).To(Equal(c.ID))
			Expect(run.NotApplicable).To(BeEmpty())
			Expect(run.RestartsWorker()).To(Equal(strings.HasSuffix(run.ID, "restart")))
			Expect(run.Variant.IsFirst()).To(Equal(run.ID == c.ID))
		}
		Expect(ids).To(Equal([]string{"", " under late", " under restart", " calm again"}))
	})

	It("leave the twins to the first", func() {
		c := one(head + "twin: {call: c1, arguments: {}}\nsteps:\n  - model: {calls: [{as: c1, tool: x, raw: y}]}\n")
		Expect(c.Twins).To(HaveLen(1))
		runs := c.Runs([]string{"late"}, true)
		Expect(runs[0].Twins).To(HaveLen(1))
		Expect(runs[1].Twins).To(BeEmpty())
		Expect(runs[2].Twins).To(BeEmpty())
	})

	It("do not restart what cannot be restarted", func() {
		runs := one(withStep("user: Hello.")).Runs([]string{"restart"}, false)
		Expect(runs[1].NotApplicable).To(ContainSubstring("--restart-cmd"))
		Expect(runs[1].Steps).To(BeNil())
		Expect(runs[2].NotApplicable).To(BeEmpty())
	})

	DescribeTable("are one where the case has its own trouble",
		func(text, why string) {
			c := one(text)
			Expect(c.Undisturbed()).To(Equal(why))
			Expect(c.Runs([]string{"late"}, true)).To(Equal([]scenarios.Case{c}))
		},
		Entry("a disturbance", withStep("disturb: {do: repeat}"), "it has disturb steps of its own"),
		Entry("a restart", withStep("restart: engine"), "it has restart steps of its own"),
		Entry("a moment", withStep("until: {trigger: tool.execute}"), "it has until steps of its own"),
		Entry("time that passes", withStep("wait: 10m"), "it has wait steps of its own"),
		Entry("a policy of deliveries", head+"engine: {retry: {decision: {max_attempts: 1}}}\n"+withStep("user: a")[len(head):], "it sets how decisions are delivered again"),
		Entry("a planted config", head+"given: {agent: {model: m}}\n"+withStep("user: a")[len(head):], "its traffic is broken on purpose"),
		Entry("no worker for it", head+"needs: {tool: {name: nobody}}\n"+withStep("user: a")[len(head):], "it is not run at all"),
	)

	It("are none where nothing is disturbed", func() {
		c := one(withStep("user: a"))
		Expect(c.Runs(nil, true)).To(Equal([]scenarios.Case{c}))
	})

	It("are opened again from their recordings", func() {
		for _, run := range one(withStep("user: Hello.")).Runs([]string{"slow"}, true) {
			h := run.Header(scenarios.PlanOptions{Features: []string{"restart"}})
			header := &spec.HeaderEvent{ID: run.ID, Case: h}
			again, err := scenarios.Reopen(header)
			Expect(err).NotTo(HaveOccurred())
			Expect(again.ID).To(Equal(run.ID))
			Expect(again.Variant).To(Equal(run.Variant))
			Expect(scenarios.BaseID(header)).To(Equal(run.Variant.Of))
		}
	})
})

var _ = Describe("the names of disturbances", func() {
	It("are read in one order, each once", func() {
		chosen, err := scenarios.ChooseDisturbances([]string{"slow", "repeat", "slow"})
		Expect(err).NotTo(HaveOccurred())
		Expect(chosen).To(Equal([]string{"repeat", "slow"}))
		all, err := scenarios.ChooseDisturbances([]string{"all"})
		Expect(err).NotTo(HaveOccurred())
		Expect(all).To(Equal(scenarios.Disturbances()))
		none, err := scenarios.ChooseDisturbances(nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(none).To(BeEmpty())
	})

	It("are known, or what was meant is said", func() {
		for name, hint := range map[string]string{"overlp": `did you mean "overlap"?`, "thunder": "one of: lose-answer, lose-request, repeat, overlap, late, slow, restart, all"} {
			_, err := scenarios.ChooseDisturbances([]string{"late", name})
			Expect(err).To(MatchError(ContainSubstring(name)))
			Expect(err.(*scenarios.DisturbanceError).Hint).To(Equal(hint))
		}
	})
})
