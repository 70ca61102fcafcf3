package arguments

import (
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// matching makes texts for an ECMAScript pattern, as far as its parts can be
// read by Go's parser after some rewriting. The texts need not match; it is
// the caller that holds them against the pattern.
func matching(pattern string, d *demands, by *draws, nth int) []string {
	plain, ahead := withoutLooks(toGo(pattern))
	parsed, err := syntax.Parse(plain, syntax.Perl)
	if err != nil {
		return nil
	}
	parsed = parsed.Simplify()
	var all []string
	add := func(text string) {
		all = append(all, text)
		// A pattern without an anchor takes more on either side.
		if missing := d.low - utf8.RuneCountInString(text); missing > 0 {
			pad := stretch(filler, "", missing, missing)
			all = append(all, text+pad, pad+text)
		}
	}
	write := func(low int, by *draws, nth int) string {
		w := writer{low: min(low, MaxTextLength), by: by, nth: nth, high: min(d.high, MaxTextLength), left: maxWritten}
		w.write(parsed)
		return w.out.String()
	}
	// What the pattern looks ahead for goes in front or behind.
	var sought strings.Builder
	for _, look := range ahead {
		if parsed, err := syntax.Parse(look, syntax.Perl); err == nil {
			w := writer{high: MaxTextLength, left: maxWritten}
			w.write(parsed.Simplify())
			sought.WriteString(w.out.String())
		}
	}
	if sought.Len() > 0 {
		have := utf8.RuneCountInString(sought.String())
		for _, low := range []int{max(0, d.low-have), have, 8 - min(have, 8), d.low} {
			rest := write(low, by, nth)
			all = append(all, sought.String()+rest, sought.String()+cutRunes(rest, have), rest+sought.String())
		}
	}
	add(write(d.low, by, nth))
	add(write(0, nil, nth))
	add(write(0, nil, 0))
	// Draws may pass by what looks ahead or bounds forbid.
	for i := range 6 {
		add(write(d.low, newDraws(uint64(nth), pattern, "pattern", i), nth))
	}
	return all
}

// cutRunes is text without its first n characters.
func cutRunes(text string, n int) string {
	for ; n > 0 && text != ""; n-- {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	return text
}

// toGo rewrites the escapes that Go spells otherwise.
func toGo(pattern string) string {
	var out strings.Builder
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i:]
		switch {
		case len(rest) >= 6 && strings.HasPrefix(rest, `\u`) && rest[2] != '{':
			out.WriteString(`\x{` + rest[2:6] + `}`)
			i += 5
		case strings.HasPrefix(rest, `\u{`):
			out.WriteString(`\x{`)
			i += 2
		case rest[0] == '\\' && len(rest) > 1:
			out.WriteString(rest[:2])
			i++
		default:
			out.WriteByte(rest[0])
		}
	}
	return out.String()
}

// withoutLooks takes the groups that look ahead or behind out of a pattern,
// and returns what those want that look ahead for something.
func withoutLooks(pattern string) (plain string, ahead []string) {
	var out strings.Builder
	for rest := pattern; rest != ""; {
		size := 1
		if rest[0] == '\\' {
			size = min(2, len(rest))
		}
		if look := lookOf(rest); look != "" {
			if end := groupEnd(rest); end > 0 {
				if look == "(?=" {
					ahead = append(ahead, rest[len(look):end])
				}
				rest = rest[end+1:]
				continue
			}
		}
		out.WriteString(rest[:size])
		rest = rest[size:]
	}
	return out.String(), ahead
}

// lookOf is the beginning of a group that looks ahead or behind, else "".
func lookOf(rest string) string {
	for _, look := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.HasPrefix(rest, look) {
			return look
		}
	}
	return ""
}

// groupEnd is the place of the bracket that closes the group at the start.
func groupEnd(rest string) int {
	depth, inClass := 0, false
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// maxWritten bounds the steps of writing one text.
const maxWritten = 200_000

// writer writes a text that matches a parsed expression.
type writer struct {
	out       strings.Builder
	low, high int // the length wanted, in characters
	length    int
	by        *draws // nil for the plainest way through
	nth       int
	left      int
}

func (w *writer) rune(r rune) {
	w.out.WriteRune(r)
	w.length++
}

// below draws a number; without draws it is the digit of nth for this choice,
// so that the nth text differs from the others.
func (w *writer) below(n int) int {
	if n < 2 {
		return 0
	}
	if w.by != nil {
		return w.by.below(n)
	}
	digit := w.nth % n
	w.nth /= n
	return digit
}

func (w *writer) write(r *syntax.Regexp) {
	if w.left--; w.left < 0 || w.length > w.high {
		return
	}
	switch r.Op {
	case syntax.OpLiteral:
		for _, c := range r.Rune {
			w.rune(c)
		}
	case syntax.OpCharClass:
		w.rune(w.oneOf(r.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.rune(rune('a' + w.below(26)))
	case syntax.OpStar, syntax.OpPlus:
		w.repeat(r)
	case syntax.OpQuest:
		if w.by != nil && w.by.below(2) == 1 {
			w.write(r.Sub[0])
		}
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range r.Sub {
			w.write(sub)
		}
	case syntax.OpAlternate:
		w.write(r.Sub[w.below(len(r.Sub))])
	}
}

// repeat draws a part out that may repeat without end, until the text has the
// length wanted.
func (w *writer) repeat(r *syntax.Regexp) {
	least := 0
	if r.Op == syntax.OpPlus {
		least = 1
	}
	if w.by != nil {
		least += w.by.below(4)
	}
	for i := 0; (i < least || w.length < w.low) && w.left >= 0; i++ {
		before := w.length
		low := w.low
		w.low = 0 // only the outermost repeats until it is long enough
		w.write(r.Sub[0])
		w.low = low
		if w.length == before {
			return
		}
	}
}

// oneOf picks a letter or digit of a character class, else one that can be
// printed, else its first.
func (w *writer) oneOf(ranges []rune) rune {
	for _, wanted := range []func(rune) bool{
		func(r rune) bool { return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) },
		unicode.IsPrint,
	} {
		var all []rune
		for i := 0; i+1 < len(ranges) && len(all) < 64; i += 2 {
			for r := ranges[i]; r <= min(ranges[i+1], ranges[i]+utf8.RuneSelf); r++ {
				if wanted(r) && len(all) < 64 {
					all = append(all, r)
				}
			}
		}
		if len(all) > 0 {
			return all[w.below(len(all))]
		}
	}
	if len(ranges) == 0 {
		return 'a'
	}
	return ranges[0]
}
