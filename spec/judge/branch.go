package judge

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

const (
	staysOnBranch = "state.stays-on-its-branch"
	nothing       = "nothing"
)

func stateChecks() []check {
	return []check{{
		id: staysOnBranch, see: seeBranch, sum: sumBranches,
		moment: "no state was written on a branch and in sessions that never had another",
	}}
}

// written is what one answer wrote, where the worker was shown what key says.
type written struct {
	key     [sha256.Size]byte
	session string
	n       int
	// forked says that the conversation has branches that are not the active one.
	forked       bool
	state, agent jsontext.Value
	place        spec.Finding
}

// The bounds of what is kept to be compared. Only scripts of several sessions
// are, so an ordinary recording keeps nothing.
const (
	maxWritten      = 2000
	maxWrittenBytes = 4 << 20
	// fewestControls is a session on the branch, one before it and one after.
	fewestControls = 3
)

// branches are the answers of a recording that may have to be compared.
type branches struct {
	all   []written
	bytes int
	// full says that some were left out.
	full bool
	// disturbed says that deliveries were disturbed, so that no session is like
	// another.
	disturbed bool
}

// seeBranch keeps what an answer wrote, with all that the worker was shown but
// for ids. The state in force is no part of that: the engine gives each branch
// its own (O3), and what a worker brings into it by itself is what is looked for.
func seeBranch(x *exchange) {
	j := x.judge
	if x.stopped || x.dropped() || x.trigger() == spec.OnSessionStart || len(j.aliases) < fewestControls || !j.ledger.entry(staysOnBranch).permitted {
		return
	}
	w := written{
		key: x.shown(), session: x.Session, n: x.N,
		forked: len(x.req.MessageTree.Nodes) > len(x.req.Messages),
		state:  x.decision.State.Clone(), place: x.place(staysOnBranch, spec.Finding{}),
	}
	if x.decision.Agent != nil {
		w.agent, _ = spec.Marshal(x.decision.Agent)
	}
	b := &j.branches
	size := len(w.state) + len(w.agent)
	if len(b.all) == maxWritten || b.bytes+size > maxWrittenBytes {
		b.full = true
		return
	}
	b.bytes += size
	b.all = append(b.all, w)
}

// sumBranches compares what was written on a branch with what the same worker
// wrote where the other branches had never been, once before and once after:
// what differs between those is the worker's clock or chance, and tells nothing
// (R6).
func sumBranches(j *Judge, l *ledger) {
	b := &j.branches
	if b.disturbed {
		l.because(staysOnBranch, "deliveries were disturbed, so no two sessions are alike")
		return
	}
	if b.full {
		l.because(staysOnBranch, "the sessions wrote more than is compared")
	}
	for _, w := range b.all {
		if !w.forked {
			continue
		}
		var controls []written
		before, after := false, false
		for _, c := range b.all {
			if c.forked || c.key != w.key || c.session == w.session {
				continue
			}
			controls = append(controls, c)
			before, after = before || c.n < w.n, after || c.n > w.n
		}
		if !before || !after {
			continue
		}
		l.enter(w.compare("state", func(w written) jsontext.Value { return w.state }, controls))
		l.enter(w.compare("agent", func(w written) jsontext.Value { return w.agent }, controls))
	}
}

// compare notes whether a member of an answer is what the controls wrote, as
// far as they agree. Where nobody wrote anything there is nothing to note.
func (w written) compare(member string, of func(written) jsontext.Value, controls []written) []note {
	wants := make([][]leaf, len(controls))
	for i, c := range controls {
		wants[i] = leaves(of(c))
		if (of(c) == nil) != (of(controls[0]) == nil) {
			return nil
		}
	}
	got := leaves(of(w))
	broke := func(pointer, got, want string) []note {
		f := w.place
		f.Pointer, f.Got = "/"+member+pointer, got
		f.Want = want + ", as in the sessions that never had the other branch"
		f.Hint = "start from the state of the request: it is that of the branch; memory by session_id knows no branches"
		return []note{{id: staysOnBranch, n: w.n, finding: &f}}
	}
	steady, held := true, false
	for _, want := range wants[0] {
		if !everywhere(want, wants) {
			steady = false
			continue
		}
		held = true
		if i := slices.IndexFunc(got, func(l leaf) bool { return l.pointer == want.pointer }); i < 0 {
			return broke(want.pointer, nothing, show(want.value))
		} else if !got[i].equal(want) {
			return broke(want.pointer, show(got[i].value), show(want.value))
		}
	}
	for _, other := range wants[1:] {
		steady = steady && len(other) == len(wants[0])
	}
	if !steady {
		got = nil
	}
	for _, l := range got {
		if !among(l, wants[0]) {
			return broke(l.pointer, show(l.value), nothing)
		}
	}
	if !held {
		return nil
	}
	return []note{{id: staysOnBranch, n: w.n}}
}

func everywhere(l leaf, in [][]leaf) bool {
	return !slices.ContainsFunc(in, func(one []leaf) bool { return !among(l, one) })
}

func among(l leaf, all []leaf) bool { return slices.ContainsFunc(all, l.equal) }

// leaf is a scalar, or an empty list or object, with its place.
type leaf struct {
	pointer string
	value   jsontext.Value
}

// equal compares by meaning: 1.0 is 1.
func (l leaf) equal(o leaf) bool {
	return l.pointer == o.pointer && jsonv.Equal(l.value, o.value)
}

// maxLeaves bounds the places of one value that are compared.
const maxLeaves = 1000

func leaves(v jsontext.Value) []leaf {
	var all []leaf
	var walk func(pointer string, v jsontext.Value)
	walk = func(pointer string, v jsontext.Value) {
		if len(all) >= maxLeaves {
			return
		}
		members, err := jsonv.Members(v)
		if err == nil && len(members) > 0 {
			for _, m := range members {
				walk(pointer+"/"+jsonv.Escape(m.Name), m.Value)
			}
			return
		}
		items, err := jsonv.Elements(v)
		if err == nil && len(items) > 0 {
			for i, item := range items {
				walk(fmt.Sprintf("%s/%d", pointer, i), item)
			}
			return
		}
		all = append(all, leaf{pointer, v})
	}
	if v != nil {
		walk("", v)
	}
	return all
}
