package judge

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/hallmarkdev/hallmark/spec"
)

// maxLooked bounds how much of a text is searched, in bytes.
const maxLooked = 64 << 10

func looked(text string) string { return text[:min(len(text), maxLooked)] }

// traces are the marks of a stack trace in the languages that workers are
// written in.
var traces = []*regexp.Regexp{
	regexp.MustCompile(`Traceback \(most recent call last\)`),                    // Python
	regexp.MustCompile(`File "[^"\n]+", line \d+`),                               // Python
	regexp.MustCompile(`(?m)^\s*at .+:\d+:\d+\)?\s*$`),                           // JavaScript
	regexp.MustCompile(`\bat [\w.$<>]+\([\w$]+\.(?:java|kt|scala|groovy):\d+\)`), // Java and its kin
	regexp.MustCompile(`(?m)^Caused by: [\w.$]+`),                                // Java
	regexp.MustCompile(`goroutine \d+ \[`),                                       // Go
	regexp.MustCompile(`\b[\w./-]+\.go:\d+`),                                     // Go
	regexp.MustCompile(`thread '[^'\n]*' panicked at|stack backtrace:`),          // Rust
	regexp.MustCompile(`\.rb:\d+:in `),                                           // Ruby
	regexp.MustCompile(`(?m)^#\d+ .+\.php\(\d+\)|\bStack trace:`),                // PHP
	regexp.MustCompile(`(?m)\bat .+ in .+\.(?:cs|fs|vb):line \d+`),               // .NET
	regexp.MustCompile(`\(\w+ [\d.]+\) lib/[\w/]+\.ex:\d+:`),                     // Elixir
	regexp.MustCompile(`\bat \S+\.p[lm] line \d+`),                               // Perl
	regexp.MustCompile(`(?m)^\s*\S+\.swift:\d+: Fatal error`),                    // Swift
}

// traceIn quotes the first mark of a stack trace, "" when there is none.
func traceIn(text string) string {
	for _, mark := range traces {
		if at := mark.FindString(looked(text)); at != "" {
			return quote(strings.TrimSpace(at)) + " in " + quote(text)
		}
	}
	return ""
}

var paths = regexp.MustCompile(`(?:^|[\s"'(=:,\[` + "`" + `])((?:/(?:home|Users|usr|var|etc|opt|srv|root|tmp|private|proc|mnt|app|code|workspace|node_modules|Library)/[^\s"'()\[\],;` + "`" + `]+)|(?:[A-Za-z]:\\[^\s"'()\[\],;` + "`" + `]+))`)

// pathIn quotes the first path of the machine, "" when there is none but those
// that were sent.
func pathIn(text, sent string) string {
	for _, m := range paths.FindAllStringSubmatch(looked(text), -1) {
		if !strings.Contains(sent, strings.TrimRight(m[1], ".:")) {
			return quote(m[1]) + " in " + quote(text)
		}
	}
	return ""
}

// secretForms are the forms that keys and tokens of well-known kinds have.
var secretForms = []struct {
	kind string
	form *regexp.Regexp
}{
	{"a private key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`)},
	{"a URL with a password", regexp.MustCompile(`\b[a-z][a-z0-9+.-]*://[^\s/:@"']+:[^\s/@"']+@`)},
	{"a cloud access key", regexp.MustCompile(`\bA(?:KIA|SIA)[0-9A-Z]{16}\b`)},
	{"an API key", regexp.MustCompile(`\b(?:sk|pk|rk)[-_](?:[a-z]+[-_])?[A-Za-z0-9_-]{16,}`)},
	{"an access token", regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{20,}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bglpat-[A-Za-z0-9_-]{16,}`)},
	{"a signed token", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}`)},
	{"credentials of a request", regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+[A-Za-z0-9._~+/=-]{16,}`)},
	{"a secret that was taken out of the recording", regexp.MustCompile(spec.StandInPrefix + `[a-z]+-[a-z2-7]{8}`)},
}

var assigned = regexp.MustCompile(`(?i)\b(?:password|passwd|pwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token)["']?\s*[=:]\s*["']?([^\s"',;&]{8,})`)

// secretIn says what kind of secret a text seems to hold, and never shows it;
// "" when there is none but what was sent.
func secretIn(text, sent string) string {
	text = looked(text)
	for _, s := range secretForms {
		for _, found := range s.form.FindAllString(text, -1) {
			if !strings.Contains(sent, found) {
				return masked(s.kind, found)
			}
		}
	}
	for _, m := range assigned.FindAllStringSubmatch(text, -1) {
		if mixed(m[1]) && !strings.Contains(sent, m[1]) {
			return masked("a password or a key", m[0])
		}
	}
	return ""
}

func masked(kind, found string) string {
	return fmt.Sprintf("what looks like %s: %q… (%d characters)", kind, found[:min(3, len(found))], len(found))
}

// mixed reports whether a text has both letters and digits, as a made-up value
// has and a word has not.
func mixed(s string) bool {
	return strings.ContainsFunc(s, unicode.IsDigit) && strings.ContainsFunc(s, unicode.IsLetter)
}

// stuffed are marks of a value that was joined to a text instead of printed.
var stuffed = regexp.MustCompile(`\[object [A-Z]\w*\]|<[\w.]+ object at 0x[0-9a-fA-F]+>|<(?:coroutine|generator|function|bound method) [^>]*>|%!\w?\(|Promise \{ ?<?pending>? ?\}|\[Function: ?\w+\]`)

// nothings are what languages print for no value.
var nothings = map[string]bool{"undefined": true, "None": true, "null": true, "nil": true, "<nil>": true, "NaN": true, "()": true}

// handle is how the virtual machine of Java prints an object without a text.
var handle = regexp.MustCompile(`^\[?[\w.$]*\.?[A-Z][\w$]*;?@[0-9a-f]{6,8}$`)

// printed quotes what a language printed in place of a value, "" when nothing
// of the kind is there.
func printed(text string) string {
	whole := strings.TrimSpace(looked(text))
	if nothings[whole] || handle.MatchString(whole) {
		return "the whole text is " + quote(whole)
	}
	if at := stuffed.FindString(whole); at != "" {
		return quote(at) + " in " + quote(text)
	}
	return ""
}

var (
	outcry        = regexp.MustCompile(`(?i)^(?:\w*error|\w*exception|fatal(?: error)?|traceback|internal server error|unhandled \w+|panic)\s*[:(]`)
	failureAsJSON = regexp.MustCompile(`^\{\s*"(?:error|ok|success|status)"\s*:\s*(?:"[^"]*(?i:error|fail)[^"]*"|false)`)
	errorKey      = regexp.MustCompile(`^\{\s*"error"\s*:\s*["{]`)
)

// hiddenFailure quotes a result whose text begins as a failure does, "" when it
// does not.
func hiddenFailure(text string) string {
	whole := strings.TrimSpace(looked(text))
	if outcry.MatchString(whole) || failureAsJSON.MatchString(whole) || errorKey.MatchString(whole) {
		return "a success that reads " + quote(text)
	}
	return ""
}

var keepAliveTimeout = regexp.MustCompile(`(?i)\btimeout\s*=\s*(\d{1,9})`)

// keepAlive reads the seconds of a Keep-Alive header, and whether it says any.
func keepAlive(value string) (secs int, said bool) {
	m := keepAliveTimeout.FindStringSubmatch(value)
	if m == nil {
		return 0, false
	}
	secs, err := strconv.Atoi(m[1])
	return secs, err == nil
}
