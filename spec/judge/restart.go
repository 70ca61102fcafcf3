package judge

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// The requirements of a worker that was restarted.
const (
	keepsGoing = "restart.keeps-going"
	keepsWork  = "restart.keeps-its-work"
)

func restartChecks() []check {
	return []check{
		{
			id:     keepsGoing,
			moment: "no call that had run before the worker was restarted was made again after it in the same session",
			see:    seeRestarted,
		},
		{id: keepsWork, moment: "the worker was not restarted while it held a call"},
	}
}

// restarted takes in that the worker went down and came up again. A call that it
// held may be lost with the process: then that has a name of its own, which
// weighs less than to forget a call (R6). A settle that it cannot know to be
// taken may come again.
func (s *session) restarted() {
	for _, open := range [][]openCall{s.calls, s.models} {
		for i := range open {
			open[i].id, open[i].carried = keepsWork, true
			open[i].place.Requirement = keepsWork
		}
	}
	s.late.refused = nil
}

// lost is the finding about a call that went down with the worker.
func (c openCall) lost(f spec.Finding) note {
	f.Got = "the worker was restarted while it held the call; " + f.Got
	f.Hint = "write down what was let go before the empty decision goes out, and go on with it when the process starts"
	return note{id: c.id, n: c.n, finding: &f}
}

// proven is a call that ended in a plain result before the worker was
// restarted.
type proven struct {
	name      string
	arguments jsontext.Value
	// d names the exchange, life counts the restarts before it.
	d    string
	life int
}

// maxProven bounds the calls of one session that are kept.
const maxProven = 64

// seeRestarted holds the answer to a call against that to an equal one which ran
// in the same session before a restart. Only its kind is compared: a text may
// have its reasons to differ.
func seeRestarted(x *exchange) {
	t, ok := x.asked()
	if !ok || x.stopped || !x.accepted || x.dropped() || t.Input.Status != spec.InputValid {
		return
	}
	i := slices.IndexFunc(x.settles(), func(s settle) bool { return s.call == t.ID })
	if i < 0 {
		return
	}
	now := x.settles()[i]
	life := x.judge.restarts
	before := slices.IndexFunc(x.state.proven, func(p proven) bool {
		return p.life < life && p.name == t.Name && jsonv.Equal(p.arguments, t.Input.Value)
	})
	plain := x.plain(now)
	switch {
	case before >= 0 && plain:
		x.held(keepsGoing)
	case before >= 0:
		x.broke(keepsGoing, spec.Finding{
			Pointer: now.pointer(""), Got: "after a restart of the worker: " + x.said(now),
			Want: fmt.Sprintf("a result, as the same call gave before the restart (%s)", x.state.proven[before].d),
			Hint: "take tools, state and messages from the request, and keep nothing by session in memory alone",
		})
	}
	if plain && len(x.state.proven) < maxProven {
		x.state.proven = append(x.state.proven, proven{name: t.Name, arguments: t.Input.Value.Clone(), d: x.D, life: life})
	}
}

// said is a settle in a word and its text.
func (x *exchange) said(s settle) string {
	told := x.tell(s)
	return told.kind + ": " + told.text
}
