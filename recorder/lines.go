package recorder

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine is the longest line, in bytes with its line feed, that is written or
// read. It bounds a reader's memory. A piece of [PieceSize] bytes, each of them
// escaped, is well below it; what may come near it is the prompt of a long
// session in an `ask`.
const MaxLine = 32 << 20

// ReadSize is how much a [Reader] reads at once. It takes a [bufio.Reader] of at
// least that size as it is.
const ReadSize = 64 << 10

// rawLine is one line of a file as it stands there.
type rawLine struct {
	// text is the line without its line feed; nil when it is over the limit.
	text []byte
	// size counts every byte, the line feed included.
	size int64
	// ended says that the line feed was there.
	ended bool
}

// lineSource reads lines, each into memory of its own, since events keep parts
// of it.
type lineSource struct {
	in    *bufio.Reader
	limit int
	// long receives the bytes of a line that is over the limit, in parts.
	long io.Writer
}

func newLineSource(r io.Reader, limit int) *lineSource {
	return &lineSource{in: bufio.NewReaderSize(r, ReadSize), limit: limit, long: io.Discard}
}

// next returns the next line, and io.EOF when no byte is left.
func (s *lineSource) next() (rawLine, error) {
	var line rawLine
	var parts []byte
	for {
		part, err := s.in.ReadSlice('\n')
		line.size += int64(len(part))
		if line.size > int64(s.limit) {
			s.skipPart(&parts, part)
		} else {
			parts = append(parts, part...)
		}
		switch {
		case err == nil:
			line.ended = true
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			if line.size == 0 {
				return line, io.EOF
			}
		default:
			return line, err
		}
		if line.size <= int64(s.limit) {
			line.text = bytes.TrimSuffix(parts, []byte("\n"))
		}
		return line, nil
	}
}

// skipPart passes on what was kept of a line that turns out too long.
func (s *lineSource) skipPart(kept *[]byte, part []byte) {
	s.long.Write(*kept)
	*kept = nil
	s.long.Write(part)
}

// rest reads to the end, or to an error of reading, and counts the lines.
func (s *lineSource) rest() int64 {
	var n int64
	for {
		if _, err := s.next(); err != nil {
			return n
		}
		n++
	}
}
