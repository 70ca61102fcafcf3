package recorder_test

import (
	"bytes"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// captured makes the capture of requests with these triggers, each answered
// with an empty decision.
func captured(triggers ...string) []spec.Event {
	h := header()
	h.Data.(*spec.HeaderEvent).Source = spec.SourceCapture
	events := []spec.Event{h}
	for i, trigger := range triggers {
		d := "d" + string(rune('1'+i))
		events = append(events, request(d, []byte(`{"session_id":"s","decision_id":"x","agent_id":"a","identity":{"visibility":"shared","metadata":{}},"trigger":`+trigger+`,"proposed":{"messages":[],"actions":[],"state":null},"state":null,"agent":null,"calls":[],"pending_calls":0,"messages":[],"message_tree":{"nodes":[]},"ancestry":[],"attempts":0,"deadline":null,"turn_id":"turn-1"}`)),
			spec.Event{Session: "s1", Data: &spec.ResponseEvent{D: d, Status: 200, End: spec.EndWhole, Bytes: 2, Body: spec.BodyOf([]byte("{}"))}})
	}
	return events
}

var _ = Describe("The story of a capture", func() {
	It("is told from what the requests say", func() {
		var out bytes.Buffer
		Expect(recorder.Show(&out, sequence(captured(
			`{"type":"client.messages","messages":[{"role":"user","content":"old","id":"m"},{"role":"user","content":"Is it late?"}],"new_from":1,"client":{}}`,
			`{"type":"llm.finished","id":"l","ok":true,"message":{"role":"assistant","content":"I look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{\"a\":1}"}}]},"truncated":true}`,
			`{"type":"tool.finished","id":"c1","ok":false,"name":"look","error":{"message":"too late","code":"deadline_exceeded"}}`,
			`{"type":"llm.finished","id":"l2","ok":false,"truncated":false,"error":{"message":"down","code":"provider_error"}}`,
			`{"type":"client.action","name":"press"}`,
			`{"type":"subagent.finished","id":"c2","ok":true,"session_id":"s2","agent_id":"kid","result":"done"}`,
			`{"type":"interrupt.resumed","interrupt_id":"i1","payload":{"ok":true}}`,
			`{"type":"turn.finished","turn_id":"turn-1","data":"all","cost":"0","usage":{"input":0,"output":0,"uncached_input":0,"cache_read":0,"cache_write":0,"total":0}}`,
		)), recorder.ShowOptions{})).To(Succeed())
		var told []string
		for line := range strings.Lines(out.String()) {
			if _, text, ok := strings.Cut(line, "· "); ok {
				told = append(told, strings.TrimSpace(text))
			}
		}
		Expect(told).To(Equal([]string{
			`turn turn-1 begins`,
			`client: 1 message "Is it late?"`,
			`model says "I look." and calls look {"a":1}, cut off`,
			`call c1 of look fails: deadline_exceeded "too late"`,
			`model fails: provider_error "down"`,
			`client: action press`,
			`subagent kid ends "done"`,
			`interrupt i1 is resumed {"ok":true}`,
			`turn turn-1 completes "all"`,
		}))
		// Each stands right above the exchange that tells it.
		Expect(out.String()).To(MatchRegexp(`(?m)model fails.*\n.*d4  llm\.finished`))
	})

	It("says that it is still being written", func() {
		events := captured(`{"type":"session.start"}`)
		file := record(events)
		var out bytes.Buffer
		Expect(recorder.Show(&out, recorder.NewReader(bytes.NewReader(file)).All(), recorder.ShowOptions{})).To(Succeed())
		Expect(out.String()).To(HaveSuffix("\n\nopen       no closing line after line 3: it is being written, or was cut\n"))
	})
})
