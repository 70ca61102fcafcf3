package scenarios

import "strings"

func (d *decoder) checks(n *node) []Check { return list(d, n, "a list of checks", d.check) }

// check reads one expectation: about exchanges when it has a trigger, else
// about the state.
func (d *decoder) check(n *node) Check {
	c := Check{Pos: n.pos}
	n, ok := d.want(n, kindObject, "a check")
	switch {
	case !ok:
	case n.member("trigger") != nil:
		c.Exchange = d.exchangeCheck(n)
	default:
		c.State = d.stateCheck(n)
	}
	return c
}

func (d *decoder) exchangeCheck(n *node) *ExchangeCheck {
	e := &ExchangeCheck{}
	_, has := d.object(n, "a check of an exchange",
		field{"trigger", func(n *node) { e.Trigger = d.trigger(n) }},
		field{"call", func(n *node) { e.Call = d.label(n) }},
		field{"try", func(n *node) { e.Try = d.count(n) }},
		field{"delivery", func(n *node) { e.Delivery = d.count(n) }},
		field{"input", func(n *node) { e.Input = d.word(n, "a class of input", "valid", "invalid", "malformed") }},
		field{"ok", func(n *node) { e.OK = d.boolean(n) }},
		field{"error", func(n *node) { e.Error = d.errorCheck(n) }},
		field{"open", func(n *node) { e.Open = d.integer(n, 0, anyNumber) }},
		field{"calls", func(n *node) { e.Calls = d.callChecks(n) }},
		field{"proposed", func(n *node) {
			e.Proposed = d.word(n, "a proposal", "empty", "error", "records", "continues")
		}},
		field{"request", func(n *node) { e.Request = d.pointerChecks(n) }},
		field{"answer", func(n *node) { e.Answer = d.answer(n) }},
		field{"times", func(n *node) { e.Times = d.integer(n, 0, anyNumber) }},
		field{"never", func(n *node) { e.Never = d.onlyTrue(n, "never") }},
	)
	d.exclude(n.pos, has, "times", "never")
	if e.Input != "" && e.Trigger != "" && e.Trigger != "tool.execute" {
		d.problem(n.pos, "leave input out", "%s has no input", e.Trigger)
	}
	if (e.OK != nil || e.Error != nil) && e.Trigger != "" && !strings.HasSuffix(e.Trigger, ".finished") {
		d.problem(n.pos, "ok and error speak of a finished trigger; for the worker's answer write answer: {is: error, error: TEXT}",
			"%s has neither ok nor error", e.Trigger)
	}
	return e
}

func (d *decoder) errorCheck(n *node) *ErrorCheck {
	e := &ErrorCheck{Pos: n.pos}
	d.object(n, "the error of a trigger",
		field{"message", func(n *node) { e.Message = d.match(n) }},
		field{"code", func(n *node) { e.Code = d.match(n) }},
		field{"param", func(n *node) { e.Param = d.match(n) }},
	)
	return e
}

func (d *decoder) callChecks(n *node) []CallCheck {
	return named(d, n, "an object of call labels", func(key nodeKey, n *node) CallCheck {
		c := CallCheck{Pos: key.pos, Label: key.name}
		d.object(n, "the check of a call",
			field{"is", func(n *node) { c.Is = d.word(n, "a state of a call", "open", "waiting", "done", "failed") }},
			field{"handler", func(n *node) { c.Handler = d.word(n, "a handler", "worker", "client", "server") }},
			field{"tries", func(n *node) { c.Tries = d.integer(n, 0, anyNumber) }},
			field{"text", func(n *node) { c.Text = d.match(n) }},
		)
		return c
	})
}

func (d *decoder) pointerChecks(n *node) []PointerCheck {
	return named(d, n, "an object of JSON pointers", func(key nodeKey, n *node) PointerCheck {
		if problem := badPointer(key.name); problem != "" {
			d.problem(key.pos, `a pointer is written like "/calls/0/id"`, "%q is no JSON pointer: %s", key.name, problem)
		}
		return PointerCheck{Pos: key.pos, Pointer: key.name, Match: *d.match(n)}
	})
}

// badPointer says what is wrong with a JSON pointer (RFC 6901).
func badPointer(pointer string) string {
	if pointer == "" {
		return ""
	}
	if pointer[0] != '/' {
		return "it does not begin with /"
	}
	rest := strings.NewReplacer("~0", "", "~1", "").Replace(pointer)
	if strings.Contains(rest, "~") {
		return "~ is followed by neither 0 nor 1"
	}
	return ""
}

var answerWords = []string{
	string(WordResult), string(WordError), string(WordSettles), string(WordRuns), string(WordRefuses),
	string(WordPending), string(WordProposed), string(WordRecords), string(WordAsksModel), string(WordWaits),
	string(WordEmpty), string(WordDone), string(WordInterrupt), string(WordFails),
}

func (d *decoder) answerWord(n *node) Word {
	return Word(d.word(n, "a word for an answer", answerWords...))
}

func (d *decoder) answer(n *node) *Answer {
	a := &Answer{Pos: n.pos}
	n = d.value(n)
	if n.kind != kindObject {
		a.Is = oneOrMore(d, n, d.answerWord)
		return a
	}
	d.object(n, "an answer",
		field{"is", func(n *node) { a.Is = oneOrMore(d, n, d.answerWord) }},
		field{"text", func(n *node) { a.Text = d.match(n) }},
		field{"structured", func(n *node) { a.Structured = d.match(n) }},
		field{"blocks", func(n *node) {
			a.Blocks = list(d, n, "a list of kinds of blocks", func(n *node) string {
				return d.word(n, "a kind of block", "text", "image", "audio", "resource", "resource_link")
			})
		}},
		field{"is_error", func(n *node) { a.IsError = d.boolean(n) }},
		field{"error", func(n *node) { a.Error = d.match(n) }},
		field{"retryable", func(n *node) { a.Retryable = d.boolean(n) }},
		field{"code", func(n *node) { a.Code = d.optionalText(n) }},
		field{"state", func(n *node) { a.State = d.match(n) }},
		field{"agent", func(n *node) { a.Agent = d.match(n) }},
		field{"at", func(n *node) { a.At = d.pointerChecks(n) }},
		field{"status", func(n *node) { a.Status = d.status(n) }},
		field{"same_as", func(n *node) { a.SameAs = d.count(n) }},
	)
	return a
}

func (d *decoder) stateCheck(n *node) *StateCheck {
	s := &StateCheck{}
	fields := []field{
		{"turn", func(n *node) { s.Turn = d.turn(n) }},
		{"calls", func(n *node) { s.Calls = d.callChecks(n) }},
		{"state", func(n *node) { s.State = d.match(n) }},
		{"agent", func(n *node) { s.Agent = d.match(n) }},
		{"transcript", func(n *node) { s.Transcript = d.transcript(n) }},
		{"alive", func(n *node) { s.Alive = d.onlyTrue(n, "alive") }},
	}
	for _, key := range exchangeKeys {
		fields = append(fields, field{key, func(*node) {}})
	}
	_, has := d.object(n, "a check of the state", fields...)
	if len(has) == 0 {
		d.problem(n.pos, "write a trigger, or one of: turn, calls, state, agent, transcript, alive", "the check wants nothing")
	}
	for _, key := range exchangeKeys {
		if has[key] {
			d.problem(n.pos, "add trigger: NAME", "%s speaks of an exchange, and the check names no trigger", key)
			break
		}
	}
	return s
}

// exchangeKeys are the keys that only a check of an exchange has.
var exchangeKeys = []string{
	"call", "answer", "try", "delivery", "input", "ok", "error", "open", "proposed", "request", "times", "never",
}

func (d *decoder) turn(n *node) *TurnCheck {
	t := &TurnCheck{Pos: n.pos}
	outcome := func(n *node) string { return d.word(n, "an outcome of a turn", "completed", "failed", "open") }
	n = d.value(n)
	if n.kind != kindObject {
		t.Is = outcome(n)
		return t
	}
	d.object(n, "the check of a turn",
		field{"is", func(n *node) { t.Is = outcome(n) }},
		field{"code", func(n *node) { t.Code = d.optionalText(n) }},
		field{"data", func(n *node) { t.Data = d.match(n) }},
	)
	return t
}

func (d *decoder) transcript(n *node) []TranscriptCheck {
	return list(d, n, "a list of messages", func(n *node) TranscriptCheck {
		t := TranscriptCheck{Pos: n.pos}
		_, has := d.object(n, "a message of the transcript",
			field{"role", func(n *node) { t.Role = d.role(n) }},
			field{"call", func(n *node) { t.Call = d.label(n) }},
			field{"calls", func(n *node) { t.Calls = d.labels(n) }},
			field{"text", func(n *node) { t.Text = d.match(n) }},
		)
		if has != nil && !has["role"] {
			d.problem(n.pos, "add role: user, assistant, tool or system", "the message has no role")
		}
		return t
	})
}
