package recorder

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// sample is a value that stood at a place, and when it was asked for.
type sample struct {
	v   jsontext.Value
	now time.Time
}

// word is the same for a text or a part of one.
type word struct {
	s   string
	now time.Time
}

// class says what kind of thing varies between values that stood at one place.
func (v *varying) class(values []sample) Class {
	kind := kindOf(values[0].v)
	if slices.ContainsFunc(values, func(s sample) bool { return kindOf(s.v) != kind }) {
		return ClassWorker
	}
	words := make([]word, len(values))
	for i, s := range values {
		words[i].now = s.now
		words[i].s, _ = jsonv.Text(s.v)
		if kind == '0' {
			words[i].s = string(s.v)
		}
	}
	switch kind {
	case '[':
		for _, s := range values[1:] {
			for p := range jsonv.Places(s.v, values[0].v) {
				if len(p.Lists) == 0 || p.Lists[0] != (jsonv.List{Reordered: true}) {
					return ClassWorker
				}
			}
		}
		return ClassOrder
	case '"':
		return v.text(words)
	case '0':
		if isEpoch(words) {
			return ClassTime
		}
		return ClassRandom
	case 'f':
		return ClassRandom
	}
	return ClassWorker
}

const (
	// longestText is as much of a text as is looked into.
	longestText = 64 << 10
	// mostWords bounds the words of a text that are compared one by one.
	mostWords = 2000
	// deepestText is how many texts of JSON inside of each other are looked into.
	deepestText = 2
)

// text says what varies in a text: the text as a whole, the values in it when it
// is JSON, or its words.
func (v *varying) text(texts []word) Class {
	if slices.ContainsFunc(texts, func(w word) bool { return len(w.s) > longestText }) {
		return ClassRandom
	}
	if c := token(texts); c != ClassRandom {
		return c
	}
	if c := v.json(texts); c != "" {
		return c
	}
	if c := token(core(texts, isSpace)); c != ClassRandom {
		return c
	}
	return wordwise(texts)
}

// json says what varies in texts that are JSON objects or lists, "" when one is
// not.
func (v *varying) json(texts []word) Class {
	answers := make([]Told, len(texts))
	for i, t := range texts {
		value := jsontext.Value(t.s)
		if k := jsonv.Kind(value); v.inText == deepestText || k != '{' && k != '[' || jsonv.Valid(value, jsonv.MaxDepth) != nil {
			return ""
		}
		answers[i] = Told{Answer: value, Now: t.now}
	}
	v.inText++
	defer func() { v.inText-- }()
	unsteady, _ := v.vary(nil, answers)
	c := ClassTime
	for _, u := range unsteady {
		c = worse(c, u.Class)
	}
	if c == ClassWorker || len(unsteady) == 0 {
		// A text of another shape is a text like any other.
		return ClassRandom
	}
	return c
}

// wordwise says what varies where texts have the same number of words.
func wordwise(texts []word) Class {
	fields := make([][]string, len(texts))
	sorted := make([][]string, len(texts))
	for i, t := range texts {
		fields[i] = strings.FieldsFunc(t.s, func(r rune) bool { return isSpace(r) || r == ',' || r == ';' })
		if len(fields[i]) != len(fields[0]) || len(fields[i]) > mostWords {
			return ClassRandom
		}
		sorted[i] = slices.Clone(fields[i])
		slices.Sort(sorted[i])
	}
	if len(fields[0]) > 1 && !slices.ContainsFunc(sorted, func(s []string) bool { return !slices.Equal(s, sorted[0]) }) {
		return ClassOrder
	}
	c := ClassTime
	varies := false
	for k := range fields[0] {
		words := make([]word, len(texts))
		for i := range texts {
			words[i] = word{fields[i][k], texts[i].now}
		}
		if !slices.ContainsFunc(words, func(w word) bool { return w.s != words[0].s }) {
			continue
		}
		varies = true
		one := token(words)
		for _, outside := range []func(rune) bool{isSpace, notInTime, notInID} {
			if one == ClassRandom {
				one = token(core(words, outside))
			}
		}
		if c = worse(c, one); c == ClassRandom {
			return c
		}
	}
	if !varies {
		return ClassRandom
	}
	return c
}

// token says what varies where texts are one thing each: a time, an id.
func token(texts []word) Class {
	times, follows := timesOf(texts)
	switch {
	case follows || isEpoch(texts):
		return ClassTime
	case !times && isID(texts):
		return ClassID
	}
	return ClassRandom
}

func isSpace(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' }

// notInTime and notInID report the characters that end a time, and an id.
func notInTime(r rune) bool {
	return !(r >= '0' && r <= '9' || strings.ContainsRune(":.+-TZ/", r))
}

func notInID(r rune) bool {
	return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_')
}

// core cuts off what texts have in common at both ends, back to where a part
// begins that is divided from the rest by a character that is outside of it.
func core(texts []word, outside func(rune) bool) []word {
	head, tail := len(texts[0].s), len(texts[0].s)
	for _, t := range texts[1:] {
		n := 0
		for n < min(head, len(t.s)) && t.s[n] == texts[0].s[n] {
			n++
		}
		head = n
	}
	for _, t := range texts {
		n := 0
		for n < min(tail, len(t.s)-head, len(texts[0].s)-head) && t.s[len(t.s)-1-n] == texts[0].s[len(texts[0].s)-1-n] {
			n++
		}
		tail = n
	}
	before, after := texts[0].s[:head], texts[0].s[len(texts[0].s)-tail:]
	keepHead := strings.LastIndexFunc(before, outside)
	from := 0
	if keepHead >= 0 {
		_, n := utf8.DecodeRuneInString(before[keepHead:])
		from = keepHead + n
	}
	cut := strings.IndexFunc(after, outside)
	if cut < 0 {
		cut = len(after)
	}
	out := make([]word, len(texts))
	for i, t := range texts {
		out[i] = word{strings.Trim(t.s[from:len(t.s)-tail+cut], ` .,;!()[]{}"'<>`), t.now}
	}
	return out
}

var (
	uuidForm  = regexp.MustCompile(`^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$`)
	tokenForm = regexp.MustCompile(`^[0-9A-Za-z_\-.:=+/]+$`)
	aliasForm = regexp.MustCompile(`^(session|decision|turn|call|message|blob|interrupt) [0-9]+$`)
)

// shortestToken is the least length of an opaque text that counts as an id.
const shortestToken = 8

// isID reports whether each text is an id of its own: all of one form, and no two
// alike. Opaque ones have one length and digits or mixed case in them, so that no
// word is one.
func isID(texts []word) bool {
	seen := map[string]bool{}
	uuids, aliases, tokens, opaque := true, true, true, 0
	for _, t := range texts {
		if seen[t.s] {
			return false
		}
		seen[t.s] = true
		uuids = uuids && uuidForm.MatchString(t.s)
		aliases = aliases && aliasForm.MatchString(t.s)
		tokens = tokens && len(t.s) == len(texts[0].s) && len(t.s) >= shortestToken && tokenForm.MatchString(t.s) && !isNumber(t.s)
		if strings.ContainsAny(t.s, "0123456789") || mixedCase(t.s) {
			opaque++
		}
	}
	return uuids || aliases || tokens && 2*opaque > len(texts)
}

// mixedCase reports whether a text goes from small letters to capital ones.
func mixedCase(s string) bool {
	small := false
	for _, r := range s {
		if r >= 'A' && r <= 'Z' && small {
			return true
		}
		small = r >= 'a' && r <= 'z'
	}
	return false
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

const (
	// slack is how long after the request a worker may look at its clock.
	slack = 10 * time.Second
	// nearEpoch and nearDate are how far from now a number, and a written date,
	// may be that follows the clock, such as the end of a term.
	nearEpoch = 31 * 24 * time.Hour
	nearDate  = 400 * 24 * time.Hour
)

// timeForm is a way to write a time.
type timeForm struct {
	layout string
	// grain is what the form cannot tell apart.
	grain time.Duration
	// clock says that it names no day, yearless that it names no year, zoned that it
	// names its zone.
	clock, yearless, zoned bool
}

var timeForms = func() (out []timeForm) {
	days := []string{"2006-01-02", "2006/01/02", "02.01.2006", "02/01/2006", "01/02/2006", "1/2/2006", "2/1/2006", "2.1.2006",
		"January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006", "02-Jan-2006", "Monday, January 2, 2006", "Mon Jan 2 2006", "Monday, 2 January 2006", "20060102"}
	clocks := []string{"15:04:05", "3:04:05 PM", "3:04:05PM", "15:04", "3:04 PM", "3:04PM"}
	zones := []string{"", "Z07:00", " Z07:00", " -0700", " MST", " -0700 MST", " GMT-0700"}
	grain := func(clock string) time.Duration {
		if strings.Contains(clock, "05") {
			return time.Second
		}
		return time.Minute
	}
	for _, d := range days {
		out = append(out, timeForm{layout: d, grain: 24 * time.Hour})
		for _, c := range clocks {
			for _, between := range []string{" ", "T", ", ", " at "} {
				for _, z := range zones {
					out = append(out, timeForm{layout: d + between + c + z, grain: grain(c)})
				}
			}
		}
	}
	for _, l := range []string{time.ANSIC, time.UnixDate, time.RubyDate, time.RFC850, time.RFC1123, time.RFC1123Z, "Mon, 02 Jan 2006 15:04:05", "Mon, 02 Jan 2006", "20060102T150405Z", "20060102150405", "20060102T150405"} {
		out = append(out, timeForm{layout: l, grain: time.Second})
	}
	for _, l := range []string{time.Stamp, "Mon Jan _2 15:04:05", "02 Jan 15:04:05", "Jan 2, 15:04", "January 2, 3:04 PM"} {
		out = append(out, timeForm{layout: l, grain: time.Minute, yearless: true})
	}
	for _, c := range clocks {
		for _, z := range zones {
			out = append(out, timeForm{layout: c + z, grain: grain(c), clock: true})
		}
	}
	for i, f := range out {
		out[i].zoned = strings.Contains(f.layout, "07") || strings.Contains(f.layout, "MST")
	}
	return out
}()

// timesOf reports whether the texts are times of one form, and whether they move
// with the times at which they were asked for.
func timesOf(texts []word) (times, follows bool) {
	if slices.ContainsFunc(texts, func(w word) bool { return len(w.s) < 4 || len(w.s) > 80 || !strings.ContainsAny(w.s, "0123456789") }) {
		return false, false
	}
	texts = slices.Clone(texts)
	for i := range texts {
		// What JavaScript adds to its dates.
		if at := strings.Index(texts[i].s, " ("); at > 0 && strings.HasSuffix(texts[i].s, ")") {
			texts[i].s = texts[i].s[:at]
		}
	}
	colon := strings.Contains(texts[0].s, ":")
	for _, form := range timeForms {
		if colon != strings.Contains(form.layout, ":") {
			continue
		}
		var all []moment
		for _, t := range texts {
			at, err := time.Parse(form.layout, t.s)
			if err != nil {
				break
			}
			if form.yearless {
				at = at.AddDate(t.now.Year(), 0, 0)
			}
			all = append(all, moment{at, t.now})
		}
		if len(all) < len(texts) {
			continue
		}
		times = true
		if follow(all, form, nearDate) {
			return true, true
		}
	}
	return times, false
}

type moment struct{ at, now time.Time }

// follow reports whether times stand at one distance, at most near, from the
// times at which they were asked for.
func follow(times []moment, form timeForm, near time.Duration) bool {
	var least, most time.Duration
	known := 0
	for _, m := range times {
		if m.now.IsZero() {
			continue
		}
		d := m.at.Sub(m.now)
		if form.clock {
			day := m.now.UTC().Truncate(24 * time.Hour)
			h, mi, s := m.at.UTC().Clock()
			d = day.Add(time.Duration(h)*time.Hour + time.Duration(mi)*time.Minute + time.Duration(s)*time.Second).Sub(m.now)
			for known > 0 && d-least > 12*time.Hour {
				d -= 24 * time.Hour
			}
			for known > 0 && least-d > 12*time.Hour {
				d += 24 * time.Hour
			}
		} else if d.Abs() > near {
			return false
		}
		tolerance := slack + form.grain
		switch {
		case known == 0:
			least, most = d, d
		case form.zoned:
		case (d - least - time.Hour).Abs() <= tolerance:
			// Summer time began between the two, or ended.
			d -= time.Hour
		case (d - least + time.Hour).Abs() <= tolerance:
			d += time.Hour
		}
		least, most = min(least, d), max(most, d)
		known++
	}
	return known > 1 && most-least <= slack+form.grain
}

// isEpoch reports whether the texts are numbers that count from 1970 to the
// times at which they were asked for.
func isEpoch(texts []word) bool {
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond, time.Nanosecond} {
		var times []moment
		for _, t := range texts {
			n, err := strconv.ParseFloat(t.s, 64)
			if err != nil || math.Abs(n) > float64(math.MaxInt64/2)/float64(unit) {
				times = nil
				break
			}
			times = append(times, moment{time.Unix(0, int64(n*float64(unit))), t.now})
		}
		if times != nil && follow(times, timeForm{grain: max(unit, time.Millisecond)}, nearEpoch) {
			return true
		}
	}
	return false
}
