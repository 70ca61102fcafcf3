package engine

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// viewAnswer is a tool message of a client's view that answers one of its open
// calls.
type viewAnswer struct {
	call    *toolCall
	content jsontext.Value
}

// answersInView finds the answers to open client-handled calls among the news
// of a client's messages. Of two answers to one call the first counts. Only
// says that such an answer is all that changes: the view is the active path and
// one message more (B7).
func (e *Engine) answersInView(n *news) (answers []viewAnswer, only bool) {
	messages, from := n.messages, 0
	if n.full {
		view, newFrom := e.fullView(n.messages)
		messages, from = view, int(newFrom)
	}
	answered := map[string]bool{}
	for _, m := range messages[from:] {
		c := e.tools[m.ToolCallID]
		if m.Role != spec.RoleTool || c == nil || c.handler != spec.HandlerClient || answered[c.id] {
			continue
		}
		// One that waits for its retry takes no answer (F2).
		if e.whyNot(c.id, nil) == "" {
			answered[c.id] = true
			answers = append(answers, viewAnswer{c, m.Content})
		}
	}
	if len(answers) > 0 && !n.full {
		e.unsupported("a client's answer to a call in messages that it appends")
		return nil, false
	}
	prefix := from == len(e.tree.path) && (from == 0 || messages[from-1].ID == e.tree.head)
	return answers, len(answers) == 1 && len(messages) == from+1 && prefix
}

// settleByView takes a view whose one change is the answer to a call for a
// settle: tool.finished follows, and the view itself is not recorded (B7). The
// output schema is not looked at (gap 23).
func (e *Engine) settleByView(a viewAnswer) InputReply {
	e.endByView(a)
	e.finishTool(a.call)
	return InputReply{Status: http.StatusAccepted, TurnID: e.runningTurn()}
}

// continueByView settles all answers of a view without a tool.finished; one
// client.messages carries the whole view (B7). That goes on with the turn that
// the calls kept open.
func (e *Engine) continueByView(c spec.ClientInput, n *news, answers []viewAnswer) InputReply {
	for _, a := range answers {
		e.endByView(a)
	}
	if t := e.turns.running; t != nil && t.ending == nil {
		e.enqueue(&decision{news: n, trigger: spec.ClientMessagesTrigger{}})
		return InputReply{Status: http.StatusAccepted, TurnID: t.id}
	}
	return e.say(c, n, false)
}

func (e *Engine) endByView(a viewAnswer) {
	a.call.status = statusDone
	a.call.result = &spec.StoredResult{Content: e.storedParts(a.content)}
}

// storedParts reads the content of a message as the blocks of a result: a
// string, or parts that are stored already (wire 7).
func (e *Engine) storedParts(content jsontext.Value) []spec.StoredContent {
	if text, ok := jsonv.Text(content); ok {
		return []spec.StoredContent{{Type: spec.BlockText, Text: &text}}
	}
	blocks := []spec.StoredContent{}
	items, _ := jsonv.Elements(content)
	for _, item := range items {
		at := func(pointer string) *string {
			v, _ := jsonv.Get(item, pointer)
			if text, ok := jsonv.Text(v); ok {
				return &text
			}
			return nil
		}
		kind := at("/type")
		switch {
		case kind == nil:
		case *kind == string(spec.BlockText):
			blocks = append(blocks, spec.StoredContent{Type: spec.BlockText, Text: at("/text")})
		case *kind == string(spec.BlockBlob), *kind == string(spec.BlockLink):
			uri := ""
			if given := at("/uri"); given != nil {
				uri = *given
			}
			blocks = append(blocks, spec.StoredContent{
				Type: spec.BlockKind(*kind), URI: uri, Name: at("/name"), MimeType: at("/mimeType"),
			})
		default:
			e.unsupported("a client's answer with " + *kind + " inside its view")
		}
	}
	return blocks
}
