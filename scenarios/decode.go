package scenarios

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/suggest"
)

// decoder turns nodes into the typed document and gathers every problem on the
// way. Without a scope it leaves references as they are written; with one it
// resolves them, so that the same rules check a file and each of its cases
// after resolving.
type decoder struct {
	options  Options
	problems Problems
	scope    *scope
	// literal switches references off, for titles and other prose.
	literal bool
}

func (d *decoder) problem(pos Pos, hint, format string, args ...any) {
	d.problems = append(d.problems, Problem{pos, fmt.Sprintf(format, args...), hint})
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
			value, problem := d.scope.lookup(*piece.ref)
			if problem != nil {
				d.problem(n.pos, problem.Hint, "%s", problem.Message)
				continue
			}
			add = insertText(value)
		}
		if !d.spend(n.pos, len(add)) {
			break
		}
		text.WriteString(add)
	}
	return text.String()
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
	if d.open(n) {
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

// text reads free text.
func (d *decoder) text(n *node) string {
	n = d.value(n)
	if n.loose && n.kind != kindNothing {
		return n.text
	}
	n, ok := d.want(n, kindText, "text")
	if !ok {
		return ""
	}
	d.cut(n)
	return n.text
}

// cut reports a text that a comment ends: the writer hardly meant it (R14).
func (d *decoder) cut(n *node) {
	if n.cut {
		d.problem(n.pos, "put it between quotes, or move the comment to a line of its own",
			`quote the text: " #" starts a comment`)
	}
}

func (d *decoder) texts(n *node) []string {
	return list(d, n, "a list of texts", d.text)
}

// word reads one of the known words.
func (d *decoder) word(n *node, what string, known ...string) string {
	n, ok := d.want(n, kindText, what)
	if !ok || d.open(n) {
		return ""
	}
	for _, word := range known {
		if word == n.text {
			return word
		}
	}
	hint := suggest.Hint(n.text, known)
	if hint == "" {
		hint = "one of: " + strings.Join(known, ", ")
	}
	d.problem(n.pos, hint, "unknown %s %q", strings.TrimPrefix(strings.TrimPrefix(what, "a "), "an "), n.text)
	return ""
}

var labelForm = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// label reads a label. An open reference gives the empty label.
func (d *decoder) label(n *node) string {
	n, ok := d.want(n, kindText, "a label")
	if !ok || d.open(n) {
		return ""
	}
	if !labelForm.MatchString(n.text) {
		d.problem(n.pos, "a label begins with a small letter and goes on with small letters, digits and _",
			"%q is no label", n.text)
		return ""
	}
	return n.text
}

func (d *decoder) labels(n *node) []string {
	return list(d, n, "a list of labels", d.label)
}

func (d *decoder) boolean(n *node) *bool {
	n, ok := d.want(n, kindBool, "true or false")
	if !ok {
		return nil
	}
	value := n.text == "true"
	return &value
}

func (d *decoder) flag(n *node) bool {
	value := d.boolean(n)
	return value != nil && *value
}

// onlyTrue reads a key that may only be true, since leaving it out says the
// other thing.
func (d *decoder) onlyTrue(n *node, key string) bool {
	value := d.boolean(n)
	if value != nil && !*value {
		d.problem(n.pos, "leave it out", "%s can only be true", key)
	}
	return value != nil && *value
}

// integer reads a whole number from low to high.
func (d *decoder) integer(n *node, low, high int) *int {
	n, ok := d.want(n, kindNumber, "a whole number")
	if !ok {
		return nil
	}
	value, err := strconv.Atoi(n.text)
	if err != nil {
		d.problem(n.pos, "", "want a whole number, got %s", n.text)
		return nil
	}
	if value < low || value > high {
		d.problem(n.pos, "", "want a number from %d to %d, got %d", low, high, value)
		return nil
	}
	return &value
}

var durationForm = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`)

// duration reads Go's form without sign and below a year.
func (d *decoder) duration(n *node) time.Duration {
	const hint = "write it like 350ms, 10m or 1h30m"
	n = d.value(n)
	if n.kind != kindText {
		d.problem(n.pos, hint, "want a duration, got %s", n.kind)
		return 0
	}
	if d.open(n) {
		return 0
	}
	value, err := time.ParseDuration(n.text)
	if err != nil || !durationForm.MatchString(n.text) {
		d.problem(n.pos, hint, "%q is no duration", n.text)
		return 0
	}
	if value > 365*24*time.Hour {
		d.problem(n.pos, "", "%s is more than a year", n.text)
		return 0
	}
	return value
}

// json reads a value of any kind, numbers as spelled and keys in order.
func (d *decoder) json(n *node) jsontext.Value {
	var value []byte
	value = d.appendJSON(value, n)
	return value
}

// jsonObject reads an object; an open reference is kept as a text.
func (d *decoder) jsonObject(n *node) jsontext.Value { return d.jsonOf(n, kindObject, "an object") }

// jsonList reads a list; an open reference is kept as a text.
func (d *decoder) jsonList(n *node) jsontext.Value { return d.jsonOf(n, kindList, "a list") }

func (d *decoder) jsonOf(n *node, kind nodeKind, what string) jsontext.Value {
	n, ok := d.want(n, kind, what)
	if !ok && !d.open(n) {
		return nil
	}
	return d.json(n)
}

func (d *decoder) appendJSON(to []byte, n *node) []byte {
	n = d.value(n)
	switch n.kind {
	case kindNothing:
		d.problem(n.pos, `write null, or "" for an empty text`, "a value is missing")
		return append(to, "null"...)
	case kindList:
		to = append(to, '[')
		for i, item := range n.items {
			if i > 0 {
				to = append(to, ',')
			}
			to = d.appendJSON(to, item)
		}
		return append(to, ']')
	case kindObject:
		d.repeated(n)
		to = append(to, '{')
		for i, item := range n.items {
			if i > 0 {
				to = append(to, ',')
			}
			to = appendQuoted(to, n.keys[i].name)
			to = append(to, ':')
			to = d.appendJSON(to, item)
		}
		return append(to, '}')
	case kindText:
		d.cut(n)
		return appendQuoted(to, n.text)
	default:
		return append(to, n.text...)
	}
}

// appendJSON writes a value that holds no references.
func appendJSON(to []byte, n *node) []byte {
	plain := decoder{literal: true}
	return plain.appendJSON(to, n)
}

func appendQuoted(to []byte, text string) []byte {
	// Nodes hold valid UTF-8 only, so that quoting cannot fail.
	to, _ = jsontext.AppendQuote(to, text)
	return to
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
