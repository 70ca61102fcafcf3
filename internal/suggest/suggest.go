// Package suggest finds the known word that a mistyped one was meant to be,
// for "did you mean" hints. It is pure and safe for concurrent use.
package suggest

import "strings"

// longest bounds the words that are compared. The distance costs the product
// of both lengths, and nobody mistypes a word longer than this.
const longest = 128

// Nearest returns the word of known that needs the fewest edits to become
// word, and whether it is near enough to be worth a hint: at most a third of
// the longer word's characters may differ, and at least one edit is always
// allowed. Letter case counts half as much as a wrong letter. Of equally near
// words the first in known wins, so the answer depends on the order given and
// on nothing else. A word that is itself in known is returned as it is.
func Nearest(word string, known []string) (string, bool) {
	asked := []rune(word)
	if len(asked) == 0 || len(asked) > longest {
		return "", false
	}
	best, bestDistance := "", -1
	for _, candidate := range known {
		other := []rune(candidate)
		if len(other) == 0 || len(other) > longest {
			continue
		}
		distance := distance(asked, other)
		if distance > allowed(len(asked), len(other)) {
			continue
		}
		if bestDistance < 0 || distance < bestDistance {
			best, bestDistance = candidate, distance
		}
	}
	return best, bestDistance >= 0
}

// Hint returns `did you mean "WORD"?` for the nearest known word, or the known
// words themselves when none is near and there are at most eight of them, or
// nothing.
func Hint(word string, known []string) string {
	if near, ok := Nearest(word, known); ok {
		return `did you mean "` + near + `"?`
	}
	if len(known) == 0 || len(known) > 8 {
		return ""
	}
	return "known: " + strings.Join(known, ", ")
}

// allowed is the largest distance, in half edits, that still reads as a slip
// of the hand between words of a and b characters.
func allowed(a, b int) int {
	return 2 * max(1, max(a, b)/3)
}

// distance is the optimal string alignment distance in half edits: inserting,
// deleting, replacing a character and swapping two neighbours cost 2, a change
// of letter case costs 1.
func distance(a, b []rune) int {
	before := make([]int, len(b)+1)
	last := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range last {
		last[j] = 2 * j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = 2 * i
		for j := 1; j <= len(b); j++ {
			row[j] = min(last[j]+2, row[j-1]+2, last[j-1]+replace(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+2)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

func replace(a, b rune) int {
	switch {
	case a == b:
		return 0
	case strings.EqualFold(string(a), string(b)):
		return 1
	default:
		return 2
	}
}
