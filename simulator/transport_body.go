package simulator

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// readBody reads the body as it comes, undecoded, and says how it ended. An
// event stream is over with its final frame, whatever becomes of the connection
// (D11). What a worker says after it is recorded, as far as it comes within
// [DefaultLinger] and is not long.
func (x *exchange) readBody(ctx context.Context, resp *http.Response) {
	a := &x.got.Answer
	a.End, a.Body = spec.EndWhole, []byte{}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		// What follows is no body, and would never end.
		return
	}
	limit := x.t.cfg.MaxBody
	defer x.flush()
	if n := resp.ContentLength; n > 0 {
		a.Body = make([]byte, 0, min(n, limit, 1<<20)+1)
	}
	stream := finalFrame{after: -1}
	x.got.Stream = isEventStream(resp)
	for {
		if len(a.Body) == cap(a.Body) {
			a.Body = slices.Grow(a.Body, 4<<10)
		}
		n, err := resp.Body.Read(a.Body[len(a.Body):cap(a.Body)])
		x.silence.feed()
		from := len(a.Body)
		a.Body = a.Body[:from+n]
		if n > 0 && x.got.Stream {
			if stream.scan(a.Body, from) {
				x.silence.stop()
				defer x.t.cfg.Clock.AfterFunc(x.t.cfg.Linger, x.enough)()
			}
			x.piece(from, a.Body[from:min(int64(len(a.Body)), limit)])
		}
		switch {
		case stream.after >= 0 && (err != nil || len(a.Body) > stream.after+mostAfter):
			return
		case int64(len(a.Body)) > limit:
			a.Body = a.Body[:limit]
			a.End, a.Reason = spec.EndOverLimit, "body over the limit"
			return
		case err == io.EOF:
			return
		case err != nil:
			x.bodyFailed(ctx)
			return
		}
	}
}

// mostAfter is how much is read of what follows the final frame of a stream.
const mostAfter = 64 << 10

// finalFrame looks for the end of a stream's final frame.
type finalFrame struct {
	sseScanner
	// after is where what follows it begins; -1 before it has come.
	after int
}

// scan takes the bytes of body from an offset on, and reports whether the final
// frame has ended in them.
func (f *finalFrame) scan(body []byte, from int) bool {
	if f.after >= 0 {
		return false
	}
	end := f.sseScanner.scan(body[from:])
	if end < 0 {
		return false
	}
	f.after = from + end
	return true
}

// A stream of single bytes would make millions of pieces: after so many of
// them, smaller ones are joined until they have a size.
const (
	exactPieces = 1000
	joinedPiece = 32 << 10
)

// piece hands out a part of a stream as it came.
func (x *exchange) piece(offset int, b []byte) {
	if x.onPiece == nil || len(b) == 0 {
		return
	}
	if x.pieces < exactPieces || len(b) >= joinedPiece {
		x.flush()
		x.pieces++
		x.onPiece(offset, bytes.Clone(b))
		return
	}
	if x.joined == nil {
		x.joinedAt = offset
	}
	if x.joined = append(x.joined, b...); len(x.joined) >= joinedPiece {
		x.flush()
	}
}

// flush hands out what was joined so far.
func (x *exchange) flush() {
	if x.joined != nil {
		x.onPiece(x.joinedAt, x.joined)
		x.joined = nil
	}
}

func (x *exchange) bodyFailed(ctx context.Context) {
	a := &x.got.Answer
	if cause := context.Cause(ctx); cause != nil {
		a.End, a.Reason = spec.EndTimeout, x.t.reasonOf(cause)
		return
	}
	a.End, a.Reason = spec.EndCut, "body ended before its announced end"
}

// isEventStream reports whether an answer is read as a stream: a 2xx whose
// content type begins, in any case, with text/event-stream (wire 1).
func isEventStream(resp *http.Response) bool {
	const want = "text/event-stream"
	ct := resp.Header.Get("Content-Type")
	return resp.StatusCode/100 == 2 && len(ct) >= len(want) && strings.EqualFold(ct[:len(want)], want)
}

// sseScanner finds the end of the final frame of an event stream, however the
// stream is cut into reads. Lines end in LF, CR or CR LF.
type sseScanner struct {
	line []byte
	// event is the name that the frame has so far, data that it has any.
	event string
	data  bool
	// cr says that the last byte was a CR, pairs that lines end in CR LF here,
	// ending that the final frame lacks only the LF of its last pair.
	cr, pairs, ending bool
}

// longestLine bounds what is kept of a line; only short ones can name an event.
const longestLine = 64

// scan takes the next bytes and returns where the final frame ends in them, or
// -1.
func (s *sseScanner) scan(b []byte) int {
	for i, c := range b {
		if s.ending {
			if c == '\n' {
				return i + 1
			}
			return i
		}
		if c == '\n' && s.cr {
			s.cr, s.pairs = false, true
			continue
		}
		s.cr = c == '\r'
		if c != '\n' && c != '\r' {
			if len(s.line) < longestLine {
				s.line = append(s.line, c)
			}
			continue
		}
		if !s.endLine() {
			continue
		}
		if s.cr && s.pairs {
			s.ending = true
			continue
		}
		return i + 1
	}
	return -1
}

// endLine takes a whole line and reports whether it ended the final frame.
func (s *sseScanner) endLine() bool {
	line := string(s.line)
	s.line = s.line[:0]
	if line == "" {
		final := s.data && (s.event == spec.FrameDecisionResult || s.event == spec.FrameDecisionError)
		s.event, s.data = "", false
		return final
	}
	field, value, _ := strings.Cut(line, ":")
	switch field {
	case "event":
		s.event = strings.TrimPrefix(value, " ")
	case "data":
		s.data = true
	}
	return false
}

// watchdog calls bark once nothing fed it for a while. It re-arms lazily, so
// that feeding costs next to nothing.
type watchdog struct {
	clock Clock
	after time.Duration
	bark  func()

	mu      sync.Mutex
	fed     time.Time
	stopped bool
	halt    func() bool
}

func newWatchdog(clock Clock, after time.Duration, bark func()) *watchdog {
	w := &watchdog{clock: clock, after: after, bark: bark, fed: clock.Now()}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.halt = clock.AfterFunc(after, w.look)
	return w
}

func (w *watchdog) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	if left := w.after - w.clock.Now().Sub(w.fed); left > 0 {
		w.halt = w.clock.AfterFunc(left, w.look)
		return
	}
	w.bark()
}

func (w *watchdog) feed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fed = w.clock.Now()
}

func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.halt()
}
