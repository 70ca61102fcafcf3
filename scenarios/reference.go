package scenarios

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/suggest"
)

// References of "How a scenario runs", 8: a scalar that is wholly $name or
// $name.part takes the value with its type, ${name} inserts text, $$ is a
// dollar sign. A dollar sign before anything else stands for itself.
var wholeReference = regexp.MustCompile(`^\$([a-z][a-z0-9_]*)(?:\.([A-Za-z0-9_-]+))?$`)

var insertedReference = regexp.MustCompile(`^\{([a-z][a-z0-9_]*)(?:\.([A-Za-z0-9_-]+))?\}`)

// reference is $name or $name.part.
type reference struct{ name, part string }

func (r reference) String() string {
	if r.part == "" {
		return "$" + r.name
	}
	return "$" + r.name + "." + r.part
}

// whole returns the reference that text consists of.
func whole(text string) (reference, bool) {
	found := wholeReference.FindStringSubmatch(text)
	if found == nil {
		return reference{}, false
	}
	return reference{found[1], found[2]}, true
}

// hasReference says whether text changes when references are resolved.
func hasReference(text string) bool {
	if _, ok := whole(text); ok {
		return true
	}
	return strings.Contains(text, "${") || strings.Contains(text, "$$")
}

// holdsReference says whether n or anything in it changes when references are
// resolved.
func holdsReference(n *node) bool {
	for _, item := range n.items {
		if holdsReference(item) {
			return true
		}
	}
	return !n.final && n.kind == kindText && hasReference(n.text)
}

// piece is a part of a text: plain, or an inserted reference.
type piece struct {
	plain string
	ref   *reference
}

// pieces splits a text that is not wholly a reference. The error says what
// follows a "${" that names nothing.
func pieces(text string) ([]piece, error) {
	var all []piece
	var plain strings.Builder
	for {
		before, after, found := strings.Cut(text, "$")
		plain.WriteString(before)
		if !found {
			break
		}
		switch {
		case strings.HasPrefix(after, "$"):
			plain.WriteByte('$')
			text = after[1:]
		case strings.HasPrefix(after, "{"):
			match := insertedReference.FindStringSubmatch(after)
			if match == nil {
				return nil, fmt.Errorf("${ wants a name and a closing bracket")
			}
			all = append(all, piece{plain: plain.String()}, piece{ref: &reference{match[1], match[2]}})
			plain.Reset()
			text = after[len(match[0]):]
		default:
			plain.WriteByte('$')
			text = after
		}
	}
	return append(all, piece{plain: plain.String()}), nil
}

// scope holds what references name in one place of one case.
type scope struct {
	// names are the known names in the order of hints.
	names []scopeName
	// budget is what texts of this case may still grow by, in bytes.
	budget *int
}

// scopeName is one name: its own value, and its parts. A part that is absent
// for a reason has the reason in missing.
type scopeName struct {
	name  string
	value *node
	parts []scopePart
	// hint says how to add a part.
	hint string
}

type scopePart struct {
	name    string
	value   *node
	missing string
}

// with returns a scope that knows n besides, for the inside of a repeat.
func (s *scope) with(n int) *scope {
	inner := *s
	counter := scopeName{name: "n", value: &node{kind: kindNumber, text: strconv.Itoa(n), final: true}}
	inner.names = append([]scopeName{counter}, s.names...)
	return &inner
}

func (s *scope) find(name string) *scopeName {
	for i := range s.names {
		if s.names[i].name == name {
			return &s.names[i]
		}
	}
	return nil
}

func (s *scope) known() []string {
	all := make([]string, len(s.names))
	for i, name := range s.names {
		all[i] = name.name
	}
	return all
}

// lookup returns the value of a reference, or what is wrong with it.
func (s *scope) lookup(ref reference) (*node, *Problem) {
	name := s.find(ref.name)
	if name == nil {
		return nil, unknownName(ref, s.known())
	}
	if ref.part == "" {
		if name.value == nil {
			return nil, &Problem{Message: fmt.Sprintf("$%s has no value of its own", ref.name),
				Hint: fmt.Sprintf("write $%s.KEY", ref.name)}
		}
		return name.value, nil
	}
	known := make([]string, len(name.parts))
	for i, part := range name.parts {
		if part.name == ref.part {
			if part.missing != "" {
				return nil, &Problem{Message: part.missing}
			}
			return part.value, nil
		}
		known[i] = part.name
	}
	return nil, unknownPart(ref, known, name.hint)
}

func unknownName(ref reference, known []string) *Problem {
	hint := suggest.Hint(ref.name, known)
	if near, ok := suggest.Nearest(ref.name, known); ok {
		hint = fmt.Sprintf("did you mean $%s?", near)
	}
	if ref.name == "tool" {
		hint = "bind it: needs: {tool: {}}"
	}
	if hint == "" {
		hint = "for a dollar sign write $$"
	}
	return &Problem{Message: fmt.Sprintf("unknown reference %s", ref), Hint: hint}
}

func unknownPart(ref reference, known []string, hint string) *Problem {
	near := suggest.Hint(ref.part, known)
	if near != "" {
		hint = near
	}
	return &Problem{Message: fmt.Sprintf("unknown reference %s: $%s has no part %q", ref, ref.name, ref.part), Hint: hint}
}

// insertText is how a value reads inside a text: text as it is, all else as
// compact JSON.
func insertText(value *node) string {
	if value.kind == kindText {
		return value.text
	}
	return string(appendJSON(nil, value))
}
