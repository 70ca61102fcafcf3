package retell

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// short is a text in one line, fit for a comment or a name.
func short(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\r':
			return ' '
		case !unicode.IsPrint(r):
			return '�'
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// textOf is the text of a message's content: a string, or its text parts joined.
func textOf(content jsontext.Value) string {
	if text, ok := jsonv.Text(content); ok {
		return text
	}
	parts, err := jsonv.Elements(content)
	if err != nil {
		return ""
	}
	var all []string
	for _, p := range parts {
		if v, ok := jsonv.Get(p, "/text"); ok {
			if text, ok := jsonv.Text(v); ok {
				all = append(all, text)
			}
		}
	}
	return strings.Join(all, " ")
}

// longestPinned is the longest text of a result that an expectation repeats.
const longestPinned = 200

// volatileForms are what makes a text another one tomorrow: ids, moments, counts
// of seconds, long numbers, and what was taken out of a recording.
var volatileForms = regexp.MustCompile(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}:[0-9]{2}|[0-9]{6}|` +
	`\b(?:[a-f]+[0-9]|[0-9]+[a-f])[0-9a-f]{6,}|hm-red-|\b(today|now|ago|yesterday|tomorrow|seconds?|minutes?|ms)\b`)

// numbers are what changes most where words stay: amounts, counts, moments.
var numbers = regexp.MustCompile(`[0-9]+(?:[.,:/-][0-9]+)*`)

// like is a text with * for its numbers, as the match of that name reads it.
func like(text string) string {
	text = strings.ReplaceAll(text, "*", `\*`)
	return numbers.ReplaceAllString(text, "*")
}

// steady reports whether a text is one that an expectation may repeat.
func steady(text string) bool {
	return len(text) <= longestPinned && !volatileForms.MatchString(text)
}

// Line is a text as one line of a comment: nothing in it ends the line or reaches
// a terminal unseen, and what is too long is cut.
func Line(text string) string { return short(text, 300) }
