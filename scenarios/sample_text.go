package scenarios

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// filler is the text that is made where nothing is known.
const filler = "example"

// maxTextMade bounds a made text, in characters.
const maxTextMade = 100_000

// formats are texts that fit the formats schemas use most.
var formats = map[string]string{
	"date": "2026-08-28", "date-time": "2026-08-28T12:00:00Z", "time": "12:00:00Z", "duration": "PT1H",
	"email": "ada@example.com", "idn-email": "ada@example.com", "hostname": "example.com", "idn-hostname": "example.com",
	"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uuid": "0198f0a0-0000-7000-8000-000000000000",
	"uri": "https://example.com/", "url": "https://example.com/", "iri": "https://example.com/",
	"uri-reference": "/example", "iri-reference": "/example", "json-pointer": "/example", "regex": "^a$",
}

// text makes a text: a quoted word of the description, a form that the format
// names, one that fits the pattern, or the filler, within the length wanted.
func (m *maker) text(v *schemaView, pointer string) (jsontext.Value, *refused) {
	low := v.integer("minLength", 0, anyNumber)
	high := v.integer("maxLength", anyNumber, anyNumber)
	if low > maxTextMade {
		return nil, &refused{pointer, "the text would be too long"}
	}
	if low > high {
		return nil, &refused{pointer, "minLength is above maxLength"}
	}
	var pattern *regexp.Regexp
	source := ""
	if keyword := v.keyword("pattern"); keyword != nil && keyword.kind == kindText {
		source = keyword.text
		pattern, _ = regexp.Compile(source)
	}
	fits := func(text string) bool {
		length := utf8.RuneCountInString(text)
		return length >= low && length <= high && (pattern == nil || pattern.MatchString(text))
	}
	var candidates []string
	if m.words {
		if about := v.keyword("description"); about != nil && about.kind == kindText {
			candidates = quotedWords(about.text)
		}
	}
	if format := v.keyword("format"); format != nil && formats[format.text] != "" {
		candidates = append(candidates, formats[format.text])
	}
	if coding := v.keyword("contentEncoding"); coding != nil && strings.EqualFold(coding.text, "base64") {
		candidates = append(candidates, "aGFsbG1hcms=")
	}
	if source != "" {
		candidates = append(candidates, matching(source, low))
	}
	candidates = append(candidates, stretch(filler, low, high))
	for _, text := range candidates {
		if fits(text) {
			return appendQuoted(nil, text), nil
		}
	}
	return nil, &refused{pointer, "no text was found that fits the pattern and the length"}
}

// stretch repeats or cuts a text of ASCII letters to the length wanted.
func stretch(text string, low, high int) string {
	for len(text) < low {
		text += filler
	}
	if len(text) > max(low, len(filler)) {
		text = text[:max(low, len(filler))]
	}
	return text[:min(len(text), high)]
}

var quotedForm = regexp.MustCompile("(?:^|[\\s(\\[,:])(?:\"([^\"\n]{1,80})\"|'([^'\n]{1,80})'|`([^`\n]{1,80})`)(?:$|[\\s)\\].,;:])")

// quotedWords are the texts between quotation marks in a description, in
// order. An apostrophe inside a word opens none.
func quotedWords(description string) []string {
	var words []string
	for len(description) > 0 {
		found := quotedForm.FindStringSubmatchIndex(description)
		if found == nil {
			break
		}
		for group := 1; group <= 3; group++ {
			if found[2*group] >= 0 {
				words = append(words, description[found[2*group]:found[2*group+1]])
			}
		}
		description = description[found[1]-1:] // what ends one may begin the next
		if found[1] == 1 || len(words) > 20 {
			break
		}
	}
	return words
}

// matching makes a short text that fits an expression, as far as RE2 reads it.
// It is empty when that is not possible.
func matching(expression string, low int) string {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return ""
	}
	var out strings.Builder
	writeMatching(&out, parsed.Simplify(), low)
	return out.String()
}

// writeMatching writes the shortest way through the expression; a part that
// may repeat without end is drawn out until the text has the length wanted.
func writeMatching(out *strings.Builder, r *syntax.Regexp, low int) {
	if out.Len() > maxTextMade {
		return
	}
	switch r.Op {
	case syntax.OpLiteral:
		for _, c := range r.Rune {
			out.WriteRune(c)
		}
	case syntax.OpCharClass:
		out.WriteRune(printableOf(r.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		out.WriteByte('a')
	case syntax.OpPlus, syntax.OpStar:
		least := 0
		if r.Op == syntax.OpPlus {
			least = 1
		}
		for i := 0; i < least || out.Len() < low; i++ {
			before := out.Len()
			writeMatching(out, r.Sub[0], 0)
			if out.Len() == before {
				return
			}
		}
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range r.Sub {
			writeMatching(out, sub, low)
		}
	case syntax.OpAlternate:
		writeMatching(out, r.Sub[0], low)
	}
}

// printableOf picks a letter or digit of a character class, else anything that
// can be printed, else its first character.
func printableOf(ranges []rune) rune {
	for _, wanted := range []func(rune) bool{
		func(r rune) bool { return r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) },
		unicode.IsPrint,
	} {
		for i := 0; i+1 < len(ranges); i += 2 {
			for r := ranges[i]; r <= ranges[i+1] && r <= ranges[i]+0x80; r++ {
				if wanted(r) {
					return r
				}
			}
		}
	}
	if len(ranges) == 0 {
		return 'a'
	}
	return ranges[0]
}
