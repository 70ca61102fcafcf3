package renew

import "bytes"

// Text is a body with other ids and times in it.
type Text struct {
	Body []byte
	// IDs and Times count the places where something else stands now.
	IDs, Times int
	// Notes are places that a person should know of, at most [MaxNotes] of them.
	Notes []Note
	// Fault says why nothing was replaced, in the whole body or in parts of it,
	// "" where all could be read.
	Fault string

	edits []edit
}

// MaxNotes bounds the notes on one body.
const MaxNotes = 64

// Note is a place that a person should know of.
type Note struct {
	// Pointer is the place, ID what stood there, and Code one of the Note
	// constants.
	Pointer string `json:"pointer"`
	ID      string `json:"id"`
	Code    string `json:"code"`
}

// What may be said of a place.
const (
	// NoteShort: a short id was replaced where no id is expected, so it may be a
	// text that only looks like it.
	NoteShort = "short"
	// NoteClash: what stands there is equal to a new id, so the way back would
	// take it for one.
	NoteClash = "clash"
	// NoteSpelling: an id is spelled with escapes that could not be kept.
	NoteSpelling = "spelling"
	// NoteTime: a deadline is no RFC 3339 time, or would leave its years.
	NoteTime = "time"
)

// edit says that other bytes stand in place of size bytes from at on.
type edit struct {
	at, size int
	by       []byte
}

// apply puts the edits, which stand in order, into the text.
func (t *Text) apply(body []byte) {
	if t.Body = body; len(t.edits) == 0 {
		return
	}
	var out bytes.Buffer
	out.Grow(len(body) + len(body)/16)
	at := 0
	for _, e := range t.edits {
		out.Write(body[at:e.at])
		out.Write(e.by)
		at = e.at + e.size
	}
	out.Write(body[at:])
	t.Body = out.Bytes()
}

// Moved is where the byte of the body at an offset stands now, so that a body
// that came in pieces can be cut at the same places. What was replaced stays
// whole: an offset inside of it becomes its end.
func (t Text) Moved(offset int) int {
	by := 0
	for _, e := range t.edits {
		switch {
		case offset >= e.at+e.size:
			by += len(e.by) - e.size
		case offset > e.at:
			return e.at + by + len(e.by)
		default:
			return offset + by
		}
	}
	return offset + by
}

func (t *Text) note(pointer, id, code string) {
	if len(t.Notes) < MaxNotes {
		t.Notes = append(t.Notes, Note{pointer, id, code})
	}
}
