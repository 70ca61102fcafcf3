package judge

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// TwinOutcome is what became of a twin: the same script with the one thing put
// right, which tells a refusal of that thing from a refusal of everything (R11).
type TwinOutcome string

// The outcomes of twins.
const (
	// TwinRan: the call ended in a plain result.
	TwinRan TwinOutcome = "ran"
	// TwinRefusedOtherwise: it was refused with a text that differs in more than
	// quoted argument values. That is weak: the tool told the two apart.
	TwinRefusedOtherwise TwinOutcome = "refused otherwise"
	// TwinRefusedAlike: it was refused with the same text, so the refusal of the
	// case proves nothing.
	TwinRefusedAlike TwinOutcome = "refused alike"
	// TwinNotMade: there is none, or its call came to no end.
	TwinNotMade TwinOutcome = "not made"
)

// Twin is one twin of a recording.
type Twin struct {
	// Session is the twin's alias, Of that of the session it is the twin of.
	Session, Of string
	// Call is the label of the call that was put right, ID its wire id in the
	// session Of; both are empty where it was no call.
	Call, ID string
	Outcome  TwinOutcome
	// Reason says why it was not made.
	Reason string
}

// TwinOutcomes returns what became of each twin of a recording, in the order of
// their sessions, from its events alone (R11). The memory is that of the ends
// of calls: one text each.
func TwinOutcomes(events iter.Seq[spec.Event]) []Twin {
	var b twinBook
	for e := range events {
		b.add(e)
	}
	return b.twins()
}

// twinBook gathers what outcomes are read off.
type twinBook struct {
	first  string
	labels map[string]string
	told   []twinSession
	// ends are the calls that ended, in order.
	ends []callEnd
	args map[[2]string]spec.ToolExecuteTrigger
}

type twinSession struct {
	alias string
	*spec.SessionEvent
}

// callEnd is how a call ended.
type callEnd struct {
	session, id string
	ran, timely bool
	text        string
}

func (b *twinBook) add(e spec.Event) {
	if b.first == "" {
		b.first = e.Session
	}
	switch d := e.Data.(type) {
	case *spec.HeaderEvent:
		if d.Case != nil {
			b.labels = d.Case.Labels
		}
	case *spec.SessionEvent:
		b.told = append(b.told, twinSession{e.Session, d})
	case *spec.RequestEvent:
		if d.Trigger != spec.OnToolFinished && d.Trigger != spec.OnToolExecute {
			return
		}
		body, err := d.Body.Bytes()
		if err != nil || body == nil {
			return
		}
		if req, fault := spec.ParseRequest(body); fault == nil {
			b.request(e.Session, req.Trigger)
		}
	}
}

func (b *twinBook) request(session string, t spec.Trigger) {
	switch t := t.(type) {
	case spec.ToolExecuteTrigger:
		if b.args == nil {
			b.args = map[[2]string]spec.ToolExecuteTrigger{}
		}
		b.args[[2]string{session, t.ID}] = t
	case spec.ToolFinishedTrigger:
		b.ends = append(b.ends, endOf(session, t))
	}
}

// endOf reads the end of a call. A result that only its schema spoils was given
// by a tool that ran (F11).
func endOf(session string, t spec.ToolFinishedTrigger) callEnd {
	end := callEnd{session: session, id: t.ID, timely: true}
	switch {
	case t.OK && t.Result != nil:
		end.ran, end.text = !t.Result.IsError, toolcall.Rendered(*t.Result)
	case t.Error != nil:
		end.ran = t.Error.Code == spec.CodeInvalidResponse
		end.timely = t.Error.Code != spec.CodeDeadlineExceeded
		end.text = t.Error.Message
	}
	return end
}

func (b *twinBook) twins() []Twin {
	var all []Twin
	for _, s := range b.told {
		if s.Twin == "" {
			continue
		}
		t := Twin{Session: s.alias, Of: s.Twin, Call: s.Right, ID: b.idOf(s.Twin, s.Right)}
		t.Outcome, t.Reason = b.outcome(s, t.ID)
		all = append(all, t)
	}
	return all
}

// idOf is the wire id of a label in a session.
func (b *twinBook) idOf(session, label string) string {
	for _, s := range b.told {
		if s.alias == session && s.Labels != nil {
			return s.Labels[label]
		}
	}
	return b.labels[label]
}

func (b *twinBook) outcome(s twinSession, id string) (TwinOutcome, string) {
	if reason, ok := strings.CutPrefix(s.Origin, spec.NotMade); ok {
		return TwinNotMade, reason
	}
	twin, ended := b.end(s.alias, s.Labels[s.Right])
	switch {
	case !ended || !twin.timely:
		return TwinNotMade, "the call of the twin came to no end"
	case twin.ran:
		return TwinRan, ""
	}
	if was, ended := b.end(s.Twin, id); ended && b.plainer(was) == b.plainer(twin) {
		return TwinRefusedAlike, ""
	}
	return TwinRefusedOtherwise, ""
}

// end is how a call of a session ended; the first that did, where none is named.
func (b *twinBook) end(session, id string) (callEnd, bool) {
	i := slices.IndexFunc(b.ends, func(e callEnd) bool { return e.session == session && (id == "" || e.id == id) })
	if i < 0 {
		return callEnd{}, false
	}
	return b.ends[i], true
}

// quotedText is a part of a text that quotes something.
var quotedText = regexp.MustCompile("\"[^\"]*\"|'[^']*'|`[^`]*`|“[^”]*”|„[^“]*“|«[^»]*»")

// plainer is the text of a refusal without the values that it quotes: what
// stands in quotes, and the values of the call's own arguments.
func (b *twinBook) plainer(end callEnd) string {
	text := quotedText.ReplaceAllString(end.text, "…")
	for _, value := range scalarsOf(b.args[[2]string{end.session, end.id}]) {
		text = strings.ReplaceAll(text, value, "…")
	}
	return strings.Join(strings.Fields(text), " ")
}

// maxScalars bounds the values that are looked for in one text.
const maxScalars = 64

// scalarsOf are the texts and numbers at the first level of a call's arguments,
// the longest first, so that none is cut by a part of it.
func scalarsOf(t spec.ToolExecuteTrigger) []string {
	members, err := jsonv.Members(t.Input.Value)
	if err != nil {
		return nil
	}
	var all []string
	for _, m := range members {
		value := string(m.Value)
		if text, ok := jsonv.Text(m.Value); ok {
			value = text
		} else if jsonv.Kind(m.Value) != '0' {
			continue
		}
		if value != "" && len(all) < maxScalars {
			all = append(all, value)
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
}
