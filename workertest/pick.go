package workertest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/hallmarkdev/hallmark/reports"
)

// picker tells which subtests go test -run and -skip pick, by the rules of
// package testing: slashes part a pattern into one regular expression for each
// level of a name, bars part it into alternatives. It is asked before a case
// is driven; package testing itself has the last word on its subtest.
type picker struct{ run, skip [][]*regexp.Regexp }

func newPicker(run, skip string) (picker, error) {
	var p picker
	var err error
	if p.run, err = alternatives(run); err != nil {
		return p, err
	}
	p.skip, err = alternatives(skip)
	return p, err
}

// wants reports whether the subtest of parent for a case would run.
func (p picker) wants(parent, id string) bool {
	name := strings.Split(parent+"/"+testName(id), "/")
	for _, levels := range p.skip {
		if len(levels) <= len(name) && matches(levels, name) {
			return false
		}
	}
	for _, levels := range p.run {
		if matches(levels, name) {
			return true
		}
	}
	return len(p.run) == 0
}

func matches(levels []*regexp.Regexp, name []string) bool {
	for i, part := range name {
		if i < len(levels) && !levels[i].MatchString(part) {
			return false
		}
	}
	return true
}

// alternatives parts a pattern at bars and slashes that stand in no brackets.
func alternatives(pattern string) ([][]*regexp.Regexp, error) {
	if pattern == "" {
		return nil, nil
	}
	var all [][]*regexp.Regexp
	for _, alternative := range split(pattern, '|') {
		var levels []*regexp.Regexp
		for _, level := range split(alternative, '/') {
			re, err := regexp.Compile(testName(level))
			if err != nil {
				return nil, fmt.Errorf("workertest: go test pattern %q: %w", pattern, err)
			}
			levels = append(levels, re)
		}
		all = append(all, levels)
	}
	return all, nil
}

// split cuts pattern at each sep outside of brackets and parentheses.
func split(pattern string, sep byte) []string {
	var parts []string
	square, round, from := 0, 0, 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '[':
			square++
		case c == ']':
			square = max(square-1, 0)
		case c == '(' && square == 0:
			round++
		case c == ')' && square == 0:
			round--
		case c == sep && square == 0 && round == 0:
			parts = append(parts, pattern[from:i])
			from = i + 1
		}
	}
	return append(parts, pattern[from:])
}

// testName is a name as package testing writes it: spaces become underscores,
// and what does not print is escaped.
func testName(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case unicode.IsSpace(r):
			b.WriteByte('_')
		case !strconv.IsPrint(r):
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// repeatLine is the command that runs the test called name again, and no other.
func repeatLine(name string) string { return reports.Command("go", "test", "-run", exactly(name)) }

// exactly is the pattern that picks the test called name, and no other.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// slug is a title as a part of names: lower case, with dashes.
func slug(title string) string {
	const longest = 80
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	text := strings.Join(words, "-")
	if runes := []rune(text); len(runes) > longest {
		text = strings.TrimRight(string(runes[:longest]), "-")
	}
	if text == "" {
		return "scenario"
	}
	return text
}
