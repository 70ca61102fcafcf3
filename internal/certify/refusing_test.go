package certify_test

import (
	"bytes"
	"io"
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// refusing is the reference worker, but for calls: it refuses them all in one
// way, good ones too.
func refusing(answer string) http.Handler {
	h := referenceWorker()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if req, fault := spec.ParseRequest(body); fault == nil && req.Trigger.TriggerType() == spec.OnToolExecute {
			says(http.StatusOK, "application/json", answer).ServeHTTP(w, r)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(w, r)
	})
}

var _ = Describe("a worker that refuses every call alike", func() {
	certified := func(h http.Handler, policy string) *reports.Report {
		c := config()
		c.Wanted = oneOfAKind()
		c.Run = []string{"execute/undeclared*", "execute/malformed*", "execute/invalid-missing*", "execute/bad-after-good*", "parallel/*"}
		if policy != "" {
			c.Worker.BadArguments = map[string]string{spec.AllTools: policy}
		}
		return certifyAll(c, h)
	}
	reasonOf := func(r *reports.Report, id string) string {
		for _, q := range r.Requirements {
			if q.ID == id {
				return q.Reason
			}
		}
		return ""
	}

	for name, answer := range map[string]string{
		"by an error":          `{"actions":[{"type":"tool.error","error":"I cannot do that"}]}`,
		"by a flagged result":  `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"I cannot do that"}],"isError":true}}]}`,
		"by words of its name": `{"actions":[{"type":"tool.error","error":"unknown tool"}]}`,
	} {
		It("gets no pass for its refusals, "+name, func() {
			r := certified(refusing(answer), spec.ArgumentsRefused)
			Expect(statusOf(r, "execute.refuses-undeclared")).To(Equal(spec.StatusNotObserved))
			Expect(reasonOf(r, "execute.refuses-undeclared")).To(ContainSubstring("a refusal proves nothing"))
			Expect(statusOf(r, "execute.keeps-its-policy")).To(Equal(spec.StatusNotObserved))
			Expect(reasonOf(r, "execute.keeps-its-policy")).To(ContainSubstring("prove nothing"))
			Expect(statusOf(r, "execute.answers-malformed")).To(Equal(spec.StatusPass), "it settles them, which needs no twin")
		})
	}

	It("is told from one that runs good calls, and from one that hands the proposal back", func() {
		for _, h := range []http.Handler{referenceWorker(), ownRefusals()} {
			r := certified(h, spec.ArgumentsRefused)
			Expect(statusOf(r, "execute.refuses-undeclared")).To(Equal(spec.StatusPass))
			Expect(statusOf(r, "execute.keeps-its-policy")).To(Equal(spec.StatusPass))
		}
	})

	It("has no policy that could be wrong when it declares none", func() {
		Expect(statusOf(certified(refusing(`{"actions":[{"type":"tool.error","error":"no"}]}`), ""), "execute.keeps-its-policy")).To(Equal(spec.StatusNotApplicable))
	})

	It("breaks the claim to run or to repair only by handing the proposal back, or where nothing is in doubt", func() {
		r := certified(refusing(`{"actions":[{"type":"tool.error","error":"no"}]}`), spec.ArgumentsRun)
		Expect(statusOf(r, "execute.keeps-its-policy")).To(Equal(spec.StatusNotObserved))
		Expect(statusOf(certified(referenceWorker(), spec.ArgumentsRun), "execute.keeps-its-policy")).To(Equal(spec.StatusFail))
		Expect(statusOf(certified(referenceWorker(), spec.ArgumentsRepaired), "execute.keeps-its-policy")).To(Equal(spec.StatusFail))
	})
})

// ownRefusals is the reference worker, but that it refuses in its own words
// where the engine proposes to refuse.
func ownRefusals() http.Handler {
	h := referenceWorker()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if req, fault := spec.ParseRequest(body); fault == nil && req.Trigger.TriggerType() == spec.OnToolExecute && len(req.Proposed.Actions) > 0 {
			says(http.StatusOK, "application/json", `{"actions":[{"type":"tool.error","error":"not like this"}]}`).ServeHTTP(w, r)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(w, r)
	})
}
