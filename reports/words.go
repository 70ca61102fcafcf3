package reports

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hallmarkdev/hallmark/spec"
)

// count returns "1 case" or "3 cases".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// countsText names the statuses that occur, worst first.
func countsText(c Counts) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{c.Fail, "failed"}, {c.Error, "in error"}, {c.KnownFailing, "known failing"}, {c.Warn, "with a warning"},
		{c.Pass, "passed"}, {c.NotObserved, "not observed"}, {c.NotApplicable, "not applicable"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func durationText(ms int64) string {
	return time.Duration(ms * int64(time.Millisecond)).String()
}

// Clean returns text fit for a terminal: control characters but the line feed
// are written as escapes, and bytes that are no UTF-8 too, since a worker's
// words must not move the cursor or colour the screen.
func Clean(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\n':
			b.WriteRune(r)
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029':
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

const (
	red    = "31"
	green  = "32"
	yellow = "33"
)

// mark is a status as the first word of a block, in a column of six.
func (t *text) mark(s spec.Status) string {
	switch s {
	case spec.StatusFail:
		return t.paint("FAIL", red) + "  "
	case spec.StatusError:
		return t.paint("ERROR", red) + " "
	case spec.StatusKnownFailing:
		return t.paint("KNOWN", yellow) + " "
	case spec.StatusWarn:
		return t.paint("WARN", yellow) + "  "
	default:
		return t.paint("pass", green) + "  "
	}
}

func (t *text) paint(word, color string) string {
	if !t.opts.Color {
		return word
	}
	return "\x1b[" + color + "m" + word + "\x1b[0m"
}
