package simulator

import (
	"errors"
	"fmt"
	"strings"
)

// SplitCommand splits a command line into words as a shell does it with plain
// words, 'single' and "double" quotes and backslashes. It knows nothing else
// of a shell: $, *, ~, pipes and the like are ordinary characters, since no
// shell runs. The error says which quote is open, or that there is no word.
func SplitCommand(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\n', '\r':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
			continue
		case '\'', '"':
			n, err := quoted(&word, line[i:])
			if err != nil {
				return nil, err
			}
			i += n - 1
		case '\\':
			if i+1 == len(line) {
				return nil, errors.New("command: ends in a backslash")
			}
			i++
			word.WriteByte(line[i])
		default:
			word.WriteByte(c)
		}
		inWord = true
	}
	if inWord {
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, errors.New("command: is empty")
	}
	return words, nil
}

// quoted appends the quoted part that s begins with and returns how long it
// is, quotes included.
func quoted(word *strings.Builder, s string) (int, error) {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == quote:
			return i + 1, nil
		case quote == '"' && c == '\\' && i+1 < len(s) && strings.IndexByte("\"\\$`", s[i+1]) >= 0:
			i++
			word.WriteByte(s[i])
		default:
			word.WriteByte(c)
		}
	}
	return 0, fmt.Errorf("command: the quote %c is not closed", quote)
}
