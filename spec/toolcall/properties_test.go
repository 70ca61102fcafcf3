package toolcall_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// anyJSON makes JSON text of a small depth, with odd spellings.
func anyJSON(depth int) *rapid.Generator[string] {
	scalars := []*rapid.Generator[string]{
		rapid.SampledFrom([]string{
			`null`, `true`, `false`, `0`, `-0`, `1.50`, `-1E+2`, `9007199254740993`, `1e400`, `1e1000000000`, `0.1e-999999999`,
			`""`, `"a"`, `"\u0061"`, `"\ud83d\ude80"`, `"\/"`, `"<&>"`, `"\u2028"`, `"aGk="`, `"image/png"`, `"text"`,
		}),
		rapid.Map(rapid.String(), func(s string) string { return string(jsonv.Quote(strings.ToValidUTF8(s, "?"))) }),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	below := anyJSON(depth - 1)
	names := rapid.SampledFrom([]string{
		"a", "b", "content", "structuredContent", "isError", "type", "text", "data", "mimeType", "resource", "uri", "blob", "name", "é", "",
	})
	member := rapid.Custom(func(t *rapid.T) string {
		return string(jsonv.Quote(names.Draw(t, "name"))) + ": " + below.Draw(t, "value")
	})
	return rapid.OneOf(append(scalars,
		rapid.Map(rapid.SliceOfN(below, 0, 4), func(vs []string) string { return "[" + strings.Join(vs, ", ") + "]" }),
		rapid.Map(rapid.SliceOfN(member, 0, 4), func(ms []string) string { return "{" + strings.Join(ms, ", ") + "}" }),
		block(), block(),
	)...)
}

// block makes content blocks, mostly good ones.
func block() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{
		`{"type":"text","text":"hi"}`, `{"type":"text"}`, `{"type":"image","data":"aGk=","mimeType":"image/png"}`,
		`{"type":"audio","data":"%","mimeType":"audio/wav"}`, `{"type":"resource","resource":{"uri":"a://b/c","blob":"aGk="}}`,
		`{"type":"resource","resource":{"uri":"a://b/c"}}`, `{"type":"resource_link","uri":"a://b","name":null}`, `{"type":"chart"}`,
		`{"content":[{"type":"text","text":"hi"}]}`, `{"structuredContent":{"b":1,"a":-0}}`, `[[{"type":"text","text":"hi"}],7,true]`,
	})
}

func schemas() *rapid.Generator[jsontext.Value] {
	return rapid.Map(rapid.SampledFrom([]string{
		"", "null", "true", "false", "{}", `{"type":12}`, `{"type":"object","required":["a"]}`, `{"additionalProperties":{"type":"integer"}}`,
		`{"properties":{"a":{"maximum":1}},"minProperties":2}`, `{"$ref":"file:///etc/passwd"}`, `7`, `{"type":"string"}`, `{"maxLength":3}`,
	}), func(s string) jsontext.Value {
		if s == "" {
			return nil
		}
		return jsontext.Value(s)
	})
}

// Whatever the model wrote, the class is one of three, and value and error are
// there exactly when the class says so.
func TestClassifyIsTotal(t *testing.T) {
	t.Parallel()
	texts := rapid.OneOf(anyJSON(3), rapid.String(), rapid.Custom(func(t *rapid.T) string {
		text := anyJSON(3).Draw(t, "whole")
		return text[:rapid.IntRange(0, len(text)).Draw(t, "cut")]
	}), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		text, schema := texts.Draw(t, "arguments"), schemas().Draw(t, "schema")
		in := toolcall.Classify(text, schema)
		if (in.Value == nil) != (in.Status == spec.InputMalformed) || (in.Error == nil) != (in.Status == spec.InputValid) {
			t.Fatalf("%+v", in)
		}
		if in.Error != nil && (*in.Error == "" || utf8.ValidString(text) && !utf8.ValidString(*in.Error)) {
			t.Fatalf("error is %q", *in.Error)
		}
		if again := toolcall.Classify(text, schema); fmt.Sprint(again.Status, value(again.Error)) != fmt.Sprint(in.Status, value(in.Error)) {
			t.Fatalf("first %+v, then %+v", in, again)
		}
		if in.Status == spec.InputMalformed {
			return
		}
		if jsonv.Kind(in.Value) != '{' || jsonv.Valid(in.Value, jsonv.MaxDepth) != nil {
			t.Fatalf("value is %s", in.Value)
		}
		// An engine that reads its own printing reads the same.
		if again := toolcall.Classify(string(in.Value), schema); string(again.Value) != string(in.Value) || again.Status != in.Status {
			t.Fatalf("%s, read again %+v", in.Value, again)
		}
		if bare := toolcall.Classify(text, nil); bare.Status != spec.InputValid {
			t.Fatalf("without a schema: %+v", bare)
		}
	})
}

func value(s *string) string {
	if s == nil {
		return "absent"
	}
	return *s
}

// Whatever a worker answers, what is recorded holds no bytes, and what the
// model reads is JSON that agrees with the rendered text.
func TestReadResultIsTotal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var a spec.ToolResultAction
		if rapid.Bool().Draw(t, "result") {
			a.Result = jsontext.Value(anyJSON(4).Draw(t, "value"))
		}
		if rapid.Bool().Draw(t, "structured") {
			a.StructuredContent = jsontext.Value(anyJSON(2).Draw(t, "value"))
		}
		if rapid.Bool().Draw(t, "content") {
			for range rapid.IntRange(0, 3).Draw(t, "blocks") {
				if b, fault := spec.ParseBlock([]byte(block().Draw(t, "block"))); fault == nil {
					a.Content = append(a.Content, b)
				}
			}
		}
		flag := rapid.Bool().Draw(t, "is error")
		a.IsError = &flag
		stored := toolcall.ReadResult(a, memory{rapid.Bool().Draw(t, "refuses")})
		if stored.Content == nil || flag && !stored.IsError {
			t.Fatalf("%+v", stored)
		}
		texts := true
		for _, b := range stored.Content {
			switch b.Type {
			case spec.BlockText:
				if b.Text == nil {
					t.Fatalf("%+v", b)
				}
			case spec.BlockBlob, spec.BlockLink:
				texts = false
			default:
				t.Fatalf("%+v", b)
			}
		}
		rendered, content := toolcall.Rendered(stored), toolcall.MessageContent(stored)
		if jsonv.Valid(content, jsonv.MaxDepth) != nil {
			t.Fatalf("content is %s", content)
		}
		if text, ok := jsonv.Text(content); ok != texts || ok && text != rendered {
			t.Fatalf("rendered is %q, content %s", rendered, content)
		}
		if out := toolcall.OutputValue(stored); jsonv.Valid(out, jsonv.MaxDepth) != nil {
			t.Fatalf("output value is %s", out)
		}
		schema := schemas().Draw(t, "schema")
		message, ok := toolcall.CheckOutput(stored, schema)
		if ok != (message == "") || ok != (len(toolcall.OutputViolations(stored, schema)) == 0) {
			t.Fatalf("message %q, ok %t", message, ok)
		}
	})
}

// A value is read as a ToolResult, or there is a word why not.
func TestAsToolResultIsTotal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw := jsontext.Value(anyJSON(4).Draw(t, "value"))
		r, why, ok := toolcall.AsToolResult(raw)
		if ok != (why == "") {
			t.Fatalf("ok %t, why %q", ok, why)
		}
		if ok && len(r.Content) == 0 && r.StructuredContent == nil || !ok && (r.Content != nil || r.StructuredContent != nil || r.IsError) {
			t.Fatalf("%+v", r)
		}
	})
}

func TestWaitIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := spec.RetryPolicy{
			MaxAttempts:     rapid.Uint32().Draw(t, "attempts"),
			BackoffBaseSecs: rapid.Uint32().Draw(t, "base"),
			BackoffMaxSecs:  rapid.Uint32().Draw(t, "max"),
		}
		n := rapid.IntRange(-1, math.MaxInt32).Draw(t, "failures")
		wait := toolcall.Wait(p, n)
		if wait < 0 || wait > time.Duration(p.BackoffMaxSecs)*time.Second || wait > toolcall.Wait(p, n+1) {
			t.Fatalf("wait is %s", wait)
		}
		if n < 1 && wait != 0 || toolcall.Attempts(p) < 1 {
			t.Fatalf("wait is %s, attempts %d", wait, toolcall.Attempts(p))
		}
	})
}
