package recorder

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxQuoted is how many times over a secret may stand in JSON strings: the
// arguments of a call in a message in a body in a line of a recording.
const maxQuoted = 4

// deepSpellings are the forms in which a secret may stand in what passes: as it
// is, escaped for JSON again and again, for URLs, and in base64 wherever it
// begins there.
func deepSpellings(v string) []string {
	all := []string{v, strings.ReplaceAll(v, "/", `\/`), url.QueryEscape(v), url.PathEscape(v)}
	for _, escape := range []func(string) string{quoteInner, asciiInner, htmlInner} {
		for s, n := v, 0; n < maxQuoted; n++ {
			s = escape(s)
			all = append(all, s, strings.ReplaceAll(s, "/", `\/`))
		}
	}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			text := enc.EncodeToString(append(make([]byte, shift), v...))
			// The characters at both ends depend on what stands beside it.
			from, to := (shift*8+5)/6, (shift+len(v))*8/6
			if shift == 0 {
				from = 0
			}
			if to-from >= minSecret {
				all = append(all, text[from:to])
			}
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(s string) bool { return len(s) < minSecret })
}

// quoteInner is v inside a JSON string.
func quoteInner(v string) string {
	q, err := jsontext.AppendQuote(nil, v)
	if err != nil {
		return v
	}
	return string(q[1 : len(q)-1])
}

// asciiInner is v inside a JSON string of a writer that escapes all but ASCII.
func asciiInner(v string) string {
	var b strings.Builder
	for _, r := range quoteInner(v) {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// htmlInner is v inside a JSON string of a writer that escapes HTML.
func htmlInner(v string) string {
	return strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(quoteInner(v))
}

// Text replaces what is known and what has the form of a secret in a text that
// is no JSON.
func (s *Scope) Text(text string) (string, int) {
	return s.replaceIn(text, s.mayMatch([]byte(text)))
}

// mayMatch gives the patterns that may match in b, by their literals.
func (s *Scope) mayMatch(b []byte) []bool {
	may := make([]bool, len(s.p.patterns))
	s.p.literals.find(b, func(i int) bool {
		may[s.p.literalOf[i]] = true
		return true
	})
	for i, p := range s.p.patterns {
		switch {
		case len(p.literals) == 0:
			may[i] = true
		case len(p.literals[0]) == 1:
			may[i] = bytes.Contains(b, []byte(p.literals[0]))
		}
	}
	return may
}

// replaceIn is Text, with the patterns that may match.
func (s *Scope) replaceIn(text string, may []bool) (string, int) {
	n := 0
	for _, list := range [][]needle{s.p.known, s.learned} {
		for i := range list {
			if found := strings.Count(text, list[i].text); found > 0 {
				text = strings.ReplaceAll(text, list[i].text, list[i].standIn)
				n += found
			}
		}
	}
	for i := range s.p.patterns {
		if !may[i] || !s.p.patterns[i].in(text) {
			continue
		}
		var m int
		text, m = s.match(&s.p.patterns[i], text)
		n += m
	}
	return text, n
}

// in reports whether a text may hold a match.
func (p *pattern) in(text string) bool {
	return len(p.literals) == 0 || slices.ContainsFunc(p.literals, func(l string) bool { return strings.Contains(text, l) })
}

func (p *pattern) inBytes(b []byte) bool {
	return len(p.literals) == 0 || slices.ContainsFunc(p.literals, func(l string) bool { return bytes.Contains(b, []byte(l)) })
}

// match replaces the matches of one pattern.
func (s *Scope) match(p *pattern, text string) (string, int) {
	var out []byte
	n, from := 0, 0
	for _, at := range p.find(s.p, text) {
		secret := text[at[0]:at[1]]
		if at[0] < from || secret == "" || strings.Contains(secret, StandInPrefix) {
			continue
		}
		out = append(append(out, text[from:at[0]]...), s.p.standIn("pattern", secret)...)
		from = at[1]
		n++
		s.learn(secret)
	}
	if n == 0 {
		return text, 0
	}
	return string(append(out, text[from:]...)), n
}

// longestName bounds what is looked at before an `=`, and shortestAssigned what
// counts as a secret after one.
const (
	longestName      = 64
	shortestAssigned = 4
)

// findAssigned finds values after names under which secrets stand, as in a
// query or in a file of settings: API_KEY=….
func findAssigned(p *Policy, text string) [][]int {
	var all [][]int
	for i := 0; ; {
		n := strings.IndexByte(text[i:], '=')
		if n < 0 {
			return all
		}
		at := i + n
		i = at + 1
		from := at
		for from > 0 && at-from < longestName && isNameByte(text[from-1]) {
			from--
		}
		end := i
		for end < len(text) && strings.IndexByte(" \t\r\n&;,\"'\\<>()", text[end]) < 0 {
			end++
		}
		if from < at && end-i >= shortestAssigned && p.keys.secret(text[from:at]) {
			all = append(all, []int{i, end})
			i = end
		}
	}
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
}

// findPasswords finds the passwords of URLs: scheme://user:password@host.
func findPasswords(_ *Policy, text string) [][]int {
	var all [][]int
	for i := 0; ; {
		n := strings.Index(text[i:], "://")
		if n < 0 {
			return all
		}
		i += n + len("://")
		end := strings.IndexAny(text[i:], " \t\r\n\"'<>\\")
		if end < 0 {
			end = len(text) - i
		}
		authority, _, _ := strings.Cut(text[i:i+end], "/")
		// The last @ ends the password, which may hold others.
		at := strings.LastIndexByte(authority, '@')
		if at < 0 {
			// A password may hold a slash that should have been escaped.
			at = strings.IndexByte(text[i:i+end], '@')
		}
		if colon := strings.IndexByte(text[i:i+max(at, 0)], ':'); colon >= 0 && colon+1 < at {
			all = append(all, []int{i + colon + 1, i + at})
		}
	}
}

// whole replaces a whole value that is secret by its name.
func (s *Scope) whole(class, value string) (string, int) {
	if value == "" || strings.HasPrefix(value, StandInPrefix) {
		return value, 0
	}
	s.learn(value)
	return s.p.standIn(class, value), 1
}

// Headers replaces secrets in the headers of a message. The list is not
// changed; a copy is made where there is something to replace.
func (s *Scope) Headers(list [][2]string) ([][2]string, int) {
	out, n := list, 0
	for i, h := range list {
		value, m := "", 0
		name := plainName(h[0])
		if s.p.headers[name] || s.p.keys.secret(name) {
			value, m = s.headerValue(h[1])
		} else {
			value, m = s.Text(h[1])
		}
		if m == 0 {
			continue
		}
		if n == 0 {
			out = slices.Clone(list)
		}
		out[i][1] = value
		n += m
	}
	return out, n
}

// headerValue replaces a credential, and keeps the word that says of which kind
// it is.
func (s *Scope) headerValue(v string) (string, int) {
	scheme, rest, ok := strings.Cut(v, " ")
	if ok && !strings.ContainsAny(scheme, "=;,:") && !strings.Contains(rest, " ") {
		in, n := s.whole("header", rest)
		return scheme + " " + in, n
	}
	if name, value, ok := strings.Cut(v, "="); ok && (name == "sha256" || name == "sha1") {
		in, n := s.whole("header", value)
		return name + "=" + in, n
	}
	return s.whole("header", v)
}

// Target replaces secrets in the path and the query of a request.
func (s *Scope) Target(target string) (string, int) {
	path, query, ok := strings.Cut(target, "?")
	n := 0
	if ok {
		query, n = s.form(query)
		path += "?" + query
	}
	text, m := s.Text(path)
	return text, n + m
}

// form replaces secrets among fields like those of a query.
func (s *Scope) form(text string) (string, int) {
	parts, n := strings.Split(text, "&"), 0
	for i, part := range parts {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			continue
		}
		plain, err := url.QueryUnescape(value)
		if err != nil {
			plain = value
		}
		decoded, err := url.QueryUnescape(name)
		if err != nil {
			decoded = name
		}
		m := 0
		if s.p.keys.secret(decoded) {
			plain, m = s.whole("key", plain)
		} else {
			plain, m = s.Text(plain)
		}
		if m > 0 {
			parts[i] = name + "=" + url.QueryEscape(plain)
			n += m
		}
	}
	if n == 0 {
		return text, 0
	}
	return strings.Join(parts, "&"), n
}
