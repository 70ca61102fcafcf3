package spec_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// TestTriggerRoundTrip: every trigger is read and written back as it was.
func TestTriggerRoundTrip(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"type":"session.start"}`,
		`{"type":"client.messages","messages":[{"role":"user","content":"hi"}],"new_from":0,"client":{"tools":[{"name":"f","handler":"client"}],"context":[1.0],"state":{},"forwarded_props":[]}}`,
		`{"type":"client.action","name":"n","args":{"a":1}}`,
		`{"type":"tool.execute","id":"c","name":"f","arguments":"{","input":{"status":"malformed","error":"e"},"attempt":3,"deadline":"2026-08-28T12:00:20.001Z"}`,
		`{"type":"tool.finished","id":"c","ok":true,"name":"f","result":{"content":[{"type":"blob","uri":"blob://t/u"}],"structuredContent":1.50,"isError":true}}`,
		`{"type":"tool.finished","id":"c","ok":false,"name":"f","error":{"message":"m","code":"handler_error","param":"p","detail":[1]}}`,
		`{"type":"llm.execute","id":"l","request":{"model":"m"},"format":"openai","stream":true,"attempt":0}`,
		`{"type":"llm.finished","id":"l","ok":true,"message":{"role":"assistant"},"truncated":false,"refused":true,"usage":{"input":1,"output":2,"uncached_input":1,"cache_read":0,"cache_write":0,"total":3,"provider":{"x":1e2}},"cost":"0.1"}`,
		`{"type":"subagent.finished","id":"c","ok":true,"session_id":"s","agent_id":"a","result":"r"}`,
		`{"type":"interrupt.resumed","interrupt_id":"i","payload":true}`,
		`{"type":"turn.finished","turn_id":"t","data":1,"cost":"0","usage":{"input":0,"output":0,"uncached_input":0,"cache_read":0,"cache_write":0,"total":0}}`,
		`{"type":"moon.rises","phase":"full"}`,
	} {
		trigger, fault := spec.ParseTrigger([]byte(text))
		if fault != nil {
			t.Errorf("%s: %v", text, fault)
			continue
		}
		got, err := spec.Marshal(trigger)
		if diff := cmp.Diff(text, string(got)); diff != "" || err != nil {
			t.Error(err, diff)
		}
	}
}

func TestParseTriggerFaults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`5`:                                 `expected an object (trigger), got the number 5`,
		`{}`:                                `trigger lacks "type"`,
		`{"type":5}`:                        `/type: expected a string, got the number 5`,
		`{"type":"tool.execute","id":"c"}`:  `tool.execute lacks "name"`,
		`{"type":"client.action","name":1}`: `/name: expected a string, got the number 1`,
		`{"type":"tool.execute","id":"c","name":"f","arguments":"","input":{"status":"valid"},"attempt":0,"deadline":"soon"}`: `/deadline: expected an RFC 3339 time, got "soon"`,
	} {
		_, fault := spec.ParseTrigger([]byte(text))
		if fault == nil || fault.Error() != want {
			t.Errorf("%s: got %v, want %s", text, fault, want)
		}
	}
}

const small = `{"session_id":"s","decision_id":"d","agent_id":"a","trigger":{"type":"session.start"}`

// TestParseRequestTolerates what other protocol versions send.
func TestParseRequestTolerates(t *testing.T) {
	t.Parallel()
	body := small + `,"later":{"x":1,"x":2},"identity":{"id":"old","metadata":null},"state":null,"agent":{"model":"m","tools":null,"effort":"cosmic",` +
		`"attachments":{"anything":1}},"worker":{"id":"w"},"turn_id":null,"messages":[{"id":"m","role":"narrator","content":"\ud800"}],` +
		`"proposed":{"actions":[{"type":"sing","song":1.50},{"type":"llm.call","temperature":0.5,"retry":{"queue_timeout_secs":60,` +
		`"total_timeout_secs":1800,"max_attempts":5,"backoff_base_secs":2,"backoff_max_secs":30}}]}}`
	r, fault := spec.ParseRequest([]byte(body))
	if fault != nil {
		t.Fatal(fault)
	}
	want := []spec.Action{
		spec.UnknownAction{Type: "sing", Raw: jsontext.Value(`{"type":"sing","song":1.50}`)},
		spec.LlmCallAction{Temperature: jsontext.Value("0.5"), Retry: &spec.RetryOverride{
			QueueTimeoutSecs: ref(uint32(60)), TotalTimeoutSecs: ref(uint32(1800)),
			MaxAttempts: ref(uint32(5)), BackoffBaseSecs: ref(uint32(2)), BackoffMaxSecs: ref(uint32(30)),
		}},
	}
	if diff := cmp.Diff(want, r.Proposed.Actions); diff != "" {
		t.Error(diff)
	}
	if !r.Proposed.Short || r.State != nil || r.TurnID != nil || r.Messages[0].Role != "narrator" || string(r.Worker) != `{"id":"w"}` {
		t.Errorf("read as %+v", r)
	}
	sent, err := spec.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, pointer := range []string{"/proposed/actions", "/worker", "/messages/0/content", "/trigger"} {
		got, _ := jsonv.Get(sent, pointer)
		was, _ := jsonv.Get(jsontext.Value(body), pointer)
		if !jsonv.Equal(got, was) {
			t.Errorf("%s: %s became %s", pointer, was, got)
		}
	}
}

// TestParseRequestDepth: a request wraps values that have the depth of an
// answer already.
func TestParseRequestDepth(t *testing.T) {
	t.Parallel()
	nest := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	if _, fault := spec.ParseRequest([]byte(small + `,"state":` + nest(127) + `}`)); fault != nil {
		t.Error(fault)
	}
	if _, fault := spec.ParseRequest([]byte(small + `,"state":` + nest(300) + `}`)); fault == nil {
		t.Error("300 levels were read")
	}
}

func TestParseRequestFaults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`null`: `expected an object (request), got null`,
		`{}`:   `request lacks "session_id"`,
		`{"session_id":"s","decision_id":"d","agent_id":"a"}`:         `request lacks "trigger"`,
		small + `,"identity":{"metadata":{"a":1}}}`:                   `/identity/metadata/a: expected a string, got the number 1`,
		small + `,"messages":[{"role":"user"}]}`:                      `/messages/0: message lacks "id"`,
		small + `,"calls":[{"id":"c","kind":"tool_call"}]}`:           `/calls/0: call lacks "status"`,
		small + `,"message_tree":{"nodes":[{"message":{"id":"m"}}]}}`: `/message_tree/nodes/0/message: message lacks "role"`,
		small + `,"pending_calls":-1}`:                                `/pending_calls: expected an integer from 0, written without fraction or exponent, got -1`,
		small + `}}`:                                                  `trailing characters after the value at line 1 column 87`,
	} {
		_, fault := spec.ParseRequest([]byte(text))
		if fault == nil || fault.Error() != want {
			t.Errorf("%s: got %v, want %s", text, fault, want)
		}
	}
}

func TestParseParts(t *testing.T) {
	t.Parallel()
	if a, fault := spec.ParseAction([]byte(`{"type":"done","data":1}`)); fault != nil || a.ActionType() != spec.DoDone {
		t.Error(a, fault)
	}
	if _, fault := spec.ParseAction([]byte(`{"type":"tool.error","error":1}`)); fault == nil || fault.Pointer != "/error" {
		t.Error(fault)
	}
	if m, fault := spec.ParseMessages([]byte(`[{"role":"user"}]`)); fault != nil || len(m) != 1 {
		t.Error(m, fault)
	}
	if _, fault := spec.ParseMessages([]byte(`[{"role":"user"},{}]`)); fault == nil || fault.Param != "[1]" {
		t.Error(fault)
	}
	if b, fault := spec.ParseBlock([]byte(`{"type":"text","text":"a"}`)); fault != nil || *b.Text != "a" {
		t.Error(b, fault)
	}
	if r, fault := spec.ParseLlmRequest([]byte(`{"model":"m","messages":[],"temperature":0.5}`)); fault != nil || string(r.Temperature) != "0.5" {
		t.Error(r, fault)
	}
	for text, want := range map[string]string{
		`{"model":"m","content":null,"cost":"-0.50","usage":null,"images":[{"url":"u"}]}`: "",
		`{"content":"x"}`:                   `model response lacks "model"`,
		`{"model":"m","usage":{"input":1}}`: `/usage: usage lacks "output"`,
		`{"model":"m","cost":"1."}`:         `/cost: expected a decimal amount as text, got "1."`,
		`{"model":"m","cost":"."}`:          `/cost: expected a decimal amount as text, got "."`,
		`{"model":"m","cost":"--1"}`:        `/cost: expected a decimal amount as text, got "--1"`,
		`{"model":"m","tool_calls":[{}]}`:   `/tool_calls/0: tool call lacks "id"`,
		`42`:                                `expected an object (model response), got the number 42`,
	} {
		_, fault := spec.ParseLlmResponse([]byte(text))
		if got := errorOf(fault); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func errorOf(f *spec.Fault) string {
	if f == nil {
		return ""
	}
	return f.Error()
}
