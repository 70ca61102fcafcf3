package recorder

import (
	"fmt"
	"unicode/utf8"

	"github.com/hallmarkdev/hallmark/spec"
)

// PieceSize is the largest body, in bytes, that stands in the line of its
// request or response. A larger one is written as `piece` events of at most
// this size (rule 1).
const PieceSize = 256 << 10

// split returns the events that stand in the file for e: e itself, or pieces
// followed by e without its body. It does not change e, whose owner may share
// it.
func split(e spec.Event) ([]spec.Event, error) {
	switch d := e.Data.(type) {
	case *spec.RequestEvent:
		body, err := splitBody(d.Body, d.Pieces, e.Data)
		if err != nil || len(body) <= PieceSize {
			return []spec.Event{e}, err
		}
		head := *d
		head.Body, head.Bytes = spec.Body{}, int64(len(body))
		out := pieces(e, d.D, ofRequest, body)
		head.Pieces = len(out)
		e.Data = &head
		return append(out, e), nil
	case *spec.ResponseEvent:
		body, err := splitBody(d.Body, d.Pieces, e.Data)
		if err != nil || len(body) <= PieceSize {
			return []spec.Event{e}, err
		}
		head := *d
		head.Body, head.Bytes = spec.Body{}, int64(len(body))
		out := pieces(e, d.D, ofResponse, body)
		head.Pieces = len(out)
		e.Data = &head
		return append(out, e), nil
	case *spec.PieceEvent:
		_, err := splitBody(d.Body, 0, e.Data)
		return []spec.Event{e}, err
	}
	return []spec.Event{e}, nil
}

// splitBody returns the bytes of a body that may have to be split.
func splitBody(b spec.Body, inPieces int, d spec.EventData) ([]byte, error) {
	body, err := b.Bytes()
	if err != nil {
		return nil, fmt.Errorf("write recording: body of a %s: %w", d.EventKind(), err)
	}
	if inPieces > 0 && len(body) > 0 {
		return nil, fmt.Errorf("write recording: a %s has both a body and pieces", d.EventKind())
	}
	return body, nil
}

// pieces cuts body into piece events like e. Text is cut between characters,
// so that text stays text in the file.
func pieces(e spec.Event, d, of string, body []byte) []spec.Event {
	var out []spec.Event
	var offset int64
	for len(body) > 0 {
		n := min(PieceSize, len(body))
		for back := 1; n < len(body) && back < utf8.UTFMax && !utf8.RuneStart(body[n]); back++ {
			n--
		}
		e.Data = &spec.PieceEvent{D: d, Of: of, Offset: offset, Body: spec.BodyOf(body[:n])}
		out = append(out, e)
		offset += int64(n)
		body = body[n:]
	}
	return out
}
