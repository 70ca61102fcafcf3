package arguments

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hallmarkdev/hallmark/spec"
)

// invalid makes texts that break the schema in one place.
func (r *run) invalid(n int) ([]Text, error) {
	if r.compiled == nil {
		return nil, ErrUnbreakable
	}
	b, err := r.bases()
	if err != nil {
		return nil, err
	}
	c := &candidates{only: r.source.Kinds}
	r.addNested(c, b)
	for _, s := range r.sites(b.full) {
		w := &wrongs{r: r, b: b, c: c, s: s}
		w.members()
		w.types()
		w.bounds()
		w.named()
		w.texts()
		w.lists()
	}
	texts := c.pick(n, r.draws("invalid", 0), r.isTired)
	switch {
	case len(texts) > 0:
		return texts, nil
	case r.tired() != "":
		return nil, &Unsatisfiable{"", r.tired()}
	}
	return nil, ErrUnbreakable
}

// asInvalid is the text of the first value that an engine classes invalid.
func (r *run) asInvalid(values ...*tree) (string, bool) {
	for _, value := range values {
		if value == nil {
			continue
		}
		if text := value.String(); r.class(text) == spec.InputInvalid {
			return text, true
		}
	}
	return "", false
}

// addNested adds the call inside its own arguments, and the arguments one
// level too deep.
func (r *run) addNested(c *candidates, b *bases) {
	add := func(name string, value *tree) {
		c.add("nested", name, func() (string, bool) { return r.asInvalid(value) })
	}
	tool := r.source.Tool
	if tool == "" {
		tool = "tool"
	}
	add("the whole call inside the arguments", objectTree("name", textTree(tool)).with("arguments", b.plain))
	for _, name := range []string{"arguments", "input", "parameters"} {
		add("the arguments nested under "+name, objectTree(name, b.plain))
	}
	add("the arguments as text under arguments", objectTree("arguments", textTree(b.plain.String())))
	add("no field at all", emptyObject)
}

// wrongs adds what can be wrong in one place.
type wrongs struct {
	r *run
	b *bases
	c *candidates
	s site
}

// put adds a candidate in which the site has the first of several values that
// breaks the schema.
func (w *wrongs) put(kind, name string, values ...*tree) {
	if len(w.s.path) == 0 {
		return // the root is an object in every text
	}
	w.c.add(kind, name+w.s.at(), func() (string, bool) {
		return w.r.asInvalid(mapped(values, func(value *tree) *tree { return w.b.edit(w.s.path, value) })...)
	})
}

// change adds a candidate in which an object or a list is another one.
func (w *wrongs) change(kind, name string, f func(here *tree) *tree) {
	w.c.add(kind, name, func() (string, bool) { return w.r.asInvalid(w.b.change(w.s.path, f)) })
}

// change edits the value at a path of the first base that has it; nil when f
// gives nothing.
func (b *bases) change(path []string, f func(here *tree) *tree) *tree {
	for _, base := range []*tree{b.plain, b.full} {
		if here := base.get(path); here != nil {
			if changed := f(here); changed != nil {
				return base.edit(path, changed)
			}
		}
	}
	return nil
}

// members adds fields that are missing, misspelled or not expected.
func (w *wrongs) members() {
	if !w.s.value.isObject() {
		return
	}
	at := w.s.at()
	for _, name := range fewOf(w.s.value.names) {
		w.change("missing", "missing required field "+clipped(name)+at, func(here *tree) *tree {
			if here.member(name) == nil {
				return nil
			}
			return here.without(name)
		})
		if other := otherCase(name); other != name {
			w.change("misspelled", "field "+clipped(name)+" spelled "+clipped(other)+at, func(here *tree) *tree {
				if here.member(name) == nil {
					return nil
				}
				return here.without(name).with(other, here.member(name))
			})
		}
	}
	w.change("extra", "unknown field unexpected_field"+at, func(here *tree) *tree {
		return here.with("unexpected_field", textTree("surprise"))
	})
	if most := w.s.layers.atMost("maxProperties"); most < maxExtra {
		w.change("members", "more fields than maxProperties"+at, func(here *tree) *tree {
			for i := 1; len(here.names) <= most; i++ {
				here = here.with("extra"+strconv.Itoa(i), textTree("surprise"))
			}
			return here
		})
	}
}

// maxExtra bounds the members or items that are added to have too many.
const maxExtra = 1000

// otherCase is a name with its first letter in the other case.
func otherCase(name string) string {
	for i, c := range name {
		for _, swapped := range []rune{unicode.ToUpper(c), unicode.ToLower(c)} {
			if swapped != c {
				return name[:i] + string(swapped) + name[i+utf8.RuneLen(c):]
			}
		}
	}
	return name
}

// types adds values of another type, as models send them.
func (w *wrongs) types() {
	w.put("null", "null", null)
	v := w.s.value
	if v == nil {
		return
	}
	switch v.kind {
	case '0':
		w.put("as text", "number as text", textTree(v.text))
		w.put("type", "boolean instead of a number", boolTree(true))
		w.put("type", "words instead of a number", textTree("three"))
		w.put("fraction", "fraction instead of a whole number", numberTree(fraction(v.text)))
		w.put("fraction", "fraction too small to see instead of a whole number", numberTree("0.1e-999999999"))
	case '"':
		w.put("type", "number instead of text", numberTree("1.000001"))
		w.put("type", "boolean instead of text", boolTree(false))
		w.put("type", "object instead of text", objectTree("value", v))
	case 't', 'f':
		w.put("as text", "boolean as text", textTree("false"), textTree("true"))
		w.put("type", "number instead of a boolean", numberTree("0"), numberTree("1"))
		w.put("type", "word instead of a boolean", textTree("yes"))
	case 'n':
		w.put("as text", "null as text", textTree("null"))
		w.put("type", "number instead of null", numberTree("0"))
	case '{':
		w.put("double", "object as its JSON text", textTree(v.String()))
		w.put("type", "list instead of an object", listTree(v.kids...))
		w.put("type", "text instead of an object", textTree("example"))
	case '[':
		w.put("double", "list as its JSON text", textTree(v.String()))
		w.put("type", "list as text with commas", textTree(strings.Join(mapped(v.kids, (*tree).String), ", ")))
		w.put("type", "object instead of a list", objectTree("items", v))
		if len(v.kids) > 0 {
			w.put("single", "one item instead of a list", v.kids[0])
		}
	}
	w.put("wrapped", "value wrapped in a list", listTree(v))
}

// fraction spells a number that is not whole, near a whole one.
func fraction(text string) string {
	if strings.ContainsAny(text, ".eE") {
		return "1.5"
	}
	return text + ".5"
}
