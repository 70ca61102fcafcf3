package recorder

import (
	"strconv"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// Failure says in a few words what went wrong in an exchange, "" when nothing
// did: the delivery (D2), a call that the answer settles with an error or a
// flagged result (F1, F7), a turn that it fails, what the engine made of it, or
// a failed call of which the trigger tells (C5, H4). The request is not decoded
// beyond its trigger.
func Failure(x *spec.Exchange) string {
	r := x.Response
	switch {
	case r == nil:
		return "no answer"
	case r.End != spec.EndWhole:
		return join("answer "+clean(string(r.End)), quotedUnlessEmpty(r.Reason))
	case r.Status < 200 || r.Status > 299:
		return "status " + strconv.Itoa(r.Status)
	}
	trigger := triggerOf(x)
	d, failure := spec.ReadAnswerTo(trigger, x.Answer())
	if failure != nil {
		return join(clean(string(failure.Info.Code)), quoted(failure.Info.Message))
	}
	for _, a := range d.Actions {
		if failing(a) {
			return action(a)
		}
	}
	if o := x.Outcome; o != nil && (o.As == spec.OutcomeFailed || o.As == spec.OutcomeDropped) {
		return join(clean(o.As), short(o.Reason, textLimit))
	}
	if info := failedBefore(trigger); info != nil {
		return join(clean(string(info.Code)), quoted(info.Message))
	}
	return ""
}

// triggerOf reads the trigger of a request and no more of it.
func triggerOf(x *spec.Exchange) spec.Trigger {
	if raw, ok := jsonv.Get(x.RequestBody, "/trigger"); ok {
		if t, fault := spec.ParseTrigger(raw); fault == nil {
			return t
		}
	}
	return spec.UnknownTrigger{Type: x.Request.Trigger}
}

// failing reports whether an action is a failure.
func failing(a spec.Action) bool {
	switch a := a.(type) {
	case spec.ToolErrorAction, spec.LlmErrorAction, spec.FailAction:
		return true
	case spec.ToolResultAction:
		flag, _ := jsonv.Get(a.Result, "/isError")
		return a.IsError != nil && *a.IsError || string(flag) == "true"
	}
	return false
}

// failedBefore is the error of the call that a trigger tells of.
func failedBefore(t spec.Trigger) *spec.ErrorInfo {
	switch t := t.(type) {
	case spec.ToolFinishedTrigger:
		return t.Error
	case spec.LlmFinishedTrigger:
		return t.Error
	case spec.SubagentFinishedTrigger:
		return t.Error
	}
	return nil
}

func quotedUnlessEmpty(s string) string {
	if s == "" {
		return ""
	}
	return quoted(s)
}
