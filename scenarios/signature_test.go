package scenarios_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/scenarios"
)

var _ = Describe("how requests are signed", func() {
	DescribeTable("does not read", func(signature, want string) {
		Expect(fault(head + "engine: {signature: " + signature + "}\n" + steps)).To(Equal(want))
	},
		Entry("an unknown kind", "forgd", lines(`a.yaml:2:21: unknown signature "forgd"`, `  hint: did you mean "forged"?`)),
		Entry("no kind", "{on: tool.execute}", lines("a.yaml:2:21: the signature has no kind", "  hint: add is: forged, for instance")),
		Entry("an unknown trigger", "{is: forged, on: tool.exec}", lines(`a.yaml:2:38: unknown trigger "tool.exec"`, `  hint: did you mean "tool.execute"?`)),
	)

	const signed = head + "engine: {signature: {is: absent, on: tool.execute, ahead: true}}\ntwin: {signature: valid}\n" + steps

	It("needs a secret, which a worker does not have by saying so", func() {
		c := plan(signed, scenarios.PlanOptions{})[0]
		Expect(c.NotApplicable).To(ContainSubstring("--secret-env"))
		Expect(c.Steps).To(BeNil())
		c = plan(head+"engine: {signature: valid}\n"+steps, scenarios.PlanOptions{})[0]
		Expect(c.NotApplicable).To(BeEmpty())
		c = plan(head+"needs: {features: [secret]}\n"+steps, scenarios.PlanOptions{})[0]
		Expect(c.NotApplicable).To(ContainSubstring("secret_env in hallmark.yaml"))
	})

	It("is planned, and put right in the twin", func() {
		c := plan(signed, scenarios.PlanOptions{Features: []string{scenarios.FeatureSecret}})[0]
		Expect(c.NotApplicable).To(BeEmpty())
		Expect(c.Engine.Signature.Broken()).To(BeTrue())
		Expect(c.Engine.Signature.Ahead).To(BeTrue())
		Expect(c.Engine.Signature.Of("tool.execute")).To(Equal("absent"))
		Expect(c.Engine.Signature.Of("session.start")).To(Equal("valid"))
		Expect(c.Twins).To(HaveLen(1))
		Expect(c.Twins[0].Signed).To(BeTrue())
	})
})
