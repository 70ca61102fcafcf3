package reference_test

import (
	"context"
	"net/http/httptest"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("a fault that looks at more than one request, or at what is claimed", func() {
	const right = `{"actions":[` + quietAction + `]}`

	DescribeTable("answers the first delivery right and the second otherwise",
		func(fault string, second OmegaMatcher) {
			url := serving(reference.Options{Faults: []string{fault}})
			Expect(post(url, quietCall()).body).To(Equal(right))
			Expect(post(url, quietCall()).body).To(second)
			Expect(post(url, strings.Replace(quietCall(), `"decision_id":"s1-1"`, `"decision_id":"other"`, 1)).body).To(Equal(right))
		},
		Entry("acts-twice", "acts-twice", ContainSubstring(`"tool.error"`)),
		Entry("notes-being-asked-again", "notes-being-asked-again", Equal(strings.TrimSuffix(right, "}")+`,"state":{"deliveries":2}}`)),
		Entry("answers-anew", "answers-anew", And(ContainSubstring("east: firing"), ContainSubstring("You have asked before."))),
	)

	It("rewords where an earlier delivery was lost", func() {
		url := serving(reference.Options{Faults: []string{"notices-a-lost-request"}})
		late := strings.Replace(quietCall(), `"attempts":0`, `"attempts":1`, 1)
		Expect(post(url, late).body).To(ContainSubstring("You have asked before."))
		Expect(post(url, late).body).To(Equal(right), "the one before was seen")
		Expect(post(url, strings.Replace(quietCall(), `"s1-1"`, `"other"`, 1)).body).To(Equal(right))
	})

	It("gives a call the answer of another session's call of the same id", func() {
		url := serving(reference.Options{Faults: []string{"remembers-by-call-id"}})
		same := strings.Replace(quietCall(), `"id":"c1"`, `"id":"call_0"`, -1)
		first := post(url, same).body
		Expect(first).To(ContainSubstring("east: firing"))
		other := strings.Replace(call("find_glaze", `{"glaze":"oribe"}`), `"id":"c1"`, `"id":"call_0"`, -1)
		Expect(post(url, strings.ReplaceAll(other, `"s1`, `"s2`)).body).To(Equal(first))
		Expect(post(url, quietCall()).body).To(Equal(right), "the id is another")
	})

	It("does not reword what is no result, nor a result with a schema", func() {
		for _, request := range []string{call("kiln_temperature", `{"kiln":"raku"}`), call("kiln_temperature", `{"kiln":"east"}`), call("find_glaze", `{"glaze":"no such glaze"}`)} {
			url := serving(reference.Options{Faults: []string{"answers-anew"}})
			first := post(url, request).body
			Expect(post(url, request).body).To(Equal(first))
		}
	})

	It("answers like the right worker where only the claim is wrong", func() {
		for _, fault := range []string{"claims-to-run", "claims-to-repair"} {
			request := refused(spec.InputInvalid, "book_kiln", "{}")
			Expect(post(serving(reference.Options{Faults: []string{fault}}), request).body).To(
				Equal(post(serving(reference.Options{}), request).body))
		}
	})

	It("takes one session for another in one order of requests only", func() {
		url := serving(reference.Options{Faults: []string{"answers-another-session"}})
		in := func(session, request string) string {
			return strings.Replace(request, `"session_id":"s1"`, `"session_id":"`+session+`"`, 1)
		}
		opening := `{"session_id":"s1","trigger":{"type":"session.start"},"proposed":{}}`
		message := `{"session_id":"s1","trigger":{"type":"client.messages"},"proposed":{}}`
		post(url, opening)
		post(url, message)
		Expect(post(url, quietCall()).body).To(Equal(right))
		post(url, in("s2", opening))
		Expect(post(url, quietCall()).body).To(ContainSubstring("call_of_another_session"))
		post(url, in("s2", message))
		Expect(post(url, quietCall()).body).To(Equal(right))
		Expect(post(url, in("s2", quietCall())).body).To(Equal(right))
	})

	It("meets a stranger where the worker was restarted", func() {
		w, err := reference.NewRestartable(reference.Options{Faults: []string{"forgets-over-a-restart"}})
		Expect(err).NotTo(HaveOccurred())
		server := httptest.NewServer(w)
		DeferCleanup(server.Close)
		opening := strings.Replace(raw(`{"type":"session.start"}`, "{}"), `{`, `{"session_id":"s1",`, 1)
		Expect(post(server.URL, opening).status).To(Equal(200))
		Expect(post(server.URL, quietCall()).body).To(Equal(right))
		Expect(w.Restart(context.Background())).To(Succeed())
		Expect(post(server.URL, quietCall()).body).To(Equal(`{"actions":[{"type":"tool.error","error":"there is no such session"}]}`))
		right, err := reference.NewRestartable(reference.Options{})
		Expect(err).NotTo(HaveOccurred())
		Expect(right.Restart(context.Background())).To(Succeed())
		_, err = reference.NewRestartable(reference.Options{Faults: []string{"no such"}})
		Expect(err).To(HaveOccurred())
	})

	It("says what has to be claimed of every tool", func() {
		claims := map[string]map[string]string{}
		for _, f := range reference.Faults() {
			if f.Claims != nil {
				claims[f.Name] = f.Claims
			}
		}
		Expect(claims).To(Equal(map[string]map[string]string{
			"claims-to-run":        {spec.AllTools: spec.ArgumentsRun},
			"claims-to-repair":     {spec.AllTools: spec.ArgumentsRepaired},
			"runs-what-it-refuses": {spec.AllTools: spec.ArgumentsRefused},
		}))
	})
})

// turnEndsAfter is the end of a turn in which a tool was called.
func turnEndsAfter(tool string) string {
	return `{"session_id":"s1","decision_id":"d1","trigger":{"type":"turn.finished","turn_id":"t1","cost":"0"},"proposed":{"actions":[{"type":"done"}]},` +
		`"messages":[{"id":"m1","role":"user"},{"id":"l1","role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"` + tool + `","arguments":"{}"}}]}]}`
}
