package scenarios

import (
	"strconv"
	"strings"
)

// shortRun is the shortest repetition that is worth a recipe.
const shortRun = 400

// RecipeTree returns a text for a place where a recipe may stand: a long
// repetition in it is written as {repeat: TEXT, times: N}.
func RecipeTree(s string) *Tree { return recipeTree(s, mostRuns) }

// mostRuns bounds the repetitions that are looked for in one text.
const mostRuns = 6

func recipeTree(s string, runs int) *Tree {
	if runs == 0 {
		return TextTree(s)
	}
	from, unit, times := longestRun(s)
	if unit*times < shortRun {
		return TextTree(s)
	}
	run := s[from : from+unit]
	if hasReference(run) {
		return TextTree(s)
	}
	recipe := ObjectTree().Add("repeat", &Tree{Kind: TreeText, Text: run}).Add("times", WordTree(strconv.Itoa(times)))
	before, after := s[:from], s[from+unit*times:]
	if before == "" && after == "" {
		return recipe
	}
	parts := ListTree()
	if before != "" {
		parts.Items = append(parts.Items, TextTree(before))
	}
	parts.Items = append(parts.Items, recipe)
	if after != "" {
		rest := recipeTree(after, runs-1)
		if rest.Kind == TreeList {
			parts.Items = append(parts.Items, rest.Items...)
		} else {
			parts.Items = append(parts.Items, rest)
		}
	}
	return parts
}

// longestRun finds where a short text stands again and again, the longest such
// place: where it begins, how long the text is and how often it comes.
func longestRun(s string) (from, unit, times int) {
	if len(s) < shortRun {
		return 0, 0, 0
	}
	best := 0
	for n := 1; n <= 16 && n <= len(s); n++ {
		start := 0
		for i := n; i <= len(s); i++ {
			if i < len(s) && s[i] == s[i-n] {
				continue
			}
			// s[start:i] has the period n. The run begins and ends between
			// characters.
			begin := start
			for begin < i && s[begin]&0xc0 == 0x80 {
				begin++
			}
			count := (i - begin) / n
			for count > 0 && begin+n*count < len(s) && s[begin+n*count]&0xc0 == 0x80 {
				count--
			}
			if count > 1 && n*count > best {
				from, unit, times, best = begin, n, count, n*count
			}
			start = i - n + 1
		}
	}
	if unit > 0 && strings.ToValidUTF8(s[from:from+unit], "") != s[from:from+unit] {
		return 0, 0, 0
	}
	return from, unit, times
}
