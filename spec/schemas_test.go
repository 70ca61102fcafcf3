package spec_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// compileAlone compiles what Schema returns for name with nothing beside it.
func compileAlone(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, ok := spec.Schema(name)
	if !ok {
		t.Fatalf("no schema %q", name)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(refuseAll{})
	if err := c.AddResource("alone.json", doc); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	s, err := c.Compile("alone.json")
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

type refuseAll struct{}

func (refuseAll) Load(url string) (any, error) {
	return nil, errors.New(url + " is not in the document")
}

// breaks returns why text is not valid, "" when it is.
func breaks(t *testing.T, s *jsonschema.Schema, text string) string {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := s.Validate(v); err != nil {
		return err.Error()
	}
	return ""
}

func TestSchemaNames(t *testing.T) {
	t.Parallel()
	var files []string
	err := fs.WalkDir(os.DirFS("schemas"), ".", func(path string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			files = append(files, strings.TrimSuffix(path, ".json"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := spec.SchemaNames()
	slices.Sort(names)
	if diff := cmp.Diff(files, names); diff != "" {
		t.Error(diff)
	}
	for _, name := range names {
		text, _ := spec.Schema(name)
		id, _ := jsonv.Get(jsontext.Value(text), "/$id")
		if got, _ := jsonv.Text(id); got != "urn:hallmark:schema:"+name {
			t.Errorf("%s has the $id %s", name, id)
		}
		text[0] = 'x'
		if again, _ := spec.Schema(name); again[0] != '{' {
			t.Errorf("%s can be changed from outside", name)
		}
	}
	if _, ok := spec.Schema("moon"); ok {
		t.Error("there is a schema of the moon")
	}
}

// example sets give each schema what it takes and what it refuses.
type examples struct{ good, bad []string }

const (
	draft    = `{"role":"user","content":"hi"}`
	recorded = `{"id":"m","role":"user","content":"hi","tool_calls":[]}`
	tokens   = `{"input":1,"output":2,"uncached_input":1,"cache_read":0,"cache_write":0,"total":3}`
	envelope = `"session_id":"s","decision_id":"d","agent_id":"a","identity":{"visibility":"shared","metadata":{}},"state":null,"agent":null,` +
		`"calls":[],"pending_calls":0,"messages":[` + recorded + `],"message_tree":{"nodes":[]},"ancestry":[],"attempts":0,"deadline":null,"turn_id":null`
	emptyProposal = `"proposed":{"messages":[],"actions":[],"state":null}`
)

var schemaExamples = map[string]examples{
	"request": {
		good: []string{
			`{` + envelope + `,"trigger":{"type":"session.start"},` + emptyProposal + `}`,
			`{` + envelope + `,"trigger":{"type":"session.start"},"proposed":{},"worker":{"id":"w"}}`,
		},
		bad: []string{
			`null`,
			`{` + envelope + `,"trigger":{"type":"session.start"}}`,
			`{` + envelope + `,"trigger":{"type":"session.start"},"proposed":null}`,
			`{` + envelope + `,"trigger":{"type":"moon.rises"},` + emptyProposal + `}`,
			`{` + envelope + `,"trigger":{"type":"session.start"},` + emptyProposal + `,"debug":1}`,
			strings.Replace(`{`+envelope+`,"trigger":{"type":"session.start"},`+emptyProposal+`}`, `,"tool_calls":[]`, ``, 1),
			strings.Replace(`{`+envelope+`,"trigger":{"type":"session.start"},`+emptyProposal+`}`, `"calls":[]`, `"calls":[{"id":"c","kind":"decision","status":"pending","attempt":0}]`, 1),
		},
	},
	"decision": {
		good: []string{`null`, `{}`, `{"messages":[],"actions":[],"state":null,"agent":null,"channels":{}}`, `{"state":[1.5]}`,
			`{"messages":[` + draft + `],"actions":[{"type":"done"}],"agent":{"model":"m"},"channels":{"slack":1}}`},
		bad: []string{`[]`, `"{}"`, `{"actions":null}`, `{"messages":null}`, `{"channels":null}`, `{"channels":[]}`, `{"error":"e"}`, `{"agent":{}}`, `{"actions":[null]}`},
	},
	"trigger": {
		good: []string{
			`{"type":"session.start"}`,
			`{"type":"client.messages","messages":[` + draft + `],"new_from":0,"client":{}}`,
			`{"type":"client.action","name":"n"}`,
			`{"type":"tool.execute","id":"c","name":"f","arguments":"","input":{"status":"valid","value":{}},"attempt":0,"deadline":"2026-08-28T12:00:20.001Z"}`,
			`{"type":"tool.execute","id":"c","name":"f","arguments":"{","input":{"status":"malformed","error":"e"},"attempt":0}`,
			`{"type":"tool.finished","id":"c","ok":true,"name":"f","result":{"content":[]}}`,
			`{"type":"tool.finished","id":"c","ok":false,"name":"f","error":{"message":"m","code":"refused"}}`,
			`{"type":"llm.execute","id":"l","request":{"model":"m","messages":[]},"stream":false,"attempt":1}`,
			`{"type":"llm.execute","id":"l","request":{"anything":1},"format":"anthropic","stream":true,"attempt":1}`,
			`{"type":"llm.finished","id":"l","ok":true,"message":` + draft + `,"truncated":false,"usage":` + tokens + `,"cost":"0.10"}`,
			`{"type":"subagent.finished","id":"c","ok":true,"session_id":"s","agent_id":"a","result":"r"}`,
			`{"type":"interrupt.resumed","interrupt_id":"i"}`,
			`{"type":"turn.finished","turn_id":"t","cost":"0","usage":` + tokens + `}`,
		},
		bad: []string{
			`{}`, `{"type":"session.start","x":1}`, `{"type":"client.messages","messages":[],"new_from":-1,"client":{}}`,
			`{"type":"tool.execute","id":"c","name":"f","arguments":"","input":{"status":"valid"},"attempt":0}`,
			`{"type":"tool.execute","id":"c","name":"f","arguments":"","input":{"status":"malformed","value":{},"error":"e"},"attempt":0}`,
			`{"type":"tool.execute","id":"c","name":"f","arguments":{},"input":{"status":"valid","value":{}},"attempt":0}`,
			`{"type":"tool.finished","id":"c","ok":true,"name":"f","error":{"message":"m","code":"refused"}}`,
			`{"type":"tool.finished","id":"c","ok":false,"name":"f","result":{"content":[]}}`,
			`{"type":"llm.execute","id":"l","request":{"anything":1},"stream":false,"attempt":1}`,
			`{"type":"turn.finished","turn_id":"t","cost":0,"usage":` + tokens + `}`,
		},
	},
	"action": {
		good: []string{
			`{"type":"tool.call","name":"f","arguments":null}`, `{"type":"tool.call","id":"c","name":"f","arguments":{"a":1},"retry":{"max_attempts":2}}`,
			`{"type":"tool.result"}`, `{"type":"tool.result","result":1,"content":null}`, `{"type":"tool.result","result":null,"content":[]}`,
			`{"type":"tool.result","id":null,"attempt":0,"content":[{"type":"text","text":"a"}],"structured_content":{},"is_error":true}`,
			`{"type":"tool.error","error":"e","code":null}`, `{"type":"llm.call"}`, `{"type":"llm.call","temperature":1,"reasoning":{"effort":"low"},"tools":[{"name":"f","description":""}]}`,
			`{"type":"llm.result","response":null}`, `{"type":"llm.error","error":"e","retryable":true}`,
			`{"type":"subagent.spawn","agent_id":"a","tool_call_id":"c","message":` + draft + `}`, `{"type":"message.send","session_id":"s","message":` + draft + `}`,
			`{"type":"interrupt","reason":"r"}`, `{"type":"interrupt.resolve","interrupt_id":"i"}`, `{"type":"connector.sync","path":"mcp.a"}`,
			`{"type":"done","data":1}`, `{"type":"fail","error":{"message":"m","code":"internal"}}`,
		},
		bad: []string{
			`{}`, `{"type":"sing"}`, `{"type":"tool.call","name":"f"}`, `{"type":"tool.result","result":1,"content":[]}`,
			`{"type":"tool.result","is_error":null}`, `{"type":"tool.result","attempt":-1}`, `{"type":"tool.result","attempt":4294967296}`,
			`{"type":"tool.result","content":[{"type":"video"}]}`, `{"type":"tool.result","took_ms":4}`,
			`{"type":"tool.error"}`, `{"type":"tool.error","error":"e","retryable":null}`, `{"type":"tool.error","error":"e","code":"oops"}`,
			`{"type":"llm.result"}`, `{"type":"subagent.spawn","agent_id":"a"}`, `{"type":"interrupt"}`, `{"type":"fail","error":"e"}`,
			`{"type":"message.send","session_id":"s","message":{}}`, `{"type":"interrupt.resolve"}`, `{"type":"connector.sync","path":1}`, `{"type":"done","result":1}`,
		},
	},
	"agent": {
		good: []string{
			`{"model":"m"}`, `{"model":"m","llm":null,"system":null,"effort":null,"retry":null,"defer_tools":null,"max_subagent_depth":0}`,
			`{"model":"m","tools":[{"name":"f"}],"subagents":[{"id":"a","mode":"any"}],"subagent_tools":{"strategy":"single"},"mcp":[{"path":"p","tools":{"include":["*"]}}],` +
				`"plugins":[{"id":"p","skills":[{"name":"s"}]}],"defer_tools":{"max_matches":1},"mcp_announce":"auto","attachments":{"rules":{"image/*":"inline"}}}`,
			`{"model":"m","defer_tools":true,"mcp":[{"id":"old"}],"retry":{"tool":{"max_attempts":1}}}`,
		},
		bad: []string{
			`{}`, `{"model":"m","tools":null}`, `{"model":"m","mcp_announce":null}`, `{"model":"m","effort":"cosmic"}`, `{"model":"m","defer_tools":{"max":1}}`,
			`{"model":"m","defer_tools":{"max_matches":0}}`, `{"model":"m","subagent_tools":{"x":1}}`, `{"model":"m","mcp":[{}]}`, `{"model":"m","retry":{"tools":{}}}`,
			`{"model":"m","tools":[{"name":"f","handler":"server"}]}`, `{"model":"m","attachments":{"x":1}}`, `{"model":"m","subagents":[{"id":"a","description":null}]}`,
		},
	},
	"tool": {
		good: []string{`{"name":"f"}`, `{"name":"f","description":"d","input":{"type":"object"},"output":true,"handler":"client","defer":false}`, `{"name":"f","input":null}`, `{"name":"f","input":"object","output":5}`},
		bad:  []string{`{}`, `{"name":"f","description":null}`, `{"name":"f","handler":"server"}`, `{"name":"f","input_schema":{}}`},
	},
	"result": {
		good: []string{`{"content":[]}`, `{"structuredContent":null}`, `{"content":[{"type":"resource","resource":{"uri":"u","text":"t"}}],"isError":true}`},
		bad:  []string{`{"content":null}`, `{"is_error":true}`, `{"content":[{"type":"blob","uri":"u"}]}`, `"sunny"`, `{"isError":null}`},
	},
	"content": {
		good: []string{`"hi"`, `[]`, `[{"type":"text","text":"a"},{"type":"blob","uri":"blob://t/u"},{"type":"link","uri":"u","name":"n"},{"type":"image_url","image_url":{"url":"u"}},` +
			`{"type":"file","file":{"filename":"f","file_data":"d"}},{"type":"input_audio","input_audio":{"data":"d","format":"wav"}},{"type":"video_url","video_url":{"url":"u"}},` +
			`{"type":"attachment","id":"a","mime":"m","size":1,"uri":"u"}]`},
		bad: []string{`5`, `null`, `{"type":"text","text":"a"}`, `[{"type":"image","data":"","mimeType":"image/png"}]`, `[{"type":"text"}]`, `["a"]`},
	},
	"message": {
		good: []string{draft, `{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
			`{"id":null,"role":"tool","content":null,"tool_call_id":"c","name":"f","tool_calls":null}`},
		bad: []string{`{}`, `{"role":"robot"}`, `{"role":"user","content":5}`, `{"role":"user","text":"hi"}`, `{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}`,
			`{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":{}}}]}`},
	},
	"error": {
		good: []string{`{"message":"m","code":"handler_error"}`, `{"message":"m","code":"refused","param":"p","detail":{"a":1}}`},
		bad:  []string{`{"message":"m"}`, `{"message":"m","code":"oops"}`, `{"message":"m","code":"refused","retryable":true}`},
	},
	"usage": {
		good: []string{tokens},
		bad:  []string{`{}`, strings.Replace(tokens, `"total":3`, `"total":-3`, 1), strings.Replace(tokens, `"total":3`, `"total":3.5`, 1)},
	},
	"llm-request": {
		good: []string{`{"model":"m","messages":[]}`, `{"model":"m","messages":[` + draft + `],"tools":[{"name":"f","description":"","defer":true}],"temperature":0.5,"max_completion_tokens":1,"reasoning":{"max_tokens":1}}`},
		bad:  []string{`{"model":"m"}`, `{"model":"m","messages":[],"stream":true}`, `{"model":"m","messages":[],"tools":[{"name":"f"}]}`},
	},
	"llm-response": {
		good: []string{`{"model":"m"}`, `{"model":"m","content":null,"finish_reason":"stop","usage":` + tokens + `,"cost":"-0.1","images":[{"url":"u"}]}`},
		bad:  []string{`{}`, `42`, `{"model":"m","cost":"1."}`, `{"model":"m","cost":1}`, `{"model":"m","choices":[]}`},
	},
	"stream-frame": {
		good: []string{`{"event":"decision.result","data":null}`, `{"event":"decision.result","data":{"state":1}}`, `{"event":"llm.token.delta","data":{"text":"a","tool_calls":[{"id":"c","arguments":"{"}]}}`,
			`{"event":"decision.error","data":{"message":"m","retryable":false}}`},
		bad: []string{`{"event":"message","data":{}}`, `{"event":"decision.result"}`, `{"event":"decision.result","data":[]}`, `{"event":"llm.token.delta","data":{"text":5}}`,
			`{"event":"decision.error","data":{}}`, `{"event":"decision.error","data":{"message":"m","retryable":null}}`},
	},
	"client-input": {
		good: []string{`{"type":"client.message","agent_id":"a","message":` + draft + `,"queue":true}`, `{"type":"client.messages","agent_id":"a","messages":[],"client":{"state":1}}`,
			`{"type":"client.append","agent_id":"a","messages":[` + draft + `]}`, `{"type":"client.action","agent_id":"a","name":"n"}`, `{"type":"interrupt.resume","interrupt_id":"i"}`,
			`{"type":"tool.result","id":"c","result":{"content":[]}}`, `{"type":"tool.error","id":"c","error":"e","retryable":false}`},
		bad: []string{`{"type":"client.message","agent_id":"a"}`, `{"type":"client.messages","agent_id":"a","messages":[],"queue":true}`, `{"type":"tool.error","id":"c","error":"e"}`, `{"type":"tool.result"}`, `{"type":"shout"}`},
	},
	"retry": {
		good: []string{`{}`, `{"queue_timeout_secs":null,"run_timeout_secs":1,"max_attempts":0,"backoff_max_secs":4294967295}`},
		bad:  []string{`null`, `{"max_attempts":-1}`, `{"max_attempts":1.5}`, `{"attempts":1}`, `{"run_timeout_secs":"5"}`},
	},
}

func TestSchemaExamples(t *testing.T) {
	t.Parallel()
	for _, name := range spec.SchemaNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := compileAlone(t, name)
			set := schemaExamples[name]
			if len(set.good) == 0 || len(set.bad) == 0 {
				t.Fatal("no examples")
			}
			for _, text := range set.good {
				if why := breaks(t, s, text); why != "" {
					t.Errorf("%s is refused: %s", text, why)
				}
			}
			for _, text := range set.bad {
				if breaks(t, s, text) == "" {
					t.Errorf("%s is taken", text)
				}
			}
		})
	}
}

// TestSchemaAndParserAgree: what a schema takes, the parser reads. The other
// way round does not hold, since the schemas are closed.
func TestSchemaAndParserAgree(t *testing.T) {
	t.Parallel()
	parsers := map[string]func([]byte) *spec.Fault{
		"decision":     func(b []byte) *spec.Fault { _, f := spec.ParseDecision(b); return f },
		"request":      func(b []byte) *spec.Fault { _, f := spec.ParseRequest(b); return f },
		"trigger":      func(b []byte) *spec.Fault { _, f := spec.ParseTrigger(b); return f },
		"action":       func(b []byte) *spec.Fault { _, f := spec.ParseAction(b); return f },
		"agent":        func(b []byte) *spec.Fault { _, f := spec.ParseAgent(b); return f },
		"llm-request":  func(b []byte) *spec.Fault { _, f := spec.ParseLlmRequest(b); return f },
		"llm-response": func(b []byte) *spec.Fault { _, f := spec.ParseLlmResponse(b); return f },
		"message": func(b []byte) *spec.Fault {
			_, f := spec.ParseMessages(slices.Concat([]byte("["), b, []byte("]")))
			return f
		},
		"tool": func(b []byte) *spec.Fault {
			_, f := spec.ParseAgent(slices.Concat([]byte(`{"model":"m","tools":[`), b, []byte("]}")))
			return f
		},
		"content": func(b []byte) *spec.Fault {
			_, f := spec.ParseMessages(slices.Concat([]byte(`[{"role":"user","content":`), b, []byte("}]")))
			return f
		},
		"error": func(b []byte) *spec.Fault {
			_, f := spec.ParseAction(slices.Concat([]byte(`{"type":"fail","error":`), b, []byte("}")))
			return f
		},
	}
	for name, parse := range parsers {
		for _, text := range schemaExamples[name].good {
			if f := parse([]byte(text)); f != nil {
				t.Errorf("%s %s: %v", name, text, f)
			}
		}
	}
}

func TestSchemasTakeTheExample(t *testing.T) {
	t.Parallel()
	request, decision, input, ask, reply := compileAlone(t, "request"), compileAlone(t, "decision"),
		compileAlone(t, "client-input"), compileAlone(t, "llm-request"), compileAlone(t, "llm-response")
	n := 0
	for _, e := range exampleEvents(t) {
		s, body := (*jsonschema.Schema)(nil), spec.Body{}
		switch d := e.Data.(type) {
		case *spec.RequestEvent:
			s, body = request, d.Body
		case *spec.ResponseEvent:
			if d.Pieces == 0 {
				s, body = decision, d.Body
			}
		case *spec.InputEvent:
			s, body = input, d.Body
		case *spec.AskEvent:
			s, body = ask, d.Body
		case *spec.ReplyEvent:
			s, body = reply, d.Body
		}
		if s == nil {
			continue
		}
		n++
		if why := breaks(t, s, *body.Text); why != "" {
			t.Errorf("line %d: %s", e.N, why)
		}
	}
	if n != 20 {
		t.Errorf("%d bodies, want 20", n)
	}
}

// Vectors on whose response the decision schema and the parser differ.
var (
	schemaRefuses = map[string]string{
		"unknown-keys-only":        "the schema is closed",
		"keys-in-the-wrong-case":   "the schema is closed",
		"duplicate-unknown-key":    "the schema is closed",
		"unknown-key-at-the-top":   "the schema is closed",
		"unknown-key-in-an-action": "the schema is closed",
		"body-an-empty-list":       "gap 31",
	}
	schemaTakes = map[string]string{
		"attempt-with-fraction":                  "1.0 is an integer to a schema",
		"duplicate-key":                          "a schema does not see equal keys",
		"duplicate-key-in-an-action":             "a schema does not see equal keys",
		"model-call-with-fractional-temperature": "gap 34: the published schema takes a number",
	}
)

func TestDecisionSchemaOnVectors(t *testing.T) {
	t.Parallel()
	s := compileAlone(t, "decision")
	odd := 0
	for _, v := range readVectors[answerVector](t, "answers.yaml", 153) {
		if v.Via != "" && v.Via != "decision" || jsonv.Valid([]byte(v.Response), jsonv.MaxDepth) != nil {
			continue
		}
		if v.Verdict == "fatal" && v.Fatal.Reason != "" {
			// Nothing is wrong with its shape.
			continue
		}
		want, reason := v.Verdict != "fatal", ""
		if reason = schemaRefuses[v.Name]; reason == "" {
			reason = schemaTakes[v.Name]
		}
		if reason != "" {
			odd++
			want = !want
		}
		if why := breaks(t, s, v.Response); (why == "") != want {
			t.Errorf("%s: taken is %t, want %t (%s) %s", v.Name, why == "", want, reason, why)
		}
	}
	if odd != len(schemaRefuses)+len(schemaTakes) {
		t.Errorf("%d odd vectors met, want %d", odd, len(schemaRefuses)+len(schemaTakes))
	}
}
