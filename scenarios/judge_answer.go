package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// answerUnmet judges what the worker answered.
func (v *view) answerUnmet(want *Answer, e *spec.Exchange, req *spec.DecisionRequest) (all []unmet) {
	if want.Status != nil {
		if status := e.Answer().Status; status != *want.Status {
			all = append(all, unmet{"", fmt.Sprintf("status %d", status), fmt.Sprintf("status %d", *want.Status)})
		}
	}
	a := readAnswer(e, req)
	if len(want.Is) > 0 && !slices.ContainsFunc(want.Is, a.is) {
		return append(all, unmet{"", a.words(), "an answer that is " + wordList(want.Is)})
	}
	if lack := a.lacks(want); lack != "" {
		return append(all, unmet{"", a.words(), lack})
	}
	for _, part := range []struct {
		name string
		m    *Match
		got  jsontext.Value
	}{
		{"text", want.Text, a.text}, {"structured", want.Structured, a.structured}, {"error", want.Error, a.err},
		{"state", want.State, a.state}, {"agent", want.Agent, a.agent},
	} {
		all = append(all, matchUnmet(part.name, part.m, part.got)...)
	}
	if want.Blocks != nil && !slices.Equal(want.Blocks, a.blocks) {
		all = append(all, unmet{"", "blocks [" + strings.Join(a.blocks, ", ") + "]", "blocks [" + strings.Join(want.Blocks, ", ") + "]"})
	}
	all = append(all, boolUnmet("is_error", want.IsError, a.flagged)...)
	all = append(all, boolUnmet("retryable", want.Retryable, a.retryable)...)
	if want.Code != nil && a.code != *want.Code {
		all = append(all, unmet{"", fmt.Sprintf("the code %q", a.code), fmt.Sprintf("the code %q", *want.Code)})
	}
	for i := range want.At {
		p := &want.At[i]
		got, _ := jsonv.Get(a.body, p.Pointer)
		for _, w := range p.Match.check(got) {
			all = append(all, unmet{p.Pointer, jsonv.Short(got, shown), w})
		}
	}
	if want.SameAs != nil {
		all = append(all, v.sameUnmet(*want.SameAs, e, a)...)
	}
	return all
}

// lacks says what a demand speaks of that the answer does not have at all, so
// that no demand holds because nothing is there; "" when all is there.
func (a answer) lacks(want *Answer) string {
	switch {
	case a.failure != nil && want.speaksOfDecision():
		return "a decision"
	case a.text == nil && (want.Blocks != nil || want.IsError != nil):
		return "a tool.result for the call"
	case a.err == nil && (want.Retryable != nil || want.Code != nil):
		return "a tool.error for the call"
	default:
		return ""
	}
}

// speaksOfDecision reports whether there is a demand beside words, status and
// places of the body.
func (w *Answer) speaksOfDecision() bool {
	return w.Text != nil || w.Structured != nil || w.Blocks != nil || w.IsError != nil || w.Error != nil ||
		w.Retryable != nil || w.Code != nil || w.State != nil || w.Agent != nil
}

func boolUnmet(name string, want *bool, got bool) []unmet {
	if want == nil || *want == got {
		return nil
	}
	return []unmet{{"", name + " " + strconv.FormatBool(got), name + " " + strconv.FormatBool(*want)}}
}

// sameUnmet compares with the answer to another delivery of the decision.
func (v *view) sameUnmet(delivery int, e *spec.Exchange, a answer) []unmet {
	for _, other := range v.exchanges {
		if other.Request.Decision != e.Request.Decision || other.Request.Delivery != delivery {
			continue
		}
		if d, failure := other.Decided(); failure == nil && a.failure == nil && d.IsEmpty() && a.decision.IsEmpty() {
			return nil
		}
		pointer, got, want, equal := jsonv.Diff(a.body, readAnswerBody(other))
		if equal {
			return nil
		}
		return []unmet{{pointer, got, fmt.Sprintf("as in delivery %d: %s", delivery, want)}}
	}
	return []unmet{{"", "no delivery " + strconv.Itoa(delivery), "a delivery to compare with"}}
}

// answer is one answer in the language's terms.
type answer struct {
	decision *spec.Decision
	failure  *spec.Failure
	proposed spec.Decision
	call     string
	// settles are the settling actions for the call that was asked.
	settles []spec.Action
	// Each value is nil when there is none.
	text, structured, err, state, agent, body jsontext.Value
	blocks                                    []string
	flagged, retryable                        bool
	code                                      string
}

func readAnswer(e *spec.Exchange, req *spec.DecisionRequest) answer {
	a := answer{proposed: req.Proposed.Decision, call: e.Request.Call, body: readAnswerBody(e)}
	if a.decision, a.failure = e.Decided(); a.failure != nil {
		return a
	}
	// What spoils a decision that reads (F3) fails the delivery as well.
	if a.failure = spec.ResolveDecision(*a.decision, req.Trigger, spec.ResolveContext{Agent: req.Agent}); a.failure != nil {
		return a
	}
	a.state = a.decision.State
	a.agent = agentText(a.decision.Agent)
	for _, action := range a.decision.Actions {
		switch s := action.(type) {
		case spec.ToolResultAction:
			if s.ID == nil || *s.ID == a.call {
				a.settles = append(a.settles, s)
				a.result(s)
			}
		case spec.ToolErrorAction:
			if s.ID == nil || *s.ID == a.call {
				a.settles = append(a.settles, s)
				a.err, a.code = jsonv.Quote(s.Error), string(cmp.Or(s.Code, spec.CodeHandlerError))
				a.retryable = s.Retryable != nil && *s.Retryable
			}
		case spec.LlmResultAction, spec.LlmErrorAction:
			a.modelAnswer(s, req.Trigger)
		}
	}
	return a
}

// modelAnswer takes in the answer of a model that the worker hosts, where that
// is what was asked: its text is what the model says.
func (a *answer) modelAnswer(action spec.Action, t spec.Trigger) {
	asked, ok := t.(spec.LlmExecuteTrigger)
	if !ok {
		return
	}
	switch s := action.(type) {
	case spec.LlmResultAction:
		if s.ID != nil && *s.ID != a.call {
			return
		}
		a.settles, a.text = append(a.settles, s), jsonv.Quote("")
		if r, fault := spec.ParseResponseAs(asked.Format, s.Response); fault == nil && r.Content != nil {
			a.text = jsonv.Quote(*r.Content)
		}
	case spec.LlmErrorAction:
		if s.ID != nil && *s.ID != a.call {
			return
		}
		a.settles = append(a.settles, s)
		a.err, a.code = jsonv.Quote(s.Error), string(cmp.Or(s.Code, spec.CodeHandlerError))
		a.retryable = s.Retryable != nil && *s.Retryable
	}
}

// readAnswerBody is the decision as JSON text: the body as it came, or the
// decision that a stream carried.
func readAnswerBody(e *spec.Exchange) jsontext.Value {
	if jsonv.Valid(e.ResponseBody, jsonv.Deepest) == nil {
		return jsontext.Value(e.ResponseBody)
	}
	if d, failure := e.Decided(); failure == nil {
		return marshaled(*d)
	}
	return nil
}

// ResultText is the text of a result as an expectation's `text` compares it, which
// is what the model reads (F9), and whether the result is flagged as a failure.
func ResultText(s spec.ToolResultAction) (text string, flagged bool) {
	stored := toolcall.ReadResult(s, keepNothing{})
	return toolcall.Rendered(stored), stored.IsError
}

func (a *answer) result(s spec.ToolResultAction) {
	stored := toolcall.ReadResult(s, keepNothing{})
	a.text = jsonv.Quote(toolcall.Rendered(stored))
	a.structured, a.flagged = stored.StructuredContent, stored.IsError
	a.blocks = []string{}
	sent := s.Content
	if sent == nil {
		if r, _, ok := toolcall.AsToolResult(s.Result); ok {
			sent = r.Content
		} else if s.Result != nil {
			a.blocks = append(a.blocks, string(spec.BlockText))
		}
	}
	for _, b := range sent {
		a.blocks = append(a.blocks, string(b.Type))
	}
}

// keepNothing stands in for the engine's store: an expectation speaks of text,
// and blobs have none (F9).
type keepNothing struct{}

func (keepNothing) Put(string, *string, []byte) (string, error) { return "blob:", nil }

// is reports whether the answer has the form that a word names.
func (a answer) is(w Word) bool {
	if a.failure != nil {
		return w == WordFails
	}
	one := len(a.settles) == 1
	switch w {
	case WordResult:
		return one && a.err == nil
	case WordError:
		return one && a.err != nil
	case WordSettles:
		return one
	case WordRuns:
		return one && a.err == nil && !a.flagged
	case WordRefuses:
		return one && (a.err != nil || a.flagged)
	case WordPending:
		return len(a.settles) == 0
	case WordProposed:
		return a.isProposed()
	case WordRecords:
		return recordsTool(a.decision.Messages, a.call)
	case WordAsksModel:
		return recordsTool(a.decision.Messages, a.call) && a.has(spec.DoLlmCall)
	case WordWaits:
		return recordsTool(a.decision.Messages, a.call) && !a.has(spec.DoLlmCall)
	case WordEmpty:
		return a.decision.IsEmpty()
	case WordDone:
		return a.has(spec.DoDone)
	case WordInterrupt:
		return a.has(spec.DoInterrupt)
	default:
		return false
	}
}

// isProposed compares by meaning: empty and absent members are the same.
func (a answer) isProposed() bool {
	return jsonv.Equal(jsonv.Prune(marshaled(*a.decision)), jsonv.Prune(marshaled(a.proposed)))
}

func (a answer) has(t spec.ActionType) bool {
	return slices.ContainsFunc(a.decision.Actions, func(action spec.Action) bool { return action.ActionType() == t })
}

// words says what the answer is.
func (a answer) words() string {
	if a.failure != nil {
		return "a failed delivery: " + a.failure.Info.Message
	}
	if a.decision.IsEmpty() {
		return "the empty decision"
	}
	var parts []string
	if n := len(a.decision.Messages); n > 0 {
		parts = append(parts, fmt.Sprintf("%d messages", n))
	}
	for _, action := range a.decision.Actions {
		text := string(action.ActionType())
		switch s := action.(type) {
		case spec.ToolResultAction:
			text += " " + jsonv.Short(a.text, shown/3)
			if a.flagged {
				text += " (flagged as an error)"
			}
		case spec.ToolErrorAction:
			text += " " + strconv.Quote(s.Error)
		}
		parts = append(parts, text)
	}
	if a.decision.State != nil {
		parts = append(parts, "state")
	}
	if a.decision.Agent != nil {
		parts = append(parts, "agent")
	}
	return strings.Join(parts, ", ")
}

func wordList(words []Word) string {
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = string(w)
	}
	return strings.Join(parts, " or ")
}
