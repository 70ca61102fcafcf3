package spec

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// ReasonSilence accompanies [EndTimeout] when nothing came for the 60 s that an
// engine's client waits, although the deadline had not passed (D2).
const ReasonSilence = "silent for 60 s"

// ReadAnswer says what an engine makes of one delivery's answer (D1, D2, D11):
// the decision, or the class and error of the failure. streaming says that the
// trigger was an llm.execute that asked for a stream. What F3 refuses is left
// to [ResolveDecision]. [ReadAnswerTo] does the same and knows the trigger, so
// that its messages name it. It is safe for concurrent use.
func ReadAnswer(a Answer, streaming bool) (Decision, *Failure) {
	return readAnswer(a, streamRules{deltas: streaming})
}

// ReadAnswerTo is [ReadAnswer] for the answer to a known trigger.
func ReadAnswerTo(t Trigger, a Answer) (Decision, *Failure) {
	rules := streamRules{answers: t.TriggerType()}
	if x, ok := t.(LlmExecuteTrigger); ok {
		rules.deltas = x.Stream
		rules.checked = x.Format == ""
	}
	return readAnswer(a, rules)
}

func readAnswer(a Answer, rules streamRules) (Decision, *Failure) {
	if a.Status == 0 {
		return Decision{}, a.unanswered()
	}
	if a.Status < 200 || a.Status > 299 {
		if a.End == EndTimeout {
			return Decision{}, a.brokenOff()
		}
		return Decision{}, a.badStatus()
	}
	if a.Streams() {
		return readStreamed(a, rules)
	}
	if a.End != EndWhole && a.End != "" {
		return Decision{}, a.brokenOff()
	}
	return readBody(a.Body)
}

// Header returns the first value of the header of that name in any case, ""
// when there is none.
func (a Answer) Header(name string) string {
	for _, h := range a.Headers {
		if strings.EqualFold(h[0], name) {
			return h[1]
		}
	}
	return ""
}

// Streams reports whether the answer is to be read as a stream: a 2xx whose
// content type begins, in any case, with text/event-stream (wire 1).
func (a Answer) Streams() bool {
	const prefix = "text/event-stream"
	kind := strings.TrimSpace(a.Header("content-type"))
	return a.Status/100 == 2 && len(kind) >= len(prefix) && strings.EqualFold(kind[:len(prefix)], prefix)
}

func fail(class FailureClass, code ErrorCode, format string, args ...any) *Failure {
	return &Failure{Class: class, Info: ErrorInfo{Code: code, Message: fmt.Sprintf(format, args...)}}
}

// unanswered classes a delivery without a whole response head (D2).
func (a Answer) unanswered() *Failure {
	switch a.End {
	case EndTimeout, EndCut, EndOverLimit, EndOmitted, EndStale, EndClientGone:
		return a.brokenOff()
	}
	switch a.Reason {
	case ReasonRefused, ReasonUnreachable, ReasonTLS:
		return fail(FailureRetryable, CodeWorkerUnreachable, "worker endpoint not reached: %s", a.Reason)
	case "":
		return fail(FailureFatal, CodeWorkerUnreachable, "worker endpoint gave no response head")
	}
	return fail(FailureFatal, CodeWorkerUnreachable, "worker endpoint gave no response head: %s", a.Reason)
}

// brokenOff classes an answer that is not whole (D2). What only a harness or a
// proxy knows (a bound of its own, a body left out) is named as such: nothing
// can be said of the worker then.
func (a Answer) brokenOff() *Failure {
	switch a.End {
	case EndTimeout:
		if a.Reason == ReasonSilence {
			return fail(FailureRetryable, CodeWorkerUnreachable, "worker endpoint was %s", a.Reason)
		}
		return fail(FailureRetryable, CodeDeadlineExceeded, "deadline exceeded")
	case EndOverLimit:
		return fail(FailureFatal, CodeInvalidResponse, "response over the size limit")
	case EndOmitted:
		return fail(FailureFatal, CodeInternal, "response body was not kept")
	case EndStale:
		return fail(FailureRetryable, CodeWorkerUnreachable, "idle connection was closed; no delivery took place")
	case EndClientGone:
		return fail(FailureRetryable, CodeWorkerUnreachable, "caller left before the response ended")
	}
	return fail(FailureRetryable, CodeWorkerUnreachable, "response was cut off")
}

// badStatus classes an answer outside 2xx. A redirect is one of them: this
// harness follows none, though an engine may (D2).
func (a Answer) badStatus() *Failure {
	class := FailureFatal
	if a.Status >= 500 && a.Status <= 599 {
		class = FailureRetryable
	}
	message := "worker endpoint returned " + statusLine(a.Status)
	if text, ok := errorText(a.Body); ok {
		message += ": " + text
	} else if to := a.Header("location"); to != "" && a.Status >= 300 && a.Status <= 399 {
		message += ": redirects are not followed here"
	}
	return &Failure{Class: class, Info: ErrorInfo{
		Code: CodeHandlerError, Message: message,
		Detail: jsontext.Value(`{"status":` + strconv.Itoa(a.Status) + `}`),
	}}
}

// statusNames are the reason phrases that engines print otherwise than Go.
var statusNames = map[int]string{
	http.StatusRequestEntityTooLarge:        "Payload Too Large",
	http.StatusRequestURITooLong:            "URI Too Long",
	http.StatusRequestedRangeNotSatisfiable: "Range Not Satisfiable",
}

func statusLine(status int) string {
	name, ok := statusNames[status]
	if !ok {
		name = http.StatusText(status)
	}
	if name == "" {
		name = "<unknown status code>"
	}
	return strconv.Itoa(status) + " " + name
}

// readBody reads the text of a decision: a whole body, or the data of a
// decision.result frame (D1, D2).
func readBody(body []byte) (Decision, *Failure) {
	if len(trimSpace(body)) == 0 {
		return Decision{}, fail(FailureFatal, CodeInvalidResponse,
			"worker returned an empty body; a decision must be a JSON object, or `null` for the empty decision")
	}
	d, fault := ParseDecision(body)
	if fault == nil && !d.IsEmpty() {
		return d, nil
	}
	if text, ok := errorText(body); ok {
		return Decision{}, fail(FailureFatal, CodeHandlerError, "worker reported: %s", text)
	}
	if fault == nil {
		return d, nil
	}
	at := ""
	if fault.Param != "" {
		at = " at `" + fault.Param + "`"
	}
	failure := fail(FailureFatal, CodeInvalidResponse, "invalid decision response%s: %s", at, fault.Message)
	failure.Info.Param = fault.Param
	failure.Fault = fault
	return Decision{}, failure
}

// errorTextLimit is how many characters of a worker's error text are quoted.
const errorTextLimit = 300

// errorText finds what a body says went wrong: the first of error, message and
// detail that holds text, or an object whose message or error does (D2). White
// space is joined and the text is cut.
func errorText(body []byte) (string, bool) {
	v, fault := oneValue(body, jsonv.MaxDepth)
	if fault != nil {
		return "", false
	}
	members, err := jsonv.Members(v)
	if err != nil {
		return "", false
	}
	for _, name := range []string{"error", "message", "detail"} {
		value, _ := jsonv.Last(members, name)
		if text, ok := saidText(value); ok {
			return text, true
		}
		inner, err := jsonv.Members(value)
		if err != nil {
			continue
		}
		for _, name := range []string{"message", "error"} {
			value, _ := jsonv.Last(inner, name)
			if text, ok := saidText(value); ok {
				return text, true
			}
		}
	}
	return "", false
}

func saidText(v jsontext.Value) (string, bool) {
	s, ok := jsonv.Text(v)
	if !ok {
		return "", false
	}
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > errorTextLimit {
		s = string(runes[:errorTextLimit]) + "…"
	}
	return s, s != ""
}
