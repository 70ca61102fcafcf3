package scenarios

import (
	"fmt"
	"strconv"
	"strings"
)

// prescan finds what yaml.v3 refuses without a place, or misreads in silence
// (R14, rule 1): tabs in indentation, bad escapes between double quotes, and
// ${ without quotes inside { } or [ ]. It follows YAML's lexical structure only
// as far as these need.
//
// It also returns where the plain scalars begin that a comment ends: yaml.v3
// keeps the comment, but not whether a comma stood before it.
func prescan(file, text string) (Problems, map[Pos]bool) {
	s := scanner{file: file, cuts: map[Pos]bool{}, blockParent: noBlock, plainParent: noBlock}
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
	for i, line := range lines {
		s.number = i + 1
		s.scanLine([]rune(line))
	}
	return s.problems, s.cuts
}

// noBlock stands where no block text is open. Real parents are -1 or more.
const noBlock = -2

type scanner struct {
	file     string
	number   int
	problems Problems
	cuts     map[Pos]bool
	line     []rune
	at       int
	// flow is the depth of brackets; quote is the open quotation mark or 0.
	flow  int
	quote rune
	// blockParent is the indentation that a line must exceed to belong to the
	// open | or > text, plainParent the same for a plain text that goes on.
	blockParent, plainParent int
	// begun is where the plain scalar began that may go on in the next line;
	// it has no line when there is none.
	begun Pos
	// tooDeep is set once the depth was reported.
	tooDeep bool
	// parent is the indentation of the innermost key or dash of this line.
	parent int
}

const (
	deepMessage = "nested deeper than %d levels"
	deepHint    = "write deep arguments as raw: {repeat: \"[\", times: N}"
)

func (s *scanner) problem(column int, message, hint string) {
	s.problems = append(s.problems, Problem{Pos{s.file, s.number, column + 1}, message, hint})
}

func (s *scanner) scanLine(line []rune) {
	s.line, s.at = line, 0
	if s.quote != 0 {
		s.quoted()
	} else if !s.lineStart() {
		return
	}
	for s.at < len(s.line) {
		s.token()
	}
}

// lineStart looks at the indentation and says whether the line has tokens.
func (s *scanner) lineStart() bool {
	indent := 0
	for indent < len(s.line) && s.line[indent] == ' ' {
		indent++
	}
	content := indent
	for content < len(s.line) && (s.line[content] == ' ' || s.line[content] == '\t') {
		content++
	}
	if content == len(s.line) {
		return false
	}
	if s.blockParent != noBlock && indent > s.blockParent {
		return false
	}
	s.blockParent = noBlock
	s.at = content
	if s.line[content] == '#' {
		return false
	}
	if s.flow > 0 {
		return true
	}
	if content > indent {
		s.problem(indent, "tab in the indentation", "indent with spaces")
	}
	if s.plainParent != noBlock && indent > s.plainParent {
		s.goesOn()
		return false
	}
	s.plainParent = noBlock
	s.parent = indent - 1
	if indent == 0 && len(s.line) >= 3 && (string(s.line[:3]) == "---" || string(s.line[:3]) == "...") {
		s.at, s.parent = 3, -1
	}
	return true
}

// goesOn looks for a comment in a line that carries a plain scalar on.
func (s *scanner) goesOn() {
	for i := s.at + 1; i < len(s.line); i++ {
		if s.line[i] == '#' && isBlank(s.line[i-1]) {
			s.cuts[s.begun] = true
			s.plainParent = noBlock
			return
		}
	}
}

// token reads one token, or the white space before it.
func (s *scanner) token() {
	c := s.line[s.at]
	if isBlank(c) {
		s.at++
		return
	}
	begun := s.begun
	s.begun = Pos{}
	switch {
	case c == '#' && (s.at == 0 || isBlank(s.line[s.at-1])):
		s.at = len(s.line)
	case c == '"' || c == '\'':
		start := s.at
		s.quote = c
		s.at++
		s.quoted()
		if s.flow == 0 && s.quote == 0 {
			s.parent = max(s.parent, s.keyAt(start))
		}
	case c == '{' || c == '[':
		s.open()
	case (c == '}' || c == ']') && s.flow > 0:
		s.flow--
		s.at++
	case c == ',' && s.flow > 0:
		s.at++
	case (c == '-' || c == '?') && s.flow == 0 && s.blankAt(s.at+1):
		s.parent = s.at
		s.at++
	case c == ':' && (s.blankAt(s.at+1) || s.flow > 0):
		s.at++
	case (c == '|' || c == '>') && s.flow == 0:
		s.blockParent = s.parent
		s.at = len(s.line)
	case c == '&' || c == '!' || c == '*':
		for s.at < len(s.line) && !isBlank(s.line[s.at]) {
			s.at++
		}
	default:
		s.plain(begun)
	}
}

// open steps over an opening bracket. The parser ends at a depth of its own
// without saying where.
func (s *scanner) open() {
	s.flow++
	if s.flow > maxDepth && !s.tooDeep {
		s.tooDeep = true
		s.problem(s.at, fmt.Sprintf(deepMessage, maxDepth), deepHint)
	}
	s.at++
}

// keyAt returns start when a colon follows, which makes the token a key.
func (s *scanner) keyAt(start int) int {
	rest := strings.TrimLeft(string(s.line[s.at:]), " \t")
	if rest == ":" || strings.HasPrefix(rest, ": ") || strings.HasPrefix(rest, ":\t") {
		return start
	}
	return noBlock
}

// plain reads a scalar without quotes, or more of the one that has begun in a
// line before.
func (s *scanner) plain(begun Pos) {
	start := s.at
	if begun.Line == 0 {
		begun = Pos{s.file, s.number, start + 1}
	}
	for s.at < len(s.line) {
		c := s.line[s.at]
		switch {
		case c == '#' && s.at > start && isBlank(s.line[s.at-1]):
			s.cuts[begun] = true
			s.at = len(s.line)
			return
		case c == ':' && s.blankAt(s.at+1):
			if s.flow == 0 {
				s.parent = max(s.parent, start)
			}
			return
		case s.flow > 0 && c == '$' && s.at+1 < len(s.line) && s.line[s.at+1] == '{':
			s.insertion()
			continue
		case s.flow > 0 && strings.ContainsRune(",[]{}", c):
			return
		case s.flow > 0 && c == ':' && s.at+1 < len(s.line) && strings.ContainsRune(",[]{}", s.line[s.at+1]):
			return
		}
		s.at++
	}
	s.begun = begun
	if s.flow == 0 {
		s.plainParent = s.parent
	}
}

// insertion reports ${ and steps over the whole of ${name}.
func (s *scanner) insertion() {
	s.problem(s.at, "${ without quotes inside { } or [ ]", `quote the whole text: "… ${name} …"`)
	for s.at < len(s.line) && s.line[s.at] != '}' {
		s.at++
	}
	s.at = min(s.at+1, len(s.line))
}

// quoted reads on to the closing quotation mark, or to the end of the line.
func (s *scanner) quoted() {
	for s.at < len(s.line) {
		c := s.line[s.at]
		switch {
		case c == '\'' && s.quote == c && s.at+1 < len(s.line) && s.line[s.at+1] == c:
			s.at += 2
		case c == s.quote:
			s.quote = 0
			s.at++
			return
		case c == '\\' && s.quote == '"':
			s.escape()
		default:
			s.at++
		}
	}
}

// escape checks one backslash sequence between double quotes.
func (s *scanner) escape() {
	start := s.at
	if start+1 == len(s.line) {
		s.at++ // an escaped line break
		return
	}
	s.at += 2
	letter := s.line[start+1]
	digits := map[rune]int{'x': 2, 'u': 4, 'U': 8}[letter]
	if digits == 0 {
		if !strings.ContainsRune("0abt\tnvfre \"/\\N_LP", letter) {
			s.problem(start, fmt.Sprintf(`\%c is no escape`, letter),
				fmt.Sprintf(`use single quotes, or write \\%c`, letter))
		}
		return
	}
	end := min(start+2+digits, len(s.line))
	code, err := strconv.ParseUint(string(s.line[start+2:end]), 16, 32)
	switch {
	case err != nil || end < start+2+digits:
		s.problem(start, fmt.Sprintf(`\%c wants %d hexadecimal digits`, letter, digits),
			"use single quotes to keep the backslash as it is")
		return
	case code >= 0xd800 && code <= 0xdfff:
		s.problem(start, fmt.Sprintf(`\%c%s is half a character`, letter, string(s.line[start+2:end])),
			"write the character itself, or use single quotes to keep the escape as it is")
	case code > 0x10ffff:
		s.problem(start, fmt.Sprintf(`\%c%s is no character`, letter, string(s.line[start+2:end])),
			`the last one is \U0010ffff`)
	}
	s.at = end
}

func (s *scanner) blankAt(i int) bool {
	return i >= len(s.line) || isBlank(s.line[i])
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' }
