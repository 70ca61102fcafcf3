package recorder

import (
	"bytes"
	"errors"

	"github.com/hallmarkdev/hallmark/spec"
)

// ErrWithheld says that a line would have held a secret that is known, although
// all that is looked at was replaced: an id that is one, for instance.
var ErrWithheld = errors.New("withheld: it holds a secret")

// Withheld is what may be said of an event whose line would hold a secret that
// is known: its frame, without what it holds; nil is nothing.
func Withheld(data spec.EventData) spec.EventData {
	switch d := data.(type) {
	case *spec.RequestEvent:
		return &spec.RequestEvent{D: d.D, Trigger: d.Trigger, Delivery: d.Delivery, Method: d.Method, Proto: d.Proto, Now: d.Now, End: spec.EndOmitted, Reason: ErrWithheld.Error()}
	case *spec.ResponseEvent:
		return &spec.ResponseEvent{D: d.D, Status: d.Status, Proto: d.Proto, Pieces: d.Pieces, Bytes: d.Bytes, End: spec.EndOmitted, Reason: ErrWithheld.Error()}
	case *spec.SessionEvent:
		return &spec.SessionEvent{SessionID: d.SessionID, Origin: d.Origin}
	case *spec.PieceEvent:
		blank := bytes.Repeat([]byte("#"), length(d.Body))
		return &spec.PieceEvent{D: d.D, Of: d.Of, Offset: d.Offset, Body: spec.BodyOf(blank)}
	}
	return nil
}
