package scenarios

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Pos is a place in a scenario file. Line and Column count from 1, columns in
// characters; 0 means unknown. The zero Pos belongs to nothing that was read.
type Pos struct {
	File         string
	Line, Column int
}

// String returns file:line:column and leaves out what is unknown.
func (p Pos) String() string {
	text := p.File
	if p.Line > 0 {
		text += ":" + strconv.Itoa(p.Line)
		if p.Column > 0 {
			text += ":" + strconv.Itoa(p.Column)
		}
	}
	return text
}

// Position returns p. Every part of a Document embeds its Pos, so each of them
// has this method.
func (p Pos) Position() Pos { return p }

func (p Pos) compare(other Pos) int {
	return cmp.Or(
		cmp.Compare(p.File, other.File),
		cmp.Compare(p.Line, other.Line),
		cmp.Compare(p.Column, other.Column),
	)
}

// Problem is one fault of a scenario: where it is, what is wrong, and what to
// do about it. Hint may be empty.
type Problem struct {
	Pos
	Message string
	Hint    string
}

// Error returns "file:line:column: message" and, on a line of its own,
// "hint: …" when there is a hint.
func (p Problem) Error() string {
	text := p.Message
	if where := p.Pos.String(); where != "" {
		text = where + ": " + text
	}
	if p.Hint != "" {
		text += "\n  hint: " + p.Hint
	}
	return text
}

// Problems are all faults found in one reading, in order of place. As an error
// it is never empty.
type Problems []Problem

// Error joins the problems, one a line, hints on lines of their own.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns each Problem as an error, so that errors.As finds the first.
func (p Problems) Unwrap() []error {
	all := make([]error, len(p))
	for i, problem := range p {
		all[i] = problem
	}
	return all
}

// sorted orders by place and drops repeats.
func (p Problems) sorted() Problems {
	slices.SortStableFunc(p, func(a, b Problem) int { return a.compare(b.Pos) })
	return slices.Compact(p)
}

// err is p as an error, nil when there is nothing to report.
func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}
