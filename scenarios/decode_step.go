package scenarios

import "strings"

func (d *decoder) steps(n *node) []Step {
	all := list(d, n, "a list of steps", d.step)
	if n.kind == kindList && len(n.items) == 0 {
		d.problem(n.pos, "write at least one step", "steps is empty")
	}
	return all
}

var verbs = []string{"user", "model", "client", "await", "settle", "wait", "until", "disturb", "restart", "send"}

func (d *decoder) step(n *node) Step {
	s := Step{Pos: n.pos}
	n, has := d.object(n, "a step",
		field{"user", func(n *node) { s.User = d.user(n) }},
		field{"model", func(n *node) { s.Model = d.model(n) }},
		field{"client", func(n *node) { s.Client = d.client(n) }},
		field{"await", func(n *node) { s.Await = d.await(n) }},
		field{"settle", func(n *node) { s.Settle = d.settle(n) }},
		field{"wait", func(n *node) { s.Wait = d.wait(n) }},
		field{"until", func(n *node) { s.Until = d.until(n) }},
		field{"disturb", func(n *node) { s.Disturb = d.disturb(n) }},
		field{"restart", func(n *node) {
			s.Restart = &RestartStep{n.pos, d.word(n, "a thing to restart", "worker", "engine")}
		}},
		field{"send", func(n *node) { s.Send = d.send(n) }},
		field{"session", func(n *node) { s.Session = d.label(n) }},
		field{"expect", func(n *node) { s.Expect = d.checks(n) }},
		field{"exactly", func(n *node) { s.Exactly = d.flag(n) }},
		field{"note", func(n *node) { s.Note = d.prose(n) }},
	)
	if has == nil {
		return s
	}
	var written []string
	for _, verb := range verbs {
		if has[verb] {
			written = append(written, verb)
		}
	}
	switch {
	case len(written) == 0:
		d.problem(n.pos, "one of: "+strings.Join(verbs, ", "), "the step has no verb")
	case len(written) > 1:
		d.problem(n.pos, "write one step each", "the step has %d verbs: %s", len(written), strings.Join(written, ", "))
	}
	return s
}

// isText says whether a value that may be a Text or an object is a Text.
func (d *decoder) isText(n *node) bool {
	n = d.value(n)
	return n.kind != kindObject || isRecipe(n)
}

// exclude reports keys of which an object may have one.
func (d *decoder) exclude(pos Pos, has map[string]bool, keys ...string) {
	var written []string
	for _, key := range keys {
		if has[key] {
			written = append(written, key)
		}
	}
	if len(written) > 1 {
		d.problem(pos, "keep one of them", "%s exclude each other", strings.Join(written, " and "))
	}
}

func (d *decoder) model(n *node) *ModelStep {
	m := &ModelStep{Pos: n.pos}
	if d.isText(n) {
		m.Text = d.textRecipe(n)
		return m
	}
	_, has := d.object(n, "a model step",
		field{"text", func(n *node) { m.Text = d.textRecipe(n) }},
		field{"calls", func(n *node) { m.Calls = d.calls(n) }},
		field{"stop", func(n *node) { m.Stop = d.word(n, "a stop", "length", "refusal", "content_filter") }},
		field{"fail", func(n *node) { m.Fail = d.modelFailure(n) }},
		field{"usage", func(n *node) { m.Usage = d.jsonObject(n) }},
		field{"id", func(n *node) { m.ID = d.text(n) }},
	)
	if m.Fail != nil && (has["text"] || has["calls"] || has["stop"] || has["usage"]) {
		d.problem(m.Fail.Pos, "keep fail alone", "a model call that fails has no reply")
	}
	return m
}

func (d *decoder) modelFailure(n *node) *ModelFailure {
	f := &ModelFailure{Pos: n.pos}
	d.object(n, "a model's failure",
		field{"code", func(n *node) { f.Code = d.text(n) }},
		field{"message", func(n *node) { f.Message = d.text(n) }},
	)
	return f
}

func (d *decoder) optionalText(n *node) *string {
	text := d.text(n)
	return &text
}

func (d *decoder) result(n *node) *Result {
	r := &Result{Pos: n.pos}
	if d.isText(n) {
		r.Text = d.textRecipe(n)
		return r
	}
	_, has := d.object(n, "a result",
		field{"text", func(n *node) { r.Text = d.textRecipe(n) }},
		field{"content", func(n *node) { r.Content = d.jsonList(n) }},
		field{"structured", func(n *node) { r.Structured = d.json(n) }},
		field{"is_error", func(n *node) { r.IsError = d.boolean(n) }},
	)
	d.exclude(n.pos, has, "text", "content")
	return r
}

func (d *decoder) settle(n *node) *SettleStep {
	s := &SettleStep{Pos: n.pos, Status: 200}
	_, has := d.object(n, "a settle step",
		field{"call", func(n *node) { s.Call = d.label(n) }},
		field{"result", func(n *node) { s.Result = d.result(n) }},
		field{"error", func(n *node) { s.Error = d.optionalText(n) }},
		field{"retryable", func(n *node) { s.Retryable = d.boolean(n) }},
		field{"attempt", func(n *node) { s.Attempt = d.integer(n, 0, anyNumber) }},
		field{"status", func(n *node) { s.Status = orDefault(d.status(n), 200) }},
	)
	if has == nil {
		return s
	}
	d.exclude(n.pos, has, "result", "error")
	if !has["call"] {
		d.problem(n.pos, "add call: LABEL", "the settle step names no call")
	}
	return s
}

func (d *decoder) status(n *node) *int { return d.integer(n, 100, 599) }
