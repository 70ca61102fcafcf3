package arguments

import (
	"math/big"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// boundary makes texts that an engine classes valid, at an edge.
func (r *run) boundary(n int) ([]Text, error) {
	b, err := r.bases()
	if err != nil {
		return nil, err
	}
	e := &edges{r: r, b: b, c: &candidates{only: r.source.Kinds}}
	e.blank()
	e.fields()
	for _, s := range r.sites(b.full) {
		e.s = s
		e.numbers()
		e.texts()
		e.lists()
		e.choices()
	}
	e.s = site{}
	e.spelling()
	e.names()
	texts := e.c.pick(n, r.draws("boundary", 0), r.isTired)
	if len(texts) == 0 {
		return nil, &Unsatisfiable{"", r.reason()}
	}
	return texts, nil
}

// edges adds what stands at an edge in one place.
type edges struct {
	r *run
	b *bases
	c *candidates
	s site
}

// text adds a whole text.
func (e *edges) text(kind, name, text string) {
	e.c.add(kind, name, func() (string, bool) { return text, e.r.class(text) == spec.InputValid })
}

// put adds a text in which the site has another value.
func (e *edges) put(kind, name string, value *tree) {
	if len(e.s.path) == 0 {
		return
	}
	path := e.s.path
	e.c.add(kind, name+e.s.at(), func() (string, bool) { return e.r.asValid(e.b.edit(path, value)) })
}

// blank adds texts that an engine takes for an empty object (E1, step 1).
func (e *edges) blank() {
	for _, blank := range []struct{ name, text string }{
		{"empty text", ""}, {"a space", " "}, {"a line break", "\n"}, {"a tab and line breaks", "\t\r\n"},
		{"a no-break space", "\u00a0"}, {"an ideographic space", "\u3000"}, {"a next-line character", "\u0085"},
	} {
		e.text("blank", blank.name+" instead of an object", blank.text)
	}
}

// fields adds the least and the most members.
func (e *edges) fields() {
	e.text("fields", "no field at all", "{}")
	e.text("fields", "the plainest call", e.b.plain.String())
	e.text("fields", "every field", e.b.full.String())
	for _, name := range fewOf(e.b.full.names) {
		e.c.add("fields", "every field but "+clipped(name), func() (string, bool) {
			return e.r.asValid(e.b.full.without(name))
		})
	}
}

// numbers adds numbers at their bounds and such that floats or parsers spoil.
func (e *edges) numbers() {
	if e.s.value == nil || e.s.value.kind != '0' {
		return
	}
	for _, whole := range []bool{true, false} {
		l := e.s.layers.limits(whole)
		if low := l.least(); low != nil {
			e.put("bound", "number at its least", numberTree(decimal(low)))
		}
		if high := l.greatest(); high != nil {
			e.put("bound", "number at its greatest", numberTree(decimal(high)))
		}
		if !whole && !l.stepped {
			tiny := big.NewRat(1, 1_000_000)
			if l.low != nil {
				e.put("bound", "number at minimum", numberTree(decimal(l.low)))
				e.put("bound", "number just above minimum", numberTree(decimal(new(big.Rat).Add(l.low, tiny))))
			}
			if l.high != nil {
				e.put("bound", "number at maximum", numberTree(decimal(l.high)))
				e.put("bound", "number just below maximum", numberTree(decimal(new(big.Rat).Sub(l.high, tiny))))
			}
		}
	}
	for _, odd := range []struct{ name, text string }{
		{"zero", "0"}, {"minus zero", "-0"}, {"minus zero with a fraction", "-0.0"}, {"minus one", "-1"},
		{"whole number spelled with a fraction", "1.0"}, {"whole number spelled with an exponent", "1E2"},
		{"2^53+1", "9007199254740993"}, {"-(2^53+1)", "-9007199254740993"},
		{"2^63", "9223372036854775808"}, {"19 digits", "2512292042121000001"},
		{"0.1 with more digits than a float has", "0.1000000000000000055511151231257827"},
		{"smallest fraction of a float", "5e-324"}, {"number beyond floats", "1e400"},
		{"number of a thousand million digits", "1e1000000000"}, {"number of 400 digits", strings.Repeat("9", 400)},
	} {
		e.put("odd number", odd.name, numberTree(odd.text))
	}
}

// longest bounds the texts that are made as long as they may be.
const longest = 64 << 10

// texts adds the shortest and longest texts, and such that encodings spoil.
func (e *edges) texts() {
	v := e.s.value
	if !v.isText() {
		return
	}
	d := e.s.layers.demands()
	e.put("length", "empty text", textTree(""))
	if d.low > 0 && d.low <= longest {
		e.put("length", "text at minLength", textTree(drawnOut(firstRunes(v.text, d.low), d.low)))
	}
	switch {
	case d.high <= longest:
		e.put("length", "text at maxLength", textTree(drawnOut(firstRunes(v.text, d.high), d.high)))
		e.put("length", "text at maxLength, of emoji", textTree(strings.Repeat("\U0001F378", d.high)))
	default:
		e.put("length", "text of 64 KiB", textTree(drawnOut(firstRunes(v.text, longest), longest)))
	}
	for _, odd := range []struct{ name, text string }{
		{"emoji", "\U0001F378"}, {"emoji of several characters", "\U0001F469\u200d\U0001F680"},
		{"characters of two and four bytes", "\u00e9\U0001F30D"}, {"combining accent", "e\u0301"}, {"right-to-left text", "\u05e9\u05dc\u05d5\u05dd"},
		{"right-to-left override", "a\u202eb"}, {"zero-width space", "a\u200bb"}, {"byte-order mark inside", "a\ufeffb"},
		{"NUL", "a\u0000b"}, {"line breaks", "line1\nline2\r\n"}, {"line separator", "a\u2028b"},
		{"quotes and backslashes", `what is "AI"? C:\tmp\n`}, {"single quotes", `it's 'so'`},
		{"spaces around", "  a  "}, {"only a space", " "}, {"the word null", "null"}, {"the word false", "false"},
		{"digits", "007"}, {"JSON", `{"a":[1]}`}, {"markup", "<b>&amp;</b>"}, {"a template", "${x} {{y}} %s"},
		{"a path", "../../etc/passwd"}, {"a query", "'; DROP TABLE t; --"}, {"not a character", "\uffff"},
	} {
		e.put("odd text", odd.name, textTree(odd.text))
	}
	for _, spelling := range []struct{ name, text string }{
		{"emoji written as an escape pair", `"\ud83c\udf78"`}, {"letters written as escapes", escaped(v.text)},
		{"slash written as an escape", `"a\/b"`}, {"escapes in capital digits", `"\u00E9\u00e9"`},
	} {
		e.put("spelling", spelling.name, spelled(spelling.text))
	}
}

// escaped spells a text in escapes alone.
func escaped(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, c := range firstRunes(text, 1000) {
		const hex = "0123456789abcdef"
		if c > 0xffff {
			return string(jsonv.Quote(text)) // nothing to gain
		}
		out.WriteString(`\u`)
		for shift := 12; shift >= 0; shift -= 4 {
			out.WriteByte(hex[c>>shift&15])
		}
	}
	return out.String() + `"`
}

// lists adds the shortest and longest lists.
func (e *edges) lists() {
	v := e.s.value
	if !v.isList() {
		return
	}
	e.put("items", "empty list", listTree())
	if len(v.kids) == 0 {
		return
	}
	path, most := e.s.path, e.s.layers.atMost("maxItems")
	for _, size := range []struct {
		name string
		n    int
	}{
		{"list at minItems", e.s.layers.atLeast("minItems")}, {"list at maxItems", most}, {"list of 100 items", 100},
	} {
		if size.n < 1 || size.n > maxExtra {
			continue
		}
		e.c.add("items", size.name+e.s.at(), func() (string, bool) {
			return e.r.asValid(e.b.change(path, func(here *tree) *tree {
				if len(here.kids) == 0 {
					return nil
				}
				kids := here.copied().kids[:min(len(here.kids), size.n)]
				for len(kids) < size.n {
					kids = append(kids, kids[len(kids)-1])
				}
				return listTree(kids...)
			}))
		})
	}
}

// choices adds each value of an enum, both booleans, and null.
func (e *edges) choices() {
	e.put("null", "null", null)
	if v := e.s.value; v != nil && (v.kind == 't' || v.kind == 'f') {
		e.put("boolean", "true", boolTree(true))
		e.put("boolean", "false", boolTree(false))
	}
	e.s.layers.each("enum", func(list *tree) {
		for _, one := range list.kids[:min(len(list.kids), maxNamed)] {
			e.put("enum", clipped(one.String()), one)
		}
	})
}
