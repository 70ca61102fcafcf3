package judge

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// The requirements on what a worker lives through. What it answers to an ordeal
// is judged like any other answer, where the protocol says what that is; here
// only the exchange after it counts, which shows whether somebody is still there.
const (
	survivesLarge   = "robustness.survives-large-arguments"
	survivesHistory = "robustness.survives-long-history"
	survivesNesting = "robustness.survives-deep-nesting"
	survivesText    = "robustness.survives-odd-text"
	survivesNames   = "robustness.survives-odd-names"
	survivesIDs     = "robustness.survives-odd-ids"
	survivesMany    = "robustness.survives-many-calls"
	survivesEmpty   = "robustness.survives-empty-text"
	survivesUnknown = "robustness.survives-what-it-does-not-know"
	survivesBroken  = "robustness.survives-broken-requests"
)

// The sizes from which on a request is an ordeal.
const (
	largeArguments = 1 << 20
	longHistory    = 200
	deepNesting    = 100
	manyCalls      = 32
	longName       = 64
)

func ordealChecks() []check {
	const after = "no request came after "
	return []check{
		{id: survivesLarge, moment: after + "a call with a megabyte of arguments"},
		{id: survivesHistory, moment: after + "one with 200 messages of history"},
		{id: survivesNesting, moment: after + "a call whose arguments are a hundred levels deep"},
		{id: survivesText, moment: after + "odd characters in a message or in arguments"},
		{id: survivesNames, moment: after + "a call of a tool with an odd name"},
		{id: survivesIDs, moment: after + "a call with an odd id"},
		{id: survivesMany, moment: after + "32 calls that are open at once"},
		{id: survivesEmpty, moment: after + "an empty text, name or argument string"},
		{id: survivesUnknown, moment: after + "one with fields or a trigger that no protocol has"},
		{id: survivesBroken, moment: after + "a request that is no decision"},
	}
}

// ordeal is a request after which the worker has to be there still.
type ordeal struct {
	id string
	// place and n say where it is, what tells it.
	place spec.Finding
	n     int
	what  string
	// until counts the requests that were sent before it was over: of later ones
	// the answer tells.
	until int
	// slow says that nobody waited for its answer, so that it may show later than
	// in the exchange after it.
	slow bool
}

// maxOrdeals bounds those that wait for a later exchange.
const maxOrdeals = 64

// gone reports whether an exchange found nobody, or somebody who hung up before
// saying anything.
func (w *wired) gone() bool {
	if w.Response.End != spec.EndReset {
		return false
	}
	switch w.Response.Reason {
	case spec.ReasonRefused, spec.ReasonUnreachable, spec.ReasonClosed:
		return true
	}
	return false
}

// heard takes in that something came back, at once and not when the exchange is
// judged: what one session tells of another goes by the order of the answers.
func (j *Judge) heard(w *wired) {
	if w == nil {
		return
	}
	before := j.down
	w.over = j.lived(w)
	// Of a request that found nobody, as the one before it, nobody died.
	if !w.over && !(before && w.gone()) {
		j.ordeal(w)
	}
}

// lived takes what an exchange tells of the ordeals before it. It reports whether
// nothing else is to be learned from it: the worker went down with an ordeal, and
// that is the one thing that is wrong (R18).
func (j *Judge) lived(w *wired) (over bool) {
	switch {
	case w.Response.Status != 0:
		j.fell, j.down = false, false
		j.ordeals = j.passed(w, func(o ordeal) note {
			if o.slow && len(j.lingering) < maxOrdeals {
				j.lingering = append(j.lingering, o)
			}
			return note{id: o.id, n: o.n}
		})
	case w.gone() && len(j.ordeals)+len(j.lingering) > 0:
		j.down = true
		if len(j.ordeals) == 0 {
			j.ordeals, j.lingering = j.lingering, nil
		}
		waiting := len(j.ordeals)
		j.ordeals = j.passed(w, func(o ordeal) note { return o.fatal(w) })
		j.fell = j.fell || len(j.ordeals) < waiting
		return j.fell
	case w.gone():
		j.down = true
		return j.fell
	}
	return false
}

// passed enters what comes of the ordeals that were over when w was sent, and
// returns the others.
func (j *Judge) passed(w *wired, of func(ordeal) note) []ordeal {
	var rest []ordeal
	for _, o := range j.ordeals {
		if o.until >= w.N {
			rest = append(rest, o)
			continue
		}
		j.ledger.enter([]note{of(o)})
	}
	return rest
}

// fatal is what is found when w, the first exchange after an ordeal, met nobody.
func (o ordeal) fatal(w *wired) note {
	f := o.place
	f.Requirement = o.id
	f.Got = fmt.Sprintf("after %s the next request (%s/%s) met nobody: %s", o.what, w.Session, w.D, w.Response.Reason)
	f.Want = "a worker that is still there"
	f.Hint = "one such request takes every session of the process with it: bound what is read, catch everything, and answer with a tool.error or a 4xx"
	if f.Trigger == "" {
		f.Trigger = w.Request.Trigger
	}
	return note{id: o.id, n: o.n, finding: &f}
}

// ordeal notes what a worker has to live through in an exchange.
func (j *Judge) ordeal(w *wired) {
	if !slices.Contains(j.ledger.evidence, spec.EvidenceEngine) {
		// What ended a worker that somebody else asked cannot be told.
		return
	}
	if w.Damage != "" || j.badlySigned(w) || w.Response.End == spec.EndStale || w.Response.End == spec.EndOmitted || w.gone() && w.Response.Reason != spec.ReasonClosed {
		return
	}
	note := func(id, what string) {
		if len(j.ordeals) == maxOrdeals {
			return
		}
		j.ordeals = append(j.ordeals, ordeal{
			id: id, n: w.N, what: what, until: w.until, slow: w.Response.End == spec.EndClientGone,
			place: spec.Finding{Session: w.Session, Exchange: w.D, Step: w.Step, Trigger: w.Request.Trigger},
		})
	}
	if w.Request.IsRaw() {
		note(survivesBroken, rawWords(w.Request))
		return
	}
	if adds := w.Request.Adds(); adds != "" {
		note(survivesUnknown, strings.ReplaceAll(adds, "-", " "))
	}
	req, fault := w.Asked()
	if fault != nil || req.Trigger == nil {
		return
	}
	if n := len(req.Messages); n >= longHistory {
		note(survivesHistory, fmt.Sprintf("%d messages of history", n))
	}
	switch t := req.Trigger.(type) {
	case spec.ToolExecuteTrigger:
		callOrdeals(t, req, note)
	case spec.ClientMessagesTrigger:
		for _, m := range t.Messages[min(int(t.NewFrom), len(t.Messages)):] {
			text, isText := jsonv.Text(m.Content)
			switch odd := oddText(text); {
			case isText && text == "":
				note(survivesEmpty, "an empty message")
			case odd != "" || jsonv.LoneSurrogate(m.Content):
				note(survivesText, "a message with "+orHalf(odd))
			}
		}
	}
}

// callOrdeals notes what is odd about a call.
func callOrdeals(t spec.ToolExecuteTrigger, req *spec.DecisionRequest, note func(id, what string)) {
	switch n := len(t.Arguments); {
	case strings.TrimSpace(t.Arguments) == "":
		note(survivesEmpty, "an empty argument string")
	case n >= largeArguments:
		note(survivesLarge, fmt.Sprintf("%d bytes of arguments", n))
	}
	if n := depth(t.Arguments); n >= deepNesting {
		note(survivesNesting, fmt.Sprintf("arguments %d levels deep", n))
	} else if odd := oddArguments(t.Arguments); odd != "" {
		note(survivesText, "arguments with "+odd)
	}
	switch {
	case t.Name == "":
		note(survivesEmpty, "a call of a tool without a name")
	case oddWord(t.Name):
		note(survivesNames, "a call of "+quote(t.Name))
	}
	if oddWord(t.ID) {
		note(survivesIDs, "a call with the id "+quote(t.ID))
	}
	if n := req.PendingCalls; n >= manyCalls {
		note(survivesMany, fmt.Sprintf("%d calls at once", n))
	}
}

// rawWords tell a raw request.
func rawWords(r *spec.RequestEvent) string {
	_, particulars, cut := strings.Cut(r.Broken, ": ")
	words := fmt.Sprintf("%s %s with %d bytes", r.Method, r.Target, bodySize(r))
	if cut {
		words += ", " + particulars + ","
	}
	return words
}

func bodySize(r *spec.RequestEvent) int64 {
	b, err := r.Body.Bytes()
	if err != nil || b == nil {
		return r.Bytes
	}
	return int64(len(b))
}

// inherited are names that every object of some language has: a worker that keeps
// its tools in one finds something by them.
var inherited = map[string]bool{
	"__proto__": true, "constructor": true, "prototype": true, "toString": true, "hasOwnProperty": true, "valueOf": true,
	"__class__": true, "__init__": true, "__dict__": true,
}

// oddWord reports whether a name or an id is one that a program could stumble
// over: too long for a provider, of other characters, or inherited.
func oddWord(s string) bool {
	return len(s) > longName || inherited[s] || strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && r != '-' && (r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	})
}

// oddText names the first character of a text that a program could stumble over,
// "" when there is none.
func oddText(s string) string {
	for _, r := range s {
		if r < utf8.RuneSelf && r >= ' ' && r != 0x7f || r == '\n' || r == '\t' || r == '\r' {
			continue
		}
		if isOdd(r) {
			return fmt.Sprintf("U+%04X", r)
		}
	}
	return ""
}

func isOdd(r rune) bool {
	switch {
	case r == utf8.RuneError, r == '\u2028', r == '\u2029':
		return true
	case r >= 0x10000, r&0xfffe == 0xfffe, r >= 0xfdd0 && r <= 0xfdef:
		return true
	}
	// Cf holds what turns the direction of a text, joins letters or has no width,
	// the byte-order mark included.
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Mn, unicode.Co)
}

// oddArguments is [oddText] for an argument string, which may spell characters by
// escapes.
func oddArguments(s string) string {
	if odd := oddText(s); odd != "" {
		return odd
	}
	if breaksInText(s) {
		return "a raw line break or tab in a text"
	}
	for rest := s; ; {
		_, after, found := strings.Cut(rest, `\u`)
		if !found {
			return ""
		}
		rest = after
		if len(after) < 4 {
			return ""
		}
		if n, err := strconv.ParseUint(after[:4], 16, 16); err == nil && (isOdd(rune(n)) || n >= 0xd800 && n <= 0xdfff) {
			return `\u` + after[:4]
		}
	}
}

// breaksInText reports whether a line break or a tab stands inside a text of an
// argument string; between its parts both are white space.
func breaksInText(s string) bool {
	for c, inText := range letters(s) {
		if inText && (c == '\n' || c == '\r' || c == '\t') {
			return true
		}
	}
	return false
}

// letters are the bytes of an argument string, JSON or not, each with whether it
// stands inside a text; quotation marks and escapes are passed over.
func letters(s string) iter.Seq2[byte, bool] {
	return func(yield func(byte, bool) bool) {
		inText := false
		for i := 0; i < len(s); i++ {
			switch c := s[i]; {
			case c == '\\' && inText:
				i++
			case c == '"':
				inText = !inText
			case !yield(c, inText):
				return
			}
		}
	}
}

// orHalf names what is odd about a text; half a surrogate pair has no name of its
// own.
func orHalf(odd string) string {
	if odd == "" {
		return "half a surrogate pair"
	}
	return odd
}

// depth is how deep arguments nest, whether or not they are JSON.
func depth(s string) int {
	level, most := 0, 0
	for c, inText := range letters(s) {
		switch {
		case inText:
		case c == '{' || c == '[':
			level++
			most = max(most, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return most
}
