package engine

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/hallmarkdev/hallmark/spec"
)

// The bounds of a search, beyond what anybody writes: a worker's config and a
// model's query come from outside.
const (
	maxIndexed = 100_000 // words of all tools
	maxWords   = 1000    // of one
	maxTerms   = 32
)

// index finds tools by the words of their names and descriptions (K7).
type index struct {
	of    *spec.AgentConfig
	tools []spec.LlmTool
	// words are all distinct words, sorted, so that those with one beginning
	// stand together; uses are the tools that hold each, with how often.
	words []string
	uses  [][]use
	// lengths count the words of each tool.
	lengths []float64
	mean    float64
}

type use struct {
	tool  int
	times float64
}

// indexed returns the index of the tools that an agent has, kept from one search
// to the next.
func (e *Engine) indexed(config *spec.AgentConfig) *index {
	if e.index == nil || e.index.of != config {
		e.index = newIndex(config)
	}
	return e.index
}

func newIndex(config *spec.AgentConfig) *index {
	x := &index{of: config, tools: searchable(config)}
	byWord := map[string][]use{}
	total := 0
	for n, t := range x.tools {
		words := words(t.Name + " " + t.Description)
		words = words[:min(len(words), maxWords, maxIndexed-total)]
		total += len(words)
		x.lengths = append(x.lengths, float64(len(words)))
		for _, w := range words {
			all := byWord[w]
			if len(all) == 0 || all[len(all)-1].tool != n {
				all = append(all, use{tool: n})
			}
			all[len(all)-1].times++
			byWord[w] = all
		}
	}
	for w := range byWord {
		x.words = append(x.words, w)
	}
	slices.Sort(x.words)
	for _, w := range x.words {
		x.uses = append(x.uses, byWord[w])
	}
	if len(x.tools) > 0 {
		x.mean = float64(total) / float64(len(x.tools))
	}
	return x
}

// words splits a text at everything that is neither letter nor number.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.In(r, unicode.Letter, unicode.Number, unicode.Other_Alphabetic)
	})
}

// The numbers of BM25 (K7).
const (
	saturation = 1.2
	leveling   = 0.75
)

// search returns the tools that hold a word which begins with a word of the
// query, best first by BM25, ties in the order of the list. A query without words
// returns all (K7).
func (x *index) search(query string) []spec.LlmTool {
	terms := words(query)
	if len(terms) == 0 {
		return x.tools
	}
	slices.Sort(terms)
	terms = slices.Compact(terms)
	scores := make([]float64, len(x.tools))
	for _, term := range terms[:min(len(terms), maxTerms)] {
		x.weigh(term, scores)
	}
	var found []int
	for n, score := range scores {
		if score > 0 {
			found = append(found, n)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		default:
			return 0
		}
	})
	tools := make([]spec.LlmTool, len(found))
	for i, n := range found {
		tools[i] = x.tools[n]
	}
	return tools
}

// weigh adds what one term counts for each tool. The products are rounded one by
// one, so that no processor joins them and gives another order.
func (x *index) weigh(term string, scores []float64) {
	times := make([]float64, len(x.tools))
	from, _ := slices.BinarySearch(x.words, term)
	for n := from; n < len(x.words) && strings.HasPrefix(x.words[n], term); n++ {
		for _, u := range x.uses[n] {
			times[u.tool] += u.times
		}
	}
	holding := 0.0
	for _, t := range times {
		if t > 0 {
			holding++
		}
	}
	rarity := math.Log(1 + (float64(len(x.tools))-holding+0.5)/(holding+0.5))
	for n, t := range times {
		if t > 0 {
			length := float64(leveling * x.lengths[n] / x.mean)
			scores[n] += float64(rarity * (t * (saturation + 1) / (t + float64(saturation*(1-leveling+length)))))
		}
	}
}
