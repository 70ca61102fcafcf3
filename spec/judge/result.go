package judge

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

func resultChecks() []check {
	const moment = "no call was answered with a result"
	return []check{
		{id: "result.one-form", moment: moment, see: seeResults},
		{id: "result.blocks-are-valid", moment: moment},
		{id: "result.is-a-tool-result", moment: "no call was answered with a result object"},
		{id: "result.is-explicit", moment: moment},
		{id: "result.bytes-are-base64", moment: "no result held an image, audio or a resource with bytes"},
		{id: "result.says-something", moment: moment},
		{id: "result.no-nested-envelope", moment: "no result held a text block"},
		{id: "result.error-has-text", moment: "no call was answered with a tool.error", see: seeErrors},
	}
}

// keeper is a store that takes everything and keeps nothing, so that results
// read as an engine records them.
type keeper struct{}

// Put implements [toolcall.Store].
func (keeper) Put(string, *string, []byte) (string, error) { return "blob://kept", nil }

// seeResults reads each result and gives what is wrong with its form one name.
func seeResults(x *exchange) {
	for _, s := range x.settles() {
		if s.result == nil {
			continue
		}
		x.held("result.one-form")
		r := resultView{x: x, s: s}
		if r.form() {
			r.contents()
		}
	}
}

// resultView is one tool.result on the way to its blocks.
type resultView struct {
	x *exchange
	s settle
	// blocks are the content blocks, and where they stand.
	blocks []spec.ToolContent
	at     string
	// structured says that there is a structured value.
	structured bool
}

// form checks how the result is written, and reports whether its blocks can be
// looked at.
func (r *resultView) form() bool {
	a := r.s.result
	r.structured = a.StructuredContent != nil
	if a.Result == nil || jsonv.Kind(a.Result) == 'n' {
		r.blocks, r.at = a.Content, r.s.pointer("/content")
		if a.Content != nil {
			r.x.held("result.blocks-are-valid")
			r.x.held("result.is-explicit")
		}
		return true
	}
	if jsonv.Kind(a.Result) == '{' {
		if lifted, why, ok := toolcall.AsToolResult(a.Result); ok {
			r.blocks, r.at = lifted.Content, r.s.pointer("/result/content")
			r.structured = r.structured || lifted.StructuredContent != nil
			for _, id := range []string{"result.blocks-are-valid", "result.is-a-tool-result", "result.is-explicit"} {
				r.x.held(id)
			}
			return true
		} else if meant(a.Result) {
			r.misread(why)
			return false
		}
	}
	r.x.broke("result.is-explicit", spec.Finding{
		Pointer: r.s.pointer("/result"), Got: "a bare value: " + show(a.Result),
		Want: `{"content": [{"type": "text", "text": "…"}]}`,
		Hint: "put what the model should read into a text block, and the value itself into structuredContent",
	})
	return false
}

// envelopeKeys are the keys that only a ToolResult has, with their usual
// misspellings.
var envelopeKeys = []string{"isError", "is_error", "structuredContent", "structured_content"}

// meant reports whether an object that is no ToolResult was meant as one. A
// tool may well return an object of its own that has a key content; only a
// list of blocks, or content alone, is taken for an envelope.
func meant(raw jsontext.Value) bool {
	members, err := jsonv.Members(raw)
	if err != nil {
		return false
	}
	own := false
	for _, m := range members {
		switch {
		case slices.Contains(envelopeKeys, m.Name):
			return true
		case m.Name != "content":
			own = true
		case jsonv.Kind(m.Value) == '[' && hasBlock(m.Value):
			return true
		}
	}
	_, content := jsonv.Last(members, "content")
	return content && !own
}

// hasBlock reports whether some item of a list looks like a content block.
func hasBlock(list jsontext.Value) bool {
	items, _ := jsonv.Elements(list)
	return slices.ContainsFunc(items, func(v jsontext.Value) bool {
		_, typed := jsonv.Get(v, "/type")
		return typed
	})
}

// misread names what keeps a result object from being a ToolResult: a bad
// block first, since that is the more exact name.
func (r *resultView) misread(why string) {
	list, _ := jsonv.Get(r.s.result.Result, "/content")
	items, _ := jsonv.Elements(list)
	for i, item := range items {
		if _, fault := spec.ParseBlock(jsonv.Sorted(item)); fault != nil {
			r.x.broke("result.blocks-are-valid", spec.Finding{
				Pointer: r.s.pointer(fmt.Sprintf("/result/content/%d%s", i, fault.Pointer)),
				Got:     show(item) + ": " + fault.Message,
				Want:    "a text, image, audio, resource or resource_link block with the fields of its kind",
				Hint:    "as it stands, the whole result becomes one piece of JSON text",
			})
			return
		}
	}
	r.x.held("result.blocks-are-valid")
	r.x.broke("result.is-a-tool-result", spec.Finding{
		Pointer: r.s.pointer("/result"), Got: show(r.s.result.Result) + ": " + why,
		Want: "content with blocks or structuredContent, isError as a boolean, and no other key",
		Hint: "as it stands, the whole result becomes one piece of JSON text and its flag is lost",
	})
}

// contents checks the blocks of a result that reads.
func (r *resultView) contents() {
	for i, b := range r.blocks {
		at := fmt.Sprintf("%s/%d", r.at, i)
		r.bytes(b, at)
		if b.Type == spec.BlockText && b.Text != nil {
			r.nested(*b.Text, at+"/text")
		}
	}
	r.says()
}

func (r *resultView) nested(text, at string) {
	const id = "result.no-nested-envelope"
	raw := jsontext.Value(text)
	if jsonv.Kind(raw) == '{' && jsonv.Valid(raw, jsonv.MaxDepth) == nil {
		inner, _, ok := toolcall.AsToolResult(raw)
		if ok && len(inner.Content) > 0 {
			r.x.broke(id, spec.Finding{
				Pointer: at, Got: "the JSON of a whole tool result: " + quote(text), Want: "the text itself",
				Hint: "a helper wraps a result that is finished already",
			})
			return
		}
	}
	r.x.held(id)
}

func (r *resultView) says() {
	const id = "result.says-something"
	stored := toolcall.ReadResult(*r.s.result, keeper{})
	blobs := slices.ContainsFunc(r.blocks, func(b spec.ToolContent) bool {
		_, _, bytes := bytesOf(b)
		return bytes
	})
	if r.structured || blobs || !blank(toolcall.Rendered(stored)) {
		r.x.held(id)
		return
	}
	got := "a result of blank text"
	if len(r.blocks) == 0 {
		got = "a result of nothing"
	}
	r.x.broke(id, spec.Finding{
		Pointer: r.s.pointer(""), Got: got, Want: "at least one block with something in it",
		Hint: "a tool without output says so in words, such as done",
	})
}

func seeErrors(x *exchange) {
	const id = "result.error-has-text"
	for _, s := range x.settles() {
		if s.err == nil {
			continue
		}
		if !blank(s.err.Error) {
			x.held(id)
			continue
		}
		x.broke(id, spec.Finding{
			Pointer: s.pointer("/error"), Got: quote(s.err.Error), Want: "a text that says what went wrong and what to send instead",
			Hint: "fall back to the kind of the exception when it has no message",
		})
	}
}
