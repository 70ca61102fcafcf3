package recorder

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// Writer writes one recording, line by line, each in one call to the
// underlying writer. It keeps no body and no line, so it may write for as long
// as a process lives. It does not flush or close what is beneath it.
//
// A Writer is safe for concurrent use: each call writes its lines together.
type Writer struct {
	mu    sync.Mutex
	out   io.Writer
	clock func() time.Duration
	check func(line []byte) error

	tally  *tally
	crc    string
	closed bool
	err    error
}

// NewWriter returns a Writer to w. clock gives the time since the file was
// opened, which becomes `w` in microseconds; it is called once for each event
// that is written, under the Writer's lock.
func NewWriter(w io.Writer, clock func() time.Duration) *Writer {
	return &Writer{out: w, clock: clock, tally: newTally(), crc: chainStart}
}

// Check sets a function that looks at each line as it will stand in the file,
// before it is written. When it returns an error the line is not written, Write
// returns that error, and the Writer stays usable. It must be set before the
// first event. The closing line is not looked at: it holds counts and digests.
func (w *Writer) Check(check func(line []byte) error) { w.check = check }

// Write writes e and sets its N and W, which the caller leaves alone. The first
// event must be the header. A request or response whose body is larger than
// [PieceSize] becomes pieces and a line that counts them (rule 1); e itself is
// never changed.
//
// An error of the underlying writer is kept: this and every later call return
// it, because what follows a torn line cannot be read. An event that is refused
// (a second header, a [spec.CloseEvent], a body that is not what it says, a line
// over [MaxLine]) leaves the Writer usable. For a line that is too long a gap
// event is written, so that the file says what it lacks.
func (w *Writer) Write(e spec.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.accepts(e); err != nil {
		return err
	}
	events, err := split(e)
	if err != nil {
		return err
	}
	now := w.clock()
	for _, part := range events {
		part.W = now.Microseconds()
		if err := w.line(part); err != nil {
			return w.orGap(part, err)
		}
	}
	return nil
}

// accepts says whether e may stand where the file is now.
func (w *Writer) accepts(e spec.Event) error {
	_, header := e.Data.(*spec.HeaderEvent)
	_, closing := e.Data.(*spec.CloseEvent)
	switch {
	case w.err != nil:
		return w.err
	case w.closed:
		return ErrClosed
	case e.Data == nil:
		return errors.New("write recording: an event without data")
	case closing:
		return errors.New("write recording: a closing line is written by Close")
	case header && w.tally.lines > 0:
		return errors.New("write recording: a second header")
	case !header && w.tally.lines == 0:
		return fmt.Errorf("write recording: the first event is a %s, not the header", e.Data.EventKind())
	}
	return nil
}

// Close writes the closing line: why the recording ends, the counts and the
// digests (rule 4). t is engine time in ms. Later calls write nothing and
// return what the first returned.
func (w *Writer) Close(why string, t int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil || w.closed {
		return w.err
	}
	if w.tally.lines == 0 {
		return errors.New("write recording: close without a header")
	}
	w.closed = true
	return w.line(spec.Event{T: t, W: w.clock().Microseconds(), Data: w.tally.closing(why)})
}

// Err returns the error of the underlying writer that the Writer keeps, nil
// while there is none.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// line writes one line and takes it into the counts.
func (w *Writer) line(e spec.Event) error {
	e.N = w.tally.lines + 1
	text, err := spec.MarshalEvent(e)
	if err != nil {
		return fmt.Errorf("write recording: %w", err)
	}
	if _, closing := e.Data.(*spec.CloseEvent); w.check != nil && !closing {
		if err := w.check(text); err != nil {
			return err
		}
	}
	text, sum := seal(text, w.crc)
	if len(text) > MaxLine {
		return &LineTooLongError{Kind: string(e.Data.EventKind()), Bytes: len(text)}
	}
	if _, err := w.out.Write(text); err != nil {
		w.err = fmt.Errorf("write recording: line %d: %w", e.N, err)
		return w.err
	}
	w.crc = sum
	w.tally.sum.Write(text)
	return w.tally.add(e)
}

// orGap puts a gap where a line was too long, and returns why.
func (w *Writer) orGap(e spec.Event, err error) error {
	long, ok := errors.AsType[*LineTooLongError](err)
	if !ok || w.tally.lines == 0 {
		return err
	}
	e.Data = &spec.GapEvent{Lost: 1, Bytes: int64(long.Bytes), Reason: long.Kind + " line over the limit"}
	return errors.Join(err, w.line(e))
}
