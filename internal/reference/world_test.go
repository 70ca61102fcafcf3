package reference_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/spec"
)

// serving serves the worker on a socket until the spec ends, and returns its
// address.
func serving(o reference.Options) string {
	GinkgoHelper()
	h, err := reference.New(o)
	Expect(err).NotTo(HaveOccurred())
	server := httptest.NewServer(h)
	DeferCleanup(server.Close)
	return server.URL
}

// posted is one answer as it came.
type posted struct {
	status int
	header http.Header
	body   string
}

// post sends bytes and reads the whole answer.
func post(url, body string) posted {
	GinkgoHelper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	Expect(err).NotTo(HaveOccurred())
	return posted{resp.StatusCode, resp.Header, string(b)}
}

// encoded is a request as bytes.
func encoded(r spec.DecisionRequest) string {
	b, err := spec.Marshal(r)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// raw is a request with a trigger and a proposal as spelled.
func raw(trigger, proposed string) string {
	return `{"session_id":"s1","decision_id":"d1","agent_id":"agent","trigger":` + trigger + `,"proposed":` + proposed + `,"messages":[],"pending_calls":0}`
}

// call is a valid call that the engine proposes nothing for.
func call(tool, arguments string) string {
	t := &talk{session: "s1"}
	return encoded(t.executing(toolCall{"c1", tool, arguments}, valid(arguments), false))
}

// decided reads a 200 as an engine does.
func decided(p posted) spec.Decision {
	GinkgoHelper()
	Expect(p.status).To(Equal(http.StatusOK), p.body)
	Expect(p.header.Get("Content-Type")).To(Equal("application/json"))
	d, fault := spec.ParseDecision([]byte(p.body))
	Expect(fault).To(BeNil(), p.body)
	return d
}

// failedWith is the one tool.error of an answer.
func failedWith(p posted) spec.ToolErrorAction {
	GinkgoHelper()
	d := decided(p)
	Expect(d.Actions).To(HaveLen(1))
	Expect(d.Actions[0]).To(BeAssignableToTypeOf(spec.ToolErrorAction{}), p.body)
	return d.Actions[0].(spec.ToolErrorAction)
}

// resulted is the one tool.result of an answer.
func resulted(p posted) spec.ToolResultAction {
	GinkgoHelper()
	d := decided(p)
	Expect(d.Actions).To(HaveLen(1))
	Expect(d.Actions[0]).To(BeAssignableToTypeOf(spec.ToolResultAction{}), p.body)
	return d.Actions[0].(spec.ToolResultAction)
}
