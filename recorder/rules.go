package recorder

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// Rule is one place that may differ, or several of one form: a JSON pointer (RFC
// 6901) in which `*` is any one segment, into answers, or into requests when it
// begins with "request:". It covers what stands there and all below.
type Rule struct {
	request  bool
	segments []string
}

// inRequest begins the rule of a place in a request.
const inRequest = "request:"

// maxRule bounds the text of a rule.
const maxRule = 4096

// ParseRule reads a rule. The error says what is wrong with its text, and what
// to write.
func ParseRule(text string) (Rule, error) {
	pointer, request := strings.CutPrefix(text, inRequest)
	if !strings.HasPrefix(pointer, "/") {
		return Rule{}, fmt.Errorf("%q is no place: want a JSON pointer such as /actions/0/result, or request:/state", text)
	}
	segments, err := parsePlace(pointer)
	if err != nil {
		return Rule{}, err
	}
	return Rule{request: request, segments: segments}, nil
}

// parsePlace splits a pointer in which a `*` stands for any one segment. The
// segments stay escaped.
func parsePlace(pointer string) ([]string, error) {
	switch {
	case len(pointer) > maxRule:
		return nil, fmt.Errorf("%q… is no place: longer than %d bytes", strings.ToValidUTF8(pointer[:40], ""), maxRule)
	case !strings.HasPrefix(pointer, "/"):
		return nil, fmt.Errorf("%q is no place: must begin with a slash", pointer)
	case !utf8.ValidString(pointer):
		return nil, fmt.Errorf("%q is no place: want UTF-8", pointer)
	}
	for _, after := range strings.Split(pointer, "~")[1:] {
		if !strings.HasPrefix(after, "0") && !strings.HasPrefix(after, "1") {
			return nil, fmt.Errorf("%q is no place: write ~0 for a ~ in a name, and ~1 for a /", pointer)
		}
	}
	return strings.Split(pointer[1:], "/"), nil
}

// String returns the rule as it was written.
func (r Rule) String() string {
	s := "/" + strings.Join(r.segments, "/")
	if r.request {
		return inRequest + s
	}
	return s
}

// covers reports whether a pointer is a place of the rule or below one, and the
// pointer of that place.
func (r Rule) covers(pointer string) (place string, ok bool) {
	end := 0
	for _, want := range r.segments {
		if end == len(pointer) {
			return "", false
		}
		next := end + 1 + len(pointer[end+1:])
		if i := strings.IndexByte(pointer[end+1:], '/'); i >= 0 {
			next = end + 1 + i
		}
		if want != "*" && want != pointer[end+1:next] {
			return "", false
		}
		end = next
	}
	return pointer[:end], true
}

// each calls found with each place of the rule that is there in v.
func (r Rule) each(v jsontext.Value, found func(pointer string)) {
	r.below(v, "", 0, found)
}

func (r Rule) below(v jsontext.Value, at string, i int, found func(pointer string)) {
	if i == len(r.segments) {
		found(at)
		return
	}
	want := r.segments[i]
	if want != "*" {
		if next, ok := jsonv.Get(v, "/"+want); ok {
			r.below(next, at+"/"+want, i+1, found)
		}
		return
	}
	eachBelow(v, func(key string, next jsontext.Value) {
		r.below(next, at+"/"+key, i+1, found)
	})
}

// eachBelow calls found with the key, as a pointer spells it, and the value of
// each member or element.
func eachBelow(v jsontext.Value, found func(key string, v jsontext.Value)) {
	switch jsonv.Kind(v) {
	case '{':
		for _, m := range jsonv.SoundMembers(v) {
			found(jsonv.Escape(m.Name), m.Value)
		}
	case '[':
		for i, item := range jsonv.SoundElements(v) {
			found(strconv.Itoa(i), item)
		}
	}
}

// Place is one place where two bodies differ: its pointer, and what stands there
// in the one and in the other, nil for nothing.
type Place struct {
	Pointer string
	A, B    jsontext.Value
}

// Rules let places differ, and note what each rule was good for. They are one
// grammar and one application of it, for whoever compares: [Diff], and a replay
// against a worker. A nil Rules lets nothing differ. It is safe for concurrent use,
// and the order in which things are compared changes nothing.
type Rules struct {
	mu       sync.Mutex
	list     []*tracked
	answers  drift
	requests drift
}

// ParseRules reads rules. The error is that of the first bad one.
func ParseRules(texts []string) (*Rules, error) {
	r := &Rules{}
	for _, text := range texts {
		rule, err := ParseRule(text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(r.list, func(t *tracked) bool { return slices.Equal(t.segments, rule.segments) && t.request == rule.request }) {
			return nil, fmt.Errorf("%s is given twice", text)
		}
		r.list = append(r.list, &tracked{Rule: rule, there: map[string]bool{}})
	}
	return r, nil
}

// maxPlaces bounds the places that one comparison hands out.
const maxPlaces = 1000

// Answers compares two answers and returns the places, at most 1000, where they
// differ and no rule lets them: none when they agree but for the rules. Both are
// to be read by what they mean, see [Meaning].
func (r *Rules) Answers(a, b jsontext.Value) []Place {
	if r == nil {
		return (&Rules{}).compare(nil, false, a, b)
	}
	return r.compare(&r.answers, false, a, b)
}

// Requests compares two requests as [Rules.Answers] compares answers, by the
// rules for requests.
func (r *Rules) Requests(a, b jsontext.Value) []Place {
	if r == nil {
		return (&Rules{}).compare(nil, true, a, b)
	}
	return r.compare(&r.requests, true, a, b)
}

func (r *Rules) compare(seen *drift, request bool, a, b jsontext.Value) []Place {
	r.mu.Lock()
	defer r.mu.Unlock()
	var mine []*tracked
	for _, t := range r.list {
		if t.request == request {
			mine = append(mine, t)
		}
	}
	if len(mine) > 0 {
		for _, v := range []jsontext.Value{a, b} {
			if jsonv.Valid(v, jsonv.Deepest) != nil {
				continue
			}
			seen.shape(v)
			for _, t := range mine {
				t.each(v, t.saw)
			}
		}
	}
	var left []Place
	for p := range jsonv.Places(b, a) {
		covered := false
		for _, t := range mine {
			if _, ok := t.covers(p.Pointer); ok {
				covered, t.used = true, true
			}
		}
		if len(mine) > 0 {
			seen.add(p)
		}
		if !covered {
			left = append(left, Place{Pointer: p.Pointer, A: p.Want, B: p.Got})
			if len(left) == maxPlaces {
				break
			}
		}
	}
	return left
}

// tracked is a rule with what it was good for.
type tracked struct {
	Rule
	// used says that something differed where it covers.
	used bool
	// there are the places of the rule that the bodies have, and full that they
	// are not all.
	there map[string]bool
	full  bool
}

// maxTracked bounds the places that are held of one rule.
const maxTracked = 4096

func (t *tracked) saw(pointer string) {
	if len(t.there) == maxTracked && !t.there[pointer] {
		t.full = true
		return
	}
	t.there[pointer] = true
}

// RuleError says why a rule is not to be given: it is good for nothing, or lets
// more differ than does.
type RuleError struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
	// Instead are narrower rules that would do, none where it is best left out.
	Instead []string `json:"instead,omitzero"`
}

// Error returns the rule and the reason.
func (e *RuleError) Error() string { return e.Rule + ": " + e.Reason }

// Check says, once everything has been compared, which rules are not to be
// given, in their order: those where nothing differed, and those for answers
// that cover more than what differed, over all comparisons. How wide a rule for
// requests is does not matter: what an answer says comes back in requests that
// follow, at places that depend on the conversation. It tells something only
// when all bodies were compared.
func (r *Rules) Check() []*RuleError {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []*RuleError
	for _, t := range r.list {
		e := &RuleError{Rule: t.String()}
		switch {
		case !t.used && len(t.there) == 0 && t.request:
			e.Reason = "no request has that place"
		case !t.used && len(t.there) == 0:
			e.Reason = "no answer has that place"
		case !t.used:
			e.Reason = "nothing differs there"
		case t.request || t.full || r.answers.full:
		default:
			e.Reason, e.Instead = r.answers.tooWide(t)
		}
		if e.Reason != "" {
			out = append(out, e)
		}
	}
	return out
}
