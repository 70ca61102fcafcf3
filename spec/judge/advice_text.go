package judge

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// The lengths beyond which a text does more harm than good, in bytes.
const (
	maxFailureText = 2000
	maxResultText  = 256 << 10
)

// adviseOnTexts looks at what the model reads of each call that ended.
func adviseOnTexts(x *exchange) {
	for _, s := range x.settles() {
		switch {
		case s.err != nil:
			x.adviseOnFailure(s.err.Error, s.pointer("/error"))
		case s.result != nil:
			x.adviseOnResult(s)
		}
	}
}

// proposes reports whether the engine proposed a failure with this text (E9).
func (x *exchange) proposes(text string) bool {
	for _, a := range x.req.Proposed.Actions {
		if e, ok := a.(spec.ToolErrorAction); ok && e.Error == text {
			return true
		}
	}
	return false
}

// adviseOnFailure looks at the text of a failure. A blank one is a finding of
// its own elsewhere.
func (x *exchange) adviseOnFailure(text, at string) {
	if blank(text) {
		return
	}
	sent := x.sent()
	engines := x.proposes(text)
	for _, a := range []struct{ id, got, want string }{
		{"advice.error-text-without-stack-trace", traceIn(text), "one sentence that says what to change; the trace belongs in the worker's log"},
		{"advice.error-text-without-paths", pathIn(text, sent), "words for what could not be done, without the machine's files"},
		{"advice.error-text-without-secrets", secretIn(text, sent), "a text in which no key, password or token stands"},
		{"advice.error-text-is-short", tooLong(text), fmt.Sprintf("at most %d bytes", maxFailureText)},
		{"advice.error-text-says-what-happened", saysNothing(text), "whether another argument would help, or whether it is out of the model's hands"},
		{printedValues, printed(text), "the value itself, in words or as JSON"},
	} {
		if engines {
			// What the engine proposed is not the worker's wording.
			a.got = ""
		}
		x.advise(a.id, at, a.got, a.want)
	}
	if t, ok := x.asked(); ok && t.Input.Status != spec.InputValid && len(t.Arguments) >= shortestCopied {
		got := repeated(text, t)
		if engines {
			got = ""
		}
		x.advise(repeatsCall, at, got, "what to send instead, with no more of what was sent than its beginning")
	}
}

const repeatsCall = "advice.error-text-does-not-repeat-the-call"

// The length, in bytes, from which arguments are worth copying, and that of a
// beginning that is too much of them.
const (
	shortestCopied   = 24
	longestBeginning = 64
)

// repeated finds the refused arguments in the text of their refusal: whole, or
// more than a beginning of them, as they were sent, as the engine read them, or
// in quotes.
func repeated(text string, t spec.ToolExecuteTrigger) string {
	for _, sent := range []string{t.Arguments, string(t.Input.Value)} {
		if len(sent) < shortestCopied {
			continue
		}
		part := sent[:min(len(sent), longestBeginning+1)]
		if quoted := string(jsonv.Quote(part)); strings.Contains(text, part) || strings.Contains(text, quoted[1:len(quoted)-1]) {
			return "the arguments that were sent: " + quote(text)
		}
	}
	return ""
}

const printedValues = "advice.results-are-printed-values"

// advise notes that an advice was followed when got is empty.
func (x *exchange) advise(id, at, got, want string) {
	if got == "" {
		x.held(id)
		return
	}
	x.broke(id, spec.Finding{Pointer: at, Got: got, Want: want})
}

func (x *exchange) adviseOnResult(s settle) {
	stored := toolcall.ReadResult(*s.result, keeper{})
	text := toolcall.Rendered(stored)
	at := s.pointer("")
	if stored.IsError {
		x.adviseOnFailure(text, at)
		x.held("advice.failure-is-not-a-success")
	} else {
		x.advise("advice.failure-is-not-a-success", at, hiddenFailure(text), "isError: true beside it, or a tool.error")
		x.advise(printedValues, at, printed(text), "the value itself, in words or as JSON")
	}
	files := slices.ContainsFunc(stored.Content, func(c spec.StoredContent) bool { return c.Type == spec.BlockBlob })
	switch {
	case files && blank(text):
		x.broke("advice.results-have-words", spec.Finding{
			Pointer: at, Got: "a file and no text", Want: "a text block that says what the file shows",
		})
	case files:
		x.held("advice.results-have-words")
	}
	got := ""
	if len(text) > maxResultText {
		got = fmt.Sprintf("a text of %d bytes, which begins %s", len(text), quote(text))
	}
	x.advise("advice.results-fit-a-conversation", at, got, fmt.Sprintf("at most %d bytes, and how to get the rest", maxResultText))
}

// sent is what the model sent: a text that stands there is no news to it.
func (x *exchange) sent() string {
	if t, ok := x.req.Trigger.(spec.ToolExecuteTrigger); ok {
		return t.Arguments + textsIn(t.Input.Value)
	}
	return ""
}

// textsIn are the texts in a value as they are meant, each on a line: what is
// written with escapes in the arguments is mostly quoted without.
func textsIn(v jsontext.Value) string {
	var texts strings.Builder
	tokens := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		t, err := tokens.ReadToken()
		if err != nil {
			return texts.String()
		}
		if t.Kind() == '"' {
			texts.WriteString("\n" + t.String())
		}
	}
}

func tooLong(text string) string {
	if len(text) <= maxFailureText {
		return ""
	}
	return fmt.Sprintf("%d bytes: %s", len(text), quote(text))
}

// shrugs are the texts, folded, that say no more than that something failed.
var shrugs = []string{
	"error", "anerror", "anerroroccurred", "anerrorhasoccurred", "anunknownerroroccurred", "anunexpectederroroccurred",
	"exception", "failed", "failure", "internalerror", "internalservererror", "servererror", "somethingwentwrong",
	"toolerror", "toolfailed", "toolcallfailed", "toolexecutionfailed", "unexpectederror", "unhandledexception", "unknownerror", "unknown",
}

func saysNothing(text string) string {
	if slices.Contains(shrugs, strings.TrimPrefix(folded(text), "error")) || slices.Contains(shrugs, folded(text)) {
		return "no more than " + quote(text)
	}
	return ""
}

// adviseOnKeepAlive looks at what answers say of their connection. Whether one
// was used again is chance, so it decides nothing (R20).
func adviseOnKeepAlive(x *exchange) {
	const id = "advice.keep-alive-outlives-idle"
	secs, said := keepAlive(header(x.Response.Headers, "keep-alive"))
	switch {
	case said && secs < shortestIdle:
		x.broke(id, spec.Finding{
			Pointer: "", Got: fmt.Sprintf("keep-alive: timeout=%d", secs), Want: fmt.Sprintf("%d seconds or more, longer than the engine keeps its end", shortestIdle),
			Hint: "raise the server's keep-alive timeout",
		})
	default:
		x.held(id)
	}
}

// shortestIdle is the idle time, in seconds, that common servers keep.
const shortestIdle = 5

// idle notes a connection that the worker had closed while it was idle (R17).
// No delivery took place there, so nothing else is judged; and only when the
// request is answered on a new connection was it no crash.
func (j *Judge) idle(s *session, w *wired) {
	const id = "advice.keep-alive-outlives-idle"
	before := s.stale
	s.stale = nil
	switch {
	case w.Response.End == spec.EndStale:
		s.stale = w
	case before == nil, w.Response.End != spec.EndWhole, before.Request.Decision != w.Request.Decision:
	default:
		j.ledger.enter([]note{{id: id, n: before.N, finding: &spec.Finding{
			Requirement: id, Session: before.Session, Exchange: before.D, Step: before.Step, Trigger: before.Request.Trigger,
			Got: "the worker had closed a connection that was idle for less than a second", Want: fmt.Sprintf("%d seconds or more", shortestIdle),
			Hint: "raise the server's keep-alive timeout",
		}}})
	}
}
