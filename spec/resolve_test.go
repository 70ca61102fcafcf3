package spec_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// TestResolveDecision holds what the vectors leave open: which config and which
// blocks count, and a provider's own format.
func TestResolveDecision(t *testing.T) {
	t.Parallel()
	execute := spec.LlmExecuteTrigger{ID: "l", Format: "openai"}
	agent := &spec.AgentConfig{Model: "m", Llm: "main"}
	const completion = `{"model":"m","choices":[{"message":{"content":"hi"}}]}`
	for _, c := range []struct {
		name, body string
		t          spec.Trigger
		c          spec.ResolveContext
		want       string
	}{
		{"no blocks known, any goes", `{"actions":[{"type":"llm.call","llm":"x","model":"m"}]}`, execute, spec.ResolveContext{}, ""},
		{"no blocks declared", `{"actions":[{"type":"llm.call","llm":"x","model":"m"}]}`, execute, spec.ResolveContext{Blocks: []string{}},
			"llm: no llm block `x` is declared — declared: "},
		{"a function decides", `{"actions":[{"type":"llm.call"}]}`, execute,
			spec.ResolveContext{Agent: agent, KnownBlock: func(s string) bool { return s == "main" }}, ""},
		{"a function refuses", `{"actions":[{"type":"llm.call"}]}`, execute,
			spec.ResolveContext{Agent: agent, KnownBlock: func(string) bool { return false }}, "llm: no llm block `main` is declared"},
		{"the config of the answer counts", `{"agent":{"model":"m","llm":"new"},"actions":[{"type":"llm.call"}]}`, execute,
			spec.ResolveContext{Agent: agent, Blocks: []string{"main"}}, "llm: no llm block `new` is declared — declared: main"},
		{"and is not mended by the one in force", `{"agent":{"model":"m"},"actions":[{"type":"llm.call"}]}`, execute,
			spec.ResolveContext{Agent: agent}, "llm: agent config names no llm"},
		{"a provider's response", `{"actions":[{"type":"llm.result","response":` + completion + `}]}`, execute, spec.ResolveContext{}, ""},
		{"a provider's response for the call by name", `{"actions":[{"type":"llm.result","id":"l","response":` + completion + `}]}`, execute, spec.ResolveContext{}, ""},
		{"a provider's response for a call of another decision", `{"actions":[{"type":"llm.result","id":"l","response":` + completion + `}]}`, spec.SessionStartTrigger{},
			spec.ResolveContext{CallFormat: func(string) string { return "openai" }}, ""},
		{"a provider's response without a choice", `{"actions":[{"type":"llm.result","response":{"model":"m","choices":[]}}]}`, execute, spec.ResolveContext{},
			"response: llm.result response cannot be read in format openai: /choices: a chat completion needs a choice"},
		{"a provider's response that is none", `{"actions":[{"type":"llm.result","response":"hi"}]}`, execute, spec.ResolveContext{},
			`response: llm.result response cannot be read in format openai: expected an object (chat completion), got the string "hi"`},
		{"another call has the protocol's format", `{"actions":[{"type":"llm.result","id":"k","response":{"choices":[]}}]}`, execute, spec.ResolveContext{},
			`response: llm.result response cannot be read: model response lacks "model"`},
		{"llm.error without id", `{"actions":[{"type":"llm.error","error":"e"}]}`, spec.SessionStartTrigger{}, spec.ResolveContext{},
			"llm.result.id: llm.result/llm.error omitted its id, but this decision does not answer an llm.execute"},
		{"other actions need nothing", `{"actions":[{"type":"done"},{"type":"interrupt","reason":"r"},{"type":"tool.call","name":"f","arguments":""}]}`,
			spec.SessionStartTrigger{}, spec.ResolveContext{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, fault := spec.ParseDecision([]byte(c.body))
			if fault != nil {
				t.Fatal(fault)
			}
			got := ""
			if f := spec.ResolveDecision(d, c.t, c.c); f != nil {
				got = f.Info.Param + ": " + f.Info.Message
				if f.Class != spec.FailureFatal || f.Info.Code != spec.CodeInvalidResponse || !f.Info.Detail.IsValid() {
					t.Errorf("got %+v", f)
				}
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestRawArguments(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"{ \"a\": 1 }"`: `{ "a": 1 }`, `null`: "", ``: "", `{"b": 1.50, "a": [ -0 ]}`: `{"a":[0],"b":1.50}`, `[1 , 2]`: `[1,2]`, `true`: "true",
	} {
		if got := (spec.ToolCallAction{Arguments: jsontext.Value(in)}).RawArguments(); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}
