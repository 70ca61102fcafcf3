package spec_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/spec"
)

// inAction wraps members of one action, inAgent members of a config.
func inAction(members string) string { return `{"actions":[{` + members + `}]}` }
func inAgent(members string) string  { return `{"agent":{"model":"m",` + members + `}}` }

// TestParseDecisionFaults names what spoils an answer beyond the vectors: the
// engine's path, and the exact pointer.
func TestParseDecisionFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, body, param, pointer, message string }{
		{"depth 128 in a free value", `{"state":` + strings.Repeat("[", 127) + strings.Repeat("]", 127) + `}`, "", "", "nested deeper than 127 levels at line 1 column 136"},
		{"invalid UTF-8", "{\"state\":\"\xff\"}", "", "", "invalid UTF-8"},
		{"lone surrogate in a text", `{"messages":[{"role":"user","content":"\ud800"}]}`, "", "/messages/0/content", "half of a surrogate pair"},
		{"lone surrogate in a free value", `{"state":{"a":"\udc00"}}`, "", "/state", "half of a surrogate pair"},
		{"lone surrogate in an unknown member of an action", inAction(`"type":"done","x":"\ud800"`), "", "/actions/0", "half of a surrogate pair"},
		{"lone surrogate in a result", inAction(`"type":"tool.result","result":"\ud800"`), "", "/actions/0", "half of a surrogate pair"},
		{"NaN", inAction(`"type":"done","data":NaN`), "", "", "expected a value, got 'N'"},
		{"comment", `{} // done`, "", "", "trailing characters"},

		{"action deep inside", inAction(`"type":"llm.call","messages":[{"role":"robot"}]`), "actions[0]", "/actions/0/messages/0/role", `unknown role "robot", expected one of system, user, assistant, tool`},
		{"second action", `{"actions":[{"type":"done"},{"type":"tool.error","error":null}]}`, "actions[1]", "/actions/1/error", "expected a string, got null"},
		{"type null", inAction(`"type":null`), "actions[0].type", "/actions/0/type", "expected a string, got null"},
		{"type twice", inAction(`"type":"done","type":"done"`), "actions[0]", "/actions/0/type", "given twice"},
		{"list for an action", `{"actions":[["done"]]}`, "actions[0]", "/actions/0", "expected an object (action), got an array"},
		{"retry with a fraction", inAction(`"type":"tool.call","name":"f","arguments":"","retry":{"max_attempts":2.0}`), "actions[0]", "/actions/0/retry/max_attempts", "without fraction or exponent, got 2.0"},
		{"retry with an exponent", inAction(`"type":"tool.call","name":"f","arguments":"","retry":{"max_attempts":1e1}`), "actions[0]", "/actions/0/retry/max_attempts", "without fraction or exponent, got 1e1"},
		{"minus zero", inAction(`"type":"tool.result","attempt":-0`), "actions[0]", "/actions/0/attempt", "got -0"},
		{"token limit beyond 64 bits", inAction(`"type":"llm.call","max_completion_tokens":18446744073709551616`), "actions[0]", "/actions/0/max_completion_tokens", "does not fit in 64 bits"},
		{"temperature with an exponent", inAction(`"type":"llm.call","temperature":1e0`), "actions[0]", "/actions/0/temperature", "refuse a fraction or an exponent"},
		{"temperature as text", inAction(`"type":"llm.call","temperature":"1"`), "actions[0]", "/actions/0/temperature", "expected a number"},
		{"image block without mimeType", inAction(`"type":"tool.result","content":[{"type":"image","data":"","mime_type":"image/png"}]`), "actions[0]", "/actions/0/content/0", `image block lacks "mimeType"`},
		{"block with a null text", inAction(`"type":"tool.result","content":[{"type":"text","text":null}]`), "actions[0]", "/actions/0/content/0/text", "expected a string, got null"},
		{"resource without uri", inAction(`"type":"tool.result","content":[{"type":"resource","resource":{}}]`), "actions[0]", "/actions/0/content/0/resource", `resource lacks "uri"`},
		{"block of a stored kind", inAction(`"type":"tool.result","content":[{"type":"blob","uri":"blob://a"}]`), "actions[0]", "/actions/0/content/0/type", `unknown block type "blob"`},
		{"fail with an unknown code", inAction(`"type":"fail","error":{"message":"m","code":"oops"}`), "actions[0]", "/actions/0/error/code", `unknown error code "oops"`},
		{"llm.result without response", inAction(`"type":"llm.result"`), "actions[0]", "/actions/0", `llm.result lacks "response"`},
		{"sync without path", inAction(`"type":"connector.sync"`), "actions[0]", "/actions/0", `connector.sync lacks "path"`},

		{"draft without a function name", `{"messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"arguments":"{}"}}]}]}`, "messages[0].tool_calls[0].function", "/messages/0/tool_calls/0/function", `function lacks "name"`},
		{"call arguments as an object", `{"messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":{}}}]}]}`, "messages[0].tool_calls[0].function.arguments", "/messages/0/tool_calls/0/function/arguments", "expected a string, got an object"},
		{"unknown content part", `{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"hologram"}]}]}`, "messages[0].content", "/messages/0/content/1/type", `unknown content part "hologram"`},
		{"content part without its text", `{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{}}]}]}`, "messages[0].content", "/messages/0/content/0/image_url/url", "lacks the text /image_url/url"},
		{"content part that is a string", `{"messages":[{"role":"user","content":["a"]}]}`, "messages[0].content", "/messages/0/content/0", "expected a content part"},
		{"content part without type", `{"messages":[{"role":"user","content":[{"text":"a"}]}]}`, "messages[0].content", "/messages/0/content/0", `lacks a "type"`},
		{"member of a draft twice", `{"messages":[{"role":"user","role":"user"}]}`, "messages[0]", "/messages/0/role", "given twice"},

		{"channels a list", `{"channels":[]}`, "channels", "/channels", "expected an object, got an array"},
		{"agent a string", `{"agent":"m"}`, "agent", "/agent", "expected an object (agent)"},
		{"null subagents", inAgent(`"subagents":null`), "agent.subagents", "/agent/subagents", "expected an array, got null"},
		{"null mcp", inAgent(`"mcp":null`), "agent.mcp", "/agent/mcp", "got null"},
		{"null plugins", inAgent(`"plugins":null`), "agent.plugins", "/agent/plugins", "got null"},
		{"null mcp_announce", inAgent(`"mcp_announce":null`), "agent.mcp_announce", "/agent/mcp_announce", "got null"},
		{"null approve", inAgent(`"mcp":[{"path":"a","approve":null}]`), "agent.mcp[0].approve", "/agent/mcp/0/approve", "got null"},
		{"null auth_failure of a plugin", inAgent(`"plugins":[{"id":"a","auth_failure":null}]`), "agent.plugins[0].auth_failure", "/agent/plugins/0/auth_failure", "got null"},
		{"mcp without a name", inAgent(`"mcp":[{}]`), "agent.mcp[0]", "/agent/mcp/0", `lacks "path"`},
		{"unknown effort", inAgent(`"effort":"extreme"`), "agent.effort", "/agent/effort", `unknown effort "extreme"`},
		{"unknown key of subagent_tools", inAgent(`"subagent_tools":{"stratgy":"single"}`), "agent.subagent_tools", "/agent/subagent_tools/stratgy", `unknown member "stratgy"`},
		{"unknown key of defer_tools", inAgent(`"defer_tools":{"max":3}`), "agent.defer_tools", "/agent/defer_tools/max", `unknown member "max"`},
		{"max_matches 0", inAgent(`"defer_tools":{"max_matches":0}`), "agent.defer_tools", "/agent/defer_tools/max_matches", "at least 1"},
		{"defer_tools a text", inAgent(`"defer_tools":"search"`), "agent.defer_tools", "/agent/defer_tools", "expected true, false or an object"},
		{"unknown key of attachments", inAgent(`"attachments":{"a/b":1}`), "agent.attachments", "/agent/attachments/a~1b", `unknown member "a/b"`},
		{"depth of subagents", inAgent(`"max_subagent_depth":-1`), "agent.max_subagent_depth", "/agent/max_subagent_depth", "an integer from 0"},
		{"retry layer", inAgent(`"retry":{"tool":{"run_timeout_secs":"5"}}`), "agent.retry.tool.run_timeout_secs", "/agent/retry/tool/run_timeout_secs", "expected an integer"},
		{"first fault of the text", `{"agent":{"tools":5},"actions":5}`, "agent.tools", "/agent/tools", "expected an array, got the number 5"},

		{"list with a null", `[null]`, "[0]", "/0", "expected an array, got null"},
		{"list that is too long", `[[],[],null,null,{},1]`, "[5]", "/5", "no more than 5 members"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, fault := spec.ParseDecision([]byte(c.body))
			if fault == nil {
				t.Fatal("read as a decision")
			}
			if fault.Param != c.param || fault.Pointer != c.pointer || !strings.Contains(fault.Message, c.message) {
				t.Errorf("got %q %q %q", fault.Param, fault.Pointer, fault.Message)
			}
		})
	}
}

func ref[T any](v T) *T { return &v }

// TestParseDecision shows what is read, and what passes although it looks odd.
func TestParseDecision(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		want       spec.Decision
	}{
		{"null", " null\n", spec.Decision{}},
		{"empty lists are not absent", `{"messages":[],"actions":[]}`, spec.Decision{Messages: []spec.DraftMessage{}, Actions: []spec.Action{}}},
		{"list by position", `[[{"role":"user"}],[],{"a":1},{"model":"m"},{}]`, spec.Decision{
			Messages: []spec.DraftMessage{{Role: spec.RoleUser}}, Actions: []spec.Action{},
			State: jsontext.Value(`{"a":1}`), Agent: &spec.AgentConfig{Model: "m"}, Channels: jsontext.Value(`{}`),
		}},
		{"free values as spelled", `{"state": {"n":1.50, "n":1e400}, "channels":{"x": [1 ]}}`, spec.Decision{
			State: jsontext.Value(`{"n":1.50, "n":1e400}`), Channels: jsontext.Value(`{"x": [1 ]}`),
		}},
		{"escaped names are the names", `{"\u0061ctions":[{"t\u0079pe":"done"}]}`, spec.Decision{Actions: []spec.Action{spec.DoneAction{}}}},
		{"lone surrogate where nobody reads", `{"debug":"\ud800"}`, spec.Decision{}},
		{"depth 127", `{"state":` + strings.Repeat("[", 126) + strings.Repeat("]", 126) + `}`, spec.Decision{
			State: jsontext.Value(strings.Repeat("[", 126) + strings.Repeat("]", 126)),
		}},
		{"empty content is content", inAction(`"type":"tool.result","content":[]`), spec.Decision{Actions: []spec.Action{
			spec.ToolResultAction{Content: []spec.ToolContent{}},
		}}},
		{"every kind of block", inAction(`"type":"tool.result","content":[
			{"type":"text","text":"a","annotations":{}},{"type":"image","data":"AA==","mimeType":"image/png"},
			{"type":"resource","resource":{"uri":"u","blob":"AA==","mimeType":null}},{"type":"resource_link","uri":"u","name":null}]`),
			spec.Decision{Actions: []spec.Action{spec.ToolResultAction{Content: []spec.ToolContent{
				{Type: spec.BlockText, Text: ref("a")},
				{Type: spec.BlockImage, Data: ref("AA=="), MimeType: ref("image/png")},
				{Type: spec.BlockResource, Resource: &spec.ResourceContents{URI: "u", Blob: ref("AA==")}},
				{Type: spec.BlockResourceLink, URI: ref("u")},
			}}}}},
		{"integers at their bounds", inAction(`"type":"llm.call","max_completion_tokens":18446744073709551615,"temperature":-1`) +
			"", spec.Decision{Actions: []spec.Action{spec.LlmCallAction{
			MaxCompletionTokens: ref(uint64(1<<64 - 1)), Temperature: jsontext.Value("-1"),
		}}}},
		{"a worker's retry is an override, whole or not", inAction(`"type":"llm.call","retry":{"queue_timeout_secs":null,
			"run_timeout_secs":1,"total_timeout_secs":null,"max_attempts":2,"backoff_base_secs":0,"backoff_max_secs":4294967295}`),
			spec.Decision{Actions: []spec.Action{spec.LlmCallAction{Retry: &spec.RetryOverride{
				RunTimeoutSecs: ref(uint32(1)), MaxAttempts: ref(uint32(2)), BackoffBaseSecs: ref(uint32(0)), BackoffMaxSecs: ref(uint32(1<<32 - 1)),
			}}}}},
		{"nulls that are absent", `{"state":null,"agent":{"model":"m","llm":null,"retry":{"tool":null},"defer_tools":null,
			"tools":[{"name":"f","input":null,"defer":null}]},"messages":[{"role":"user","id":null,"content":null,"name":null}]}`,
			spec.Decision{
				Agent:    &spec.AgentConfig{Model: "m", Retry: &spec.RetryConfig{}, Tools: []spec.AgentTool{{Name: "f"}}},
				Messages: []spec.DraftMessage{{Role: spec.RoleUser}},
			}},
		{"nulls that are values", `{"actions":[{"type":"tool.call","name":"f","arguments":null},{"type":"llm.result","response":null}]}`,
			spec.Decision{Actions: []spec.Action{
				spec.ToolCallAction{Name: "f", Arguments: jsontext.Value("null")},
				spec.LlmResultAction{Response: jsontext.Value("null")},
			}}},
		{"the server handler parses", inAgent(`"tools":[{"name":"f","handler":"server"}]`), spec.Decision{
			Agent: &spec.AgentConfig{Model: "m", Tools: []spec.AgentTool{{Name: "f", Handler: spec.HandlerServer}}},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, fault := spec.ParseDecision([]byte(c.body))
			if fault != nil {
				t.Fatal(fault)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestDecisionRoundTrip: what is read is written back with the same meaning.
func TestDecisionRoundTrip(t *testing.T) {
	t.Parallel()
	const whole = `{"messages":[{"id":"m","role":"tool","content":[{"type":"text","text":"a"}],"tool_call_id":"c","name":"f"}],` +
		`"actions":[` +
		`{"type":"tool.call","id":"a","name":"f","arguments":{"b":1},"retry":{"max_attempts":2}},` +
		`{"type":"tool.result","id":"a","attempt":1,"result":1.0,"structured_content":null,"is_error":false},` +
		`{"type":"tool.error","id":"a","error":"e","retryable":true,"code":"internal","detail":[1]},` +
		`{"type":"llm.call","id":"l","llm":"b","model":"m","messages":[],"tools":[{"name":"f","description":""}],"temperature":1,"reasoning":{"effort":"low"},"stream":false},` +
		`{"type":"llm.result","response":{"model":"m"}},{"type":"llm.error","error":"e"},` +
		`{"type":"subagent.spawn","agent_id":"a","tool_call_id":"c","message":{"role":"user","content":"hi"},"mode":"wait"},` +
		`{"type":"message.send","session_id":"s","message":{"role":"user","content":"hi"}},` +
		`{"type":"interrupt","interrupt_id":"i","reason":"r","payload":{"a":1}},{"type":"interrupt.resolve","interrupt_id":"i"},` +
		`{"type":"connector.sync","path":"mcp.a"},{"type":"done","data":1},{"type":"fail","error":{"message":"m","code":"refused"}}],` +
		`"state":{"a":1.0},"agent":{"model":"m","llm":"b","system":"s","effort":"low","retry":{"tool":{"max_attempts":0}},` +
		`"tools":[{"name":"f","description":"d","input":{"type":"object"},"output":true,"handler":"client","defer":true}],` +
		`"subagents":[{"id":"s","mode":"any"}],"subagent_tools":{"strategy":"single"},"max_subagent_depth":0,"mcp":[{"path":"p","tools":{"include":["*"]}}],` +
		`"plugins":[{"id":"p","skills":[{"name":"n"}]}],"defer_tools":{"max_matches":1},"mcp_announce":"never"},"channels":{"slack":{"a":1}}}`
	d, fault := spec.ParseDecision([]byte(whole))
	if fault != nil {
		t.Fatal(fault)
	}
	got, err := spec.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(whole, `"structured_content":null,`, "", 1)
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestDeferral(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]uint32{`true`: 5, `false`: 0, `{}`: 5, `{"max_matches":2}`: 2, `{"strategy":"search"}`: 5, ``: 0, `null`: 0} {
		c := &spec.AgentConfig{DeferTools: jsontext.Value(text)}
		if got, on := c.Deferral(); got != want || on != (want > 0) {
			t.Errorf("%q: got %d, %t", text, got, on)
		}
	}
	if _, on := (*spec.AgentConfig)(nil).Deferral(); on {
		t.Error("no config defers nothing")
	}
}
