package proxy

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

const (
	smallBuffer = 4 << 10
	largeBuffer = 64 << 10
)

// maxHead bounds the head of a message. A larger one is passed on unread.
const maxHead = largeBuffer

// headTimeout bounds how long a head may take from its first byte, in real
// time, so that nobody holds connections by sending one byte a minute.
const headTimeout = 60 * time.Second

var errHeadTooLong = errors.New("the head is over the limit")

var largeBuffers = sync.Pool{New: func() any { return new([largeBuffer]byte) }}

// stream reads one side of a connection. An idle one holds a small buffer, a
// busy one a large one from a pool. It is used by one goroutine.
type stream struct {
	conn  net.Conn
	buf   []byte
	r, w  int
	small [smallBuffer]byte
	large *[largeBuffer]byte
}

func newStream(c net.Conn) *stream {
	s := &stream{conn: c}
	s.buf = s.small[:]
	return s
}

// buffered are the bytes that were read and not taken.
func (s *stream) buffered() []byte { return s.buf[s.r:s.w] }

// skip takes n bytes.
func (s *stream) skip(n int) {
	if s.r += n; s.r == s.w {
		s.r, s.w = 0, 0
	}
}

// rest gives the large buffer back while nothing is held in it.
func (s *stream) rest() {
	if s.large != nil && s.r == s.w {
		largeBuffers.Put(s.large)
		s.large, s.buf = nil, s.small[:]
		s.r, s.w = 0, 0
	}
}

// enlarge makes room for more than a small buffer holds.
func (s *stream) enlarge() {
	if s.large != nil {
		return
	}
	s.large = largeBuffers.Get().(*[largeBuffer]byte)
	n := copy(s.large[:], s.buf[s.r:s.w])
	s.buf, s.r, s.w = s.large[:], 0, n
}

// fill reads once. There must be room.
func (s *stream) fill() error {
	if s.w == len(s.buf) && s.r > 0 {
		s.w = copy(s.buf, s.buf[s.r:s.w])
		s.r = 0
	}
	n, err := s.conn.Read(s.buf[s.w:])
	s.w += n
	if n > 0 {
		return nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

// wait returns when a byte is there.
func (s *stream) wait() error {
	if s.r < s.w {
		return nil
	}
	s.rest()
	return s.fill()
}

// head returns the length of the head that the buffered bytes begin with,
// reading until it is whole. over, when not nil, is asked after each read and
// ends it.
func (s *stream) head(over func() bool) (int, error) {
	if err := s.wait(); err != nil {
		return 0, err
	}
	timed := false
	defer func() {
		if timed {
			_ = s.conn.SetReadDeadline(time.Time{})
		}
	}()
	for from := 0; ; {
		if over != nil && over() {
			return 0, errNotHTTP
		}
		b := s.buffered()
		if n := headEnd(b, from); n > 0 {
			return n, nil
		}
		if len(b) >= maxHead {
			return 0, errHeadTooLong
		}
		from = max(0, len(b)-3)
		if len(b) == len(s.buf) {
			s.enlarge()
		}
		if !timed {
			timed = true
			_ = s.conn.SetReadDeadline(time.Now().Add(headTimeout))
		}
		if err := s.fill(); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
	}
}

// headEnd returns where the head in b ends, just past its empty line, looking
// from a place before which there is no end; 0 when it is not whole. Empty
// lines before it do not count.
func headEnd(b []byte, from int) int {
	start := 0
	for start < len(b) && (b[start] == '\r' || b[start] == '\n') {
		start++
	}
	for i := max(from, start); i < len(b); {
		j := bytes.IndexByte(b[i:], '\n')
		if j < 0 {
			return 0
		}
		i += j + 1
		switch {
		case i < len(b) && b[i] == '\n':
			return i + 1
		case i+1 < len(b) && b[i] == '\r' && b[i+1] == '\n':
			return i + 2
		}
	}
	return 0
}
