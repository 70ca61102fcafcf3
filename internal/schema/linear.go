package schema

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// What ECMAScript means by \s and by a dot, in the spelling of Go, without the
// brackets.
const (
	spaces = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	noDot  = `\n\r\x{2028}\x{2029}`
)

// linear is a pattern that matches in time proportional to the text.
type linear struct {
	re *regexp.Regexp
	// size is the number of its instructions.
	size int
}

// newLinear compiles a pattern for Go's engine, which cannot explode and needs
// no clock. It takes only what both dialects read alike, after putting into
// other words what they do not; false leaves the pattern to the other engine.
func newLinear(source string) (linear, bool) {
	text, ok := toGo(source)
	if !ok {
		return linear{}, false
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return linear{}, false
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return linear{}, false
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return linear{}, false
	}
	return linear{re, len(prog.Inst)}, true
}

// toGo rewrites an ECMAScript pattern for Go.
func toGo(source string) (string, bool) {
	var out strings.Builder
	inClass := false
	for i := 0; i < len(source); i++ {
		rest := source[i:]
		switch c := source[i]; {
		case c == '\\':
			if len(rest) < 2 {
				return "", false
			}
			word, ok := escapeToGo(rest[1], inClass)
			if !ok {
				return "", false
			}
			out.WriteString(word)
			i++
			continue
		case inClass:
			// Go reads [: as the name of a class.
			if c == '[' {
				return "", false
			}
			inClass = c != ']'
		case c == '[':
			// An empty class is an error in Go, or begins with a bracket.
			if strings.HasPrefix(rest, "[]") || strings.HasPrefix(rest, "[^]") {
				return "", false
			}
			inClass = true
		case c == '.':
			out.WriteString("[^" + noDot + "]")
			continue
		case c == '(' && strings.HasPrefix(rest, "(?") && !strings.HasPrefix(rest, "(?:"):
			return "", false
		case c == '{' && !counted.MatchString(rest), c == '}' && !endsCount(source[:i]), c == ']':
			return "", false
		}
		out.WriteByte(source[i])
	}
	return out.String(), true
}

var counted = regexp.MustCompile(`^\{[0-9]{1,3}(,[0-9]{0,3})?\}`)

// endsCount reports whether head ends inside the braces of a count.
func endsCount(head string) bool {
	at := strings.LastIndexByte(head, '{')
	return at >= 0 && counted.FindString(head[at:]+"}") == head[at:]+"}"
}

func escapeToGo(c byte, inClass bool) (string, bool) {
	switch {
	case c == 's' && inClass:
		return spaces, true
	case c == 's':
		return "[" + spaces + "]", true
	case c == 'S' && !inClass:
		return "[^" + spaces + "]", true
	case strings.IndexByte("dDwWnrtfv", c) >= 0, (c == 'b' || c == 'B') && !inClass:
		return `\` + string(c), true
	case c > ' ' && c < 0x7f && !isWord(c):
		return `\` + string(c), true
	}
	return "", false
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
