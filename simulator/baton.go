package simulator

import (
	"sync"

	"github.com/hallmarkdev/hallmark/scenarios"
)

// baton keeps the steps of one script in the order written where several
// sessions act in it: a step acts when all before it have acted, were passed
// over, or belong to a session that has ended. The nil baton is that of a
// session that acts alone. It is safe for concurrent use.
type baton struct {
	mu sync.Mutex
	// next is the step whose turn it is.
	next int
	// of says to which part of the stage each step belongs.
	of   []int
	gone []bool
	// nudges wake the parts.
	nudges []chan struct{}
	// turns are the rounds that the parts take part in, places theirs in them;
	// nil where there are none.
	turns  *rounds
	places map[int]int
}

// own are the steps of one part, with their places in the whole script.
func (b *baton) own(steps []scenarios.Step, part int) (own []scenarios.Step, numbers []int) {
	for i, of := range b.of {
		if of == part {
			own, numbers = append(own, steps[i]), append(numbers, i)
		}
	}
	return own, numbers
}

// has reports whether it is the turn of a step.
func (b *baton) has(step int) bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.next >= step
}

// due is the step whose turn it is.
func (b *baton) due() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.next
}

// acted passes the baton on.
func (b *baton) acted(step int) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next = max(b.next, step+1)
	b.pass()
}

// leave says that a part has ended and acts in no step any more.
func (b *baton) leave(part int) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone[part] = true
	b.pass()
}

// pass skips the steps of those who left and wakes everybody.
func (b *baton) pass() {
	for b.next < len(b.of) && b.gone[b.of[b.next]] {
		b.next++
	}
	for part, nudge := range b.nudges {
		b.turns.nudge(b.places[part], nudge)
	}
}

// rounds says that a part takes part in rounds.
func (b *baton) rounds(r *rounds, part, place int) {
	b.turns = r
	if b.places == nil {
		b.places = map[int]int{}
	}
	b.places[part] = place
}
