package toolcall

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// parse reports why text is not JSON for an engine, in the words of its parser:
// "expected value at line 1 column 1" (E1). It takes what RFC 8259 takes, save
// invalid UTF-8, escaped lone surrogates and nesting of 128 levels or more (gap
// 26).
func parse(text string) error {
	p := parser{text: text}
	p.space()
	if err := p.value(0); err != nil {
		return err
	}
	if p.space(); p.at < len(text) {
		return p.here("trailing characters")
	}
	return nil
}

// syntaxError says what is wrong and where; line and column count from 1, the
// column in bytes.
type syntaxError struct {
	message      string
	line, column int
}

// Error returns the text as an engine prints it.
func (e *syntaxError) Error() string {
	return fmt.Sprintf("%s at line %d column %d", e.message, e.line, e.column)
}

// parser walks one text. Its methods leave at behind what they have read.
type parser struct {
	text string
	at   int
}

// here is a fault of the character that comes next, or of the end.
func (p *parser) here(message string) error {
	return p.fault(message, min(p.at+1, len(p.text)))
}

// behind is a fault of what has been read so far.
func (p *parser) behind(message string) error { return p.fault(message, p.at) }

func (p *parser) fault(message string, end int) error {
	head := p.text[:end]
	return &syntaxError{message, 1 + strings.Count(head, "\n"), len(head) - strings.LastIndexByte(head, '\n') - 1}
}

// next returns the character that comes next, 0 at the end of the text.
func (p *parser) next() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser) ended() bool { return p.at >= len(p.text) }

func (p *parser) space() {
	for !p.ended() && strings.IndexByte(" \t\r\n", p.next()) >= 0 {
		p.at++
	}
}

// value reads a value around which depth levels are open.
func (p *parser) value(depth int) error {
	if p.ended() {
		return p.here("EOF while parsing a value")
	}
	switch c := p.next(); {
	case c == '{' || c == '[':
		if depth >= jsonv.MaxDepth {
			return p.here("recursion limit exceeded")
		}
		p.at++
		if c == '{' {
			return p.object(depth + 1)
		}
		return p.array(depth + 1)
	case c == '"':
		p.at++
		return p.str()
	case c == '-' || isDigit(c):
		return p.number()
	case c == 'n':
		return p.word("null")
	case c == 't':
		return p.word("true")
	case c == 'f':
		return p.word("false")
	}
	return p.here("expected value")
}

func (p *parser) word(w string) error {
	for i := range len(w) {
		if p.ended() {
			return p.behind("EOF while parsing a value")
		}
		p.at++
		if p.text[p.at-1] != w[i] {
			return p.behind("expected ident")
		}
	}
	return nil
}

func (p *parser) object(depth int) error {
	for first := true; ; first = false {
		p.space()
		switch {
		case p.ended():
			return p.here("EOF while parsing an object")
		case first && p.next() == '}':
			p.at++
			return nil
		case !first && p.next() == '}':
			return p.here("trailing comma")
		case p.next() != '"':
			return p.here("key must be a string")
		}
		p.at++
		if err := p.str(); err != nil {
			return err
		}
		if p.space(); p.ended() {
			return p.here("EOF while parsing an object")
		} else if p.next() != ':' {
			return p.here("expected `:`")
		}
		p.at++
		p.space()
		if err := p.value(depth); err != nil {
			return err
		}
		if done, err := p.more('}', "object"); done || err != nil {
			return err
		}
	}
}

func (p *parser) array(depth int) error {
	for first := true; ; first = false {
		p.space()
		switch {
		case p.ended():
			return p.here("EOF while parsing a list")
		case first && p.next() == ']':
			p.at++
			return nil
		case p.next() == ']':
			return p.here("trailing comma")
		}
		if err := p.value(depth); err != nil {
			return err
		}
		if done, err := p.more(']', "list"); done || err != nil {
			return err
		}
	}
}

// more steps over the comma after an item, or over the closing character.
func (p *parser) more(closing byte, what string) (done bool, err error) {
	p.space()
	if p.ended() {
		article := "a "
		if what == "object" {
			article = "an "
		}
		return false, p.here("EOF while parsing " + article + what)
	}
	switch p.next() {
	case closing:
		p.at++
		return true, nil
	case ',':
		p.at++
		return false, nil
	}
	return false, p.here("expected `,` or `" + string(closing) + "`")
}

// str reads a string behind its opening quote.
func (p *parser) str() error {
	for !p.ended() {
		switch c := p.next(); {
		case c == '"':
			p.at++
			return nil
		case c < 0x20:
			p.at++
			return p.behind(`control character (\u0000-\u001F) found while parsing a string`)
		case c == '\\':
			p.at++
			if err := p.escape(); err != nil {
				return err
			}
		case c < utf8.RuneSelf:
			p.at++
		default:
			r, n := utf8.DecodeRuneInString(p.text[p.at:])
			if p.at += n; r == utf8.RuneError && n == 1 {
				return p.behind("invalid unicode code point")
			}
		}
	}
	return p.behind("EOF while parsing a string")
}

// escape reads an escape behind its backslash.
func (p *parser) escape() error {
	if p.ended() {
		return p.behind("EOF while parsing a string")
	}
	c := p.next()
	if p.at++; c != 'u' {
		if strings.IndexByte(`"\/bfnrt`, c) < 0 {
			return p.behind("invalid escape")
		}
		return nil
	}
	high, err := p.hex()
	switch {
	case err != nil:
		return err
	case high >= 0xdc00 && high <= 0xdfff:
		return p.behind("lone leading surrogate in hex escape")
	case high < 0xd800 || high > 0xdbff:
		return nil
	}
	for _, want := range []byte(`\u`) {
		if p.ended() {
			return p.behind("EOF while parsing a string")
		}
		c := p.next()
		if p.at++; c != want {
			return p.behind("unexpected end of hex escape")
		}
	}
	low, err := p.hex()
	if err == nil && (low < 0xdc00 || low > 0xdfff) {
		return p.behind("lone leading surrogate in hex escape")
	}
	return err
}

// hex reads four hexadecimal digits.
func (p *parser) hex() (n rune, err error) {
	if len(p.text)-p.at < 4 {
		p.at = len(p.text)
		return 0, p.behind("EOF while parsing a string")
	}
	digits := p.text[p.at : p.at+4]
	p.at += 4
	for _, c := range []byte(digits) {
		at := strings.IndexByte("0123456789abcdef", c|0x20)
		if at < 0 || c < '0' {
			return 0, p.behind("invalid escape")
		}
		n = n<<4 | rune(at)
	}
	return n, nil
}

func (p *parser) number() error {
	if p.next() == '-' {
		p.at++
	}
	if p.next() == '0' {
		if p.at++; isDigit(p.next()) {
			return p.here("invalid number")
		}
	} else if err := p.digits(); err != nil {
		return err
	}
	if p.next() == '.' {
		p.at++
		if err := p.digits(); err != nil {
			return err
		}
	}
	if c := p.next(); c == 'e' || c == 'E' {
		p.at++
		if c := p.next(); c == '+' || c == '-' {
			p.at++
		}
		return p.digits()
	}
	return nil
}

// digits reads at least one digit.
func (p *parser) digits() error {
	if p.ended() {
		return p.here("EOF while parsing a value")
	}
	if !isDigit(p.next()) {
		return p.here("invalid number")
	}
	for isDigit(p.next()) {
		p.at++
	}
	return nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
