package replay

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

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
	// ruling keeps the rules to one at a time.
	ruling *sync.Mutex
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
			if d, failure := x.Decided(); failure == nil {
				recorder.DecisionIDs(*d, func(_ recorder.IDPlace, id string) { c.ids.Bind(id, id) })
			}
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

// recordedAnswer is what was recorded, as far as it can be held against anything:
// untold says why not.
func recordedAnswer(x *spec.Exchange) (a spec.Answer, untold string) {
	r := x.Response
	switch {
	case r == nil:
		return a, "no answer was recorded"
	case strings.HasPrefix(x.Damage, "response"):
		return a, x.Damage
	}
	a = spec.Answer{Status: r.Status, Headers: r.Headers, Body: x.ResponseBody, End: r.End, Reason: r.Reason}
	switch r.End {
	case spec.EndOmitted, spec.EndClientGone, spec.EndStale, spec.EndOverLimit:
		if a.Streams() && r.End != spec.EndOmitted {
			// A stream is over with its final frame, however it ended.
			if _, failure := asAnswered(x, a).Decided(); failure == nil {
				return a, ""
			}
		}
		return a, "no whole answer was recorded: " + joined(string(r.End), r.Reason)
	case spec.EndReset, spec.EndTimeout:
		switch r.Reason {
		case spec.ReasonRefused, spec.ReasonUnreachable, spec.ReasonTLS:
			return a, "the worker had not been reached: " + r.Reason
		}
	}
	return a, ""
}

func joined(a, b string) string {
	if b == "" {
		return a
	}
	return a + ", " + b
}

// unpacked undoes a coding that was undone for the recording too.
func unpacked(a spec.Answer) spec.Answer {
	const limit = 64 << 20
	if got := recorder.Unpack(a.Body, a.Header("content-encoding"), limit); got.Fault == "" {
		a.Body = got.Body
	}
	return a
}

// asAnswered is an exchange whose answer is a.
func asAnswered(x *spec.Exchange, a spec.Answer) *spec.Exchange {
	return &spec.Exchange{
		Session: x.Session, D: x.D, Request: x.Request, RequestBody: x.RequestBody, ResponseBody: a.Body,
		Response: &spec.ResponseEvent{D: x.D, Status: a.Status, Headers: a.Headers, End: a.End, Reason: a.Reason, Redacted: x.Response.Redacted},
	}
}

// mayMakeUpIDs tells quickly that an answer makes up no id of its own: it has no
// message, and asks for nothing but to settle calls.
func mayMakeUpIDs(body []byte) bool {
	for _, word := range []string{"message", ".call", "interrupt", "subagent", `\u`} {
		if bytes.Contains(body, []byte(word)) {
			return true
		}
	}
	return false
}

// pair tells which ids stand at the places of others, where they do at each. One
// that a worker makes up again as it did stands for itself, since an engine gives
// it back so. It is false where all are the same.
func (c *comparer) pair(was, now spec.Decision) bool {
	type placed struct {
		place recorder.IDPlace
		id    string
	}
	var a, b []placed
	recorder.DecisionIDs(was, func(p recorder.IDPlace, id string) { a = append(a, placed{p, id}) })
	recorder.DecisionIDs(now, func(p recorder.IDPlace, id string) { b = append(b, placed{p, id}) })
	if len(a) != len(b) {
		return false
	}
	differs := false
	for i := range a {
		if a[i].place != b[i].place {
			return false
		}
		differs = differs || a[i].id != b[i].id
	}
	for i := range a {
		c.ids.Bind(a[i].id, b[i].id)
	}
	return differs
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
	c.ruling.Lock()
	defer c.ruling.Unlock()
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

// sameID reports whether a place that differs holds an id in both answers that
// stands for the same: one that is made of another id, or one that a model's
// answer makes up, which only the conversation after it knows as an id.
func (c *comparer) sameID(p recorder.Place, request []byte) bool {
	was, okA := jsonv.Text(p.A)
	now, okB := jsonv.Text(p.B)
	if !okA || !okB {
		return false
	}
	from := func(id string) string {
		if old, is := c.ids.From(id); is {
			return old
		}
		return id
	}
	restored := idInside.ReplaceAllStringFunc(now, from)
	if restored != was {
		restored = shortInside.ReplaceAllStringFunc(restored, from)
	}
	if restored != was && (!modelsID.MatchString(p.Pointer) || bytes.Contains(request, []byte(was))) {
		return false
	}
	return c.ids.Bind(was, now) || restored == was
}

var (
	// idInside is what may be an id within a text: a UUID, or a word so long that
	// it is nothing else by chance.
	idInside = regexp.MustCompile(`[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Za-z_]{16,}`)
	// shortInside is what may be a shorter one: words and numbers that are put
	// together, such as call_0.
	shortInside = regexp.MustCompile(`[0-9A-Za-z]+(?:[_:-][0-9A-Za-z]+)+`)
	// modelsID are the places of ids in the answer of a model, in whatever form.
	modelsID = regexp.MustCompile(`^/actions/\d+/response/.*(?:^|[/_])(?:id|callId|toolUseId)$`)
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

// streamed is what a stream in the protocol's own form says piece by piece,
// however it is cut; "" for other answers.
func streamed(x *spec.Exchange) string {
	asked, fault := x.Asked()
	if fault != nil || !x.Answer().Streams() {
		return ""
	}
	if t, ok := asked.Trigger.(spec.LlmExecuteTrigger); !ok || t.Format != "" {
		return ""
	}
	var text strings.Builder
	spec.ReadStream(x.ResponseBody, func(f spec.StreamFrame) bool {
		if f.Event == spec.FrameTokenDelta {
			if d, fault := spec.ParseStreamDelta(f.Data); fault == nil && d.Text != nil {
				text.WriteString(*d.Text)
			}
		}
		return true
	})
	return text.String()
}

// failures holds two answers against each other of which one at least is no
// decision.
func failures(was, now spec.Answer, f1, f2 *spec.Failure) *Divergence {
	d := &Divergence{Got: saysAnswer(now, f2), Want: saysAnswer(was, f1)}
	switch {
	case was.Status == 0 && now.Status == 0:
		return nil
	case now.Status == 0:
		d.Code = CodeMissing
	case was.Status == 0:
		d.Code = CodeExtra
	case !good(was.Status) || !good(now.Status):
		if was.Status == now.Status {
			return nil
		}
		d.Code = CodeStatus
	case f1 != nil && f2 != nil && f1.Class == f2.Class && f1.Info.Code == f2.Info.Code:
		return nil
	default:
		d.Code = CodeFailure
	}
	return d
}

func good(status int) bool { return status >= 200 && status <= 299 }

// saysAnswer puts an answer in a few words.
func saysAnswer(a spec.Answer, f *spec.Failure) string {
	switch {
	case f == nil:
		return fmt.Sprintf("%d and a decision", a.Status)
	case a.Status == 0:
		return "no answer: " + joined(string(a.End), a.Reason)
	case good(a.Status):
		return jsonv.Short(jsonv.Quote(f.Info.Message), shownWidth) + ", " + string(f.Class)
	}
	return jsonv.Short(jsonv.Quote(f.Info.Message), shownWidth)
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

var standInForm = regexp.MustCompile(spec.StandInPrefix + `[a-z]+-[a-z2-7]{8}(?:-[-0]*)?`)

func holdsStandIn(b []byte) bool { return bytes.Contains(b, []byte(spec.StandInPrefix)) }

// standsFor reports whether a recorded string holds stand-ins and another one may
// be what they stand for. The digits of a number are replaced without a mark.
func standsFor(was, now jsontext.Value, redacted bool) bool {
	if redacted && jsonv.Kind(was) == '0' && jsonv.Kind(now) == '0' && len(was) == len(now) {
		return true
	}
	if !holdsStandIn(was) {
		return false
	}
	a, okA := jsonv.Text(was)
	b, okB := jsonv.Text(now)
	if !okA || !okB {
		return false
	}
	parts := standInForm.Split(a, -1)
	if len(parts) < 2 || !strings.HasPrefix(b, parts[0]) {
		return false
	}
	b = b[len(parts[0]):]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(b, p)
		if i < 0 {
			return false
		}
		b = b[i+len(p):]
	}
	return strings.HasSuffix(b, parts[len(parts)-1])
}

// sentStandIns reports whether the worker was sent stand-ins where it may act on
// them: anywhere but in the conversation before a call of a tool.
func sentStandIns(x *spec.Exchange) bool {
	if !holdsStandIn(x.RequestBody) {
		return false
	}
	members, err := jsonv.Members(x.RequestBody)
	if asked, fault := x.Asked(); err != nil || fault != nil || asked.Trigger.TriggerType() != spec.OnToolExecute {
		return true
	}
	for _, m := range members {
		if m.Name != "messages" && m.Name != "message_tree" && holdsStandIn(m.Value) {
			return true
		}
	}
	return false
}
