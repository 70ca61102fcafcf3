package scenarios

import "time"

// The steps that are about moments: await, wait, until and disturb.

func (d *decoder) await(n *node) *AwaitStep {
	a := &AwaitStep{Pos: n.pos, Order: "arrival", Within: defaultPatience}
	_, has := d.object(n, "an await step",
		field{"settled", func(n *node) { a.Settled = d.labels(n) }},
		field{"order", func(n *node) { a.Order = d.word(n, "an order", "arrival", "listed") }},
		field{"within", func(n *node) { a.Within = d.duration(n) }},
	)
	if has != nil && !has["settled"] {
		d.problem(n.pos, "add settled: [LABEL]", "the await step names no calls")
	}
	return a
}

func (d *decoder) wait(n *node) *WaitStep {
	w := &WaitStep{Pos: n.pos}
	n = d.value(n)
	if n.kind != kindObject {
		w.For = d.duration(n)
		return w
	}
	_, has := d.object(n, "a wait step",
		field{"until", func(n *node) { w.Until = d.word(n, "a moment", "deadline", "retry") }},
		field{"call", func(n *node) { w.Call = d.label(n) }},
		field{"less", func(n *node) { w.Less = d.duration(n) }},
		field{"plus", func(n *node) { w.Plus = d.duration(n) }},
	)
	d.exclude(n.pos, has, "less", "plus")
	if !has["until"] {
		d.problem(n.pos, "add until: deadline or retry, or write a duration", "the wait step has no end")
	}
	return w
}

func (d *decoder) trigger(n *node) string {
	return d.word(n, "a trigger", "session.start", "client.messages", "client.action", "tool.execute",
		"tool.finished", "llm.execute", "llm.finished", "subagent.finished", "interrupt.resumed", "turn.finished")
}

// count reads a number that counts from 1.
func (d *decoder) count(n *node) *int { return d.integer(n, 1, anyNumber) }

func (d *decoder) until(n *node) *UntilStep {
	u := &UntilStep{Pos: n.pos, Is: "answered"}
	_, has := d.object(n, "an until step",
		field{"trigger", func(n *node) { u.Trigger = d.trigger(n) }},
		field{"call", func(n *node) { u.Call = d.label(n) }},
		field{"try", func(n *node) { u.Try = d.count(n) }},
		field{"is", func(n *node) { u.Is = d.word(n, "a moment", "due", "sent", "answered") }},
	)
	if has != nil && !has["trigger"] {
		d.problem(n.pos, "add trigger: NAME", "the until step names no trigger")
	}
	return u
}

func (d *decoder) disturb(n *node) *DisturbStep {
	s := &DisturbStep{Pos: n.pos, Times: 1}
	_, has := d.object(n, "a disturb step",
		field{"trigger", func(n *node) { s.Trigger = d.trigger(n) }},
		field{"call", func(n *node) { s.Call = d.label(n) }},
		field{"try", func(n *node) { s.Try = d.count(n) }},
		field{"do", func(n *node) {
			s.Do = d.word(n, "a disturbance", "lose-answer", "lose-request", "repeat", "overlap", "late", "slow", "restart")
		}},
		field{"by", func(n *node) { s.By = d.duration(n) }},
		field{"times", func(n *node) { s.Times = orDefault(d.count(n), 1) }},
	)
	if has == nil {
		return s
	}
	if !has["do"] {
		d.problem(n.pos, "add do: lose-answer, for instance", "the disturb step does nothing")
	}
	if has["by"] && s.Do != "" && s.Do != "late" && s.Do != "slow" {
		d.problem(n.pos, "leave by out", "by is for late and slow, not for %s", s.Do)
	}
	if !has["by"] && (s.Do == "late" || s.Do == "slow") {
		d.problem(n.pos, "add by: "+time.Second.String()+", for instance", "%s by how much?", s.Do)
	}
	return s
}
