package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// status is where a call stands. The first five are those of the wire (wire 2).
type status int

const (
	statusQueued status = iota
	statusPending
	// statusRunning is that of a subagent whose child works.
	statusRunning
	statusWaiting
	statusDone
	statusFailed
	statusVoided
)

func (s status) open() bool { return s <= statusWaiting }

func (s status) wire() spec.CallStatus {
	switch s {
	case statusQueued:
		return spec.CallQueued
	case statusRunning:
		return spec.CallRunning
	case statusWaiting:
		return spec.CallRetryScheduled
	default:
		return spec.CallPending
	}
}

// attempts is the clock and the retry state that tool calls and model calls
// share. Policy and route are frozen when the call is requested (H3).
type attempts struct {
	id     string
	status status
	policy spec.RetryPolicy
	// failures counts the attempts that failed.
	failures int
	// started says that there was a first dispatch, at first: the total counts
	// from there (H7).
	started bool
	first   time.Duration
	// deadline is what the wire shows for this attempt; expires is when the
	// engine gives it up, which the total may cut (H7). Nil is never.
	deadline, expires *time.Duration
	// final says that expiring is not a reason to try again (H4).
	final bool
	// retryAt is the engine time of the next attempt while it waits.
	retryAt time.Duration
	// anchor is the head when the call was requested (O5).
	anchor string
	// order is the position of the request among all calls of the session.
	order int
}

// begin starts the clocks of one attempt.
func (a *attempts) begin(now time.Duration) {
	if !a.started {
		a.started, a.first = true, now
	}
	a.status = statusPending
	a.deadline, a.expires, a.final = nil, nil, false
	if run := a.policy.RunTimeoutSecs; run != nil {
		at := after(now, a.policy.QueueTimeoutSecs, run)
		a.deadline, a.expires = &at, &at
	}
	if total := a.policy.TotalTimeoutSecs; total != nil {
		end := after(a.first, total)
		if a.expires == nil || end <= *a.expires {
			a.expires, a.final = &end, true
		}
	}
}

// mayRetry reports whether an attempt is left after the failures so far (H4).
func (a *attempts) mayRetry() bool { return a.failures < toolcall.Attempts(a.policy) }

// never is later than any engine time.
const never = time.Duration(1<<63 - 1)

// after adds time-outs to a moment; a nil one is none. What lies beyond all
// time is never: a worker may write any number of seconds.
func after(at time.Duration, secs ...*uint32) time.Duration {
	for _, n := range secs {
		if n == nil {
			continue
		}
		d := time.Duration(*n) * time.Second
		if at > never-d {
			return never
		}
		at += d
	}
	return at
}

// toolCall is one tool call.
type toolCall struct {
	attempts
	name, arguments string
	handler         spec.Handler
	// handed says that the worker answered the tool.execute of this attempt
	// without settling the call, so it holds it (I1).
	handed bool
	// asks says that it did so with an interrupt (M5).
	asks   bool
	result *spec.StoredResult
	err    *spec.ErrorInfo
	// child is set for the call of a subagent, and said is what its child
	// answered.
	child *child
	said  *string
	// refusal is what the engine answers to a call_tool that is no good (K5).
	refusal string
}

// llmCall is one model call: what the model was asked and how (G10).
type llmCall struct {
	attempts
	block   string
	request spec.LlmRequest
	stream  bool
	// hosted is the form in which the worker hosts the model, "" where the engine
	// itself asks it. Like the policy it is frozen with the request (H3).
	hosted string
	// handed says that the worker answered the llm.execute of this attempt
	// without settling the call, so it holds it (I1).
	handed bool
	// deltas counts the pieces of the answer that were handed on (D11).
	deltas int
}

// openCalls keeps the unfinished calls in order of their requests, so that
// what is over costs nothing.
type openCalls struct {
	tools []*toolCall
	llms  []*llmCall
}

func (o *openCalls) sweep() {
	o.tools = slices.DeleteFunc(o.tools, func(c *toolCall) bool { return !c.status.open() })
	o.llms = slices.DeleteFunc(o.llms, func(c *llmCall) bool { return !c.status.open() })
}

// wireCalls lists every unfinished call as a request shows it, sorted by id
// (G6, wire 2).
func (e *Engine) wireCalls() []spec.Call {
	calls := make([]spec.Call, 0, len(e.open.tools)+len(e.open.llms))
	for _, c := range e.open.tools {
		if k := c.child; k != nil {
			w := e.wireCall(&c.attempts, spec.CallSubagent)
			w.AgentID, w.SessionID = k.agent, k.session
			calls = append(calls, w)
			continue
		}
		w := e.wireCall(&c.attempts, spec.CallTool)
		arguments := c.arguments
		w.Name, w.Arguments, w.Handler = c.name, &arguments, c.handler
		calls = append(calls, w)
	}
	for _, c := range e.open.llms {
		w := e.wireCall(&c.attempts, spec.CallLlm)
		stream := c.stream
		w.Handler, w.Stream = spec.HandlerServer, &stream
		if c.hosted != "" {
			w.Handler = spec.HandlerWorker
		}
		calls = append(calls, w)
	}
	slices.SortStableFunc(calls, func(a, b spec.Call) int { return strings.Compare(a.ID, b.ID) })
	return calls
}

func (e *Engine) wireCall(a *attempts, kind spec.CallKind) spec.Call {
	w := spec.Call{
		ID: a.id, Kind: kind, Status: a.status.wire(),
		Attempt: e.wireAttempt(a.failures), Anchor: a.anchor,
	}
	if a.status == statusPending {
		w.Deadline = e.wireTime(a.deadline)
	}
	return w
}

// wireAttempt turns a count of failures into the number on the wire (gap 1).
func (e *Engine) wireAttempt(failures int) uint32 {
	return e.cfg.Dialect.FirstAttempt + uint32(failures)
}

func (e *Engine) wireTime(at *time.Duration) *spec.Timestamp {
	if at == nil {
		return nil
	}
	t := spec.At(e.cfg.At.Add(*at))
	return &t
}
