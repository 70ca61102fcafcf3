package spec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/spec"
)

// TestParseResponseAs holds the readings of a provider's answer against the
// protocol's own form of the same answer.
func TestParseResponseAs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, format, body, want string }{
		{"the protocol's own", "", `{"model":"m","content":"hi"}`, `{"model":"m","content":"hi"}`},
		{"a completion in words", "openai",
			`{"id":"x","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi","refusal":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":3,"total_tokens":13,"prompt_tokens_details":{"cached_tokens":4}}}`,
			`{"model":"m","content":"hi","finish_reason":"stop","usage":{"input":10,"output":3,"uncached_input":6,"cache_read":4,"cache_write":0,"total":13,"provider":{"prompt_tokens":10,"completion_tokens":3,"total_tokens":13,"prompt_tokens_details":{"cached_tokens":4}}}}`},
		{"a completion with a call", "openai",
			`{"model":"m","choices":[{"message":{"content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},"finish_reason":"tool_calls"}]}`,
			`{"model":"m","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}],"finish_reason":"tool_calls"}`},
		{"a completion that refuses", "openai", `{"model":"m","choices":[{"message":{"content":null,"refusal":"no"},"finish_reason":"stop"}]}`,
			`{"model":"m","content":"no","finish_reason":"refusal"}`},
		{"the first choice counts", "openai", `{"model":"m","choices":[{"message":{"content":"a"}},{"message":{"content":"b"}}]}`, `{"model":"m","content":"a"}`},
		{"more cached than asked", "openai", `{"model":"m","choices":[{"message":{}}],"usage":{"prompt_tokens":1,"completion_tokens":0,"prompt_tokens_details":{"cached_tokens":9}}}`,
			`{"model":"m","usage":{"input":1,"output":0,"uncached_input":0,"cache_read":1,"cache_write":0,"total":1,"provider":{"prompt_tokens":1,"completion_tokens":0,"prompt_tokens_details":{"cached_tokens":9}}}}`},
		{"a message in words", "anthropic",
			`{"id":"x","type":"message","role":"assistant","model":"m","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"hi"},{"type":"text","text":" there"}],"stop_reason":"end_turn","usage":{"input_tokens":6,"output_tokens":3,"cache_read_input_tokens":4,"cache_creation_input_tokens":1}}`,
			`{"model":"m","content":"hi there","finish_reason":"stop","usage":{"input":11,"output":3,"uncached_input":6,"cache_read":4,"cache_write":1,"total":14,"provider":{"input_tokens":6,"output_tokens":3,"cache_read_input_tokens":4,"cache_creation_input_tokens":1}}}`},
		{"a message with a call", "anthropic",
			`{"model":"m","content":[{"type":"tool_use","id":"c1","name":"f","input":{ "b" : 1, "a": 2.50 }}],"stop_reason":"tool_use"}`,
			`{"model":"m","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"b\":1,\"a\":2.50}"}}],"finish_reason":"tool_calls"}`},
		{"a message that was cut", "anthropic", `{"model":"m","content":[],"stop_reason":"max_tokens"}`, `{"model":"m","finish_reason":"length"}`},
		{"a reason that nobody knows", "anthropic", `{"model":"m","content":[],"stop_reason":"pause_turn"}`, `{"model":"m","finish_reason":"pause_turn"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, fault := spec.ParseResponseAs(c.format, []byte(c.body))
			if fault != nil {
				t.Fatal(fault.Error())
			}
			text, err := spec.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// anyText stands for a message that is not pinned.
const anyText = "*"

func TestParseResponseAsRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ format, body, want string }{
		{"", `{"content":"hi"}`, `model response lacks "model"`},
		{"", `{"model":"m","cost":0.5}`, `/cost: expected a string, got the number 0.5`},
		{"openai", `[]`, `expected an object (chat completion), got an array`},
		{"openai", `{"choices":[]}`, `chat completion lacks "model"`},
		{"openai", `{"model":"m","content":"hi"}`, `chat completion lacks "choices"`},
		{"openai", `{"model":"m","choices":[]}`, `/choices: a chat completion needs a choice`},
		{"openai", `{"model":"m","choices":[{"text":"hi"}]}`, `/choices/0: choice lacks "message"`},
		{"openai", `{"model":"m","choices":[{"message":{"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":{}}}]}}]}`,
			`/choices/0/message/tool_calls/0/function/arguments: expected a string, got an object`},
		{"openai", `{"model":"m","choices":[{"message":{}}],"usage":{"prompt_tokens":-1,"completion_tokens":1}}`,
			`/usage/prompt_tokens: expected an integer from 0, written without fraction or exponent, got -1`},
		{"anthropic", `{"model":"m","choices":[]}`, `message lacks "content"`},
		{"anthropic", `{"model":"m","content":"hi"}`, `/content: expected an array, got the string "hi"`},
		{"anthropic", `{"model":"m","content":[{"type":"text"}]}`, `/content/0: text block lacks "text"`},
		{"anthropic", `{"model":"m","content":[{"type":"tool_use","id":"c","name":"f","input":"{}"}]}`, `/content/0/input: expected an object, got the string "{}"`},
		{"anthropic", `{"model":"m","content":[{"text":"hi"}]}`, `/content/0: content block lacks "type"`},
		{"gemini", `{}`, `unknown format gemini, expected one of openai, anthropic`},
		{"openai", `{"model":"m"`, anyText},
	} {
		_, fault := spec.ParseResponseAs(c.format, []byte(c.body))
		got := ""
		if fault != nil {
			got = fault.Error()
		}
		if c.want == anyText {
			if got == "" {
				t.Errorf("%s %s: reads", c.format, c.body)
			}
			continue
		}
		if got != c.want {
			t.Errorf("%s %s\n got %s\nwant %s", c.format, c.body, got, c.want)
		}
	}
}
