package reference_test

import (
	"io"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/simulator"
)

// studioKey signs in these specs.
const studioKey = "a key of the studio"

// answeredTo sends a body with the value of a signature header, "" for none.
func answeredTo(url, header, value, body string) posted {
	GinkgoHelper()
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	Expect(err).NotTo(HaveOccurred())
	if value != "" {
		r.Header.Set(header, value)
	}
	resp, err := http.DefaultClient.Do(r)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	Expect(err).NotTo(HaveOccurred())
	return posted{resp.StatusCode, resp.Header, string(b)}
}

func signatureOf(body string) string { return simulator.Sign([]byte(studioKey), []byte(body)) }

var _ = Describe("a worker with a secret", func() {
	const header = simulator.SignatureHeader
	guarded := func(faults ...string) string {
		return serving(reference.Options{Secret: []byte(studioKey), Faults: faults})
	}
	finished := raw(`{"type":"tool.finished","id":"c1","ok":true,"name":"x"}`, `{"actions":[{"type":"done"}]}`)

	It("answers what is signed right, whatever the bytes are", func() {
		url := guarded()
		for _, body := range []string{quietCall(), quietCall() + " ", strings.Replace(finished, "done", "d\\u006fne", 1), raw(`{"type":"x"}`, `{"a":1e400,"é":"<"}`)} {
			Expect(answeredTo(url, header, signatureOf(body), body).status).To(Equal(http.StatusOK), body)
		}
	})

	DescribeTable("turns everything else away before it reads it", func(value func(body string) string) {
		for _, body := range []string{quietCall(), "no JSON at all", ""} {
			got := answeredTo(guarded(), header, value(body), body)
			Expect(got.status).To(Equal(http.StatusUnauthorized))
			Expect(got.body).To(Equal("the signature does not fit the request\n"))
		}
	},
		Entry("no signature", func(string) string { return "" }),
		Entry("another secret", func(body string) string { return simulator.Sign([]byte("other"), []byte(body)) }),
		Entry("another body", func(body string) string { return signatureOf(body + " ") }),
		Entry("no prefix", func(body string) string { return strings.TrimPrefix(signatureOf(body), "sha256=") }),
		Entry("capitals", func(body string) string { return "sha256=" + strings.ToUpper(signatureOf(body)[7:]) }),
		Entry("no hex", func(string) string { return "sha256=" }),
	)

	It("runs no tool for what it turns away", func() {
		ran := 0
		url := serving(reference.Options{Secret: []byte(studioKey), Ran: func(reference.Run) { ran++ }})
		answeredTo(url, header, "", quietCall())
		Expect(ran).To(BeZero())
		answeredTo(url, header, signatureOf(quietCall()), quietCall())
		Expect(ran).To(Equal(1))
	})

	It("reads the header that it is told to", func() {
		url := serving(reference.Options{Secret: []byte(studioKey), SignatureHeader: "X-Other"})
		Expect(answeredTo(url, "X-Other", signatureOf(finished), finished).status).To(Equal(http.StatusOK))
		Expect(answeredTo(url, header, signatureOf(finished), finished).status).To(Equal(http.StatusUnauthorized))
	})

	form := "sha256=" + strings.Repeat("0f", 32)
	changed := strings.Replace(finished, `"agent_id"`, `"identity":{"metadata":{"x":"y"}},"agent_id"`, 1)
	known := strings.Replace(finished, `"agent_id"`, `"identity":{"metadata":{}},"agent_id"`, 1)
	odd := strings.Replace(finished, `"x"`, `"<x>"`, 1)
	long := strings.Replace(finished, `"x"`, `"`+strings.Repeat("窯", 100_000)+`"`, 1)
	DescribeTable("shows what each fault does",
		func(fault, value, body string, status int) {
			Expect(answeredTo(guarded(fault), header, value, body).status).To(Equal(status))
			Expect(answeredTo(guarded(), header, value, body).status).NotTo(Equal(status), "the right worker does otherwise")
		},
		Entry("checks-the-form-only", "checks-the-form-only", form, finished, 200),
		Entry("accepts-unsigned", "accepts-unsigned", "", finished, 200),
		Entry("signs-what-it-knows", "signs-what-it-knows", signatureOf(known), changed, 200),
		Entry("signs-what-it-parsed", "signs-what-it-parsed", signatureOf(odd), odd, 401),
		Entry("decodes-each-chunk", "decodes-each-chunk", signatureOf(long), long, 401),
		Entry("expects-upper-case", "expects-upper-case", signatureOf(finished), finished, 401),
		Entry("refuses-everything", "refuses-everything", signatureOf(finished), finished, 401),
		Entry("checks-some-triggers", "checks-some-triggers", form, finished, 200),
		Entry("refuses-with-200", "refuses-with-200", form, finished, 200),
		Entry("refuses-with-403", "refuses-with-403", form, finished, 403),
		Entry("refuses-in-silence", "refuses-in-silence", form, finished, 200),
		Entry("chokes-on-a-bare-signature", "chokes-on-a-bare-signature", signatureOf(finished)[7:], finished, 500),
	)

	It("makes a forged call and then not the real one, by a fault", func() {
		url := guarded("acts-before-checking")
		Expect(answeredTo(url, header, form, quietCall()).status).To(Equal(http.StatusUnauthorized))
		Expect(answeredTo(url, header, signatureOf(quietCall()), quietCall()).body).To(ContainSubstring("was made already"))
	})
})
