package replay

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// Divergence is the first place where a replay does something else than its
// recording says.
type Divergence struct {
	// Code is one of the Code constants.
	Code string `json:"code"`
	// Session, Exchange and Line say where it is in the recording; "" and 0 where
	// it is no place of it.
	Session  string `json:"session,omitzero"`
	Exchange string `json:"exchange,omitzero"`
	Line     int64  `json:"line,omitzero"`
	// About says what stands there: "tool.execute of call_1".
	About string `json:"about,omitzero"`
	// In says what Pointer points into: "body" of a request, "event" for the line
	// as a whole.
	In      string `json:"in,omitzero"`
	Pointer string `json:"pointer"`
	// Got is what Hallmark does now, Want what the recording holds.
	Got  string `json:"got"`
	Want string `json:"want"`
	// After is the last request that came out the same, "" when none did.
	After string `json:"after,omitzero"`
}

func divergenceOf(d *simulator.Divergence) *Divergence {
	out := &Divergence{Session: d.Session}
	if d.Last != nil {
		out.After = d.Last.Session + "/" + exchangeOf(d.Last) + " " + about(d.Last)
	}
	at := cmp.Or(d.Want, d.Got)
	if at != nil {
		out.Exchange, out.About = exchangeOf(at), about(at)
		if at.Data.EventKind() != spec.KindRequest {
			out.About = strings.TrimSpace(string(at.Data.EventKind()) + " " + out.About)
		}
	}
	if d.Want != nil {
		out.Line = d.Want.N
	}
	switch {
	case at == nil:
		out.Code, out.Got, out.Want = CodeEnd, d.GotEnd, d.WantEnd
	case d.Got == nil:
		out.Code, out.Got, out.Want = CodeMissing, "nothing more", says(d.Want)
		if d.GotEnd != "" {
			out.Got = "the end: " + d.GotEnd
		}
	case d.Want == nil:
		out.Code, out.Got, out.Want = CodeExtra, says(d.Got), "nothing"
	case d.Want.Data.EventKind() != d.Got.Data.EventKind():
		out.Code, out.Got, out.Want = CodeKind, says(d.Got), says(d.Want)
	default:
		out.compare(*d.Want, *d.Got)
	}
	return out
}

// compare finds the first place where two events of a kind differ: in their
// bodies, where these do.
func (d *Divergence) compare(want, got spec.Event) {
	w, g := bodyOf(want), bodyOf(got)
	if w != nil && g != nil && !bytes.Equal(w, g) {
		d.Code, d.In = CodeEvent, "body of the "+string(want.Data.EventKind())
		if want.Data.EventKind() == spec.KindRequest {
			d.Code, d.In = CodeRequest, "body"
		}
		var equal bool
		if d.Pointer, d.Got, d.Want, equal = jsonv.Diff(g, w); equal {
			d.Got, d.Want = spelled(g, w)
		}
		return
	}
	d.Code, d.In = CodeEvent, "event"
	want.N, want.W, got.N, got.W = 0, 0, 0, 0
	a, errA := spec.MarshalEvent(want)
	b, errB := spec.MarshalEvent(got)
	if errA != nil || errB != nil {
		return
	}
	var equal bool
	if d.Pointer, d.Got, d.Want, equal = jsonv.Diff(b, a); equal {
		d.Got, d.Want = spelled(b, a)
	}
}

// spelled shows where two texts of one meaning begin to differ.
func spelled(got, want []byte) (string, string) {
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	part := func(b []byte) string {
		return fmt.Sprintf("%q at byte %d", b[at:min(len(b), at+40)], at)
	}
	return part(got), part(want)
}

// bodyOf is the body that an event carries, nil for none.
func bodyOf(e spec.Event) jsontext.Value {
	var body spec.Body
	switch d := e.Data.(type) {
	case *spec.RequestEvent:
		body = d.Body
	case *spec.AskEvent:
		body = d.Body
	case *spec.ReplyEvent:
		body = d.Body
	case *spec.InputEvent:
		body = d.Body
	}
	b, err := body.Bytes()
	if err != nil {
		return nil
	}
	return b
}

// says puts an event in a few words.
func says(e *spec.Event) string {
	return strings.TrimSpace(article(string(e.Data.EventKind())) + " " + about(e))
}

func article(word string) string {
	if word != "" && strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

// about says what an event is about.
func about(e *spec.Event) string {
	switch d := e.Data.(type) {
	case *spec.RequestEvent:
		text := string(d.Trigger)
		if d.Call != "" {
			text += " of " + d.Call
		}
		if d.Try > 1 {
			text += fmt.Sprintf(", try %d", d.Try)
		}
		if d.Delivery > 1 {
			text += fmt.Sprintf(", delivery %d", d.Delivery)
		}
		return text
	case *spec.StepEvent:
		return fmt.Sprintf("%d (%s)", d.Step, d.Verb)
	case *spec.InputEvent:
		return "from the " + d.From
	case *spec.AskEvent:
		return d.Call
	case *spec.ReplyEvent:
		return d.Call
	case *spec.OutcomeEvent:
		return strings.TrimSpace(d.As + " " + d.Reason)
	case *spec.TimeEvent:
		return strings.TrimSpace(d.Why + " " + d.Of)
	case *spec.DisturbEvent:
		return d.Do
	case *spec.TurnEvent:
		return d.Event
	case *spec.WorkerEvent:
		return d.Event
	}
	return ""
}

// exchangeOf names the exchange that an event is of, "" for none.
func exchangeOf(e *spec.Event) string {
	switch d := e.Data.(type) {
	case *spec.RequestEvent:
		return d.D
	case *spec.PieceEvent:
		return d.D
	case *spec.ResponseEvent:
		return d.D
	case *spec.OutcomeEvent:
		return d.D
	case *spec.DisturbEvent:
		return d.D
	}
	return ""
}

// String tells the divergence in a line for each thing there is to say.
func (d *Divergence) String() string {
	var b strings.Builder
	switch {
	case d.Code == CodeEnd:
		fmt.Fprintf(&b, "diverges at the end: got %q, want %q", d.Got, d.Want)
	case d.Code == CodeDigest:
		fmt.Fprintf(&b, "diverges in the order of sessions: asked %s, want %s", d.Got, d.Want)
	default:
		at := cmp.Or(d.Session, "the worker")
		if d.Exchange != "" {
			at += "/" + d.Exchange
		}
		if d.Line > 0 {
			at += fmt.Sprintf(", line %d", d.Line)
		}
		if d.About != "" {
			at += " (" + d.About + ")"
		}
		fmt.Fprintf(&b, "diverges at %s", at)
		if d.In != "" {
			fmt.Fprintf(&b, "\n  %s%s", d.In, pointed(d.Pointer))
		}
		fmt.Fprintf(&b, "\n  got  %s\n  want %s", d.Got, d.Want)
	}
	if d.After != "" {
		fmt.Fprintf(&b, "\n  the last that agrees: %s", d.After)
	}
	return b.String()
}

func pointed(pointer string) string {
	if pointer == "" {
		return ""
	}
	return " at " + pointer
}
