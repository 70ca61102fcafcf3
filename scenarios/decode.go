package scenarios

import (
	"fmt"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/suggest"
)

// decoder turns nodes into the typed document and gathers every problem on the
// way. Without a scope it leaves references as they are written; with one it
// resolves them, so that the same rules check a file and each of its cases
// after resolving.
type decoder struct {
	options  Options
	problems Problems
	// untold counts the problems beyond maxProblems.
	untold int
	scope  *scope
	// written counts the calls of the scenario, repeats written out.
	written int
	// literal switches references off, for titles and other prose.
	literal bool
}

// maxProblems bounds how many problems of one file are told.
const maxProblems = 100

func (d *decoder) problem(pos Pos, hint, format string, args ...any) {
	if len(d.problems) >= maxProblems {
		d.untold++
		return
	}
	d.problems = append(d.problems, Problem{pos, fmt.Sprintf(format, args...), hint})
}

// err is every problem found, in order of place.
func (d *decoder) err(file string) error {
	found := d.problems.sorted()
	if d.untold > 0 {
		found = append(found, Problem{Pos: Pos{File: file}, Message: fmt.Sprintf("%d more problems", d.untold)})
	}
	return found.err()
}

// value resolves the scalar n, if there is a scope. Lists and objects come
// back as they are: their members are resolved when they are read.
func (d *decoder) value(n *node) *node {
	if d.scope == nil || d.literal || n.final || n.kind != kindText || !strings.Contains(n.text, "$") {
		return n
	}
	resolved := *n
	resolved.final = true
	if ref, ok := whole(n.text); ok {
		value, problem := d.scope.lookup(ref)
		if problem != nil {
			d.problem(n.pos, problem.Hint, "%s", problem.Message)
			return &resolved
		}
		resolved = *value
		resolved.pos = n.pos
		return &resolved
	}
	resolved.text = d.insert(n)
	return &resolved
}

// insert resolves ${name} and $$ in the text n.
func (d *decoder) insert(n *node) string {
	all, err := pieces(n.text)
	if err != nil {
		d.problem(n.pos, "for a dollar sign write $$", "%s", err)
		return n.text
	}
	var text strings.Builder
	for _, piece := range all {
		add := piece.plain
		if piece.ref != nil {
			add = d.inserted(n.pos, *piece.ref)
		}
		if !d.spend(n.pos, len(add)) {
			break
		}
		text.WriteString(add)
	}
	return text.String()
}

// inserted is the text that ${name} stands for.
func (d *decoder) inserted(pos Pos, ref reference) string {
	value, problem := d.scope.lookup(ref)
	if problem != nil {
		d.problem(pos, problem.Hint, "%s", problem.Message)
		return ""
	}
	return insertText(value)
}

// open says whether n is a reference that nobody can resolve yet.
func (d *decoder) open(n *node) bool {
	return d.scope == nil && !d.literal && !n.final && n.kind == kindText && hasReference(n.text)
}

// want resolves n and says whether it has the wanted kind. A reference that is
// still open is no problem and not wanted either.
func (d *decoder) want(n *node, kind nodeKind, what string) (*node, bool) {
	n = d.value(n)
	if n.kind == kind {
		return n, true
	}
	if d.open(n) || n.broken {
		return n, false
	}
	hint := ""
	switch {
	case n.kind == kindNothing && kind == kindText:
		hint = `write "" for an empty text`
	case kind == kindText && n.text != "":
		hint = `quote it: "` + n.text + `"`
	}
	d.problem(n.pos, hint, "want %s, got %s", what, n.kind)
	return n, false
}

// repeated reports keys that stand twice in an object.
func (d *decoder) repeated(n *node) {
	seen := make(map[string]bool, len(n.keys))
	for _, key := range n.keys {
		if seen[key.name] {
			d.problem(key.pos, "keep one of them", "the key %q stands twice", key.name)
		}
		seen[key.name] = true
	}
}

// field is one known key of an object and what reads its value.
type field struct {
	key  string
	read func(*node)
}

// object reads an object with the known keys given and returns which of them
// it has. A null value counts as a value: leaving a key out is done by leaving
// it out.
func (d *decoder) object(n *node, what string, fields ...field) (*node, map[string]bool) {
	n, ok := d.want(n, kindObject, what)
	if !ok {
		return n, nil
	}
	d.repeated(n)
	has := make(map[string]bool, len(n.keys))
	for i, key := range n.keys {
		known := false
		for _, field := range fields {
			if field.key == key.name {
				known = true
				if !has[key.name] {
					field.read(n.items[i])
				}
			}
		}
		if !known {
			d.unknownKey(key, what, fields)
		}
		has[key.name] = true
	}
	return n, has
}

func (d *decoder) unknownKey(key nodeKey, what string, fields []field) {
	known := make([]string, len(fields))
	for i, field := range fields {
		known[i] = field.key
	}
	hint := suggest.Hint(key.name, known)
	if hint == "" {
		hint = "known: " + strings.Join(known, ", ")
	}
	d.problem(key.pos, hint, "unknown key %q in %s", key.name, what)
}

// list reads each item of a list.
func list[T any](d *decoder, n *node, what string, read func(*node) T) []T {
	n, ok := d.want(n, kindList, what)
	if !ok {
		return nil
	}
	all := make([]T, 0, len(n.items))
	for _, item := range n.items {
		all = append(all, read(item))
	}
	return all
}

// oneOrMore reads a list, or a single value in place of a list of one.
func oneOrMore[T any](d *decoder, n *node, read func(*node) T) []T {
	n = d.value(n)
	if n.kind == kindList {
		return list(d, n, "a list", read)
	}
	if d.open(n) {
		return nil
	}
	return []T{read(n)}
}

// named reads each member of an object whose keys are names of the writer's.
func named[T any](d *decoder, n *node, what string, read func(nodeKey, *node) T) []T {
	n, ok := d.want(n, kindObject, what)
	if !ok {
		return nil
	}
	d.repeated(n)
	all := make([]T, 0, len(n.items))
	for i, item := range n.items {
		all = append(all, read(n.keys[i], item))
	}
	return all
}
