// Package wild matches text with patterns in which * stands for anything. It
// is pure and safe for concurrent use.
package wild

import "strings"

// Match reports whether the whole of text fits pattern: * stands for any run
// of characters, line ends too, \* for a star, and everything else for itself,
// brackets and question marks included. It takes time in proportion to both
// lengths times the number of stars at most.
func Match(pattern, text string) bool {
	parts := split(pattern)
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return text == first
	}
	if !strings.HasPrefix(text, first) {
		return false
	}
	text = text[len(first):]
	for _, part := range parts[1 : len(parts)-1] {
		_, rest, ok := strings.Cut(text, part)
		if !ok {
			return false
		}
		text = rest
	}
	return strings.HasSuffix(text, last)
}

// split cuts a pattern at its stars.
func split(pattern string) []string {
	var parts []string
	var part strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '*':
			parts = append(parts, part.String())
			part.Reset()
			continue
		case c == '\\' && i+1 < len(pattern) && pattern[i+1] == '*':
			i++
		}
		part.WriteByte(pattern[i])
	}
	return append(parts, part.String())
}
