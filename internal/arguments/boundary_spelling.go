package arguments

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// spelling adds other ways to write the same object.
func (e *edges) spelling() {
	plain := e.b.plain
	text := plain.String()
	e.text("space", "white space around", " \t\r\n"+text+"\n\r\t ")
	e.text("space", "white space between all tokens", spaced(plain, " \n\t"))
	for _, base := range []*tree{e.b.full, plain} {
		if len(base.names) > 1 {
			back := base.copied()
			slices.Reverse(back.names)
			slices.Reverse(back.kids)
			e.text("order", "fields in reverse order", back.String())
			break
		}
	}
	for i, name := range fewOf(plain.names) {
		// The last of equal names counts (E5), and the first one breaks it.
		twice := &tree{kind: '{', names: slices.Insert(slices.Clone(plain.names), i, name),
			kids: slices.Insert(slices.Clone(plain.kids), i, listTree(null))}
		e.text("twice", "field "+clipped(name)+" twice, the last one right", twice.String())
		same := &tree{kind: '{', names: append(slices.Clone(plain.names), name),
			kids: append(slices.Clone(plain.kids), plain.kids[i])}
		e.text("twice", "field "+clipped(name)+" twice, alike", same.String())
		quoted := string(jsonv.Quote(name)) + ":"
		e.text("spelling", "name of field "+clipped(name)+" written as escapes",
			strings.Replace(text, quoted, escaped(name)+":", 1))
	}
}

// spaced writes a value with white space between its tokens.
func spaced(t *tree, space string) string {
	var out strings.Builder
	var write func(*tree)
	write = func(t *tree) {
		if !t.isObject() && !t.isList() {
			out.WriteString(t.String())
			return
		}
		out.WriteString(string(rune(t.kind)) + space)
		for i, kid := range t.kids {
			if i > 0 {
				out.WriteString("," + space)
			}
			if t.isObject() {
				out.WriteString(string(jsonv.Quote(t.names[i])) + space + ":" + space)
			}
			write(kid)
			out.WriteString(space)
		}
		out.WriteString(string(rune(t.kind + 2))) // '}' and ']' are two after '{' and '['
	}
	write(t)
	return out.String()
}

// names adds members that the schema does not speak of, where it allows them.
func (e *edges) names() {
	plain := e.b.plain
	add := func(kind, name, member string, value *tree) {
		e.c.add(kind, name, func() (string, bool) {
			if plain.member(member) != nil {
				return "", false
			}
			return e.r.asValid(plain.with(member, value))
		})
	}
	add("extra", "a field that is not declared", "unexpected_field", textTree("surprise"))
	for _, name := range []string{"__proto__", "constructor", "toString", "", " ", "$ref", "a.b", "a/b~c", "\u00e9", "\U0001F378"} {
		add("odd name", "a field named "+string(jsonv.Quote(name)), name, objectTree("polluted", boolTree(true)))
	}
	for _, name := range fewOf(plain.names) {
		if other := otherCase(name); other != name {
			add("case", "field "+clipped(other)+" beside "+clipped(name), other, plain.member(name))
		}
	}
	// 127 levels pass, and the arguments are one of them (gap 26).
	for _, levels := range []int{10, 100, jsonv.MaxDepth - 1} {
		add("deep", fmt.Sprintf("a field nested %d levels deep", levels), "nested", spelled(nested("[", "]", levels)))
	}
}

// nested is brackets inside brackets.
func nested(open, closing string, levels int) string {
	return strings.Repeat(open, levels) + strings.Repeat(closing, levels)
}
