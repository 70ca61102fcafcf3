package reference

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// noModel is the one name of a model that the studio does not have.
const noModel = "no-such-model"

// reply is what the studio's own model says to one question: words, or one call
// of a tool.
type reply struct {
	model, text string
	// tool is the name of the tool to call, "" for words.
	tool, arguments, id string
	// in and out count tokens.
	in, out uint64
	// finish is the finish reason, "" for the one that fits.
	finish string
}

// heard is a question to the model, whichever its form.
type heard struct {
	model string
	// text is that of the last message, result whether it is a tool's.
	text   string
	result bool
	tools  []string
}

// host answers an llm.execute in place of the engine's proposal. The model is a script of three lines: asked to
// use a tool that it is offered, it calls it; shown a result, it reads it out;
// else it greets. The same question always gets the same answer, so a delivery
// that is repeated does too (D5). Where a stream was asked for there are pieces.
func (x *exchange) host() {
	format := x.asked.text("format")
	request, _ := jsonv.Get(x.asked.trigger, "/request")
	h := hear(format, request)
	if h.model == noModel {
		x.answer = x.failing("the studio has no model " + quoted(h.model) + "; name another one in the agent config")
		return
	}
	r := h.reply(x.asked.text("id"))
	x.reply = &r
	x.answer, x.pieces = x.saying(r)
}

// failing is an answer by which the model call ends with an error.
func (x *exchange) failing(text string) []byte {
	action := settling(x.asked, encode(spec.LlmErrorAction{Error: text}))
	return with(jsontext.Value("{}"), "actions", array(action))
}

// saying is the answer that holds a reply, and its pieces.
func (x *exchange) saying(r reply) (answer []byte, pieces []jsontext.Value) {
	format := x.asked.text("format")
	if stream, _ := jsonv.Get(x.asked.trigger, "/stream"); jsonv.Kind(stream) == 't' {
		pieces = r.pieces(format)
	}
	return x.responding(r.response(format)), pieces
}

// responding is the answer that holds a response, whatever it is.
func (x *exchange) responding(response jsontext.Value) []byte {
	action := settling(x.asked, encode(spec.LlmResultAction{Response: response}))
	return with(jsontext.Value("{}"), "actions", array(action))
}

// hear reads a question.
func hear(format string, request jsontext.Value) heard {
	h := heard{}
	h.model, _ = textAt(request, "/model")
	name := "/name"
	if format == spec.FormatOpenAI {
		name = "/function/name"
	}
	list, _ := jsonv.Get(request, "/tools")
	tools, _ := jsonv.Elements(list)
	for _, t := range tools {
		if n, ok := textAt(t, name); ok {
			h.tools = append(h.tools, n)
		}
	}
	list, _ = jsonv.Get(request, "/messages")
	messages, _ := jsonv.Elements(list)
	if len(messages) == 0 {
		return h
	}
	last := messages[len(messages)-1]
	role, _ := textAt(last, "/role")
	content, _ := jsonv.Get(last, "/content")
	h.text, h.result = spoken(content)
	h.result = h.result || role == string(spec.RoleTool)
	return h
}

// spoken is the text of a message's content, and whether it is a tool's result
// in a block of its own.
func spoken(content jsontext.Value) (text string, result bool) {
	if s, ok := jsonv.Text(content); ok {
		return s, false
	}
	parts, _ := jsonv.Elements(content)
	var all []string
	for _, p := range parts {
		if s, ok := textAt(p, "/text"); ok {
			all = append(all, s)
		}
		if inner, ok := jsonv.Get(p, "/content"); ok {
			s, _ := spoken(inner)
			all, result = append(all, s), true
		}
	}
	return strings.Join(all, " "), result
}

// scripted are arguments that fit, by tool.
var scripted = map[string]string{
	"find_glaze":       `{"glaze":"celadon"}`,
	"kiln_temperature": `{"kiln":"east"}`,
	"book_kiln":        `{"kiln":"west","day":"2026-09-14"}`,
	"glaze_swatch":     `{"glaze":"oribe"}`,
}

func (h heard) reply(id string) reply {
	r := reply{model: h.model, in: uint64(len(h.text)) + 10, out: 12}
	switch {
	case h.result:
		r.text = "The studio says: " + h.text
		if h.text == "" {
			r.text = "The studio has a picture for you."
		}
		return r
	default:
		for _, t := range h.tools {
			if strings.Contains(h.text, t) && len(t) > len(r.tool) {
				r.tool = t
			}
		}
	}
	if r.tool == "" {
		r.text = "Good day from the studio."
		return r
	}
	// The id of the model call makes that of its tool call unique (C7).
	r.id, r.arguments = "call-of-"+id, "{}"
	if arguments, ok := scripted[r.tool]; ok {
		r.arguments = arguments
	}
	return r
}
