package recorder

import (
	"bytes"
	"fmt"
	"io"
	"iter"

	"github.com/hallmarkdev/hallmark/spec"
)

// Reader reads the events of one recording, in memory for one line. It checks
// the chain and the numbers of lines as it goes, so no event that it gives was
// changed, moved or doubled. [Verify] also checks the sums and what the events
// say. A Reader is not safe for concurrent use.
type Reader struct {
	src  *lineSource
	crc  string
	last int64
	done bool
	err  error

	// skip says which lines are checked and not read; nil skips none.
	skip func(kind spec.EventKind, line []byte) bool
	// seen takes each sound line, its checksum and its event; nil takes none.
	seen func(text []byte, sum string, e spec.Event) error
}

// NewReader returns a Reader of the recording in r, which it reads to the end
// and does not close.
func NewReader(r io.Reader) *Reader {
	return &Reader{src: newLineSource(r, MaxLine), crc: chainStart}
}

// Skip sets a function that says which lines need not be read: they are checked
// by their checksums and numbers, and left out of the events. It must be set
// before the first event, and must not keep the line. The header and the closing
// line are always given.
func (r *Reader) Skip(skip func(kind spec.EventKind, line []byte) bool) { r.skip = skip }

// Next returns the next event, the closing line included, and io.EOF after it.
// A [*CutError] says that the file ends before its closing line; the events
// before it are good. A [*DamageError] names the first line that is not what
// was written. The first error is kept and returned from then on.
func (r *Reader) Next() (spec.Event, error) {
	if r.err != nil {
		return spec.Event{}, r.err
	}
	e, err := r.next()
	if err != nil {
		r.err = err
	}
	return e, err
}

// All gives the events in order. An error is given once, with a zero event, and
// ends the sequence; a whole file ends it without one.
func (r *Reader) All() iter.Seq2[spec.Event, error] {
	return func(yield func(spec.Event, error) bool) {
		for {
			e, err := r.Next()
			if err == io.EOF {
				return
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

func (r *Reader) next() (spec.Event, error) {
	for {
		e, skipped, err := r.one()
		if !skipped || err != nil {
			return e, err
		}
	}
}

// one takes the next line.
func (r *Reader) one() (e spec.Event, skipped bool, err error) {
	line, err := r.src.next()
	if err == nil && line.ended && r.skips(line.text) {
		return spec.Event{}, true, nil
	}
	e, err = r.take(line, err)
	return e, false, err
}

// skips reports whether a line is sound and need not be read.
func (r *Reader) skips(text []byte) bool {
	if r.skip == nil || r.last == 0 || r.done || text == nil {
		return false
	}
	n, kind, ok := lineHead(text)
	if !ok || n != r.last+1 || kind == spec.KindHeader || kind == spec.KindClose || !r.skip(kind, text) {
		return false
	}
	body, sum, ok := unseal(text)
	if !ok || lineSum(r.crc, body) != sum {
		// Whoever reads it says what is wrong.
		return false
	}
	r.crc, r.last = sum, n
	return true
}

// lineHead reads the number and the kind of a line that begins as a Writer
// writes it.
func lineHead(text []byte) (n int64, kind spec.EventKind, ok bool) {
	rest, ok := bytes.CutPrefix(text, []byte(`{"n":`))
	if !ok {
		return 0, "", false
	}
	i := 0
	for ; i < len(rest) && i < 18 && rest[i] >= '0' && rest[i] <= '9'; i++ {
		n = n*10 + int64(rest[i]-'0')
	}
	rest, ok = bytes.CutPrefix(rest[i:], []byte(`,"k":"`))
	end := bytes.IndexByte(rest, '"')
	if !ok || i == 0 || end < 0 || bytes.IndexByte(rest[:end], '\\') >= 0 {
		return 0, "", false
	}
	return n, spec.EventKind(rest[:end]), true
}

func (r *Reader) take(line rawLine, err error) (spec.Event, error) {
	switch {
	case err == io.EOF && r.done:
		return spec.Event{}, io.EOF
	case err == io.EOF:
		return spec.Event{}, &CutError{Line: r.last}
	case err != nil:
		return spec.Event{}, fmt.Errorf("read recording: line %d: %w", r.last+1, err)
	case r.done:
		return spec.Event{}, r.damaged("there is text after the closing line", "delete what follows the closing line, or give the files one by one", nil)
	case line.text == nil:
		return spec.Event{}, r.damaged(tooLong(line.size), fixCopy, nil)
	case !line.ended:
		return spec.Event{}, r.unended(line)
	}
	return r.event(line.text)
}

// unended tells a cut line from a file that is no recording at all.
func (r *Reader) unended(line rawLine) error {
	if r.last == 0 && !beginsLikeHeader(line.text) {
		return r.damaged(notOurs, fixNotOurs, nil)
	}
	return &CutError{Line: r.last, Partial: line.size}
}

// event checks a whole line and returns its event.
func (r *Reader) event(text []byte) (spec.Event, error) {
	if r.last == 0 && !beginsLikeHeader(text) {
		return spec.Event{}, r.damaged(notOurs, fixNotOurs, nil)
	}
	body, sum, ok := unseal(text)
	if !ok {
		return spec.Event{}, r.damaged(noChecksum, fixCopy, nil)
	}
	e, err := spec.UnmarshalEvent(text)
	if want := lineSum(r.crc, body); want != sum {
		if err == nil && e.N != r.last+1 {
			return spec.Event{}, r.damaged(wrongNumber(r.last+1, e.N), fixCopy, nil)
		}
		return spec.Event{}, r.damaged(wrongChecksum(want, sum), fixCopy, nil)
	}
	if err != nil {
		return spec.Event{}, r.damaged(doesNotRead, fixWriter, err)
	}
	if fault := checkPlace(e, r.last+1); fault != "" {
		return spec.Event{}, r.damaged(fault, fixPlace(e), nil)
	}
	r.crc, r.last = sum, e.N
	_, r.done = e.Data.(*spec.CloseEvent)
	if r.seen != nil {
		return e, r.seen(text, sum, e)
	}
	return e, nil
}

func (r *Reader) damaged(reason, fix string, err error) error {
	return &DamageError{Line: r.last + 1, Reason: reason, Fix: fix, Err: err}
}
