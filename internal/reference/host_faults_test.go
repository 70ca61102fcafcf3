package reference_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/provider"
)

// readingStreams sends a request of a client that reads streams.
func readingStreams(url, body string) string {
	GinkgoHelper()
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	Expect(err).NotTo(HaveOccurred())
	request.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultClient.Do(request)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	Expect(err).NotTo(HaveOccurred())
	return string(answer)
}

// asking is an llm.execute in a form.
func askingIn(form, model, text string) string {
	GinkgoHelper()
	body, err := provider.Request(spec.FormatOf(form), question(model, said(spec.RoleUser, text)))
	Expect(err).NotTo(HaveOccurred())
	return encoded(spec.DecisionRequest{SessionID: "s", DecisionID: "d",
		Trigger: spec.LlmExecuteTrigger{ID: "m1", Request: body, Format: spec.FormatOf(form), Stream: true}})
}

var _ = DescribeTable("the answer of a fault of hosted models or streams",
	func(fault, form, text string, want OmegaMatcher) {
		model := "m"
		if text == "" {
			model = "no-such-model"
		}
		request := call("studio_notice", `{}`)
		if form != "" {
			request = askingIn(form, model, text)
		}
		answer := readingStreams(serving(reference.Options{Faults: []string{fault}}), request)
		Expect(answer).To(want)
		Expect(readingStreams(serving(reference.Options{}), request)).NotTo(Equal(answer))
	},
	Entry(nil, "model-settles-twice", "native", "Hello.", ContainSubstring(`},{"type":"llm.error","error":"the log is full"}]`)),
	Entry(nil, "model-settles-another-call", "native", "Hello.", ContainSubstring(`"id":"completion-1"`)),
	Entry(nil, "model-without-its-name", "native", "Hello.", ContainSubstring(`"response":{"content"`)),
	Entry(nil, "model-in-its-own-form", "openai", "Hello.", ContainSubstring(`"response":{"model":"m","content"`)),
	Entry(nil, "reuses-call-ids", "native", "Use list_kilns.", ContainSubstring(`"tool_calls":[{"id":"call_0","type"`)),
	Entry(nil, "keeps-the-block-type", "native", "Use list_kilns.", ContainSubstring(`"type":"tool_use"`)),
	Entry(nil, "ends-for-calls-it-has-not", "native", "Hello.", ContainSubstring(`"finish_reason":"tool_calls"`)),
	Entry(nil, "forgets-the-cache", "native", "Hello.", ContainSubstring(`"cache_read":7`)),
	Entry(nil, "model-fails-without-a-word", "native", "", ContainSubstring(`"error":""`)),
	Entry(nil, "names-no-frame", "", "", HavePrefix("data: ")),
	Entry(nil, "streams-its-progress", "", "", HavePrefix("event: progress\n")),
	Entry(nil, "streams-text-for-pieces", "native", "Hello.", HavePrefix("event: llm.token.delta\ndata: {\"text\":5}\n\n")),
	Entry(nil, "fails-without-a-message", "", "", HavePrefix("event: decision.error\n")),
	Entry(nil, "ends-the-stream-early", "native", "Hello.", Not(ContainSubstring("decision.result"))),
	Entry(nil, "streams-a-tool", "", "", HavePrefix("event: llm.token.delta\n")),
	Entry(nil, "decides-twice", "native", "Hello.", HaveSuffix("event: decision.result\ndata: {\"state\":{\"asked\":1}}\n\n")),
	Entry(nil, "streams-its-own-pieces", "openai", "Hello.", ContainSubstring(`data: {"text":"Good "}`)),
	Entry(nil, "loses-the-last-piece", "native", "Hello.", Not(ContainSubstring(`{"text":"studio."}`))),
)

var _ = It("a stream that stalls holds its first frame, and ends when the client leaves", func(ctx SpecContext) {
	leaving, leave := context.WithCancel(ctx)
	defer leave()
	url := serving(reference.Options{Faults: []string{"stalls-a-stream"}})
	request, err := http.NewRequestWithContext(leaving, http.MethodPost, url, strings.NewReader(askingIn("native", "m", "Hello.")))
	Expect(err).NotTo(HaveOccurred())
	request.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultClient.Do(request)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = resp.Body.Close() }()
	answer := bufio.NewReader(resp.Body)
	for _, want := range []string{"event: llm.token.delta\n", "data: ", "\n"} {
		line, err := answer.ReadString('\n')
		Expect(err).NotTo(HaveOccurred())
		Expect(line).To(HavePrefix(want))
	}
	leave()
	_, err = answer.ReadString('\n')
	Expect(err).To(MatchError(context.Canceled))
}, NodeTimeout(30*time.Second))
