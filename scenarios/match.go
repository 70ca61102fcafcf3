package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/schema"
	"github.com/hallmarkdev/hallmark/internal/wild"
)

// shown is how many bytes of a value a finding shows.
const shown = 300

// check compares got, nil when there is no value, with what m wants. It
// returns what is wanted in words for each operator that does not hold.
func (m *Match) check(got jsontext.Value) (unmet []string) {
	want := func(holds bool, format string, args ...any) {
		if !holds {
			unmet = append(unmet, fmt.Sprintf(format, args...))
		}
	}
	if m.Absent {
		want(got == nil, "no value")
	}
	if m.Present {
		want(got != nil, "a value")
	}
	if m.Equals != nil {
		want(got != nil && jsonv.Equal(got, m.Equals), "%s", jsonv.Short(m.Equals, shown))
	}
	if m.Contains != nil {
		want(holdsPart(got, m.Contains), "something that contains %s", jsonv.Short(m.Contains, shown))
	}
	if m.Matches != nil {
		re, err := regexp.Compile(*m.Matches)
		want(err == nil && got != nil && re.MatchString(plainText(got)), "text that matches %s", *m.Matches)
	}
	if m.Like != nil {
		want(got != nil && wild.Match(*m.Like, plainText(got)), "text like %q", *m.Like)
	}
	if m.OneOf != nil {
		want(got != nil && slices.ContainsFunc(m.OneOf, func(v jsontext.Value) bool { return jsonv.Equal(got, v) }),
			"one of %s", shortList(m.OneOf))
	}
	if m.Not != nil {
		want(len(m.Not.check(got)) > 0, "something else than %s", m.Not.words())
	}
	if m.Subset != nil {
		pointer, ok := subset(got, m.Subset, "")
		want(ok, "%s as a part of it%s", jsonv.Short(m.Subset, shown), at(pointer))
	}
	if m.Schema != nil {
		want(got != nil && fits(got, m.Schema), "a value that fits the schema %s", jsonv.Short(m.Schema, shown))
	}
	if m.Length != nil {
		n, ok := length(got)
		want(ok && m.Length.holds(n), "a length of %s", m.Length.words())
	}
	if m.Under != nil {
		want(got != nil && len(plainText(got)) <= *m.Under, "at most %d bytes", *m.Under)
	}
	if m.Type != "" {
		want(typeName(got) == m.Type, "a value of type %s", m.Type)
	}
	return unmet
}

// words says what m wants, for the report of a negation.
func (m *Match) words() string {
	all := m.check(nil)
	if m.Absent {
		all = append(all, "no value")
	}
	return strings.Join(all, " and ")
}

func at(pointer string) string {
	if pointer == "" {
		return ""
	}
	return " (differs at " + pointer + ")"
}

func shortList(list []jsontext.Value) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = jsonv.Short(v, shown/len(list)+8)
	}
	return strings.Join(parts, ", ")
}

// plainText is the text of a JSON string, or the JSON text of another value.
func plainText(v jsontext.Value) string {
	if text, ok := jsonv.Text(v); ok {
		return text
	}
	return string(v)
}

// holdsPart finds a text in a text, or a value in a list.
func holdsPart(got, part jsontext.Value) bool {
	if text, ok := jsonv.Text(got); ok {
		return strings.Contains(text, plainText(part))
	}
	items, err := jsonv.Elements(got)
	return err == nil && slices.ContainsFunc(items, func(v jsontext.Value) bool { return jsonv.Equal(v, part) })
}

// subset reports whether part is in whole: members of objects may be more,
// lists must hold the items of part in their order, others may stand between.
// The pointer is the first place that is missing.
func subset(whole, part jsontext.Value, pointer string) (string, bool) {
	if whole == nil {
		return pointer, false
	}
	if members, err := jsonv.Members(part); err == nil {
		for _, m := range members {
			below := pointer + "/" + jsonv.Escape(m.Name)
			v, ok := jsonv.Get(whole, "/"+jsonv.Escape(m.Name))
			if !ok {
				return below, false
			}
			if where, ok := subset(v, m.Value, below); !ok {
				return where, false
			}
		}
		return "", jsonv.Kind(whole) == '{'
	}
	items, err := jsonv.Elements(part)
	if err != nil {
		return pointer, jsonv.Equal(whole, part)
	}
	has, err := jsonv.Elements(whole)
	if err != nil {
		return pointer, false
	}
	for i, item := range items {
		n := slices.IndexFunc(has, func(v jsontext.Value) bool { _, ok := subset(v, item, ""); return ok })
		if n < 0 {
			return fmt.Sprintf("%s/%d", pointer, i), false
		}
		has = has[n+1:]
	}
	return "", true
}

func fits(got, raw jsontext.Value) bool {
	s, err := schema.Compile(raw)
	return err == nil && len(s.Validate(got)) == 0
}

// length counts characters of a text, items of a list, members of an object.
func length(v jsontext.Value) (int, bool) {
	if text, ok := jsonv.Text(v); ok {
		return utf8.RuneCountInString(text), true
	}
	if items, err := jsonv.Elements(v); err == nil {
		return len(items), true
	}
	if members, err := jsonv.Members(v); err == nil {
		return len(members), true
	}
	return 0, false
}

func (l *Length) holds(n int) bool {
	return (l.Min == nil || n >= *l.Min) && (l.Max == nil || n <= *l.Max)
}

func (l *Length) words() string {
	switch {
	case l.Min != nil && l.Max != nil && *l.Min == *l.Max:
		return fmt.Sprintf("%d", *l.Min)
	case l.Max == nil:
		return fmt.Sprintf("%d or more", *l.Min)
	case l.Min == nil:
		return fmt.Sprintf("at most %d", *l.Max)
	default:
		return fmt.Sprintf("%d to %d", *l.Min, *l.Max)
	}
}

func typeName(v jsontext.Value) string {
	switch jsonv.Kind(v) {
	case '"':
		return "string"
	case '0':
		return "number"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	case '[':
		return "array"
	case '{':
		return "object"
	default:
		return "absent"
	}
}
