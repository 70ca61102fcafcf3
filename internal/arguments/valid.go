package arguments

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// bases are the values that texts are derived from: the most telling one, and
// one with every field. They may be the same.
type bases struct{ plain, full *tree }

// edit sets the value at a path in the first base that has room for it.
func (b *bases) edit(path []string, value *tree) *tree {
	if changed := b.plain.edit(path, value); changed != nil {
		return changed
	}
	return b.full.edit(path, value)
}

// bases makes the bases, or says why there are none.
func (r *run) bases() (*bases, error) {
	plain, refusal := r.plain()
	if refusal != nil {
		return nil, &Unsatisfiable{refusal.pointer, refusal.reason}
	}
	full := r.tryAll([]maker{{full: every, told: true, words: true}, {full: every}, {full: every, choice: 1}})
	if full == nil {
		full = plain
	}
	// What is known to work goes before what was made up.
	merged := full
	for i, name := range fewOf(plain.names) {
		merged = merged.with(name, plain.kids[i])
	}
	if r.fits(merged) {
		full = merged
	}
	return &bases{plain, full}, nil
}

// samples are the given samples that fit.
func (r *run) samples() []*tree {
	var all []*tree
	const most = 100
	for _, sample := range r.source.Samples[:min(len(r.source.Samples), most)] {
		if t, err := parseTree(sample); err == nil && r.fits(t) {
			all = append(all, t)
		}
	}
	return all
}

// plain is the most telling value: a sample, else one that the schema names,
// else one with the fields that are needed. The refusal is that of the first
// way of making one.
func (r *run) plain() (*tree, *refused) {
	if all := r.samples(); len(all) > 0 {
		return all[0], nil
	}
	tries := []maker{{told: true, words: true}, {told: true}, {words: true}, {}, {choice: 1}, {choice: 2}, {choice: 3}}
	for i := range 6 {
		tries = append(tries, maker{full: needed, words: true, draws: newDraws(0, "", "plain", i)})
	}
	tries = append(tries, maker{full: every}, maker{full: every, choice: 1})
	var first *refused
	for i := range tries {
		value, refusal := r.try(tries[i])
		if refusal == nil {
			return value, nil
		}
		if first == nil {
			first = refusal
		}
		if r.tired() != "" {
			break
		}
	}
	return nil, first
}

func (r *run) try(m maker) (*tree, *refused) {
	m.run = r
	return m.satisfy()
}

// tryAll is the first value that one of the ways gives, or nil.
func (r *run) tryAll(ways []maker) *tree {
	for _, way := range ways {
		if value, refusal := r.try(way); refusal == nil {
			return value
		}
	}
	return nil
}

// asValid is a text of a value when the engine classes it valid.
func (r *run) asValid(value *tree) (string, bool) {
	if value == nil {
		return "", false
	}
	text := value.String()
	return text, r.class(text) == spec.InputValid
}

// valid makes valid texts.
func (r *run) valid(n int) ([]Text, error) {
	plain, refusal := r.plain()
	if refusal != nil {
		return nil, &Unsatisfiable{refusal.pointer, refusal.reason}
	}
	first, ok := r.asValid(plain)
	if !ok {
		return nil, &Unsatisfiable{"", r.reason()}
	}
	texts := []Text{{Name: "the plainest call", Arguments: first}}
	if n == 1 {
		return texts, nil
	}
	c := &candidates{}
	r.addSamples(c)
	c.add("every", "every field", func() (string, bool) {
		return r.asValid(r.tryAll([]maker{{full: every, told: true, words: true}, {full: every}}))
	})
	root := view{layers: r.loose([]*tree{r.doc.root})}
	for _, name := range fewOf(root.declared()) {
		c.add("optional", "with field "+clipped(name), func() (string, bool) {
			return r.asValid(r.tryAll([]maker{{with: name, told: true, words: true}, {with: name}}))
		})
	}
	r.addNamed(c, plain)
	for i := 1; i < r.alternatives(plain); i++ {
		c.add("alternative", fmt.Sprintf("alternative %d", i+1), func() (string, bool) {
			return r.asValid(r.tryAll([]maker{{full: every, choice: i, told: true, words: true}}))
		})
	}
	r.addDrawn(c, n)
	for _, text := range c.pick(n, r.draws("valid", 0), r.isTired) {
		if text.Arguments != first && len(texts) < n {
			texts = append(texts, text)
		}
	}
	return texts, nil
}

// alternatives is the number of choices that are worth a text, 0 when the
// schema leaves none.
func (r *run) alternatives(value *tree) int {
	const most = 16
	n := 0
	for _, s := range r.sites(value) {
		for _, key := range []string{"anyOf", "oneOf"} {
			s.layers.each(key, func(list *tree) { n = max(n, len(list.kids)) })
		}
	}
	return min(n, most)
}

// reason says why a value that fits was not classed so.
func (r *run) reason() string {
	if why := r.tired(); why != "" {
		return why
	}
	return "the value that was made is not valid to an engine"
}

func (r *run) addSamples(c *candidates) {
	for i, sample := range r.samples() {
		c.add("sample", fmt.Sprintf("sample %d", i+1), func() (string, bool) { return r.asValid(sample) })
	}
	examples := r.doc.root.member("examples")
	if !examples.isList() {
		return
	}
	for i, example := range examples.kids {
		c.add("sample", fmt.Sprintf("example %d of the schema", i+1), func() (string, bool) {
			if example.kind != jsontext.Kind('{') {
				return "", false
			}
			return r.asValid(example)
		})
	}
}

// maxNamed bounds the values of one enum.
const maxNamed = 200

// addNamed adds the values that the schema names for places of a value.
func (r *run) addNamed(c *candidates, value *tree) {
	for _, s := range r.sites(value) {
		if len(s.path) == 0 {
			continue
		}
		for _, key := range []string{"enum", "examples"} {
			s.layers.each(key, func(list *tree) {
				for _, one := range list.kids[:min(len(list.kids), maxNamed)] {
					c.add(key, clipped(pointer(s.path))+" is "+clipped(one.String()), func() (string, bool) {
						return r.asValid(value.edit(s.path, one))
					})
				}
			})
		}
	}
}

// addDrawn adds values that are drawn in all they leave open. After a number
// of draws that brought nothing new there are no more.
func (r *run) addDrawn(c *candidates, n int) {
	const patience = 25
	barren := 0
	found := map[string]bool{}
	for i := range n {
		c.add("drawn", fmt.Sprintf("drawn %d", i+1), func() (string, bool) {
			if barren > patience {
				return "", false
			}
			barren++
			value := r.tryAll([]maker{{full: some, words: true, told: i%2 == 0, draws: r.draws("drawn", i)}})
			text, ok := r.asValid(value)
			if ok && !found[text] {
				found[text], barren = true, 0
			}
			return text, ok
		})
	}
}
