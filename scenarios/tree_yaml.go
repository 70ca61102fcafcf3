package scenarios

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// widest is how long a line may get before a value is written on several.
const widest = 110

// blockKeys are the keys whose lists have a line for each item.
var blockKeys = map[string]bool{"steps": true, "expect": true, "finally": true, "cases": true}

// YAML returns t as a scenario file writes it: the members of the document and
// its steps on lines of their own, small values in braces. [Parse] reads the
// same from it. It is the same text for the same tree.
func (t *Tree) YAML() []byte {
	var w treeWriter
	w.comment(t, 0)
	if t.Kind == TreeObject && len(t.Keys) > 0 {
		w.members(t, 0, false)
	} else {
		w.WriteString(flow(t))
		w.WriteByte('\n')
	}
	return []byte(w.String())
}

type treeWriter struct{ strings.Builder }

func (w *treeWriter) indent(n int) { w.WriteString(strings.Repeat(" ", n)) }

func (w *treeWriter) comment(t *Tree, indent int) {
	if t.Comment == "" {
		return
	}
	for line := range strings.SplitSeq(t.Comment, "\n") {
		w.indent(indent)
		w.WriteString(strings.TrimRight("# "+line, " "))
		w.WriteByte('\n')
	}
}

// members writes an object, one member a line. begun says that the first line is
// indented already.
func (w *treeWriter) members(t *Tree, indent int, begun bool) {
	for i, key := range t.Keys {
		if !begun || i > 0 {
			w.comment(t.Items[i], indent)
			w.indent(indent)
		}
		w.WriteString(keyText(key))
		w.WriteByte(':')
		w.value(t.Items[i], key, indent)
	}
}

// value writes what stands behind a key.
func (w *treeWriter) value(t *Tree, key string, indent int) {
	if fitsLine(t, key, indent+len(key)+2) {
		w.WriteByte(' ')
		w.WriteString(flow(t))
		w.WriteByte('\n')
		return
	}
	w.WriteByte('\n')
	if t.Kind == TreeObject {
		w.members(t, indent+2, false)
		return
	}
	w.items(t, key, indent+2)
}

// items writes a list, one item a line.
func (w *treeWriter) items(t *Tree, key string, indent int) {
	for _, item := range t.Items {
		w.comment(item, indent)
		w.indent(indent)
		w.WriteString("- ")
		switch step := key == "steps" && item.Kind == TreeObject && len(item.Keys) == 1; {
		case item.Kind == TreeObject && len(item.Keys) > 0 && (step || !fitsLine(item, "", indent+2)):
			w.members(item, indent+2, true)
		case item.Kind == TreeList && !fitsLine(item, "", indent+2):
			w.WriteByte('\n')
			w.items(item, "", indent+2)
		default:
			w.WriteString(flow(item))
			w.WriteByte('\n')
		}
	}
}

// fitsLine says whether a value is written in one line.
func fitsLine(t *Tree, key string, column int) bool {
	if len(t.Items) == 0 {
		return true
	}
	if blockKeys[key] && t.Kind == TreeList && (key == "steps" || len(t.Items) > 1) || commented(t) {
		return false
	}
	return column+utf8.RuneCountInString(flow(t)) <= widest
}

// commented says whether anything in t has a comment or steps of its own, which
// need lines.
func commented(t *Tree) bool {
	for i, item := range t.Items {
		if item.Comment != "" || t.Kind == TreeObject && t.Keys[i] == "expect" && len(item.Items) > 0 || commented(item) {
			return true
		}
	}
	return false
}

// flow is a value in one line.
func flow(t *Tree) string {
	var b strings.Builder
	writeFlow(&b, t)
	return b.String()
}

func writeFlow(b *strings.Builder, t *Tree) {
	switch t.Kind {
	case TreeWord:
		b.WriteString(t.Text)
	case TreeText:
		b.WriteString(scalarText(t.Text))
	case TreeList:
		b.WriteByte('[')
		for i, item := range t.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			writeFlow(b, item)
		}
		b.WriteByte(']')
	case TreeObject:
		b.WriteByte('{')
		for i, item := range t.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(keyText(t.Keys[i]))
			b.WriteString(": ")
			writeFlow(b, item)
		}
		b.WriteByte('}')
	}
}

// plainForm is text that needs no quotes, in braces or without. It leaves out
// what some reader of YAML takes for more than text.
var plainForm = regexp.MustCompile(`^\$?[A-Za-z][A-Za-z0-9_./-]*(:[A-Za-z0-9_./-]+)*( [A-Za-z0-9_./'-]+)*[.!]?$`)

var plainKey = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_/.~-]*$`)

// yamlWords are plain words that YAML elsewhere does not take for text.
var yamlWords = map[string]bool{
	"true": true, "false": true, "null": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true,
}

func keyText(key string) string {
	if plainKey.MatchString(key) && !yamlWords[strings.ToLower(key)] {
		return key
	}
	return quotedText(key)
}

func scalarText(text string) string {
	if plainForm.MatchString(text) && !yamlWords[strings.ToLower(text)] {
		return text
	}
	return quotedText(text)
}

// quotedText prefers the quotes that need no escapes.
func quotedText(text string) string {
	escapes := strings.ContainsAny(text, `"\`)
	odd := strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
	if escapes && !odd {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
