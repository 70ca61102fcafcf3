package jsonv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf8"
)

// SyntaxError says where a text is not JSON.
type SyntaxError struct {
	// Offset is the byte offset of the fault, from 0.
	Offset int
	// Line and Column count from 1; the column counts bytes.
	Line, Column int
	// Message says what is wrong, without the place.
	Message string
}

// Error returns the message with line and column.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s at line %d column %d", e.Message, e.Line, e.Column)
}

// Valid reports how b differs from exactly one JSON value in UTF-8, at most
// maxDepth levels deep; nil when it does not. White space around the value is
// taken; a byte-order mark is not. Lone surrogates in escapes are grammatical
// and pass: see [LoneSurrogate].
func Valid(b []byte, maxDepth int) *SyntaxError {
	s := scanner{b: b, max: maxDepth}
	if bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) {
		return s.fault(0, "byte-order mark before the value")
	}
	end, err := s.value(skipSpace(b, 0), 0)
	if err != nil {
		return err
	}
	if end = skipSpace(b, end); end < len(b) {
		return s.fault(end, "trailing characters after the value")
	}
	return nil
}

// scanner walks one text. It is strict, so its users need no second check.
type scanner struct {
	b   []byte
	max int
}

func (s *scanner) fault(at int, format string, args ...any) *SyntaxError {
	at = min(at, len(s.b))
	head := s.b[:at]
	return &SyntaxError{
		Offset:  at,
		Line:    1 + bytes.Count(head, []byte{'\n'}),
		Column:  at - bytes.LastIndexByte(head, '\n'),
		Message: fmt.Sprintf(format, args...),
	}
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// value returns the end of the value that begins at i; depth levels are open.
func (s *scanner) value(i, depth int) (int, *SyntaxError) {
	if i >= len(s.b) {
		return i, s.fault(i, "end of text where a value should be")
	}
	switch c := s.b[i]; {
	case c == '{':
		return s.object(i, depth+1, nil)
	case c == '[':
		return s.array(i, depth+1, nil)
	case c == '"':
		return s.text(i)
	case c == '-' || c >= '0' && c <= '9':
		return s.number(i)
	case c == 'n':
		return s.word(i, "null")
	case c == 't':
		return s.word(i, "true")
	case c == 'f':
		return s.word(i, "false")
	}
	return i, s.fault(i, "expected a value, got %s", s.show(i))
}

// show names the character at i.
func (s *scanner) show(i int) string {
	if i >= len(s.b) {
		return "the end of the text"
	}
	r, n := utf8.DecodeRune(s.b[i:])
	if r == utf8.RuneError && n <= 1 {
		return fmt.Sprintf("byte 0x%02x", s.b[i])
	}
	return fmt.Sprintf("%q", r)
}

func (s *scanner) word(i int, w string) (int, *SyntaxError) {
	if !bytes.HasPrefix(s.b[i:], []byte(w)) {
		return i, s.fault(i, "expected %s", w)
	}
	return i + len(w), nil
}

func digits(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}

func (s *scanner) number(i int) (int, *SyntaxError) {
	b := s.b
	if b[i] == '-' {
		i++
	}
	end := digits(b, i)
	switch {
	case end == i:
		return i, s.fault(i, "expected a digit, got %s", s.show(i))
	case b[i] == '0' && end > i+1:
		return i, s.fault(i, "number with a leading zero")
	}
	i = end
	if i < len(b) && b[i] == '.' {
		if end = digits(b, i+1); end == i+1 {
			return i, s.fault(end, "expected a digit after the point, got %s", s.show(end))
		}
		i = end
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if end = digits(b, i); end == i {
			return i, s.fault(i, "expected a digit in the exponent, got %s", s.show(i))
		}
		i = end
	}
	return i, nil
}

func (s *scanner) text(i int) (int, *SyntaxError) {
	b, start := s.b, i
	for i++; i < len(b); {
		if i += plain(b[i:]); i >= len(b) {
			break
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1, nil
		case c < 0x20:
			return i, s.fault(i, "control character 0x%02x in a string", c)
		case c == '\\':
			n := escapeLength(b[i:])
			if n == 0 {
				return i, s.fault(i, "bad escape in a string")
			}
			i += n
		default:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n <= 1 {
				return i, s.fault(i, "invalid UTF-8: byte 0x%02x", c)
			}
			i += n
		}
	}
	return i, s.fault(len(b), "string of offset %d is not closed", start)
}

// plain returns how many bytes at the head of b stand for themselves in a text:
// eight at a time, since texts of a megabyte are read more than once.
func plain(b []byte) int {
	const each, high = 0x0101010101010101, 0x8080808080808080
	n := 0
	for len(b)-n >= 8 {
		w := binary.LittleEndian.Uint64(b[n:])
		quote, slash := w^(each*'"'), w^(each*'\\')
		// A high bit stays where a byte is below 0x20, above 0x7f, or one of the
		// two. A borrow adds bits above the lowest one only, which is the one that
		// counts.
		if stop := (w | (w - each*0x20) | ((quote - each) &^ quote) | ((slash - each) &^ slash)) & high; stop != 0 {
			return n + bits.TrailingZeros64(stop)/8
		}
		n += 8
	}
	for n < len(b) && b[n] >= 0x20 && b[n] < utf8.RuneSelf && b[n] != '"' && b[n] != '\\' {
		n++
	}
	return n
}

// escapeLength returns the length of the escape that b begins with, 0 when it
// is none.
func escapeLength(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(b); ok {
			return 6
		}
	}
	return 0
}

// hex4 reads the \u and four hex digits at the head of b.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// object returns the end of the object at i. With each, it hands over the
// places of each member: name and value.
func (s *scanner) object(i, depth int, each func(name, value [2]int)) (int, *SyntaxError) {
	if depth > s.max {
		return i, s.fault(i, "nested deeper than %d levels", s.max)
	}
	if i = skipSpace(s.b, i+1); i < len(s.b) && s.b[i] == '}' {
		return i + 1, nil
	}
	for {
		end, err := s.memberName(i)
		if err != nil {
			return end, err
		}
		name := [2]int{i, end}
		if i, err = s.colon(end); err != nil {
			return i, err
		}
		if end, err = s.value(i, depth); err != nil {
			return end, err
		}
		if each != nil {
			each(name, [2]int{i, end})
		}
		var done bool
		if i, done, err = s.next(end, '}'); done || err != nil {
			return i, err
		}
	}
}

// memberName returns the end of the member name at i.
func (s *scanner) memberName(i int) (int, *SyntaxError) {
	if i >= len(s.b) || s.b[i] != '"' {
		return i, s.fault(i, "expected a member name, got %s", s.show(i))
	}
	return s.text(i)
}

// colon steps over the colon after a member name.
func (s *scanner) colon(i int) (int, *SyntaxError) {
	if i = skipSpace(s.b, i); i >= len(s.b) || s.b[i] != ':' {
		return i, s.fault(i, "expected ':' after a member name, got %s", s.show(i))
	}
	return skipSpace(s.b, i+1), nil
}

// array returns the end of the array at i. With each, it hands over the place
// of each element.
func (s *scanner) array(i, depth int, each func(value [2]int)) (int, *SyntaxError) {
	if depth > s.max {
		return i, s.fault(i, "nested deeper than %d levels", s.max)
	}
	if i = skipSpace(s.b, i+1); i < len(s.b) && s.b[i] == ']' {
		return i + 1, nil
	}
	for {
		end, err := s.value(i, depth)
		if err != nil {
			return end, err
		}
		if each != nil {
			each([2]int{i, end})
		}
		var done bool
		if i, done, err = s.next(end, ']'); done || err != nil {
			return i, err
		}
	}
}

// next steps over the comma or the closing character after an item.
func (s *scanner) next(i int, closing byte) (int, bool, *SyntaxError) {
	i = skipSpace(s.b, i)
	switch {
	case i >= len(s.b):
		return i, false, s.fault(i, "end of text where ',' or '%c' should be", closing)
	case s.b[i] == closing:
		return i + 1, true, nil
	case s.b[i] == ',':
		return skipSpace(s.b, i+1), false, nil
	}
	return i, false, s.fault(i, "expected ',' or '%c', got %s", closing, s.show(i))
}
