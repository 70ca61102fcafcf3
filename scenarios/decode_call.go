package scenarios

import (
	"fmt"
	"strconv"
)

// calls reads a list of calls. With a scope a call with repeat is written out
// as c_1 … c_N.
func (d *decoder) calls(n *node) []Call {
	n, ok := d.want(n, kindList, "a list of calls")
	if !ok {
		return nil
	}
	var all []Call
	for _, item := range n.items {
		item = d.value(item)
		d.written += d.timesCalled(item)
		if d.written > maxCalls {
			break
		}
		if d.scope == nil || item.member("repeat") == nil {
			all = append(all, d.call(item))
			continue
		}
		all = append(all, d.repeatedCall(item)...)
	}
	if d.written > maxCalls {
		d.problem(n.pos, "repeat less", "the scenario makes more than %d calls", maxCalls)
		return nil
	}
	if len(n.items) == 0 {
		d.problem(n.pos, "leave calls out for a reply without calls", "calls is empty")
	}
	return all
}

// maxCalls bounds the calls of one case.
const maxCalls = 10_000

// timesCalled is how many calls an item of calls stands for.
func (d *decoder) timesCalled(n *node) int {
	repeat := n.member("repeat")
	if repeat == nil || d.open(repeat) {
		return 1
	}
	count, err := strconv.Atoi(d.value(repeat).text)
	if err != nil {
		return 1
	}
	return max(1, min(count, maxCalls+1))
}

func (d *decoder) repeatedCall(n *node) []Call {
	count := d.repeats(n.member("repeat"))
	outer := d.scope
	defer func() { d.scope = outer }()
	before := len(d.problems)
	var all []Call
	for i := 1; i <= orDefault(count, 1) && len(d.problems) == before; i++ {
		d.scope = outer.with(i)
		call := d.call(n)
		call.As = repeatedLabel(call.As, i)
		if call.ID != "" {
			call.ID += fmt.Sprintf("_%d", i)
		}
		call.Repeat = 0
		all = append(all, call)
	}
	return all
}

func repeatedLabel(label string, i int) string { return label + "_" + strconv.Itoa(i) }

func (d *decoder) repeats(n *node) *int { return d.integer(n, 2, 1000) }

func (d *decoder) call(n *node) Call {
	c := Call{Pos: n.pos, Via: "direct"}
	_, has := d.object(n, "a call",
		field{"as", func(n *node) { c.As = d.label(n) }},
		field{"tool", func(n *node) { c.Tool = *d.textRecipe(n) }},
		field{"arguments", func(n *node) { c.Arguments = d.jsonObject(n) }},
		field{"raw", func(n *node) { c.Raw = d.textRecipe(n) }},
		field{"generate", func(n *node) { c.Generate = d.class(n) }},
		field{"id", func(n *node) { c.ID = d.text(n) }},
		field{"via", func(n *node) { c.Via = d.word(n, "a way", "direct", ThroughCallTool) }},
		field{"repeat", func(n *node) { c.Repeat = orDefault(d.repeats(n), 0) }},
	)
	if has == nil {
		return c
	}
	if !has["as"] {
		d.problem(n.pos, "add as: c1, for instance", "the call has no label")
	}
	if !has["tool"] {
		d.problem(n.pos, "add tool: NAME or tool: $tool", "the call names no tool")
	}
	d.exclude(n.pos, has, "arguments", "raw", "generate")
	if !has["arguments"] && !has["raw"] && !has["generate"] {
		d.problem(n.pos, "add arguments: {}, raw: TEXT or generate: valid", "the call has no arguments")
	}
	return c
}
