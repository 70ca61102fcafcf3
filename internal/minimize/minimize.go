package minimize

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/hallmarkdev/hallmark/scenarios"
)

// Test says whether a scenario fails for the reason that is looked for. An error
// ends the minimisation: it is not about the scenario. One that does not read, or
// fails for another reason, does not fail.
type Test func(t *scenarios.Tree) (bool, error)

// Kept are members of the document that are never taken out: what it is called,
// what it is about, and where it comes from.
var kept = []string{"scenario", "requirements", "refs", "steps"}

// Tree makes a scenario that fails smaller while test holds of it: turns first,
// then steps, calls and expectations, then what is in them, down to the length of
// texts. What speaks of something that was taken out goes with it. The result is
// what was reached where test returns an error, beside that error; t is not
// changed.
func Tree(t *scenarios.Tree, test Test) (*scenarios.Tree, error) {
	m := &minimizer{now: t.Clone(), test: test, known: map[string]bool{}}
	m.made, _ = labelsOf(t)
	for m.err == nil {
		before := string(m.now.YAML())
		m.pass()
		if string(m.now.YAML()) == before {
			break
		}
	}
	return m.now, m.err
}

// ErrStopped may be returned by a [Test] to end the minimisation with what was
// reached.
var ErrStopped = errors.New("stopped")

type minimizer struct {
	now  *scenarios.Tree
	test Test
	// known are the answers so far, by the text of the scenario.
	known map[string]bool
	// made are the labels of the calls that there were in the beginning.
	made map[string]bool
	err  error
}

// try asks of a candidate whether it fails, and goes on from it where it does.
func (m *minimizer) try(t *scenarios.Tree) bool {
	if m.err != nil {
		return false
	}
	mend(t, m.made)
	text := string(t.YAML())
	fails, known := m.known[text]
	if !known {
		if fails, m.err = m.test(t); m.err != nil {
			return false
		}
		m.known[text] = fails
	}
	if fails {
		m.now = t
	}
	return fails
}

// pass tries everything once, the coarse before the fine.
func (m *minimizer) pass() {
	m.turns()
	m.everyCheck()
	m.list([]string{"steps"})
	for _, key := range m.now.Keys {
		if !slices.Contains(kept, key) {
			next := m.now.Clone()
			next.Delete(key)
			m.try(next)
		}
	}
	m.everyCall()
	for i := 0; i < len(m.now.Items); i++ {
		if key := m.now.Keys[i]; !slices.Contains(kept[:3], key) {
			m.below([]int{i}, key)
		}
	}
}

// turns takes whole turns out: a user step with all up to the next.
func (m *minimizer) turns() {
	steps := m.now.Member("steps")
	if steps == nil {
		return
	}
	var turn []int
	n := -1
	for _, st := range steps.Items {
		if st.Member("user") != nil || n < 0 {
			n++
		}
		turn = append(turn, n)
	}
	whole := m.now
	ddmin(n+1, func(wanted []int) bool {
		next := whole.Clone()
		list := next.Member("steps")
		var items []*scenarios.Tree
		for i, st := range list.Items {
			if slices.Contains(wanted, turn[i]) {
				items = append(items, st)
			}
		}
		list.Items = items
		return m.try(next)
	})
}

// list takes items of a list of the document out.
func (m *minimizer) list(keys []string) {
	place, ok := find(m.now, keys)
	if ok {
		m.items(place)
	}
}

func find(t *scenarios.Tree, keys []string) (place []int, ok bool) {
	for _, key := range keys {
		i := slices.Index(t.Keys, key)
		if i < 0 {
			return nil, false
		}
		place, t = append(place, i), t.Items[i]
	}
	return place, true
}

// everyCall takes calls out, those of all model steps together.
func (m *minimizer) everyCall() {
	whole := m.now
	n := 0
	eachCall(whole, func(*scenarios.Tree) bool { n++; return true })
	ddmin(n, func(wanted []int) bool {
		next := whole.Clone()
		i := -1
		eachCall(next, func(*scenarios.Tree) bool { i++; return slices.Contains(wanted, i) })
		return m.try(next)
	})
}

// everyCheck takes expectations out, those of all steps and of the end together.
func (m *minimizer) everyCheck() {
	whole := m.now
	n := 0
	eachCheck(whole, func() bool { n++; return true })
	ddmin(n, func(wanted []int) bool {
		next := whole.Clone()
		i := -1
		eachCheck(next, func() bool { i++; return slices.Contains(wanted, i) })
		return m.try(next)
	})
}

// eachCheck goes through all expectations and keeps those that keep says.
func eachCheck(t *scenarios.Tree, keep func() bool) {
	in := func(of *scenarios.Tree, key string) {
		if checks := of.Member(key); checks != nil {
			checks.Items = slices.DeleteFunc(slices.Clone(checks.Items), func(*scenarios.Tree) bool { return !keep() })
		}
	}
	if steps := t.Member("steps"); steps != nil {
		for _, st := range steps.Items {
			in(st, "expect")
		}
	}
	in(t, "finally")
}

// eachCall goes through the calls of all model steps and keeps those that keep
// says.
func eachCall(t *scenarios.Tree, keep func(call *scenarios.Tree) bool) {
	steps := t.Member("steps")
	if steps == nil {
		return
	}
	for _, st := range steps.Items {
		if calls := st.Member("model").Member("calls"); calls != nil {
			calls.Items = slices.DeleteFunc(slices.Clone(calls.Items), func(c *scenarios.Tree) bool { return !keep(c) })
		}
	}
}

// at is the value at a place.
func at(t *scenarios.Tree, place []int) *scenarios.Tree {
	for _, i := range place {
		if i >= len(t.Items) {
			return nil
		}
		t = t.Items[i]
	}
	return t
}

// items takes items, or members, out of what is at a place.
func (m *minimizer) items(place []int) {
	whole := m.now
	target := at(whole, place)
	if target == nil || len(target.Items) == 0 {
		return
	}
	ddmin(len(target.Items), func(wanted []int) bool {
		next := whole.Clone()
		t := at(next, place)
		var items []*scenarios.Tree
		var keys []string
		for _, i := range wanted {
			items = append(items, t.Items[i])
			if t.Kind == scenarios.TreeObject {
				keys = append(keys, t.Keys[i])
			}
		}
		t.Items, t.Keys = items, keys
		return m.try(next)
	})
}

// below makes what is at a place smaller: first what it holds, then each of that.
func (m *minimizer) below(place []int, key string) {
	t := at(m.now, place)
	if t == nil || m.err != nil || key == "expect" || key == "finally" {
		// An expectation that wants less is another one.
		return
	}
	switch t.Kind {
	case scenarios.TreeText:
		m.text(place, key)
	case scenarios.TreeWord:
		m.word(place, key)
	default:
		m.items(place)
		// What is taken out may take more with it, so the list is looked at anew.
		for i := 0; ; i++ {
			t := at(m.now, place)
			if t == nil || i >= len(t.Items) {
				return
			}
			inner := key
			if t.Kind == scenarios.TreeObject {
				inner = t.Keys[i]
			}
			m.below(append(slices.Clone(place), i), inner)
		}
	}
}

// plainWords stand for words that do not matter.
var plainWords = map[string]string{"user": "Go.", "model": "done"}

// fixed are keys whose texts are words of the language or names.
var fixed = []string{"as", "tool", "call", "trigger", "do", "is", "answer", "session", "role", "name", "handler", "via", "stop", "until", "resume"}

// text makes a text shorter.
func (m *minimizer) text(place []int, key string) {
	if slices.Contains(fixed, key) {
		return
	}
	whole := at(m.now, place).Text
	set := func(text string) bool {
		if text == at(m.now, place).Text {
			return false
		}
		next := m.now.Clone()
		at(next, place).Text = text
		return m.try(next)
	}
	if word, ok := plainWords[key]; ok {
		if len(whole) > len(word) {
			set(word)
		}
		return
	}
	// A reference is a name, and no text.
	if strings.Contains(whole, "$") || set("") {
		return
	}
	runes := []rune(whole)
	if len(runes) > longText {
		return
	}
	ddmin(len(runes), func(wanted []int) bool {
		short := make([]rune, len(wanted))
		for i, w := range wanted {
			short[i] = runes[w]
		}
		return set(string(short))
	})
}

// longText is the longest text whose letters are taken out one by one.
const longText = 400

// word makes a repetition shorter; other numbers, true and false stay.
func (m *minimizer) word(place []int, key string) {
	if key != "times" {
		return
	}
	set := func(n int) bool {
		next := m.now.Clone()
		at(next, place).Text = strconv.Itoa(n)
		return m.try(next)
	}
	n, err := strconv.Atoi(at(m.now, place).Text)
	if err != nil || n < 2 || set(1) {
		return
	}
	// The fewest that fail lie between one too few and one that is enough.
	for low, high := 1, n; high-low > 1; {
		middle := low + (high-low)/2
		if set(middle) {
			high = middle
		} else {
			low = middle
		}
	}
}
