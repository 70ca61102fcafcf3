package arguments

import (
	"fmt"
	"slices"
)

// candidate is a text that may be made.
type candidate struct {
	// kind groups candidates; a small number of texts is spread over the kinds.
	kind, name string
	// make gives the text; false when there is none, or it is not of the class.
	make func() (string, bool)
}

// candidates collects candidates in the order in which texts are handed out.
type candidates struct {
	all []candidate
	// only are the kinds that are wanted, none for all.
	only []string
}

func (c *candidates) add(kind, name string, make func() (string, bool)) {
	if len(c.only) > 0 && !slices.Contains(c.only, kind) {
		return
	}
	if len(c.all) < 4*MaxTexts {
		c.all = append(c.all, candidate{kind, name, make})
	}
}

// pick makes at most n texts, none twice. Kinds take turns in a drawn order,
// and so do the candidates of one kind; those that are left out are not made.
// The making ends early when stop says so.
func (c *candidates) pick(n int, by *draws, stop func() bool) []Text {
	made := make([]*Text, len(c.all))
	found := map[string]bool{}
	for _, i := range c.order(by) {
		if n == 0 || stop() {
			break
		}
		text, ok := c.all[i].make()
		if !ok || found[text] {
			continue
		}
		found[text] = true
		made[i] = &Text{Name: c.all[i].name, Arguments: text}
		n--
	}
	return named(made)
}

// order is the order in which candidates are tried.
func (c *candidates) order(by *draws) []int {
	var kinds []string
	of := map[string][]int{}
	for i, one := range c.all {
		if of[one.kind] == nil {
			kinds = append(kinds, one.kind)
		}
		of[one.kind] = append(of[one.kind], i)
	}
	queues := make([][]int, 0, len(kinds))
	for _, k := range by.order(len(kinds)) {
		places := of[kinds[k]]
		queues = append(queues, mapped(by.order(len(places)), func(i int) int { return places[i] }))
	}
	order := make([]int, 0, len(c.all))
	for nth := 0; len(order) < len(c.all); nth++ {
		for _, queue := range queues {
			if nth < len(queue) {
				order = append(order, queue[nth])
			}
		}
	}
	return order
}

// named are the texts that were made, with names that differ.
func named(made []*Text) []Text {
	var texts []Text
	times := map[string]int{}
	for _, text := range made {
		if text == nil {
			continue
		}
		if times[text.Name]++; times[text.Name] > 1 {
			text.Name = fmt.Sprintf("%s (%d)", text.Name, times[text.Name])
		}
		texts = append(texts, *text)
	}
	return texts
}
