package retell

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/wild"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// answer keeps what the worker answered, as what is expected of it again.
func (t *teller) answer(s *told, x *spec.Exchange, asked *spec.DecisionRequest, d *spec.Decision, at *decision) {
	for _, a := range d.Actions {
		switch a := a.(type) {
		case spec.InterruptResolveAction:
			s.resolved = append(s.resolved, a.InterruptID)
		case spec.DoneAction:
			s.ended = true
		case spec.ToolResultAction:
			s.settles(a.ID)
		case spec.ToolErrorAction:
			s.settles(a.ID)
		}
	}
	switch asked.Trigger.TriggerType() {
	case spec.OnTurnFinished:
		s.ended = true
	case spec.OnSessionStart:
		s.startState, s.startAgent = d.State, d.Agent
	}
	e := &expect{place: x.Session + "/" + x.D, check: scenarios.ObjectTree()}
	e.check.Add("trigger", scenarios.TextTree(string(asked.Trigger.TriggerType())))
	switch tr := asked.Trigger.(type) {
	case spec.ToolExecuteTrigger:
		worked(t.works, asked, d)
		e.call = s.calls[tr.ID]
		e.try = e.call.tries
		t.executed(e, tr, d)
	case spec.ToolFinishedTrigger:
		e.call = s.calls[tr.ID]
		if e.call.handler == spec.HandlerWorker && !e.call.pending {
			break
		}
		e.check.Add("ok", word(tr.OK))
	default:
		return
	}
	if e.call.early || e.call.label == "" || s.last == nil || e.answer == nil && e.check.Member("ok") == nil {
		return
	}
	e.call.places = append(e.call.places, e.place)
	at.expects = append(at.expects, e)
	s.last.expects = append(s.last.expects, e)
}

// settles notes that an answer settled a call, whatever it was asked.
func (s *told) settles(id *string) {
	if id == nil {
		return
	}
	if c := s.calls[*id]; c != nil {
		c.pending = false
	}
}

func word(b bool) *scenarios.Tree { return scenarios.WordTree(fmt.Sprint(b)) }

// executed is what is expected of the answer to a call: how it ended, and what it
// says where that looks as if it stayed the same.
func (t *teller) executed(e *expect, tr spec.ToolExecuteTrigger, d *spec.Decision) {
	var results, failures int
	var result spec.ToolResultAction
	var failure spec.ToolErrorAction
	interrupt := false
	for _, a := range d.Actions {
		switch a := a.(type) {
		case spec.ToolResultAction:
			if a.ID == nil || *a.ID == tr.ID {
				result, results = a, results+1
			}
		case spec.ToolErrorAction:
			if a.ID == nil || *a.ID == tr.ID {
				failure, failures = a, failures+1
			}
		case spec.InterruptAction:
			interrupt = true
		}
	}
	switch {
	case results+failures > 1:
		return
	case results == 1:
		text, flagged := scenarios.ResultText(result)
		e.answer = scenarios.ObjectTree().Add("is", scenarios.TextTree(string(scenarios.WordRuns)))
		if flagged {
			e.answer = scenarios.ObjectTree().Add("is", scenarios.TextTree(string(scenarios.WordResult))).Add("is_error", word(true))
		}
		e.pinnable = text
	case failures == 1:
		e.answer = scenarios.ObjectTree().Add("is", scenarios.TextTree(string(scenarios.WordError)))
		if failure.Retryable != nil && *failure.Retryable {
			e.answer.Add("retryable", word(true))
		}
	case interrupt:
		e.answer = scenarios.TextTree(string(scenarios.WordInterrupt))
		e.call.pending = true
	default:
		e.answer = scenarios.TextTree(string(scenarios.WordPending))
		e.call.pending = true
	}
	e.textKey = tr.Name + " " + tr.Arguments
	if other, twice := t.texts[e.textKey]; twice && other != e.pinnable {
		e.pinnable = ""
		t.texts[e.textKey] = ""
	} else {
		t.same[e.textKey] = twice
		t.texts[e.textKey] = e.pinnable
	}
}

// worked keeps the arguments of a call that ran, the first of each tool.
func worked(works map[string]*scenarios.Tree, asked *spec.DecisionRequest, d *spec.Decision) {
	tr, ok := asked.Trigger.(spec.ToolExecuteTrigger)
	if _, known := works[tr.Name]; !ok || known || tr.Input.Status != spec.InputValid {
		return
	}
	for _, a := range d.Actions {
		result, ok := a.(spec.ToolResultAction)
		if !ok || result.ID != nil && *result.ID != tr.ID {
			continue
		}
		if _, flagged := scenarios.ResultText(result); !flagged {
			works[tr.Name] = argumentsOf(tr.Arguments)
		}
		return
	}
}

// standIn reports whether anything in t was taken out of a recording.
func standIn(t *scenarios.Tree) bool {
	return strings.Contains(t.Text, spec.StandInPrefix) || slices.ContainsFunc(t.Items, standIn)
}

// finish puts the scenario together.
func (t *teller) finish(o Options) (*Retold, error) {
	if len(t.steps) == 0 {
		return nil, ErrNothing
	}
	doc := scenarios.ObjectTree()
	title := "What a recording shows"
	if said := t.chosen.Said; said != "" {
		title += ": " + said
	}
	doc.Add("scenario", &scenarios.Tree{Kind: scenarios.TreeText, Text: title})
	if t.digest != "" {
		doc.Add("refs", scenarios.ListTree(&scenarios.Tree{Text: "recording:sha256:" + t.digest[:min(16, len(t.digest))] + "#" + t.chosen.Alias}))
	}
	broken := ids(t.broken)
	if len(broken) > 0 {
		list := scenarios.ListTree()
		for _, id := range broken {
			list.Items = append(list.Items, scenarios.TextTree(id))
		}
		doc.Add("requirements", list)
	}
	doc.Add("needs", t.needs())
	doc.Add("engine", t.engineTree())
	doc.Add("given", t.givenTree())
	steps := scenarios.ListTree()
	for _, st := range t.steps {
		steps.Items = append(steps.Items, t.stepTree(st))
	}
	doc.Add("steps", steps)
	doc.Add("finally", t.finally())
	doc.Comment = strings.Join(comment(o, "session "+t.chosen.Alias, t.broken, t.left), "\n")
	text := doc.YAML()
	if len(text) > MaxBytes {
		return nil, t.tooLong(len(text), steps)
	}
	if _, err := scenarios.Parse("scenario", text); err != nil {
		return nil, fmt.Errorf("the recording holds what no scenario can say: %w", err)
	}
	return &Retold{Tree: doc, Broken: broken, Left: t.left, Works: t.works}, nil
}

// tooLong names the longest step of a scenario that is too long.
func (t *teller) tooLong(size int, steps *scenarios.Tree) error {
	longest, at := 0, 0
	for i, st := range steps.Items {
		if n := len(st.YAML()); n > longest {
			longest, at = n, i
		}
	}
	return &SizeError{
		What: fmt.Sprintf("the scenario would have %d bytes, at most %d are read; the longest is step %d (%s) with %d",
			size, MaxBytes, at+1, t.steps[at].verb, longest),
		Fix: "record the session without that payload, or tell another session",
	}
}

// needs asks for what the calls need. Tools are called by name: one that is gone
// is then seen to be gone.
func (t *teller) needs() *scenarios.Tree {
	var features []string
	if t.async {
		features = append(features, "async", "settle")
	}
	if t.hosted != "" {
		features = append(features, "hosted-model")
	}
	if len(features) == 0 {
		return nil
	}
	list := scenarios.ListTree()
	for _, f := range features {
		list.Items = append(list.Items, scenarios.TextTree(f))
	}
	return scenarios.ObjectTree().Add("features", list)
}

func (t *teller) engineTree() *scenarios.Tree {
	e := scenarios.ObjectTree()
	if t.engine.agentID != "" {
		e.Add("agent_id", scenarios.TextTree(t.engine.agentID))
	}
	if i := t.engine.identity; i != nil && (i.Subject != nil || i.Visibility != "shared" || len(i.Metadata) > 0) {
		if text, err := spec.Marshal(i); err == nil {
			e.Add("identity", t.value(text, "the identity"))
		}
	}
	e.Add("start", t.engine.start)
	if root := t.sessions[t.chosen.Alias]; root.agent == nil || root.agent.Retry == nil {
		tool := scenarios.ObjectTree()
		if t.engine.tries > 1 {
			tool.Add("max_attempts", number(t.engine.tries))
		}
		if t.engine.runTimeout > 0 {
			tool.Add("run_timeout_secs", number(t.engine.runTimeout))
		}
		if len(tool.Keys) > 0 {
			e.Add("retry", scenarios.ObjectTree().Add("tool", tool))
		}
	}
	if len(t.engine.dialect) > 0 {
		d := scenarios.ObjectTree()
		for _, key := range slices.Sorted(maps.Keys(t.engine.dialect)) {
			value := scenarios.TextTree(t.engine.dialect[key])
			if key == "first_attempt" {
				value.Kind = scenarios.TreeWord
			}
			d.Add(key, value)
		}
		e.Add("dialect", d)
	}
	if t.hosted != "" {
		e.Add("hosted", scenarios.TextTree(t.hosted))
	}
	if len(e.Keys) == 0 {
		return nil
	}
	return e
}

func (t *teller) givenTree() *scenarios.Tree {
	g := scenarios.ObjectTree()
	if len(t.before.messages) > 0 {
		g.Add("messages", scenarios.ListTree(t.before.messages...))
	}
	if t.before.state != nil {
		g.Add("state", t.value(t.before.state, "the state"))
	}
	if len(g.Keys) == 0 {
		return nil
	}
	return g
}

// stepTree is a step with what is expected of it.
func (t *teller) stepTree(st *step) *scenarios.Tree {
	out := scenarios.ObjectTree()
	if !st.session.root {
		if label := t.childLabel(st.session); label != "" {
			out.Add("session", scenarios.TextTree(label))
		}
	}
	value := st.value
	if len(value.Keys) == 1 && value.Keys[0] == "text" && (st.verb == "user" || st.verb == "model") {
		value = value.Items[0]
	}
	out.Add(st.verb, value)
	checks := scenarios.ListTree()
	for _, e := range st.expects {
		// What was delivered again may come in the window of another step.
		if !e.again && !t.isBroken(e.place) {
			checks.Items = append(checks.Items, t.check(e))
		}
	}
	if len(checks.Items) > 0 {
		out.Add("expect", checks)
	}
	out.Comment = st.comment
	return out
}

// childLabel is the label of the call that a subagent works for.
func (t *teller) childLabel(s *told) string {
	parent := t.sessions[s.parent]
	if parent == nil {
		return ""
	}
	if c := parent.calls[t.byChild[s.id]]; c != nil && c.label != "" {
		return c.label
	}
	t.leave("which call the subagent in " + s.alias + " works for")
	return ""
}

// isBroken reports whether a requirement is broken in an exchange: what it shows
// is then not what is wanted.
func (t *teller) isBroken(place string) bool {
	return slices.ContainsFunc(t.broken, func(b broke) bool { return b.Session+"/"+b.Exchange == place })
}

func (t *teller) check(e *expect) *scenarios.Tree {
	c := e.check.Clone()
	c.Add("call", scenarios.TextTree(e.call.label))
	if e.try > 0 && e.call.tries > 1 {
		c.Add("try", number(e.try))
	}
	answer := e.answer
	if answer == nil {
		return c
	}
	if e.pinnable != "" && t.texts[e.textKey] == e.pinnable && steady(e.pinnable) {
		answer = answer.Clone().Add("text", t.pinned(e))
	}
	if len(answer.Keys) == 1 {
		answer = answer.Items[0]
	}
	return c.Add("answer", answer)
}

// pinned is what is expected of the text of a result. One recording does not show
// which numbers stay, but where an equal call was answered by the same twice.
func (t *teller) pinned(e *expect) *scenarios.Tree {
	pattern := like(e.pinnable)
	if t.same[e.textKey] || !numbers.MatchString(e.pinnable) || !wild.Match(pattern, e.pinnable) {
		return scenarios.TextTree(e.pinnable)
	}
	return scenarios.ObjectTree().Add("like", scenarios.TextTree(pattern))
}

// finally says how the calls and the turn ended, where nothing was broken.
func (t *teller) finally() *scenarios.Tree {
	root := t.sessions[t.chosen.Alias]
	list := scenarios.ListTree()
	if root.midTurn {
		return nil
	}
	if root.ended && len(t.broken) == 0 {
		list.Items = append(list.Items, scenarios.ObjectTree().Add("turn", scenarios.TextTree("completed")))
	}
	calls := scenarios.ObjectTree()
	for _, c := range root.order {
		if !c.finished || c.tries == 0 && c.handler != spec.HandlerClient || slices.ContainsFunc(c.places, t.isBroken) || len(t.broken) > 0 {
			continue
		}
		is := "failed"
		if c.ok {
			is = "done"
		}
		check := scenarios.ObjectTree().Add("is", scenarios.TextTree(is))
		if c.tries > 1 {
			check.Add("tries", number(c.tries))
		}
		calls.Add(c.label, check)
	}
	if len(calls.Keys) > 0 {
		list.Items = append(list.Items, scenarios.ObjectTree().Add("calls", calls))
	}
	if len(list.Items) == 0 {
		return nil
	}
	return list
}
