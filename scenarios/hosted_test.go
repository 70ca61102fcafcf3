package scenarios_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/scenarios"
)

var _ = Describe("a scenario whose model the worker hosts", func() {
	const all = head + "engine: {hosted: [native, openai, anthropic, native]}\n" + steps

	It("runs in each form once, where the worker has it", func() {
		cases := plan(all, scenarios.PlanOptions{Features: scenarios.HostedFeatures("native", "openai")})
		Expect(cases).To(HaveLen(3))
		Expect([]string{cases[0].ID, cases[1].ID, cases[2].ID}).To(Equal([]string{
			"a.yaml#default", "a.yaml#default (hosted openai)", "a.yaml#default (hosted anthropic)"}))
		Expect(cases[1].Hosted).To(Equal("openai"))
		Expect(cases[1].Engine.Hosted).To(BeEmpty())
		Expect([]string{cases[0].NotApplicable, cases[1].NotApplicable}).To(Equal([]string{"", ""}))
		Expect(cases[2].NotApplicable).To(Equal(
			"needs a model that the worker hosts in the form anthropic, which it does not declare; if it has one, say so: hosted_models: [anthropic]"))
		Expect(cases[2].Steps).To(BeNil())
	})

	It("takes the feature alone for the protocol's own form", func() {
		cases := plan(all, scenarios.PlanOptions{Features: []string{"hosted-model"}})
		Expect(cases[0].NotApplicable).To(BeEmpty())
		Expect(cases[1].NotApplicable).NotTo(BeEmpty())
		Expect(plan(all, scenarios.PlanOptions{Features: scenarios.HostedFeatures("openai")})[0].NotApplicable).NotTo(BeEmpty())
		Expect(plan(all, scenarios.PlanOptions{})[0].NotApplicable).To(ContainSubstring("in the form native"))
	})

	It("is told apart beside a dialect", func() {
		text := head + "engine: {hosted: openai, dialect: [{}, {first_attempt: 1}]}\n" + steps
		Expect(ids(plan(text, scenarios.PlanOptions{Features: scenarios.HostedFeatures("openai")}))).To(Equal([]string{
			"a.yaml#default (hosted openai)", "a.yaml#default (hosted openai) (first_attempt 1)"}))
	})

	It("is the same case again from its own recording", func() {
		options := scenarios.PlanOptions{Features: scenarios.HostedFeatures("openai")}
		c := plan(all, options)[1]
		again, err := scenarios.Reopen(recorded(c, options))
		Expect(err).NotTo(HaveOccurred())
		Expect(again.Hosted).To(Equal("openai"))
		Expect(again.NotApplicable).To(BeEmpty())
	})

	It("lets the form be a value of the case", func() {
		text := head + "cases: [{name: a, form: openai}]\nengine: {hosted: $case.form}\n" + steps
		Expect(plan(text, scenarios.PlanOptions{Features: scenarios.HostedFeatures("openai")})[0].Hosted).To(Equal("openai"))
	})

	It("says that a model step is passed over", func() {
		doc := parse(head + "engine: {hosted: native}\nsteps:\n  - user: Go.\n  - model: Hello.\n")
		Expect(doc.Warnings).To(HaveLen(1))
		Expect(doc.Warnings[0].Line).To(Equal(5))
		Expect(parse(head + "engine: {hosted: native}\n" + steps).Warnings).To(BeEmpty())
	})

	It("knows no other form", func() {
		_, err := scenarios.Parse("a.yaml", []byte(head+"engine: {hosted: opnai}\n"+steps))
		Expect(err).To(MatchError(ContainSubstring(`unknown form "opnai"`)))
		Expect(err).To(MatchError(ContainSubstring("openai")))
	})
})

var _ = Describe("hosted_models in a project's file", func() {
	It("claims the feature and each form", func() {
		c, err := scenarios.ParseConfig("hallmark.yaml", []byte("hosted_models: [native, openai]\nfeatures: [state]\n"))
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Features).To(Equal(append([]string{"state"}, scenarios.HostedFeatures("native", "openai")...)))
	})

	It("knows no other form", func() {
		_, err := scenarios.ParseConfig("hallmark.yaml", []byte("hosted_models: [gemini]\n"))
		Expect(err).To(MatchError(ContainSubstring(`unknown form "gemini"`)))
	})
})
