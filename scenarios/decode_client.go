package scenarios

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

func (d *decoder) user(n *node) *UserStep {
	u := &UserStep{Pos: n.pos}
	if d.isText(n) {
		u.Text = d.textRecipe(n)
		return u
	}
	_, has := d.object(n, "a user step",
		field{"text", func(n *node) { u.Text = d.textRecipe(n) }},
		field{"content", func(n *node) { u.Content = d.jsonList(n) }},
		field{"id", func(n *node) { u.ID = d.text(n) }},
		field{"queue", func(n *node) { u.Queue = d.flag(n) }},
		field{"now", func(n *node) { u.Now = d.flag(n) }},
		field{"tools", func(n *node) { u.Tools = d.clientTools(n) }},
		field{"context", func(n *node) { u.Context = d.jsonList(n) }},
		field{"state", func(n *node) { u.State = d.json(n) }},
		field{"append", func(n *node) { u.Append = d.messages(n) }},
		field{"view", func(n *node) { u.View = d.messages(n) }},
	)
	if has == nil {
		return u
	}
	d.exclude(n.pos, has, "text", "content", "append", "view")
	d.exclude(n.pos, has, "id", "append", "view")
	// An engine holds messages, and no view (B5).
	d.exclude(n.pos, has, "queue", "view")
	if !has["text"] && !has["content"] && !has["append"] && !has["view"] {
		d.problem(n.pos, "one of: text, content, append, view", "the user step says nothing")
	}
	return u
}

// clientTools reads the tools that a client offers (B4). One that says no
// handler would run on the worker, which no client means.
func (d *decoder) clientTools(n *node) jsontext.Value {
	v := d.jsonList(n)
	if v == nil || d.scope == nil && bytes.ContainsRune(v, '$') {
		return v
	}
	tools, err := ClientTools(v)
	if err != nil {
		d.problem(n.pos, "", "the client's tools cannot be offered: %s", err)
		return v
	}
	for _, t := range tools {
		if t.Handler == "" {
			d.problem(n.pos, "write handler: client, or its calls go to the worker", "the client's tool %q says no handler", t.Name)
		}
	}
	return v
}

// ClientTools reads the tools of a user step as a client sends them. The error
// says which of them is none.
func ClientTools(v jsontext.Value) ([]spec.AgentTool, error) {
	config, fault := spec.ParseAgent(slices.Concat([]byte(`{"model":"","tools":`), v, []byte(`}`)))
	if fault != nil {
		return nil, fmt.Errorf("%s", fault.Error())
	}
	return config.Tools, nil
}

func (d *decoder) client(n *node) *ClientStep {
	c := &ClientStep{Pos: n.pos}
	_, has := d.object(n, "a client step",
		field{"call", func(n *node) { c.Call = d.label(n) }},
		field{"result", func(n *node) { c.Result = d.result(n) }},
		field{"error", func(n *node) { c.Error = d.optionalText(n) }},
		field{"retryable", func(n *node) { c.Retryable = d.boolean(n) }},
		field{"attempt", func(n *node) { c.Attempt = d.integer(n, 0, anyNumber) }},
		field{"action", func(n *node) { c.Action = d.text(n) }},
		field{"args", func(n *node) { c.Args = d.json(n) }},
		field{"resume", func(n *node) { c.Resume = d.text(n) }},
		field{"payload", func(n *node) { c.Payload = d.json(n) }},
	)
	if has == nil {
		return c
	}
	d.exclude(n.pos, has, "call", "action", "resume")
	d.exclude(n.pos, has, "result", "error")
	if !has["call"] && !has["action"] && !has["resume"] {
		d.problem(n.pos, "one of: call, action, resume", "the client step does nothing")
	}
	if has["call"] && !has["result"] && !has["error"] {
		d.problem(n.pos, "add result or error", "the call is answered with nothing")
	}
	for _, key := range []string{"result", "error", "attempt"} {
		d.goesWith(n.pos, has, key, "call")
	}
	d.goesWith(n.pos, has, "retryable", "error")
	d.goesWith(n.pos, has, "args", "action")
	d.goesWith(n.pos, has, "payload", "resume")
	return c
}

// goesWith reports a key that means nothing without another.
func (d *decoder) goesWith(pos Pos, has map[string]bool, key, other string) {
	if has[key] && !has[other] {
		d.problem(pos, "add "+other+", or take "+key+" out", "%s stands without %s", key, other)
	}
}
