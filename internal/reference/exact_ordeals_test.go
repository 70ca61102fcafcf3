package reference_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// playOrdeals brings about what a worker has to live through, and what it has to
// bear of a later protocol. Each ordeal is followed by another exchange.
func (p *tape) playOrdeals() {
	glaze := samples[0]
	for i, one := range []struct {
		c          toolCall
		in         spec.ToolInput
		undeclared bool
	}{
		{toolCall{"c1", glaze[0], `{"n":"` + strings.Repeat("0123456789abcdef", 1<<16)}, malformed(), false},
		{toolCall{"c1", glaze[0], strings.Repeat("[", 20000)}, malformed(), false},
		{toolCall{"c1", glaze[0], "{\"t\":\"a\u2028b\""}, malformed(), false},
		{toolCall{"c1", "__proto__", "{}"}, valid("{}"), true},
		{toolCall{"__proto__", glaze[0], glaze[1]}, valid(glaze[1]), false},
		{toolCall{"c1", "", "{}"}, valid("{}"), true},
	} {
		t := p.talk(fmt.Sprintf("ordeal-%d", i))
		t.says("Use it.")
		t.replies("", one.c)
		p.run(t, one.c, one.in, one.undeclared, 0)
		t.replies("done")
		t.ends()
	}

	many := p.talk("many")
	c := toolCall{"c1", glaze[0], glaze[1]}
	for n := range 31 {
		many.open = append(many.open, open(toolCall{fmt.Sprintf("z%d", n), glaze[0], glaze[1]}))
	}
	p.openAt(many.session, c.id, 0)
	p.ended(many, c, many.send(many.executing(c, valid(c.arguments), false)))
	many.open = nil
	many.ends()

	long := p.talk("long")
	for n := range 200 {
		long.record(spec.Message{ID: fmt.Sprintf("old-%d", n), Role: spec.RoleUser, Content: content("Once more.")})
	}
	long.says("And now?")
	long.ends()

	p.adds = spec.AddsFields
	later := p.talk("later")
	later.starts(true)
	later.says("Hello.")
	p.adds = spec.AddsTrigger
	p.send(later.request(spec.UnknownTrigger{Type: "hallmark.later", Raw: []byte(`{"type":"hallmark.later"}`)}, spec.Decision{}))
	p.adds = ""
	later.ends()

	p.stray("stray")
	p.talk("stray").says("Still there?")
}

// withMore is a body with what the tape adds on purpose, and its mark.
func (p *tape) withMore(body []byte, event *spec.RequestEvent) []byte {
	switch p.adds {
	case "":
		return body
	case spec.AddsFields:
		body = bytes.Replace(body, []byte("{"), []byte(`{"hallmark_later":{"a":[1,null]},`), 1)
	case spec.AddsTrigger:
		event.Ahead = true
	}
	event.Broken = spec.BrokenAdds(p.adds)
	return body
}

// stray asks by GET, and records both ways.
func (p *tape) stray(session string) {
	p.asked++
	d := fmt.Sprintf("d%d", p.asked)
	p.add(session, &spec.RequestEvent{D: d, Method: "GET", Target: "/", Broken: spec.BrokenRaw("")})
	ctx, cancel := context.WithTimeout(context.Background(), p.budget)
	defer cancel()
	a := p.post.SendRaw(ctx, simulator.Raw{Method: "GET"}).Answer
	p.add(session, &spec.ResponseEvent{D: d, Status: a.Status, Body: spec.BodyOf(a.Body), Bytes: int64(len(a.Body)), End: a.End, Reason: a.Reason})
}
