package recorder

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// Class says what kind of thing varies at a place.
type Class string

// The classes, from what is harmless to what is not.
const (
	// ClassTime: a time that moves with the time of the request.
	ClassTime Class = "time"
	// ClassID: an id that is a fresh one in each answer.
	ClassID Class = "id"
	// ClassOrder: the same items in another order.
	ClassOrder Class = "order"
	// ClassRandom: a value that varies without any such form.
	ClassRandom Class = "random"
	// ClassWorker: an answer of another shape: a failure and a decision, a result
	// and an error, another number of items, a member that is not always there. The
	// worker itself is not steady, and no rule should hide that.
	ClassWorker Class = "worker"
)

// classes are the classes in that order.
var classes = []Class{ClassTime, ClassID, ClassOrder, ClassRandom, ClassWorker}

// worse is the one of two classes that is less harmless.
func worse(a, b Class) Class {
	return classes[max(slices.Index(classes, a), slices.Index(classes, b))]
}

// Told is one answer to a request that was sent several times.
type Told struct {
	// Answer is the decision by its meaning, see [Meaning]: a JSON object.
	Answer jsontext.Value
	// Failed says in words how the delivery failed; "" for a decision.
	Failed string
	// Now is when the request was sent, by the clock of the worker; the zero
	// time when that is not known.
	Now time.Time
}

// Unsteady is a place at which the answers to one request vary.
type Unsteady struct {
	// Pointer is the narrowest place, "" for the answer as a whole.
	Pointer string
	Class   Class
	// Examples are values that stood there, in the order in which they came:
	// different ones, and not all of many.
	Examples []string
	// Rule is the narrowest rule that lets it vary, "" where none should.
	Rule string
}

// Examples are few and short.
const (
	maxExamples  = 3
	exampleWidth = 100
)

// Vary compares the answers to one request that was sent several times, and says
// where they vary; none of them varies when it returns nothing. changed are the
// places where they all say the same, and the recorded answer, unless nil,
// another thing: the worker changed, and is steady. A is recorded there. A time
// that stands still only because all were sent at once varies all the same.
//
// Which values vary between runs of the same thing is found here as for runs of
// a case that is disturbed (R6), by [jsonv.Places]. What a disturbed run may do
// otherwise depends on how its session ended and not on the kind of value, so
// only a replay asks for that.
func Vary(recorded *Told, answers []Told) (unsteady []Unsteady, changed []Place) {
	var v varying
	unsteady, changed = v.vary(recorded, answers)
	d := drift{}
	for _, a := range answers {
		d.shape(a.Answer)
	}
	if recorded != nil {
		d.shape(recorded.Answer)
	}
	for _, u := range unsteady {
		if u.Class != ClassWorker {
			d.spot(u.Pointer, "", false)
		}
	}
	d.giveRules(unsteady)
	return unsteady, changed
}

// giveRules gives each place that may have one the rule that covers it.
func (d *drift) giveRules(unsteady []Unsteady) {
	rules := d.narrowest()
	for i, u := range unsteady {
		if u.Class != ClassWorker {
			unsteady[i].Rule = covering(rules, u.Pointer)
		}
	}
}

// covering is the first of the rules that covers a place, "" for none.
func covering(rules []Rule, pointer string) string {
	for _, r := range rules {
		if _, ok := r.covers(pointer); ok {
			return r.String()
		}
	}
	return ""
}

// narrowest are the narrowest rules for everything that differed.
func (d *drift) narrowest() []Rule {
	narrow := make([]string, 0, len(d.spots))
	for p := range d.spots {
		narrow = append(narrow, d.narrow(p))
	}
	texts := d.rules(narrow)
	out := make([]Rule, 0, len(texts))
	for _, text := range texts {
		if r, err := ParseRule(text); err == nil {
			out = append(out, r)
		}
	}
	return out
}

// varying finds where values vary.
type varying struct {
	// inText is how many texts of JSON are open.
	inText int
}

// vary is [Vary] without the rules.
func (v *varying) vary(recorded *Told, answers []Told) (unsteady []Unsteady, changed []Place) {
	if len(answers) == 0 {
		return nil, nil
	}
	decisions := slices.DeleteFunc(slices.Clone(answers), func(t Told) bool { return t.Failed != "" })
	if how := each(answers, func(t Told) string { return t.how() }); len(how) > 1 {
		unsteady = append(unsteady, Unsteady{Class: ClassWorker, Examples: how[:min(len(how), maxExamples)]})
	}
	for _, pointer := range spotsOf(decisions) {
		if at := v.shapeOf(pointer, decisions); at != "" {
			pointer = at
		}
		if !slices.ContainsFunc(unsteady, func(u Unsteady) bool { return u.Pointer == pointer }) {
			unsteady = append(unsteady, v.at(pointer, recorded, decisions))
		}
	}
	if recorded == nil || len(unsteady) > 0 && unsteady[0].Pointer == "" {
		return unsteady, nil
	}
	if recorded.Failed != answers[0].Failed {
		return unsteady, []Place{{A: jsonv.Quote(recorded.how()), B: jsonv.Quote(answers[0].how())}}
	}
	if recorded.Failed != "" {
		return unsteady, nil
	}
	all := append(slices.Clone(decisions), *recorded)
	for p := range jsonv.Places(answers[0].Answer, recorded.Answer) {
		if at := v.shapeOf(p.Pointer, all); at != "" {
			p.Pointer = at
			p.Got, _ = jsonv.Get(answers[0].Answer, at)
			p.Want, _ = jsonv.Get(recorded.Answer, at)
		}
		known := slices.ContainsFunc(unsteady, func(u Unsteady) bool {
			return p.Pointer == u.Pointer || strings.HasPrefix(p.Pointer, u.Pointer+"/")
		}) || slices.ContainsFunc(changed, func(c Place) bool { return c.Pointer == p.Pointer })
		switch {
		case known:
		case len(unsteady)+len(changed) == maxVarying:
			return unsteady, changed
		default:
			if v.follows(p.Pointer, all) {
				unsteady = append(unsteady, v.at(p.Pointer, recorded, decisions))
			} else {
				changed = append(changed, Place{Pointer: p.Pointer, A: p.Want, B: p.Got})
			}
		}
	}
	return unsteady, changed
}

func (t Told) how() string {
	if t.Failed == "" {
		return "a decision"
	}
	return t.Failed
}

// each are the different texts of the answers, in their order.
func each(answers []Told, of func(Told) string) (out []string) {
	for _, a := range answers {
		if s := of(a); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// maxVarying bounds the places of one answer that are told apart.
const maxVarying = 1000

// spotsOf are the places where answers vary: a list as a whole where it has
// another length, or nothing but another order.
func spotsOf(answers []Told) []string {
	var order []string
	status := map[string]bool{} // of a list: whether it is one place
	var pairs [][]jsonv.Place
	for _, a := range answers[min(1, len(answers)):] {
		var places []jsonv.Place
		for p := range jsonv.Places(a.Answer, answers[0].Answer) {
			if len(places) == maxVarying {
				break
			}
			places = append(places, p)
			for _, l := range p.Lists {
				status[l.Pointer] = true
			}
		}
		pairs = append(pairs, places)
	}
	// A list that is in another order once, and says another thing the next time,
	// is not in another order.
	for _, places := range pairs {
		for _, p := range places {
			for list := range status {
				if list != "" && !strings.HasPrefix(p.Pointer, list+"/") || p.Pointer == list {
					continue
				}
				if !slices.ContainsFunc(p.Lists, func(l jsonv.List) bool { return l.Pointer == list }) {
					status[list] = false
				}
			}
		}
	}
	for _, places := range pairs {
		for _, p := range places {
			at := p.Pointer
			for _, l := range p.Lists {
				if !l.Reordered || status[l.Pointer] {
					at = l.Pointer
					break
				}
			}
			if !slices.Contains(order, at) && len(order) < maxVarying {
				order = append(order, at)
			}
		}
	}
	// Of a list that is a place, what is below it is none of its own.
	return slices.DeleteFunc(slices.Clone(order), func(p string) bool {
		return slices.ContainsFunc(order, func(o string) bool { return strings.HasPrefix(p, o+"/") })
	})
}

// at says what varies at a place of decisions.
func (v *varying) at(pointer string, recorded *Told, decisions []Told) Unsteady {
	u := Unsteady{Pointer: pointer, Class: ClassWorker}
	values := samplesAt(pointer, decisions)
	u.Examples = each(decisions, func(t Told) string {
		value, _ := jsonv.Get(t.Answer, pointer)
		return jsonv.Short(value, exampleWidth)
	})
	u.Examples = u.Examples[:min(len(u.Examples), maxExamples)]
	if v.inText == 0 && (pointer == "" || slices.Contains(shapes, pointer[strings.LastIndexByte(pointer, '/')+1:]) && inAction(pointer)) {
		return u
	}
	if recorded != nil && recorded.Failed == "" {
		if was, ok := jsonv.Get(recorded.Answer, pointer); ok && kindOf(was) == kindOf(values[0].v) {
			if c := v.class(append(slices.Clone(values), sample{was, recorded.Now})); c == ClassTime || c == ClassID {
				u.Class = c
				return u
			}
		}
	}
	u.Class = v.class(values)
	return u
}

// follows reports whether a time stands at a place of all decisions, the recorded
// one included, that moved with the clock.
func (v *varying) follows(pointer string, all []Told) bool {
	return v.class(samplesAt(pointer, all)) == ClassTime
}

func samplesAt(pointer string, decisions []Told) []sample {
	out := make([]sample, len(decisions))
	for i, d := range decisions {
		out[i].v, _ = jsonv.Get(d.Answer, pointer)
		out[i].now = d.Now
	}
	return out
}

// shapes are the members of an action that say what kind of thing it is, and so
// are no mere values.
var shapes = []string{"type", "name", "is_error", "isError", "retryable", "role"}

// inAction reports whether a place is a member of an action, of a message, of a
// result or of a block, and not somewhere in a value of the worker's own.
func inAction(pointer string) bool {
	s := strings.Split(pointer, "/")
	if len(s) > 2 && !isIndex(s[2]) || len(s) > 5 && !isIndex(s[len(s)-2]) {
		return false
	}
	switch {
	case len(s) == 4 && (s[1] == "actions" || s[1] == "messages"):
		return true
	case len(s) == 5 && s[1] == "actions" && s[3] == "result":
		return true
	case len(s) == 6 && s[1] == "actions" && s[3] == "content":
		return true
	}
	return len(s) == 7 && s[1] == "actions" && s[3] == "result" && s[4] == "content"
}

func isIndex(segment string) bool {
	_, err := strconv.ParseUint(segment, 10, 31)
	return err == nil
}

// shapeOf is the place of a type beside pointer, or above it, in which decisions
// differ, "" for none: what else differs there follows from that.
func (v *varying) shapeOf(pointer string, decisions []Told) string {
	if v.inText > 0 {
		return ""
	}
	for i := 1; i < len(pointer); i++ {
		at := pointer[:i] + "/type"
		if pointer[i] != '/' || !inAction(at) {
			continue
		}
		if len(each(decisions, func(t Told) string {
			kind, _ := jsonv.Get(t.Answer, at)
			return string(kind)
		})) > 1 {
			return at
		}
	}
	return ""
}

// kindOf is the kind of a value, where true is of the kind of false.
func kindOf(v jsontext.Value) jsontext.Kind {
	if k := jsonv.Kind(v); k != 't' {
		return k
	}
	return 'f'
}
