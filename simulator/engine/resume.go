package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// Resume loads an engine from one captured request, as it stood when that was
// sent: its decision is live and waits for its answer, at engine time 0 (R5).
// The request's session, agent and identity win over those of cfg. What a
// request does not tell is assumed, and said in words. The error is that of
// [New], or names what the request lacks.
func Resume(cfg Config, req spec.DecisionRequest) (*Engine, Assumed, error) {
	cfg.SessionID, cfg.AgentID, cfg.Identity = req.SessionID, req.AgentID, req.Identity
	if i := req.Identity; i.Visibility == "" && (i.ID != "" || i.Metadata != nil) {
		cfg.Dialect.Identity = spec.IdentityOlder
	}
	e, err := New(cfg)
	if err != nil {
		return nil, nil, err
	}
	if req.Trigger == nil {
		return nil, nil, fmt.Errorf("resume %s: the request has no trigger", req.DecisionID)
	}
	r := &resumption{engine: e, request: req}
	r.session()
	r.conversation()
	r.decision()
	r.calls()
	r.pending()
	e.out = nil
	return e, r.assumed, nil
}

type resumption struct {
	engine  *Engine
	request spec.DecisionRequest
	assumed Assumed
}

func (r *resumption) assume(format string, args ...any) {
	r.assumed = append(r.assumed, fmt.Sprintf(format, args...))
}

func (r *resumption) session() {
	e := r.engine
	e.session.begun = true
	if r.request.Agent != nil {
		e.config.set("", r.request.Agent)
	}
	if v := r.request.State; v != nil && jsonv.Kind(v) != 'n' {
		e.state.set("", v)
	}
	if r.request.TurnID != nil {
		e.turns.last = *r.request.TurnID
		switch r.request.Trigger.TriggerType() {
		case spec.OnSessionStart, spec.OnClientAction:
			r.assume("no turn runs: %s does not tell", r.request.Trigger.TriggerType())
		default:
			e.turns.running = &turn{id: *r.request.TurnID, cost: "0"}
		}
	}
	e.cfg.Ancestry = r.request.Ancestry
}

// conversation loads the tree; the path alone when the tree does not hold it.
func (r *resumption) conversation() {
	e := r.engine
	for _, n := range r.request.MessageTree.Nodes {
		switch {
		case n.Message.ID == "" || e.tree.known(n.Message.ID):
			r.assume("the tree's second message %q is left out", n.Message.ID)
		case n.ParentID != "" && !e.tree.known(n.ParentID):
			// A parent that comes later could close a circle.
			r.assume("message %s is a root: its parent %s does not stand before it", n.Message.ID, n.ParentID)
			e.tree.add(n.Message.Draft(), "")
		default:
			e.tree.add(n.Message.Draft(), n.ParentID)
		}
	}
	head := ""
	for _, m := range r.request.Messages {
		if !e.tree.known(m.ID) {
			e.tree.add(m.Draft(), head)
			r.assume("message %s hangs below the one before it: the tree does not hold it", m.ID)
		}
		head = m.ID
	}
	e.tree.moveTo(head)
	if len(e.tree.path) != len(r.request.Messages) {
		r.assume("the path has %d messages: the tree disagrees with the messages", len(e.tree.path))
	}
	for i, m := range e.tree.path {
		if m.Role == spec.RoleAssistant && len(m.ToolCalls) > 0 {
			e.assumeLlm(m.ID, e.tree.transcript()[:i])
			r.assume("model call %s saw the tools of the config in force and the path before it", m.ID)
		}
		for _, c := range m.ToolCalls {
			e.assumeOver(c)
		}
	}
}

// decision makes the request's decision the live one.
func (r *resumption) decision() {
	e, req := r.engine, r.request
	d := &decision{
		id: req.DecisionID, kind: req.Trigger.TriggerType(), trigger: req.Trigger, state: decisionLive}
	if req.Attempts > e.cfg.Dialect.FirstAttempt {
		d.failures = int(req.Attempts - e.cfg.Dialect.FirstAttempt)
		r.assume("delivery %d of %s counts its total from now", d.failures+1, d.id)
	}
	d.deliveries = d.failures + 1
	end, final := e.deliveryEnd(d)
	if req.Deadline != nil && !final {
		end = req.Deadline.Sub(e.cfg.At)
	}
	d.expires, d.final = end, final
	switch t := req.Trigger.(type) {
	case spec.SessionStartTrigger:
		e.session.start = d
	case spec.ClientMessagesTrigger:
		d.news = &news{messages: t.Messages, full: true, client: t.Client}
	case spec.LlmFinishedTrigger:
		// Calls of its message are traced to it once the message is recorded (E2).
		e.assumeLlm(t.ID, e.tree.transcript())
		r.assume("model call %s saw the tools of the config in force and the path before it", t.ID)
	case spec.TurnFinishedTrigger:
		if run := e.turns.running; run != nil {
			run.ending, run.data, run.usage, run.cost = d, t.Data, t.Usage, t.Cost
		}
	}
	e.decisions[d.id] = d
	e.live = d
}

// calls loads the calls in flight with policies as they would be resolved now.
func (r *resumption) calls() {
	for _, w := range r.request.Calls {
		switch w.Kind {
		case spec.CallTool:
			r.tool(w)
		case spec.CallLlm:
			r.llm(w)
		case spec.CallSubagent:
			r.child(w)
		default:
			r.assume("%s %s is not simulated", w.Kind, w.ID)
		}
	}
	slices.SortStableFunc(r.engine.open.tools, func(a, b *toolCall) int { return r.place(a.id) - r.place(b.id) })
	for n, c := range r.engine.open.tools {
		c.order = n
		r.queueExecute(c)
	}
	live := r.engine.live
	live.call = r.engine.tools[live.trigger.CallID()]
	switch t := live.trigger.(type) {
	case spec.ToolExecuteTrigger:
		live.try = r.try(t.Attempt)
	case spec.LlmExecuteTrigger:
		live.call, live.llm, live.try = nil, r.executed(t), r.try(t.Attempt)
	}
}

// try is an attempt of the wire counted from 1 (gap 1).
func (r *resumption) try(attempt uint32) int {
	if first := r.engine.cfg.Dialect.FirstAttempt; attempt > first {
		return int(attempt-first) + 1
	}
	return 1
}

func (r *resumption) tool(w spec.Call) {
	e := r.engine
	c := &toolCall{name: w.Name, handler: w.Handler}
	if w.Arguments != nil {
		c.arguments = *w.Arguments
	}
	c.attempts = r.attempts(w, e.toolPolicy(w.Handler, nil))
	r.assume("call %s has the policy that the config in force gives it", w.ID)
	e.tools[w.ID] = c
	e.open.tools = append(e.open.tools, c)
}

// child loads the call of a subagent. One that runs has heard its message; of one
// that waits the message is not told.
func (r *resumption) child(w spec.Call) {
	e := r.engine
	c := &toolCall{name: w.AgentID, child: &child{
		agent: w.AgentID, session: w.SessionID, message: spec.DraftMessage{Role: spec.RoleUser, Content: e.argumentsOf(w.ID)},
	}}
	c.attempts = r.attempts(w, e.childPolicy(nil))
	r.assume("subagent %s has the policy that the config in force gives it", w.ID)
	e.tools[w.ID] = c
	e.open.tools = append(e.open.tools, c)
	if e.children == nil {
		e.children = children{}
	}
	e.children[w.SessionID] = &childSession{agent: w.AgentID}
	switch c.status {
	case statusQueued, statusWaiting:
		r.assume("subagent %s hears the arguments of its call", w.ID)
	default:
		c.runs()
		e.children[w.SessionID].call = c
	}
}

func (r *resumption) llm(w spec.Call) {
	e := r.engine
	e.assumeLlm(w.ID, e.tree.transcript())
	c := e.llms[w.ID]
	c.attempts = r.attempts(w, e.llmPolicy(nil))
	if w.Stream != nil {
		c.stream = *w.Stream
	}
	r.assume("model call %s asks over the path with the tools of the config in force", w.ID)
	e.open.llms = append(e.open.llms, c)
	t, asked := r.request.Trigger.(spec.LlmExecuteTrigger)
	switch {
	case asked && t.ID == w.ID:
		r.hosted(c, t)
	case w.Handler == spec.HandlerWorker:
		c.hosted = spec.HostedNative
		c.handed = c.status == statusPending
		r.assume("the worker has model call %s, in the protocol's own form", w.ID)
	}
}

// hosted takes from an llm.execute what it tells of its call.
func (r *resumption) hosted(c *llmCall, t spec.LlmExecuteTrigger) {
	c.hosted, c.stream = cmp.Or(t.Format, spec.HostedNative), t.Stream
	if t.Format != "" {
		return
	}
	if request, fault := spec.ParseLlmRequest(t.Request); fault == nil {
		c.request = request
	}
}

// executed finds the call of an llm.execute, or makes it where the request does
// not list it.
func (r *resumption) executed(t spec.LlmExecuteTrigger) *llmCall {
	e := r.engine
	if c := e.llms[t.ID]; c != nil && c.status.open() {
		return c
	}
	delete(e.llms, t.ID)
	r.assume("model call %s is in flight: the request does not list it", t.ID)
	r.llm(spec.Call{ID: t.ID, Status: spec.CallPending, Attempt: t.Attempt, Deadline: t.Deadline, Anchor: e.tree.head})
	return e.llms[t.ID]
}

func (r *resumption) attempts(w spec.Call, policy spec.RetryPolicy) attempts {
	e := r.engine
	e.requested++
	a := attempts{id: w.ID, policy: policy, anchor: w.Anchor, order: e.requested}
	if w.Attempt > e.cfg.Dialect.FirstAttempt {
		a.failures = int(w.Attempt - e.cfg.Dialect.FirstAttempt)
	}
	switch w.Status {
	case spec.CallQueued:
	case spec.CallRetryScheduled:
		a.status, a.started = statusWaiting, true
		a.retryAt = toolcall.Wait(policy, a.failures)
		r.assume("call %s waits its whole back-off from now", w.ID)
	default:
		a.begin(0)
		if w.Deadline != nil {
			end := w.Deadline.Sub(e.cfg.At)
			a.deadline, a.expires, a.final = &end, &end, false
		}
	}
	return a
}

// place orders calls as the model made them, by their place on the path.
func (r *resumption) place(id string) int {
	n := 0
	for _, m := range r.engine.tree.path {
		for _, c := range m.ToolCalls {
			if c.ID == id {
				return n
			}
			n++
		}
	}
	return n
}

// queueExecute decides whether the tool.execute of an open call is still to
// come: for those that the model made after the one that is out.
func (r *resumption) queueExecute(c *toolCall) {
	e := r.engine
	if c.child != nil && c.status == statusQueued {
		e.queue.push(item{tool: c})
	}
	if c.handler == spec.HandlerServer && c.status == statusPending {
		r.runs(c)
	}
	if c.handler != spec.HandlerWorker || c.id == e.live.trigger.CallID() {
		return
	}
	switch {
	case c.status == statusQueued:
		e.queue.push(item{tool: c})
	case c.status != statusPending:
	case e.live.kind == spec.OnToolExecute && r.place(c.id) > r.place(e.live.trigger.CallID()):
		r.assume("the tool.execute of %s is still to come", c.id)
		e.startTool(c)
	default:
		r.assume("the worker has call %s", c.id)
		c.handed = true
	}
}

// pending keeps the count of finished calls that the request does not name.
func (r *resumption) pending() {
	e := r.engine
	if known := e.pendingCalls(e.live); r.request.PendingCalls > known {
		e.unseen = r.request.PendingCalls - known
		r.assume("%d finished calls are queued that the request does not name", e.unseen)
	}
}
