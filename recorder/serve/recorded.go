package serve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// session is a recorded session.
type session struct {
	file, alias, id, agent string
	// parent is the recorded session that spawned it; orphan says that there was
	// one which is not recorded. children are those that it spawned.
	parent   *session
	orphan   bool
	children []*session
	// joined says that the recording begins in the middle of it.
	joined bool

	all   []*recorded
	byKey map[recorder.Key][]*recorded
	keys  *recorder.Keys
	seen  counter

	// family is what it shares with the sessions above and below it.
	family *family
	// bound is the engine's session that stands for it.
	bound *live
}

// recorded is one exchange that may be asked for.
type recorded struct {
	session *session
	x       *spec.Exchange
	key     recorder.Key
	// decision is the recorded decision, trigger what a request says of its own
	// trigger, without ids and times.
	decision, trigger string
	// pieces are where the parts of the answer end and when they came.
	pieces []piece
	// cannot says why the answer is not served, "" when it is.
	cannot string
	// again says that this failure of then is one that an engine meets again: the
	// answer was not whole for the engine of then either.
	again bool
	// used counts how often it was asked for; drifted says that it was in other words.
	used    int
	drifted bool
}

// piece is one part of a streamed answer: where it ends and at which µs it came.
type piece struct {
	end int
	w   int64
}

func (r *recorded) line() int64 { return r.x.Line }

// counter counts deliveries and attempts as a worker sees them: by what arrives.
type counter struct {
	deliveries map[string]int
	attempts   map[string][]uint32
}

func newCounter() counter {
	return counter{deliveries: map[string]int{}, attempts: map[string][]uint32{}}
}

// count says which delivery of its decision a request is, and which attempt of
// its call, both from 1; the second is 0 for what has none. keep remembers it.
func (c *counter) count(r *spec.DecisionRequest, keep bool) (try, delivery int) {
	delivery = c.deliveries[r.DecisionID] + 1
	if keep {
		c.deliveries[r.DecisionID] = delivery
	}
	attempt, has := uint32(0), false
	switch t := r.Trigger.(type) {
	case spec.ToolExecuteTrigger:
		attempt, has = t.Attempt, true
	case spec.LlmExecuteTrigger:
		attempt, has = t.Attempt, true
	}
	if !has {
		return 0, delivery
	}
	call := r.Trigger.CallID()
	known := c.attempts[call]
	if at := slices.Index(known, attempt); at >= 0 {
		return at + 1, delivery
	}
	if keep {
		c.attempts[call] = append(known, attempt)
	}
	return len(known) + 1, delivery
}

// cannotServe says why the answer of an exchange is not served, and whether an
// engine met that failure then as well.
func cannotServe(x *spec.Exchange) (why string, again bool) {
	r := x.Response
	switch {
	case x.Damage != "":
		return "the recording does not hold it: " + x.Damage, false
	case r == nil:
		return "no answer is recorded", true
	case r.End == spec.EndOmitted || r.End == spec.EndOverLimit:
		return reason("the recording left it out", r.Reason), false
	case r.End != spec.EndWhole:
		return reason("it was not whole ("+string(r.End)+")", r.Reason), true
	case r.Status < 200 || r.Status > 599:
		return "its status is none that can be sent", true
	}
	return "", false
}

func reason(what, more string) string {
	if more == "" {
		return what
	}
	return what + ": " + more
}

// triggerText is what a request says of its own trigger and what the engine would do,
// without what differs between two tellings of one story: ids, wire time, what was
// said before.
func triggerText(r *spec.DecisionRequest) string {
	var b strings.Builder
	b.WriteString(string(r.Trigger.TriggerType()))
	add := func(text []byte) { b.Write(append([]byte{'\n'}, jsonv.Sorted(text)...)) }
	ended := func(ok bool, e *spec.ErrorInfo) {
		fmt.Fprintf(&b, "\nok %t", ok)
		if e != nil {
			b.WriteString(" " + string(e.Code) + " " + e.Message)
		}
	}
	switch t := r.Trigger.(type) {
	case spec.SessionStartTrigger:
		if text, err := spec.Marshal(r.Proposed); err == nil {
			add(jsonv.Prune(text))
		}
		if text, err := spec.Marshal(r.Identity); err == nil {
			add(text)
		}
	case spec.ClientMessagesTrigger:
		for _, m := range t.Messages[min(int(t.NewFrom), len(t.Messages)):] {
			b.WriteString("\n" + string(m.Role))
			if m.ID != "" {
				// Which id it is says nothing, that its client named it does.
				b.WriteString(" with an id")
			}
			add(m.Content)
		}
	case spec.ClientActionTrigger:
		b.WriteString("\n" + t.Name)
		add(t.Args)
	case spec.ToolExecuteTrigger:
		b.WriteString("\n" + t.Name + "\n" + t.Arguments)
	case spec.ToolFinishedTrigger:
		b.WriteString("\n" + t.Name)
		ended(t.OK, t.Error)
		if t.Result != nil {
			if text, err := spec.Marshal(t.Result); err == nil {
				add(text)
			}
		}
	case spec.LlmFinishedTrigger:
		ended(t.OK, t.Error)
		fmt.Fprintf(&b, "\ntruncated %t refused %t", t.Truncated, t.Refused)
		if t.Message != nil {
			add(t.Message.Content)
			for _, c := range t.Message.ToolCalls {
				b.WriteString("\n" + c.Function.Name + "\n" + c.Function.Arguments)
			}
		}
	case spec.SubagentFinishedTrigger:
		b.WriteString("\n" + t.AgentID)
		ended(t.OK, t.Error)
	case spec.InterruptResumedTrigger:
		add(t.Payload)
	case spec.TurnFinishedTrigger:
		add(t.Data)
	}
	for _, a := range r.Proposed.Actions {
		b.WriteString("\nproposed " + string(a.ActionType()))
	}
	return b.String()
}
