package reference_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/provider"
)

// question is what the studio's model is asked: its model, and the messages.
func question(model string, messages ...spec.DraftMessage) spec.LlmRequest {
	return spec.LlmRequest{Model: model, Messages: messages, Tools: []spec.LlmTool{{Name: "find_glaze"}, {Name: "list_kilns"}}}
}

func said(role spec.Role, text string) spec.DraftMessage {
	return spec.DraftMessage{Role: role, ToolCallID: "c1", Content: jsontext.Value(`"` + text + `"`)}
}

// hosted asks the model in a form and returns its reply, and the events of the
// stream in which it came.
func hosted(url, form string, stream bool, q spec.LlmRequest) (spec.Decision, spec.LlmResponse, []string) {
	GinkgoHelper()
	body, err := provider.Request(spec.FormatOf(form), q)
	Expect(err).NotTo(HaveOccurred())
	t := spec.LlmExecuteTrigger{ID: "m1", Request: body, Format: spec.FormatOf(form), Stream: stream}
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(encoded(spec.DecisionRequest{SessionID: "s", DecisionID: "d", Trigger: t})))
	Expect(err).NotTo(HaveOccurred())
	request.Header.Set("Accept", "text/event-stream, application/json")
	resp, err := http.DefaultClient.Do(request)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	Expect(err).NotTo(HaveOccurred())
	a := spec.Answer{Status: resp.StatusCode, Headers: [][2]string{{"content-type", resp.Header.Get("Content-Type")}}, Body: answer, End: spec.EndWhole}
	Expect(a.Streams()).To(Equal(stream))
	d, failure := spec.ReadAnswerTo(t, a)
	Expect(failure).To(BeNil(), "%s", answer)
	Expect(spec.ResolveDecision(d, t, spec.ResolveContext{})).To(BeNil())
	var events []string
	if stream {
		rest := spec.ReadStream(answer, func(f spec.StreamFrame) bool { events = append(events, f.Event); return true })
		Expect(bytes.TrimSpace(rest)).To(BeEmpty())
	}
	result, ok := d.Actions[0].(spec.LlmResultAction)
	if !ok {
		return d, spec.LlmResponse{}, events
	}
	r, fault := spec.ParseResponseAs(t.Format, result.Response)
	Expect(fault).To(BeNil())
	return d, r, events
}

var _ = Describe("the studio's own model", func() {
	for _, form := range spec.HostedForms() {
		for _, stream := range []bool{false, true} {
			name := form
			if stream {
				name += ", streamed"
			}
			It("greets, calls and reads out in the form "+name, func() {
				url := serving(reference.Options{})
				_, r, events := hosted(url, form, stream, question("m", said(spec.RoleUser, "Hello.")))
				Expect(*r.Content).To(Equal("Good day from the studio."))
				Expect(r.Model).To(Equal("m"))
				Expect(r.FinishReason).To(Equal("stop"))
				Expect(r.Usage.Total).To(Equal(r.Usage.Input + r.Usage.Output))
				if stream {
					Expect(len(events)).To(BeNumerically(">", 5))
					Expect(events[len(events)-1]).To(Equal(spec.FrameDecisionResult))
				}
				_, r, _ = hosted(url, form, stream, question("m", said(spec.RoleUser, "Use find_glaze, please.")))
				Expect(r.ToolCalls).To(Equal([]spec.ToolCall{{ID: "call-of-m1", Type: "function",
					Function: spec.ToolFunction{Name: "find_glaze", Arguments: `{"glaze":"celadon"}`}}}))
				Expect(r.FinishReason).To(Equal("tool_calls"))
				_, r, _ = hosted(url, form, stream, question("m", said(spec.RoleUser, "Use list_kilns."), said(spec.RoleTool, "use list_kilns")))
				Expect(r.ToolCalls).To(BeEmpty())
				Expect(*r.Content).To(Equal("The studio says: use list_kilns"))
			})
		}
	}

	It("says that it has no such model", func() {
		d, _, _ := hosted(serving(reference.Options{}), spec.HostedNative, false, question("no-such-model", said(spec.RoleUser, "Hello.")))
		Expect(d.Actions).To(HaveLen(1))
		Expect(d.Actions[0].(spec.LlmErrorAction).Error).To(ContainSubstring(`no model "no-such-model"`))
	})

	It("answers in one piece where nobody reads streams", func() {
		p := post(serving(reference.Options{}), raw(`{"type":"llm.execute","id":"l1","request":{"model":"m","messages":[]},"stream":true,"attempt":0}`, `{}`))
		Expect(p.header.Get("Content-Type")).To(Equal("application/json"))
		Expect(p.body).To(ContainSubstring("Good day"))
	})

	It("bears with a question that makes no sense", func() {
		for _, request := range []string{`null`, `{}`, `[]`, `"x"`, `{"messages":[5],"tools":{"a":1}}`, `{"model":5,"messages":[{"content":[[]]}]}`} {
			p := post(serving(reference.Options{}), raw(`{"type":"llm.execute","id":"l1","request":`+request+`,"stream":false,"attempt":0}`, `{}`))
			Expect(p.status).To(Equal(http.StatusOK))
			Expect(p.body).To(ContainSubstring("llm.result"), request)
		}
	})
})
