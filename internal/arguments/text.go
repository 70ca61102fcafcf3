package arguments

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// filler is the text that is made where nothing is known.
const filler = "example"

// demands is what a view asks of a text.
type demands struct {
	low, high int // the length, in characters
	patterns  []string
	formats   []string
	base64    bool
}

func (v *view) demands() demands {
	d := demands{low: v.atLeast("minLength"), high: v.atMost("maxLength")}
	v.each("pattern", func(t *tree) {
		if t.isText() && !slices.Contains(d.patterns, t.text) {
			d.patterns = append(d.patterns, t.text)
		}
	})
	v.each("format", func(t *tree) {
		if t.isText() && !slices.Contains(d.formats, t.text) {
			d.formats = append(d.formats, t.text)
		}
	})
	v.each("contentEncoding", func(t *tree) { d.base64 = d.base64 || strings.EqualFold(t.text, "base64") })
	return d
}

func (d *demands) fits(texts *texts, text string) bool {
	length := utf8.RuneCountInString(text)
	if length < d.low || length > d.high {
		return false
	}
	for _, pattern := range d.patterns {
		if !texts.matches(pattern, text) {
			return false
		}
	}
	for _, format := range d.formats {
		if !texts.isFormat(format, text) {
			return false
		}
	}
	return true
}

// text makes a text: a quoted word of a description, a form that the format
// names, one that fits the pattern, or the filler, within the length wanted.
func (m *maker) text(v *view, at place) (*tree, *refused) {
	d := v.demands()
	switch {
	case d.low > MaxTextLength:
		return nil, &refused{at.pointer, "the text would be too long"}
	case d.low > d.high:
		return nil, &refused{at.pointer, "minLength is above maxLength"}
	}
	// Long texts count for several values.
	const long = 200
	m.values -= d.low / long
	nth := at.variety + m.shift[at.pointer]
	for _, text := range m.candidates(v, &d, at, nth) {
		made := textTree(text)
		if !m.isBarred(at.pointer, made) && d.fits(m.run.texts, text) {
			return made, nil
		}
	}
	return nil, &refused{at.pointer, "no text was found that fits the pattern and the length"}
}

// candidates are texts to try, the most telling first.
func (m *maker) candidates(v *view, d *demands, at place, nth int) []string {
	var all []string
	if m.words {
		all = m.run.told(describe(v.layers), at.about)
		if n := len(all); n > 0 {
			// Further values begin with another word, and end with none.
			all = slices.Concat(all[min(nth, n):])
			if by := m.drawn(at, "word", len(all)+1); by < len(all) {
				all = append(slices.Clone(all[by:]), all[:by]...)
			}
		}
		nth = max(0, nth-len(all))
	}
	if m.draws != nil {
		nth += m.drawn(at, "text", 50)
	}
	for _, format := range d.formats {
		if text, ok := formatted(format, nth); ok {
			all = append(all, text)
		}
	}
	if d.base64 {
		all = append(all, "aGFsbG1hcms=")
	}
	for _, pattern := range d.patterns {
		all = append(all, matching(pattern, d, m.matchDraws(at), nth)...)
	}
	number := ""
	if nth > 0 {
		number = strconv.Itoa(nth + 1)
	}
	all = append(all, stretch(filler, number, d.low, d.high))
	if len(d.patterns) > 0 || len(d.formats) > 0 {
		for _, word := range oddWords {
			all = append(all, word, stretch(word, "", d.low, d.high))
		}
	}
	return all
}

// oddWords are texts that fit many a pattern that cannot be generated from,
// such as those of passwords.
var oddWords = []string{"Aa1!aaaa", "Aa1-aaaa", "a", "A", "1", "aa", "AA", "Ab1", "a1", "a@b.co", "0", "-", "_", " ", "example-1"}

func (m *maker) matchDraws(at place) *draws {
	if m.draws == nil {
		return nil
	}
	return m.draws.at(at.pointer + "\x00pattern" + strconv.Itoa(at.variety))
}

// stretch repeats or cuts a text of ASCII letters to the length wanted, with a
// number at its end.
func stretch(text, number string, low, high int) string {
	size := max(low, len(text)+len(number))
	text = strings.Repeat(text, 1+low/len(text))
	text = text[:min(len(text), max(0, min(size, high)-len(number)))]
	if len(text)+len(number) > high {
		number = number[len(number)-max(0, min(len(number), high)):]
	}
	return text + number
}

// told are the quoted words that stand for a value: those of the nearest
// description, then the tool's. The names of properties are no values.
func (r *run) told(about ...string) []string {
	var all []string
	for _, text := range append(about, r.source.Description) {
		for _, word := range quotedWords(text) {
			if !slices.Contains(all, word) && r.doc.root.member("properties").member(word) == nil {
				all = append(all, word)
			}
		}
	}
	return all
}

var quotedForm = regexp.MustCompile("(?:^|[\\s(\\[,:])(?:\"([^\"\n]{1,80})\"|'([^'\n]{1,80})'|`([^`\n]{1,80})`)(?:$|[\\s)\\].,;:])")

// maxDescription is how much of a description is read, in bytes.
const maxDescription = 4 << 10

// quotedWords are the texts between quotation marks in a description, in
// order. An apostrophe inside a word opens none.
func quotedWords(description string) []string {
	description = strings.ToValidUTF8(description[:min(len(description), maxDescription)], "")
	var words []string
	const most = 20
	for len(description) > 0 && len(words) < most {
		found := quotedForm.FindStringSubmatchIndex(description)
		if found == nil {
			break
		}
		for group := 1; group <= 3; group++ {
			if found[2*group] >= 0 {
				words = append(words, description[found[2*group]:found[2*group+1]])
			}
		}
		// What ends one may begin the next.
		next := description[found[1]-1:]
		if found[1] == len(description) {
			break
		}
		description = next
	}
	return words
}
