package recorder

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// textLimit is how many characters of a foreign text stand in a line.
const textLimit = 60

// clean makes foreign text fit for one line of a terminal: control characters,
// line separators, marks that turn the direction of writing, and bytes that are
// no text are written as escapes.
func clean(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r != ' ' && !unicode.IsGraphic(r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// short cuts s after limit characters, before it is cleaned, so that an escape
// is never cut.
func short(s string, limit int) string {
	n := 0
	for i := range s {
		if n == limit {
			return clean(s[:i]) + "…"
		}
		n++
	}
	return clean(s)
}

// quoted is a foreign text in quotes, cut and cleaned.
func quoted(s string) string { return `"` + short(s, textLimit) + `"` }

// count words a number of things.
func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// seconds writes engine time.
func seconds(ms int64) string {
	sign := ""
	if ms < 0 {
		sign, ms = "-", -ms
	}
	return fmt.Sprintf("%s%d.%03d", sign, ms/1000, ms%1000)
}
