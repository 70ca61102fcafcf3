package toolcall_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

func TestWhyNoToolResult(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ raw, want string }{
		{`"text"`, `it is a string, not an object`},
		{`{"content":[],"_meta":{}}`, `it has the key "_meta" beside content, structuredContent and isError`},
		{`{"content":[]}`, `it has neither content blocks nor structuredContent`},
		{`{"structuredContent":null}`, `it has neither content blocks nor structuredContent`},
		{`{"content":null}`, `/content: want an array of blocks, got null`},
		{`{"content":[{"type":"text","text":"a"}],"isError":"true"}`, `/isError: want a boolean, got a string`},
		{`[[{"type":"text","text":"a"}],null,1]`, `/2: want a boolean, got a number`},
		{`[[],1,true,null]`, `it is an array of more than three items`},
		{`[1]`, `/0: want an array of blocks, got a number`},
	} {
		_, why, ok := toolcall.AsToolResult(jsontext.Value(c.raw))
		if ok || why != c.want {
			t.Errorf("%s: %t, %q, want %q", c.raw, ok, why, c.want)
		}
	}
	for _, c := range []struct{ raw, place string }{
		{`{"content":[{"type":"text","text":"a"},{"type":"chart"}]}`, "/content/1/type: "},
		{`{"content":[{"type":"image","data":"","mime_type":"x"}]}`, "/content/0"},
		{`{"content":[{"type":"resource","resource":{"uri":7}}]}`, "/content/0/resource/uri: "},
		{`[[{"type":"text","text":7}]]`, "/0/0/text: "},
	} {
		_, why, ok := toolcall.AsToolResult(jsontext.Value(c.raw))
		if ok || !strings.HasPrefix(why, c.place) {
			t.Errorf("%s: %t, %q, want one at %q", c.raw, ok, why, c.place)
		}
	}
}

// Inside a free value the last of equal keys counts, also inside blocks.
func TestLastOfEqualKeys(t *testing.T) {
	t.Parallel()
	r, why, ok := toolcall.AsToolResult(jsontext.Value(
		`{"content":7,"isError":null,"content":[{"type":"chart","type":"text","text":"a","text":"b"}],"isError":true}`))
	if !ok || len(r.Content) != 1 || *r.Content[0].Text != "b" || !r.IsError {
		t.Errorf("%+v, %q", r, why)
	}
}

func TestNoStoreRefuses(t *testing.T) {
	t.Parallel()
	data, mime := "aGk=", "image/png"
	r := toolcall.ReadResult(spec.ToolResultAction{Content: []spec.ToolContent{
		{Type: spec.BlockImage, Data: &data, MimeType: &mime},
	}}, nil)
	if got := toolcall.Rendered(r); got != "[unstored image content]" {
		t.Errorf("rendered is %q", got)
	}
}

// Members that a hand-made block lacks are empty, and cost nobody a panic.
func TestHollowBlocks(t *testing.T) {
	t.Parallel()
	kinds := []spec.BlockKind{
		"", "chart", spec.BlockText, spec.BlockImage, spec.BlockAudio, spec.BlockResource, spec.BlockResourceLink, spec.BlockBlob, spec.BlockLink,
	}
	for _, k := range kinds {
		r := toolcall.ReadResult(spec.ToolResultAction{Content: []spec.ToolContent{{Type: k}}}, memory{})
		if len(r.Content) != 1 || jsonv.Valid(toolcall.MessageContent(r), jsonv.MaxDepth) != nil {
			t.Errorf("%s: %+v", k, r)
		}
	}
}

func TestBlobURI(t *testing.T) {
	t.Parallel()
	name := "a~b*c&d=é/+.txt"
	got := toolcall.BlobURI("acme", "1", "text/plain", 12, &name)
	if want := "blob://acme/1?mime=text%2Fplain&size=12&name=a%7Eb*c%26d%3D%C3%A9%2F%2B.txt"; got != want {
		t.Errorf("uri is %s, want %s", got, want)
	}
}

func TestWaitNeverOverflows(t *testing.T) {
	t.Parallel()
	p := spec.RetryPolicy{BackoffBaseSecs: 2, BackoffMaxSecs: 60}
	for _, failures := range []int{6, 64, 1 << 40} {
		if got := toolcall.Wait(p, failures); got != time.Minute {
			t.Errorf("after %d failures: %s", failures, got)
		}
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	bad := toolcall.Classify(`[]`, nil)
	for _, c := range []struct {
		undeclared bool
		in         spec.ToolInput
		want       string
	}{
		{true, bad, "unknown tool: tide"},
		{false, bad, "invalid tool arguments: arguments must be a JSON object, got an array"},
		{false, toolcall.Classify(`{}`, jsontext.Value(`{"required":["port"]}`)), `invalid tool arguments: member "port" is missing`},
		{false, toolcall.Classify(``, nil), ""},
	} {
		if got, ok := toolcall.Refusal("tide", c.undeclared, c.in); got != c.want || ok != (c.want != "") {
			t.Errorf("%t, %q, want %q", ok, got, c.want)
		}
	}
}

// The value that the engine sends is the one it prints, byte for byte.
func TestPrintedValue(t *testing.T) {
	t.Parallel()
	in := toolcall.Classify(" {\"b\" : -0, \"a\": [1.50, 1E5, \"\\u00e9\\/<\"], \"b\": -0.0}\n", nil)
	if want := `{"a":[1.50,1E5,"é/<"],"b":-0.0}`; string(in.Value) != want {
		t.Errorf("value is %s, want %s", in.Value, want)
	}
}

func TestMessageOfNothing(t *testing.T) {
	t.Parallel()
	m := toolcall.Message(spec.ToolFinishedTrigger{ID: "c1", OK: true, Name: "tide"})
	if string(m.Content) != `""` {
		t.Errorf("content is %s", m.Content)
	}
}

// A policy shares no numbers with the layers that it came from.
func TestPolicyOwnsItsNumbers(t *testing.T) {
	t.Parallel()
	secs := uint32(5)
	p := toolcall.Policy(toolcall.ForDecision, nil, &spec.RetryOverride{RunTimeoutSecs: &secs})
	secs = 6
	if *p.RunTimeoutSecs != 5 || p.MaxAttempts != 10 {
		t.Errorf("%+v", p)
	}
	if got := toolcall.Layers("nothing", &spec.RetryConfig{}); got != nil {
		t.Errorf("layers %v", got)
	}
	if p := toolcall.Policy("nothing"); p.MaxAttempts != 1 || p.TotalTimeoutSecs != nil {
		t.Errorf("%+v", p)
	}
}

func FuzzClassify(f *testing.F) {
	f.Add(`{"a":1}`, `{"type":"object"}`)
	f.Add(`{"a":1e1000000000}`, `{"additionalProperties":{"maximum":1e999999999}}`)
	f.Fuzz(func(t *testing.T, arguments, schema string) {
		if len(arguments) > 4096 || len(schema) > 4096 {
			return
		}
		in := toolcall.Classify(arguments, jsontext.Value(schema))
		if (in.Value == nil) != (in.Status == spec.InputMalformed) || (in.Error == nil) != (in.Status == spec.InputValid) {
			t.Errorf("%+v", in)
		}
	})
}

func FuzzReadResult(f *testing.F) {
	f.Add(`{"content":[{"type":"text","text":"a"}]}`, `{"a":1}`, `{"type":"object"}`)
	f.Add(`[[],{"b":1,"a":1e999}]`, `null`, `false`)
	f.Fuzz(func(t *testing.T, result, structured, output string) {
		if len(result)+len(structured)+len(output) > 8192 {
			return
		}
		r := toolcall.ReadResult(spec.ToolResultAction{
			Result: jsontext.Value(result), StructuredContent: jsontext.Value(structured),
		}, memory{})
		content := toolcall.MessageContent(r)
		_, _ = toolcall.CheckOutput(r, jsontext.Value(output))
		if jsonv.Valid([]byte(structured), jsonv.MaxDepth) == nil && jsonv.Valid(content, jsonv.MaxDepth) != nil {
			t.Errorf("content is %s", content)
		}
	})
}
