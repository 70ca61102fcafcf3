package engine

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// replied takes the model's reply and returns the time that it took. A reply
// that nobody waits for any more is dropped.
func (e *Engine) replied(r Reply) time.Duration {
	c := e.llms[r.Call]
	if c == nil || c.status != statusPending {
		return 0
	}
	if r.Response == nil && r.Error == nil {
		r.Error = &spec.ErrorInfo{Message: "the model gave no answer", Code: spec.CodeProviderError}
	}
	e.finishLlm(c, r)
	return e.cfg.Pace
}

// finishLlm ends a model call and queues its llm.finished (C1, C2, C5).
func (e *Engine) finishLlm(c *llmCall, r Reply) {
	t := spec.LlmFinishedTrigger{ID: c.id, OK: r.Error == nil, Error: r.Error}
	c.status = statusDone
	if r.Error != nil {
		c.status = statusFailed
	} else {
		m := r.Response
		t.Message = assistantMessage(c.id, m)
		t.Truncated = m.FinishReason == "length"
		t.Refused = m.FinishReason == "refusal" || m.FinishReason == "content_filter"
		t.Usage, t.Cost = m.Usage, m.Cost
		e.account(m)
	}
	e.enqueue(&decision{llm: c, trigger: t})
}

// assistantMessage is the model's answer as a draft whose id is that of the
// model call (C3).
func assistantMessage(id string, r *spec.LlmResponse) *spec.DraftMessage {
	m := &spec.DraftMessage{ID: id, Role: spec.RoleAssistant, ToolCalls: r.ToolCalls, Reasoning: r.Reasoning}
	if r.Content != nil {
		m.Content = jsonv.Quote(*r.Content)
	}
	if len(r.Images) > 0 {
		m.Content = parts(r)
	}
	return m
}

// parts is the content of an answer with images: its text, then a link each.
func parts(r *spec.LlmResponse) jsontext.Value {
	var list []spec.StoredContent
	if r.Content != nil && *r.Content != "" {
		list = append(list, spec.StoredContent{Type: spec.BlockText, Text: r.Content})
	}
	anyImage := "image/*"
	for _, i := range r.Images {
		list = append(list, spec.StoredContent{Type: spec.BlockLink, URI: i.URL, MimeType: &anyImage})
	}
	v, err := spec.Marshal(list)
	if err != nil {
		return null
	}
	return v
}

// account adds what a model call cost to the running turn (N1).
func (e *Engine) account(r *spec.LlmResponse) { e.spend(r.Usage, r.Cost) }

// spend adds usage and cost to the running turn, if one runs.
func (e *Engine) spend(u *spec.Usage, cost string) {
	t := e.turns.running
	if t == nil {
		return
	}
	if u != nil {
		t.usage.Input += u.Input
		t.usage.Output += u.Output
		t.usage.UncachedInput += u.UncachedInput
		t.usage.CacheRead += u.CacheRead
		t.usage.CacheWrite += u.CacheWrite
		t.usage.Total += u.Total
	}
	if cost != "" {
		t.cost = addDecimals(t.cost, cost)
	}
}
