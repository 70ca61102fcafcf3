package proxy

import (
	"bytes"
	"errors"
	"math"
)

// framing is how a message says where its body ends.
type framing int

const (
	// noBody: the message ends with its head.
	noBody framing = iota
	// byLength: a Content-Length.
	byLength
	// byChunks: the chunked transfer coding.
	byChunks
	// byClose: the body ends when the connection does.
	byClose
)

// errChunk says that a chunked body is not one.
var errChunk = errors.New("the chunks of the body do not read")

// framer follows a body as its bytes come and finds its end. It changes
// nothing.
type framer struct {
	kind framing
	left int64
	at   chunkState
	// line counts the bytes of a line of the chunked coding, digits those of a
	// size.
	line, digits int
}

type chunkState int

const (
	chunkSize chunkState = iota
	chunkExtension
	chunkSizeLF
	chunkData
	chunkDataCR
	chunkDataLF
	trailerStart
	trailerLine
	trailerEndLF
)

// maxChunkLine bounds a line of the chunked coding: a size with its extensions,
// or a trailer field.
const maxChunkLine = 16 << 10

// ended reports whether there is nothing to come.
func (f *framer) ended() bool {
	return f.kind == noBody || f.kind == byLength && f.left == 0
}

// take looks at the next bytes. It gives how many of them belong to the
// message, and whether the message ends there; what is content goes to body.
func (f *framer) take(b []byte, body *body) (n int, done bool, err error) {
	switch f.kind {
	case noBody:
		return 0, true, nil
	case byLength:
		n = int(min(int64(len(b)), f.left))
		body.add(b[:n])
		f.left -= int64(n)
		return n, f.left == 0, nil
	case byClose:
		body.add(b)
		return len(b), false, nil
	}
	return f.chunks(b, body)
}

// chunks is take for the chunked coding (RFC 9112, 7.1). A bare line feed ends
// a line, as most readers have it.
func (f *framer) chunks(b []byte, body *body) (int, bool, error) {
	for i := 0; i < len(b); {
		if f.at == chunkData {
			n := int(min(int64(len(b)-i), f.left))
			body.add(b[i : i+n])
			i += n
			if f.left -= int64(n); f.left == 0 {
				f.at = chunkDataCR
			}
			continue
		}
		if f.at == chunkExtension || f.at == trailerLine {
			// Nothing in such a line matters but its end.
			end := bytes.IndexByte(b[i:], '\n')
			if end < 0 {
				f.line += len(b) - i
				i = len(b)
			} else {
				f.line += end
				i += end
			}
			if f.line > maxChunkLine {
				return i, false, errChunk
			}
			if end < 0 {
				continue
			}
		}
		done, err := f.step(b[i])
		i++
		if done || err != nil {
			return i, done, err
		}
	}
	return len(b), false, nil
}

// step takes one byte outside the content.
func (f *framer) step(c byte) (done bool, err error) {
	switch f.at {
	case chunkSize:
		return false, f.size(c)
	case chunkExtension, chunkSizeLF:
		if c != '\n' {
			return false, errChunk
		}
		f.begin()
	case chunkDataCR, chunkDataLF:
		switch {
		case c == '\n':
			f.at = chunkSize
		case c == '\r' && f.at == chunkDataCR:
			f.at = chunkDataLF
		default:
			return false, errChunk
		}
	case trailerStart:
		switch c {
		case '\n':
			return true, nil
		case '\r':
			f.at = trailerEndLF
		default:
			f.at, f.line = trailerLine, 0
		}
	case trailerLine:
		f.at = trailerStart
	case trailerEndLF:
		if c != '\n' {
			return false, errChunk
		}
		return true, nil
	}
	return false, nil
}

// size takes a byte of the line that says how long a chunk is.
func (f *framer) size(c byte) error {
	digit := int64(-1)
	switch {
	case c >= '0' && c <= '9':
		digit = int64(c - '0')
	case c >= 'a' && c <= 'f':
		digit = int64(c-'a') + 10
	case c >= 'A' && c <= 'F':
		digit = int64(c-'A') + 10
	}
	switch {
	case digit >= 0:
		if f.left > math.MaxInt64>>5 {
			return errChunk
		}
		f.left = f.left<<4 | digit
		f.digits++
	case f.digits == 0:
		return errChunk
	case c == ';' || c == ' ' || c == '\t':
		f.at, f.line = chunkExtension, 0
	case c == '\r':
		f.at = chunkSizeLF
	case c == '\n':
		f.begin()
	default:
		return errChunk
	}
	return nil
}

// begin starts the chunk whose size was read.
func (f *framer) begin() {
	f.digits = 0
	f.at = chunkData
	if f.left == 0 {
		f.at = trailerStart
	}
}
