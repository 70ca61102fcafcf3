package certify_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("recordings in one folder", func() {
	recording := func(run, started string, ordinal, cases int) *certify.Judged {
		GinkgoHelper()
		h := &spec.HeaderEvent{
			Format: spec.RecordingFormat, Version: spec.RecordingVersion, Source: spec.SourceTest, ID: "a#default",
			Started: started, Run: spec.RunHeader{ID: run, Cases: cases}, Case: &spec.CaseHeader{Ordinal: ordinal},
		}
		j, err := certify.Judge(certify.InMemory("", []spec.Event{{Data: h}, {Data: &spec.CloseEvent{Why: spec.CloseNotApplicable}}}))
		Expect(err).NotTo(HaveOccurred())
		return j
	}
	const early, late = "2026-11-30T20:00:00Z", "2026-11-30T21:00:00Z"

	It("are parted by their runs, the oldest first", func() {
		runs := certify.Runs([]*certify.Judged{
			recording("b", late, 0, 0), recording("a", early, 0, 0), recording("b", late, 1, 1), recording("", early, 1, 0),
		})
		Expect(runs).To(HaveLen(3))
		Expect(runs[0].String()).To(Equal("one without an id (1 recording, begun " + early + ")"))
		Expect(runs[1].ID + runs[2].ID).To(Equal("ab"))
		Expect(runs[2].Judged).To(HaveLen(2))
	})

	It("are a partial run when some are missing", func() {
		whole := []*certify.Judged{recording("a", early, 0, 0), recording("a", early, 2, 2), recording("a", early, 1, 2)}
		Expect(certify.Runs(whole)[0].Missing()).To(BeEmpty())
		Expect(certify.Runs(whole)[0].Sum().Ended).To(BeEmpty())
		some := certify.Runs(whole[:2])[0]
		Expect(some.Missing()).To(Equal("1 of the 2 cases of the run have no recording here"))
		Expect(some.Sum().Ended).To(Equal(some.Missing()))
		Expect(some.Sum().Exit).To(Equal(reports.ExitUsage))
		By("unless they were picked by hand")
		Expect(certify.Sum(whole[:2]).Ended).To(BeEmpty())
	})

	It("of old are taken as they are", func() {
		Expect(certify.Runs([]*certify.Judged{recording("", early, 3, 0)})[0].Missing()).To(BeEmpty())
	})
})
