package scenarios

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// isAbout reports whether an item speaks of this exchange at all: the trigger,
// the call, the try and the delivery pick it; everything else is a demand.
func (v *view) isAbout(x *ExchangeCheck, e *spec.Exchange) bool {
	r := e.Request
	return string(r.Trigger) == x.Trigger &&
		(x.Call == "" || v.isCall(x.Call, r.Call)) &&
		(x.Try == nil || r.Try == *x.Try) &&
		(x.Delivery == nil || r.Delivery == *x.Delivery)
}

// unmet returns the demands of an item that this exchange does not meet, those
// on the request first.
func (v *view) unmet(x *ExchangeCheck, e *spec.Exchange) []unmet {
	req, fault := e.Asked()
	if fault != nil {
		return []unmet{{got: "a request that does not read: " + fault.Error(), want: "a decision request"}}
	}
	all := v.requestUnmet(x, e, req)
	if x.Answer != nil {
		answered := v.answerUnmet(x.Answer, e, req)
		if submitted := e.Submitted(); submitted != nil && len(answered) > 0 {
			// The worker answers in two ways then, and may mean either.
			answered = v.answerUnmet(x.Answer, submitted, req)
		}
		all = append(all, answered...)
	}
	return all
}

func (v *view) requestUnmet(x *ExchangeCheck, e *spec.Exchange, req *spec.DecisionRequest) (all []unmet) {
	if t, ok := req.Trigger.(spec.ToolExecuteTrigger); ok && x.Input != "" && string(t.Input.Status) != x.Input {
		all = append(all, unmet{"request:/trigger/input/status", string(t.Input.Status), x.Input})
	}
	if x.OK != nil || x.Error != nil {
		all = append(all, finishedUnmet(x, req.Trigger)...)
	}
	if x.Open != nil && int(req.PendingCalls) != *x.Open {
		all = append(all, unmet{"request:/pending_calls", strconv.Itoa(int(req.PendingCalls)), strconv.Itoa(*x.Open)})
	}
	for i := range x.Calls {
		all = append(all, v.listedUnmet(&x.Calls[i], req)...)
	}
	if x.Proposed != "" {
		if is := proposedIs(req, e.Request.Call); is != x.Proposed {
			all = append(all, unmet{"request:/proposed", "a proposal that is " + is, x.Proposed})
		}
	}
	for i := range x.Request {
		p := &x.Request[i]
		got, _ := jsonv.Get(e.RequestBody, p.Pointer)
		for _, want := range p.Match.check(got) {
			all = append(all, unmet{"request:" + p.Pointer, jsonv.Short(got, shown), want})
		}
	}
	return all
}

// finishedUnmet judges ok and error of a trigger that says that something
// ended.
func finishedUnmet(x *ExchangeCheck, trigger spec.Trigger) (all []unmet) {
	var ok bool
	var info *spec.ErrorInfo
	switch t := trigger.(type) {
	case spec.ToolFinishedTrigger:
		ok, info = t.OK, t.Error
	case spec.LlmFinishedTrigger:
		ok, info = t.OK, t.Error
	case spec.SubagentFinishedTrigger:
		ok, info = t.OK, t.Error
	}
	if x.OK != nil && ok != *x.OK {
		got := strconv.FormatBool(ok)
		if info != nil {
			got += ": " + info.Message
		}
		all = append(all, unmet{"request:/trigger/ok", got, strconv.FormatBool(*x.OK)})
	}
	if x.Error == nil {
		return all
	}
	if info == nil {
		return append(all, unmet{"request:/trigger/error", "absent", "an error"})
	}
	for _, part := range []struct {
		name string
		m    *Match
		got  string
	}{{"message", x.Error.Message, info.Message}, {"code", x.Error.Code, string(info.Code)}, {"param", x.Error.Param, info.Param}} {
		if part.m == nil {
			continue
		}
		var got jsontext.Value
		if part.got != "" {
			got = jsonv.Quote(part.got)
		}
		for _, want := range part.m.check(got) {
			all = append(all, unmet{"request:/trigger/error/" + part.name, jsonv.Short(got, shown), want})
		}
	}
	return all
}

// listedUnmet judges one call as the request itself lists it.
func (v *view) listedUnmet(want *CallCheck, req *spec.DecisionRequest) []unmet {
	call := callView{is: "not in the list"}
	for _, c := range req.Calls {
		if v.isCall(want.Label, c.ID) {
			call = callView{is: isOf(c.Status), handler: c.Handler, tries: int(c.Attempt) - int(v.firstAttempt) + 1}
		}
	}
	all := callUnmet(want, call)
	for i := range all {
		all[i].pointer = "request:/calls"
	}
	return all
}

// proposedIs says in the language's word what a request proposes.
func proposedIs(req *spec.DecisionRequest, call string) string {
	p := req.Proposed.Decision
	if p.IsEmpty() {
		return "empty"
	}
	for _, a := range p.Actions {
		if _, ok := a.(spec.ToolErrorAction); ok {
			return "error"
		}
	}
	if len(p.Actions) > 0 {
		return "continues"
	}
	if recordsTool(p.Messages, call) {
		return "records"
	}
	return "messages without the call's own"
}

// recordsTool reports whether the call's tool message is among messages.
func recordsTool(messages []spec.DraftMessage, call string) bool {
	for _, m := range messages {
		if m.Role == spec.RoleTool && m.ToolCallID == call {
			return true
		}
	}
	return false
}

// words says what an item wants, for the report of something that did not
// happen.
func (c *Check) words() string {
	x := c.Exchange
	if x == nil {
		return "the session as the scenario says"
	}
	text := x.Trigger
	if x.Call != "" {
		text += " of " + x.Call
	}
	if x.Try != nil {
		text += fmt.Sprintf(", try %d", *x.Try)
	}
	if x.Delivery != nil {
		text += fmt.Sprintf(", delivery %d", *x.Delivery)
	}
	if x.Answer != nil && len(x.Answer.Is) > 0 {
		text += ", answered by " + wordList(x.Answer.Is)
	}
	return text
}
