package replay

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/renew"
	"github.com/hallmarkdev/hallmark/spec"
)

// Answered is an answer that is not as it was recorded.
type Answered struct {
	Recording string
	Exchange  *spec.Exchange
	// Answer is what the worker answers now, with the recorded ids put back.
	Answer spec.Answer
	// Places are where the two decisions differ and no rule lets them; nil where
	// there are not two decisions. A is recorded, B is now.
	Places []recorder.Place
	// Code is the code of the divergence, OtherWay that the engine would have gone
	// another way after it, Unsure that stand-ins may be the cause.
	Code             string
	OtherWay, Unsure bool
}

// comparer holds answers against recorded ones.
type comparer struct {
	rules *recorder.Rules
	exact bool
	// ids are the ids of now for the recorded ones.
	ids *renew.IDs
	// telling says that both answers are to be told, also where they are alike.
	telling bool
}

// compared is what a comparison came to. None of its members are set where both
// answers say the same.
type compared struct {
	// untold is why nothing can be said of it, code its Note constant.
	untold, code string
	divergence   *Divergence
	answered     Answered
	// was and now are both answers, where they are to be told.
	was, now recorder.Told
	// a and b are both decisions as they compare, where they differ.
	a, b jsontext.Value
}

// answer holds what came for the request of x against what was recorded.
func (c *comparer) answer(x *spec.Exchange, now spec.Answer) compared {
	was, untold := recordedAnswer(x)
	if untold != "" {
		return compared{untold: untold, code: NoteNoAnswer}
	}
	if x.Response.Was != "" {
		now = unpacked(now)
	}
	raw := now.Body
	now.Body = c.ids.Restore(raw, now.Streams()).Body
	if !c.exact && !c.telling && c.rules == nil && was.Status == now.Status && was.End == now.End && was.Streams() == now.Streams() && bytes.Equal(was.Body, now.Body) {
		if mayMakeUpIDs(was.Body) {
			c.keepIDs(x, was)
		}
		return compared{}
	}
	first, second := asAnswered(x, was), asAnswered(x, now)
	d1, f1 := first.Decided()
	d2, f2 := second.Decided()
	if f1 == nil && f2 == nil && c.pair(*d1, *d2) {
		// Ids that the worker made up are known now.
		now.Body = c.ids.Restore(raw, now.Streams()).Body
		second = asAnswered(x, now)
		d2, f2 = second.Decided()
	}
	out := compared{answered: Answered{Exchange: x, Answer: now}}
	switch {
	case f1 == nil && f2 == nil && settlesOtherwise(x, *d1, *d2):
		out.code = NoteSettledOtherwise
		out.untold = "the call was settled later and is settled at once now, or the other way round; both are free"
	case f1 == nil && f2 == nil:
		c.decisions(&out, first, second, *d1, *d2)
	default:
		out.divergence = failures(was, now, f1, f2)
		out.answered.OtherWay = out.divergence != nil
		if c.telling {
			out.was, out.now = toldOf(first, was, f1), toldOf(second, now, f2)
		}
	}
	if d := out.divergence; d != nil {
		d.Session, d.Exchange, d.Line, d.About = x.Session, x.D, x.Line, about(&spec.Event{Data: x.Request})
		out.answered.Code = d.Code
		out.answered.Unsure = d.Code != CodeMissing && sentStandIns(x)
	}
	return out
}

// settlesOtherwise reports whether one of two answers to a call lets it go, to
// settle it later, where the other settles it: a worker may do either, and does
// the one or the other by where its engine is (I2).
func settlesOtherwise(x *spec.Exchange, was, now spec.Decision) bool {
	asked, fault := x.Asked()
	if fault != nil || asked.Trigger.TriggerType() != spec.OnToolExecute || was.IsEmpty() == now.IsEmpty() {
		return false
	}
	settles := was
	if was.IsEmpty() {
		settles = now
	}
	for _, a := range settles.Actions {
		switch a.(type) {
		case spec.ToolResultAction, spec.ToolErrorAction:
		default:
			return false
		}
	}
	return len(settles.Actions) > 0 && len(settles.Messages) == 0 && settles.State == nil
}

// decisions holds two decisions against each other by what they mean.
func (c *comparer) decisions(out *compared, first, second *spec.Exchange, was, now spec.Decision) {
	a, b := meant(was), meant(now)
	var left []recorder.Place
	for _, p := range c.places(a, b) {
		if !standsFor(p.A, p.B, first.Response.Redacted > 0) && !goesWithoutSaying(p, first) && !c.sameID(p, first.RequestBody) {
			left = append(left, p)
		}
	}
	if c.telling {
		out.was, out.now = recorder.Told{Answer: a}, recorder.Told{Answer: c.likened(a, b, first.RequestBody, first.Response.Redacted > 0)}
	}
	switch {
	case len(left) > 0:
		out.divergence = &Divergence{Code: CodeAnswer, In: "answer"}
		out.divergence.at(left[0])
		out.answered.Places, out.answered.OtherWay = left, otherWay(was, now, left)
		out.a, out.b = a, b
	case streamed(first) != streamed(second):
		out.divergence = &Divergence{Code: CodeStream, In: "stream", Got: shown(streamed(second)), Want: shown(streamed(first))}
	case c.exact && !bytes.Equal(first.ResponseBody, second.ResponseBody) && !holdsStandIn(first.ResponseBody):
		out.divergence = &Divergence{Code: CodeBytes, In: "body of the response"}
		out.divergence.Got, out.divergence.Want = spelled(second.ResponseBody, first.ResponseBody)
	}
}

// places are where two decisions differ and no rule lets them.
func (c *comparer) places(was, now jsontext.Value) []recorder.Place {
	return c.rules.Answers(was, now)
}

// goesWithoutSaying reports whether one of two settles leaves out what the other
// says, and means the same: the call that was asked for and its attempt (F1).
func goesWithoutSaying(p recorder.Place, x *spec.Exchange) bool {
	said := p.A
	if said == nil {
		said = p.B
	}
	if p.A != nil && p.B != nil {
		return false
	}
	asked, fault := x.Asked()
	if fault != nil {
		return false
	}
	id, attempt := asked.Trigger.CallID(), uint32(0)
	switch t := asked.Trigger.(type) {
	case spec.ToolExecuteTrigger:
		attempt = t.Attempt
	case spec.LlmExecuteTrigger:
		attempt = t.Attempt
	default:
		return false
	}
	switch {
	case actionsID.MatchString(p.Pointer):
		text, is := jsonv.Text(said)
		return is && text == id
	case actionsAttempt.MatchString(p.Pointer):
		return string(said) == strconv.FormatUint(uint64(attempt), 10)
	}
	return false
}

var (
	actionsID      = regexp.MustCompile(`^/actions/\d+/id$`)
	actionsAttempt = regexp.MustCompile(`^/actions/\d+/attempt$`)
)

// at is about a place of an answer.
func (d *Divergence) at(p recorder.Place) {
	d.Pointer, d.Got, d.Want = p.Pointer, jsonv.Short(p.B, shownWidth), jsonv.Short(p.A, shownWidth)
}

const shownWidth = 200

func shown(text string) string { return jsonv.Short(jsonv.Quote(text), shownWidth) }

// meant is a decision as it compares.
func meant(d spec.Decision) jsontext.Value {
	text, err := spec.Marshal(d)
	if err != nil {
		return jsontext.Value("null")
	}
	return jsonv.Prune(text)
}

// otherWay reports whether an engine would have gone on in another way: where
// something else than what a result, an error, a state or a message says is not
// the same.
func otherWay(was, now spec.Decision, places []recorder.Place) bool {
	if len(was.Actions) != len(now.Actions) || len(was.Messages) != len(now.Messages) {
		return true
	}
	for i := range was.Actions {
		if was.Actions[i].ActionType() != now.Actions[i].ActionType() || isError(was.Actions[i]) != isError(now.Actions[i]) {
			return true
		}
	}
	for _, p := range places {
		if !passedOn.MatchString(p.Pointer) || asks(p.Pointer) {
			return true
		}
	}
	return false
}

// passedOn are the places whose texts an engine only passes on.
var passedOn = regexp.MustCompile(`^/(state|actions/\d+/(result|content|structured_content|error|detail|code|response|data)|messages/\d+/content|actions/\d+/message/content|actions/\d+/messages/\d+/content)(/|$)`)

// asks reports whether a place below a model's answer asks for something.
func asks(pointer string) bool {
	for _, word := range []string{"tool_calls", "tool_use", "function_call", "functionCall", "stop_reason", "finish_reason"} {
		if strings.Contains(pointer, "/"+word) {
			return true
		}
	}
	return false
}

// isError reports whether a result is flagged as an error.
func isError(a spec.Action) string {
	switch a := a.(type) {
	case spec.ToolResultAction:
		flag, _ := jsonv.Get(a.Result, "/isError")
		return strconv.FormatBool(a.IsError != nil && *a.IsError || string(flag) == "true")
	case spec.ToolErrorAction:
		return strconv.FormatBool(a.Retryable != nil && *a.Retryable)
	case spec.LlmErrorAction:
		return strconv.FormatBool(a.Retryable != nil && *a.Retryable)
	}
	return ""
}
