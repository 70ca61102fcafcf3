package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// Engine is one simulated session. It is not safe for concurrent use; a
// session's events have an order, and the caller gives it.
type Engine struct {
	cfg Config
	now time.Duration
	out []Effect

	tree   tree
	state  versions[jsontext.Value]
	config versions[*spec.AgentConfig]

	tools map[string]*toolCall
	llms  map[string]*llmCall
	open  openCalls
	// requested counts the calls of the session.
	requested int

	decisions map[string]*decision
	queue     queue
	live      *decision
	waiting   []*decision

	session session
	turns   turns
	// interrupts are those that nobody has answered.
	interrupts []interrupt

	minted map[IDKind]int
	// told names what was already reported as not simulated.
	told map[string]bool
	// children are the sessions of subagents.
	children children
	kept     kept
	// policy is that of decisions, which no agent config touches (D4).
	policy spec.RetryPolicy
	// unseen counts pending work that a resumed request tells of without
	// naming it.
	unseen uint32
	// stored are the bytes of blobs by uri, see [blobs].
	stored map[string][]byte
	// index is what was searched last; written counts the letters that the
	// engine's own tools wrote.
	index   *index
	written int
}

// session is where the start of the session stands (A1, A5).
type session struct {
	// begun says that a first input has come.
	begun bool
	// start is the session.start that is not settled yet.
	start *decision
	// failed says that the last one failed for good.
	failed bool
}

// New returns an engine for a session that nothing has happened to yet. The
// error names the member of cfg that is missing or cannot be used.
func New(cfg Config) (*Engine, error) {
	switch {
	case cfg.SessionID == "":
		return nil, errors.New("engine config: session id is empty")
	case cfg.AgentID == "":
		return nil, errors.New("engine config: agent id is empty")
	case cfg.ID == nil:
		return nil, errors.New("engine config: no source of ids")
	case cfg.Pace < 0:
		return nil, fmt.Errorf("engine config: pace %s is negative", cfg.Pace)
	}
	switch cfg.Dialect.EmptyProposed {
	case "", dialectFull, dialectShort:
	default:
		return nil, fmt.Errorf("engine config: dialect empty_proposed %q is neither full nor short", cfg.Dialect.EmptyProposed)
	}
	switch cfg.Dialect.FailedCall {
	case "", dialectInterrupt, dialectFail:
	default:
		return nil, fmt.Errorf("engine config: dialect failed_call %q is neither interrupt nor fail", cfg.Dialect.FailedCall)
	}
	if cfg.Hosted != "" && !slices.Contains(spec.HostedForms(), cfg.Hosted) {
		return nil, fmt.Errorf("engine config: hosted %q is none of %s", cfg.Hosted, strings.Join(spec.HostedForms(), ", "))
	}
	if cfg.ChildID == nil {
		cfg.ChildID = derivedID
	}
	if cfg.Tenant == "" {
		cfg.Tenant = "simulated"
	}
	if cfg.Identity.Metadata == nil {
		cfg.Identity.Metadata = map[string]string{}
	}
	switch cfg.Dialect.Identity {
	case "":
		if cfg.Identity.Visibility == "" {
			cfg.Identity.Visibility = "shared"
		}
	case spec.IdentityOlder:
		cfg.Identity = cfg.Identity.Older()
	default:
		return nil, fmt.Errorf("engine config: dialect identity %q is neither empty nor %s", cfg.Dialect.Identity, spec.IdentityOlder)
	}
	e := &Engine{
		cfg: cfg, tree: newTree(),
		state: newVersions[jsontext.Value](), config: newVersions[*spec.AgentConfig](),
		tools: map[string]*toolCall{}, llms: map[string]*llmCall{},
		decisions: map[string]*decision{}, turns: newTurns(),
		minted: map[IDKind]int{}, told: map[string]bool{},
	}
	e.policy = e.decisionPolicy()
	return e, nil
}

// The values of a dialect (gaps 2 and 9).
const (
	dialectFull      = "full"
	dialectShort     = "short"
	dialectInterrupt = "interrupt"
	dialectFail      = "fail"
)

// Step takes one event and returns what follows from it, in order. The same
// events after the same Config always give the same effects (R20).
func (e *Engine) Step(ev Event) []Effect {
	e.out = nil
	switch ev := ev.(type) {
	case Input:
		e.input(ev)
		e.advance(e.now)
	case Settle:
		e.replying(func() InputReply { return e.settleAsMachine(ev.Action) })
		e.advance(e.now)
	case Submit:
		var took time.Duration
		e.replying(func() (reply InputReply) {
			reply, took = e.submitted(ev)
			return reply
		})
		e.now += took
		e.advance(e.now)
	case Answer:
		e.now += e.answered(ev)
		e.advance(e.now)
	case Reply:
		e.now += e.replied(ev)
		e.advance(e.now)
	case Tick:
		e.advance(ev.To)
	case Plant:
		e.plant(ev)
		e.advance(e.now)
	case Interrupt:
		e.replying(func() InputReply { return e.interruptAsClient(ev) })
		e.advance(e.now)
	case ChildEnded:
		e.childEnded(ev)
		e.advance(e.now)
	case Restart:
		e.restart()
		e.advance(e.now)
	default:
		e.unsupported(fmt.Sprintf("event %T", ev))
	}
	out := e.out
	e.out = nil
	return out
}

// Now returns the engine time since Config.At.
func (e *Engine) Now() time.Duration { return e.now }

// Asked returns the model call that was asked first and has not been replied
// to, if there is one.
func (e *Engine) Asked() (call string, ok bool) {
	for _, c := range e.open.llms {
		if c.status == statusPending && c.hosted == "" {
			return c.id, true
		}
	}
	return "", false
}

// InFlight reports whether a delivery is out that was not answered.
func (e *Engine) InFlight() bool { return e.live != nil }

// TurnOpen reports whether a turn runs.
func (e *Engine) TurnOpen() bool { return e.turns.running != nil }

// HeldByWorker reports whether the worker answered the tool.execute or the
// llm.execute of a call without settling it, so that the answer is still to come
// (I1). A call that was answered with an interrupt waits for a person first (M5).
func (e *Engine) HeldByWorker() bool {
	return slices.ContainsFunc(e.open.tools, func(c *toolCall) bool {
		return c.handed && !c.asks && c.status == statusPending
	}) || slices.ContainsFunc(e.open.llms, func(c *llmCall) bool { return c.handed && c.status == statusPending })
}

// Held returns the ids of the calls that the worker holds, those of tools first,
// each in the order in which they were made; see [Engine.HeldByWorker].
func (e *Engine) Held() (ids []string) {
	for _, c := range e.open.tools {
		if c.handed && c.status == statusPending {
			ids = append(ids, c.id)
		}
	}
	for _, c := range e.open.llms {
		if c.handed && c.status == statusPending {
			ids = append(ids, c.id)
		}
	}
	return ids
}

// Owed reports whether the worker owes the answer to the current attempt of a
// call: it runs there, and is neither over nor waits for its retry.
func (e *Engine) Owed(id string) bool {
	c := e.tools[id]
	return c != nil && c.handler == spec.HandlerWorker && c.status == statusPending
}

// RetryDue reports whether a call waits for its retry.
func (e *Engine) RetryDue(id string) bool {
	c := e.tools[id]
	return c != nil && c.status == statusWaiting
}

// CanSettle reports whether the settle endpoint would take a tool.result or
// tool.error now (F4).
func (e *Engine) CanSettle(by spec.Action) bool {
	switch t := by.(type) {
	case spec.ToolResultAction:
		return spec.ResolveSettle(t) == nil && e.whyNot(*t.ID, t.Attempt) == ""
	case spec.ToolErrorAction:
		return e.whyNot(*t.ID, t.Attempt) == ""
	default:
		return false
	}
}

// SessionID returns the id of the session.
func (e *Engine) SessionID() string { return e.cfg.SessionID }

func (e *Engine) emit(f Effect) { e.out = append(e.out, f) }

// mint makes the next id of a kind. A session that was resumed or planted may
// hold ids of the same source already.
func (e *Engine) mint(kind IDKind) string {
	for {
		e.minted[kind]++
		if id := e.cfg.ID(kind, e.minted[kind]); !e.uses(kind, id) {
			return id
		}
	}
}

func (e *Engine) uses(kind IDKind, id string) bool {
	switch kind {
	case IDMessage:
		return e.tree.known(id)
	case IDCall:
		return e.tools[id] != nil
	case IDLlmCall:
		return e.llms[id] != nil || e.tree.known(id)
	case IDDecision:
		return e.decisions[id] != nil
	case IDTurn:
		return e.turns.taken(id) || e.turns.last == id
	default:
		return false
	}
}

// unsupported says once that something is not simulated.
func (e *Engine) unsupported(what string) {
	if !e.told[what] {
		e.told[what] = true
		e.emit(Unsupported{What: what})
	}
}

// Requested reports whether a tool call of that id was ever asked for, open or
// over.
func (e *Engine) Requested(call string) bool { return e.tools[call] != nil }

// Transcript returns the active path, root to head. It is shared with the
// engine and must not be changed.
func (e *Engine) Transcript() []spec.Message { return e.tree.messages() }

// State returns the worker's state on the active path, nil when none was ever
// written (O1).
func (e *Engine) State() jsontext.Value { return e.state.current }

// Agent returns the config in force on the active path, nil when there is none
// (O2).
func (e *Engine) Agent() *spec.AgentConfig { return e.config.current }

// Calls returns the unfinished calls, sorted by id, as a request would list
// them now (G6).
func (e *Engine) Calls() []spec.Call {
	e.open.sweep()
	return e.wireCalls()
}
