package arguments

import (
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"
)

// bounds adds numbers out of their bounds, one keyword at a time.
func (w *wrongs) bounds() {
	if w.s.value == nil || w.s.value.kind != '0' {
		return
	}
	for _, layer := range w.s.layers.layers {
		one := view{layers: []*tree{layer}}
		l := one.limits(false)
		step := l.step
		if l.low != nil {
			if l.lowOpen {
				w.put("bound", "number at exclusive minimum", numberTree(decimal(l.low)))
			}
			w.put("bound", "number below minimum", numbers(outside(l.low, step, -1))...)
			w.put("far", "number far below minimum", numberTree("-1e300"), numberTree("-1e1000000000"))
		}
		if l.high != nil {
			if l.highOpen {
				w.put("bound", "number at exclusive maximum", numberTree(decimal(l.high)))
			}
			w.put("bound", "number above maximum", numbers(outside(l.high, step, 1))...)
			w.put("far", "number far above maximum", numberTree("1e300"), numberTree("1e1000000000"))
		}
		if l.stepped {
			at := rational(w.s.value)
			if at == nil {
				at = new(big.Rat)
			}
			w.put("multiple", "number between multiples", numbers([]*big.Rat{
				new(big.Rat).Add(at, big.NewRat(1, 1)), new(big.Rat).Sub(at, big.NewRat(1, 1)),
				new(big.Rat).Add(at, new(big.Rat).Mul(step, big.NewRat(1, 2))),
			})...)
		}
	}
}

// outside are numbers just out of a bound, multiples of step first.
func outside(bound, step *big.Rat, sign int64) []*big.Rat {
	near := multiple(bound, step)
	return []*big.Rat{
		new(big.Rat).Add(near, new(big.Rat).Mul(step, big.NewRat(sign, 1))),
		new(big.Rat).Add(near, new(big.Rat).Mul(step, big.NewRat(2*sign, 1))),
		new(big.Rat).Add(bound, big.NewRat(sign, 1)),
		new(big.Rat).Add(bound, big.NewRat(sign, 1000)),
	}
}

func numbers(all []*big.Rat) []*tree {
	return mapped(all, func(x *big.Rat) *tree { return numberTree(decimal(x)) })
}

// named adds values near those of an enum or const.
func (w *wrongs) named() {
	v := w.s.value
	if v == nil {
		return
	}
	for _, key := range []string{"enum", "const"} {
		if w.s.layers.keyword(key) == nil {
			continue
		}
		what := "outside the enum"
		if key == "const" {
			what = "other than the const"
		}
		w.put(key, "value "+what, textTree("no-such-value"), numberTree("987654321"))
		if !v.isText() {
			continue
		}
		w.put("near "+key, "value "+what+", in other letters", textTree(swapCase(v.text)))
		w.put("near "+key, "value "+what+", with a space behind", textTree(v.text+" "))
		w.put("near "+key, "value "+what+", empty", textTree(""))
	}
}

// swapCase is a text in capitals, or in small letters when it is that already.
func swapCase(text string) string {
	if upper := strings.ToUpper(text); upper != text {
		return upper
	}
	return strings.ToLower(text)
}

// texts adds texts of a wrong length, form or pattern.
func (w *wrongs) texts() {
	v := w.s.value
	if !v.isText() {
		return
	}
	d := w.s.layers.demands()
	if d.low > 0 && d.low <= MaxTextLength {
		w.put("length", "text shorter than minLength", textTree(firstRunes(v.text, d.low-1)))
	}
	if d.high < MaxTextLength {
		w.put("length", "text longer than maxLength", textTree(drawnOut(v.text, d.high+1)))
	}
	for range d.patterns {
		w.put("pattern", "text that breaks the pattern", textTree(swapCase(v.text)), textTree(v.text+"!"),
			textTree(" "+v.text), textTree("!?"), textTree(""), textTree("\u00e9\u4e16"), textTree("0"), textTree("a"))
		w.put("near pattern", "text that fits the pattern but for a space behind", textTree(v.text+" "))
	}
	for _, format := range d.formats {
		w.put("format", "text that is no "+clipped(format), textTree("not a "+format), textTree("%"), textTree("("))
	}
}

// firstRunes are the first n characters of a text.
func firstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// drawnOut is a text with its last character repeated until it is n long.
func drawnOut(text string, n int) string {
	if text == "" {
		text = "a"
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	if unicode.IsSpace(last) {
		last = 'a'
	}
	if missing := n - utf8.RuneCountInString(text); missing > 0 {
		text += strings.Repeat(string(last), missing)
	}
	return text
}

// lists adds lists that are too short, too long, or hold an item twice.
func (w *wrongs) lists() {
	v := w.s.value
	if !v.isList() {
		return
	}
	at := w.s.at()
	w.put("items", "no item", listTree())
	if least := w.s.layers.atLeast("minItems"); least > 1 {
		w.change("items", "fewer items than minItems"+at, func(here *tree) *tree {
			return listTree(here.kids[:min(len(here.kids), least-1)]...)
		})
	}
	if len(v.kids) == 0 {
		return
	}
	if most := w.s.layers.atMost("maxItems"); most < maxExtra {
		w.change("items", "more items than maxItems"+at, func(here *tree) *tree {
			for len(here.kids) > 0 && len(here.kids) <= most {
				here = listTree(append(here.copied().kids, here.kids[len(here.kids)-1])...)
			}
			return here
		})
	}
	w.change("twice", "an item twice"+at, func(here *tree) *tree {
		if len(here.kids) == 0 {
			return nil
		}
		return listTree(append(here.copied().kids, here.kids[0])...)
	})
	w.change("item", "an item of another type"+at, func(here *tree) *tree {
		return listTree(append(here.copied().kids, objectTree("unexpected", null))...)
	})
}
