package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseSettle(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"type":"tool.result","id":"c1"}`:                                                "",
		`{"type":"tool.result","id":"c1","attempt":1,"content":[],"is_error":true}`:       "",
		`{"type":"tool.error","id":"c1","error":"x","retryable":false,"code":"internal"}`: "",
		`{"type":"llm.result","id":"l1","response":{}}`:                                   "",
		`{"type":"llm.error","id":"l1","error":"x"}`:                                      "",
		`{"type":"tool.result"}`:                                                          `tool.result lacks "id"`,
		`{"type":"tool.error","id":"c1","error":"x"}`:                                     `tool.error lacks "retryable"`,
		`{"type":"tool.error","id":"c1","retryable":true}`:                                `tool.error lacks "error"`,
		`{"type":"llm.result","id":"l1"}`:                                                 `llm.result lacks "response"`,
		`{"type":"tool.call","id":"c1","name":"x","arguments":{}}`:                        "/type: tool.call settles nothing, expected one of tool.result, tool.error, llm.result, llm.error",
		`{"type":"tool.result","id":"c1","content":[{"type":"image","data":"x"}]}`:        `/content/0: image block lacks "mimeType"`,
		`{"type":"tool.result","id":7}`:                                                   "/id: expected a string, got the number 7",
		`null`:                                                                            "expected an object (action), got null",
	} {
		_, fault := ParseSettle([]byte(body))
		got := ""
		if fault != nil {
			got = fault.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}

func TestParseSubmission(t *testing.T) {
	t.Parallel()
	s, fault := ParseSubmission([]byte(`{"session_id":"s","decision_id":"d","messages":[{"role":"user","content":"x"}],
		"actions":[{"type":"done"}],"state":{"n":1},"agent":{"model":"m"},"channels":{},"more":1}`))
	if fault != nil {
		t.Fatal(fault)
	}
	got := []any{s.SessionID, s.DecisionID, len(s.Decision.Messages), len(s.Decision.Actions), string(s.Decision.State), s.Decision.Agent.Model}
	if diff := cmp.Diff([]any{"s", "d", 1, 1, `{"n":1}`, "m"}, got); diff != "" {
		t.Error(diff)
	}
	for body, want := range map[string]string{
		`{"decision_id":"d"}`: `submission lacks "session_id"`,
		`{"session_id":"s"}`:  `submission lacks "decision_id"`,
		`{"session_id":"s","decision_id":"d","actions":[{}]}`:  `/actions/0: action lacks "type"`,
		`{"session_id":"s","session_id":"s","decision_id":""}`: `/session_id: member "session_id" is given twice`,
	} {
		if _, fault := ParseSubmission([]byte(body)); fault == nil || fault.Error() != want {
			t.Errorf("%s: got %v, want %s", body, fault, want)
		}
	}
}

func TestResolveSubmission(t *testing.T) {
	t.Parallel()
	for actions, reason := range map[string]string{
		`{"type":"tool.result","id":"c1"}`:             "",
		`{"type":"llm.call","model":"m","llm":"main"}`: "",
		`{"type":"done"}`:                              "",
		`{"type":"tool.result"}`:                       `{"reason":"unresolvable_settle_id","kind":"tool"}`,
		`{"type":"llm.error","error":"x"}`:             `{"reason":"unresolvable_settle_id","kind":"llm"}`,
		`{"type":"llm.call","llm":"main"}`:             `{"reason":"missing_model"}`,
		`{"type":"llm.call","model":"m"}`:              `{"reason":"missing_llm"}`,
	} {
		d, fault := ParseDecision([]byte(`{"actions":[` + actions + `]}`))
		if fault != nil {
			t.Fatal(fault)
		}
		got := ""
		if f := ResolveSubmission(d); f != nil {
			got = string(f.Info.Detail)
		}
		if got != reason {
			t.Errorf("%s: got %s, want %s", actions, got, reason)
		}
	}
}
