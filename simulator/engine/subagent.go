package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// maxDepth is how deep subagents may call each other where a config does not say
// it (L4).
const maxDepth = 5

// child is what a call of a subagent has beside what every call has.
type child struct {
	agent, session string
	// known says that the call names a session to go on with.
	known   bool
	message spec.DraftMessage
}

// children are the sessions that this one has started, by id: the agent of each,
// and the call that it works for, nil while it has nothing to do.
type children map[string]*childSession

type childSession struct {
	agent string
	call  *toolCall
}

// withSubagents is the tool list of a model call with the subagents that the
// config offers, but for names that are there already (C8).
func withSubagents(config *spec.AgentConfig, tools []spec.LlmTool) []spec.LlmTool {
	list := tools[:len(tools):len(tools)]
	for _, offer := range config.SubagentOffers() {
		if !listed(tools, offer.Name) {
			list = append(list, offer)
		}
	}
	return list
}

// proposeSpawn turns a call of an offered subagent into its spawn: the child
// first hears `message`, or the raw arguments when there is none (L2).
func proposeSpawn(config *spec.AgentConfig, c spec.ToolCall) spec.SubagentSpawnAction {
	name, arguments := c.Function.Name, c.Function.Arguments
	spawn := spec.SubagentSpawnAction{AgentID: config.SubagentCalled(name, arguments), ToolCallID: c.ID}
	message := arguments
	if v := jsontext.Value(arguments); v.IsValid() {
		if text, ok := textAt(v, "/message"); ok {
			message = text
		}
		if text, ok := textAt(v, "/session"); ok {
			spawn.SessionID = &text
		}
	}
	spawn.Message = &spec.DraftMessage{Role: spec.RoleUser, Content: jsonv.Quote(message)}
	return spawn
}

func textAt(v jsontext.Value, pointer string) (string, bool) {
	found, ok := jsonv.Get(v, pointer)
	if !ok {
		return "", false
	}
	return jsonv.Text(found)
}

// requestChild starts the call of a subagent. An id that the session knows is
// ignored, so that no second child is spawned for it (C7, L2).
func (a *application) requestChild(t spec.SubagentSpawnAction) bool {
	e := a.engine
	if e.tools[t.ToolCallID] != nil {
		return false
	}
	k := &child{agent: t.AgentID, message: spec.DraftMessage{Role: spec.RoleUser, Content: e.argumentsOf(t.ToolCallID)}}
	if t.Message != nil {
		k.message = ownDraft(*t.Message)
		k.message.Role = spec.RoleUser
	}
	if t.SessionID != nil {
		k.session, k.known = *t.SessionID, true
	} else {
		k.session = e.cfg.ChildID(a.decision.id, t.ToolCallID)
	}
	c := &toolCall{name: t.AgentID, child: k, attempts: e.newAttempts(t.ToolCallID, e.childPolicy(t.Retry))}
	e.tools[c.id] = c
	e.open.tools = append(e.open.tools, c)
	e.queue.push(item{tool: c})
	a.started = true
	return true
}

// argumentsOf is what a child hears whose spawn has no message: the arguments of
// the model's call as they are (L2).
func (e *Engine) argumentsOf(call string) jsontext.Value {
	if o, ok := e.trace(call); ok {
		for _, c := range o.message.ToolCalls {
			if c.ID == call {
				return jsonv.Quote(c.Function.Arguments)
			}
		}
	}
	return jsonv.Quote("")
}

// spawn hands the message of a call to its child, or ends the call where there
// can be no child (L4).
func (e *Engine) spawn(c *toolCall) {
	k := c.child
	if problem := e.unspawnable(k); problem != nil {
		e.failTool(c, *problem, false)
		return
	}
	s := e.children[k.session]
	if s == nil {
		s = &childSession{agent: k.agent}
		if e.children == nil {
			e.children = children{}
		}
		e.children[k.session] = s
	}
	s.call = c
	c.runs()
	e.emit(Spawn{Call: c.id, Session: k.session, AgentID: k.agent, Continues: k.known, Message: k.message})
}

// runs says that the child of a call works: off the clock of the attempt, while
// the total goes on (wire 2, H7).
func (c *toolCall) runs() {
	c.status, c.deadline, c.expires = statusRunning, nil, nil
	if total := c.policy.TotalTimeoutSecs; total != nil {
		end := after(c.first, total)
		c.expires, c.final = &end, true
	}
}

// unspawnable says why a child cannot hear its message, nil when it can (L4).
func (e *Engine) unspawnable(k *child) *spec.ErrorInfo {
	unroutable := func(format string, args ...any) *spec.ErrorInfo {
		return &spec.ErrorInfo{Code: spec.CodeUnroutable, Message: fmt.Sprintf(format, args...)}
	}
	limit := uint32(maxDepth)
	if config := e.config.current; config != nil && config.MaxSubagentDepth != nil {
		limit = *config.MaxSubagentDepth
	}
	s := e.children[k.session]
	switch {
	case uint64(len(e.cfg.Ancestry))+1 > uint64(limit):
		return &spec.ErrorInfo{
			Code: spec.CodeBudgetExceeded, Message: fmt.Sprintf("subagent depth limit reached: max_subagent_depth is %d", limit),
		}
	case k.agent == "":
		return unroutable("the call names no subagent")
	case k.known && (s == nil || s.agent != k.agent):
		return unroutable("subagent session not found: %s", k.session)
	case s != nil && s.call != nil:
		return unroutable("subagent session is busy: %s", k.session)
	}
	return nil
}

// childEnded takes the end of a child's turn: its call ends with it, unless that
// is over or hangs on a path that was left (O5). What the child cost counts in the
// turn that runs (L5).
func (e *Engine) childEnded(ev ChildEnded) {
	e.spend(&ev.Usage, ev.Cost)
	s := e.children[ev.Session]
	if s == nil || s.call == nil {
		return
	}
	c := s.call
	s.call = nil
	switch {
	case c.status != statusRunning:
	case !e.tree.onPath(c.anchor):
		c.status = statusVoided
	case ev.Error != nil:
		e.failTool(c, *ev.Error, false)
	default:
		c.status = statusDone
		c.said = ev.Result
		e.finishTool(c)
	}
}

// finishedChild is the subagent.finished of a call (L3).
func finishedChild(c *toolCall) spec.SubagentFinishedTrigger {
	return spec.SubagentFinishedTrigger{
		ID: c.id, OK: c.err == nil, SessionID: c.child.session, AgentID: c.child.agent, Result: c.said, Error: c.err,
	}
}

// Child is the config of the session that a [Spawn] starts. Its engine is
// brought to the parent's time by a [Tick] before its first input. The caller
// sets ID. Where the parent's own start is proposed by an agent file, so is the
// child's: with the same model, and nothing else that is the parent's own (A3).
func (e *Engine) Child(s Spawn) Config {
	cfg := e.cfg
	cfg.SessionID, cfg.AgentID = s.Session, s.AgentID
	cfg.Ancestry = append(append([]string{}, e.cfg.Ancestry...), e.cfg.SessionID)
	if e.cfg.Agent != nil {
		cfg.Agent = &spec.AgentConfig{Model: e.cfg.Agent.Model, Llm: e.cfg.Agent.Llm}
	}
	return cfg
}

// EndOf is what a child's [Turn] tells its parent, false while the turn runs. The
// result of a child is its output: a text as it is, any other value as JSON.
func EndOf(session string, t Turn) (ChildEnded, bool) {
	if t.Event.Event == spec.TurnStarted {
		return ChildEnded{}, false
	}
	end := ChildEnded{Session: session, Error: t.Event.Error, Usage: t.Usage, Cost: t.Cost}
	if data := t.Event.Data; end.Error == nil && len(data) > 0 && jsonv.Kind(data) != 'n' {
		text, ok := jsonv.Text(data)
		if !ok {
			text = string(jsonv.Compact(data))
		}
		end.Result = &text
	}
	return end, true
}

// derivedID is the id of a child that nobody else names: made from its decision
// and call, so that the same spawn always means the same child (L2).
func derivedID(decision, call string) string {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%d:%s%s", len(decision), decision, call)))
	sum[6], sum[8] = 0x70|sum[6]&0x0f, 0x80|sum[8]&0x3f
	parts := []string{}
	for n, from := 0, 0; n < 5; n++ {
		to := from + []int{4, 2, 2, 2, 6}[n]
		parts = append(parts, hex.EncodeToString(sum[from:to]))
		from = to
	}
	return strings.Join(parts, "-")
}
