package judge

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

func retryChecks() []check {
	const moment = "no call was delivered again after an answer that reads"
	return []check{
		{id: "retry.survives-redelivery", moment: moment, see: seeAgain},
		{id: "retry.answers-alike", moment: "no call was settled in the answers to two deliveries of one decision"},
	}
}

// maxTold bounds the decisions of one session whose answer is kept. One is live
// at a time, and few wait for their retry (G1).
const maxTold = 64

// maxToldSettles bounds the settles of one answer that are kept.
const maxToldSettles = 16

// changing is a part of a text that may well be another the next time: a time, a
// date, a count, an id. Whatever holds a digit may be one. Without a calm run
// beside it nobody can tell what such a part means (R6).
var changing = regexp.MustCompile(`[\pL\pN_:.,+\-/]*\pN[\pL\pN_:.,+\-/]*`)

// wordsOf is a text without what may well change.
func wordsOf(text string) string { return changing.ReplaceAllString(text, "…") }

// told is the first answer to a decision that a session was given.
type told struct {
	decision string
	// n orders deliveries by their requests, until says which of them were
	// sent before this one's answer came; d names the exchange.
	n, until int
	d        string
	settles  []toldSettle
}

// toldSettle is what is kept of a settle: its words by their sum, and its text
// by its beginning.
type toldSettle struct {
	call    string
	kind    string
	words   [sha256.Size]byte
	text    string
	pointer string
}

// The kinds of settles that a redelivery may not turn one into another.
const (
	kindResult  = "a result"
	kindFlagged = "a flagged result"
	kindError   = "an error"
)

// disturbedAnswers are the disturbances that change when, whether or how often
// an engine gets an answer, and not the answer itself: the worker answered what
// an engine may ask at any time.
var disturbedAnswers = []string{"lose-answer", "repeat", "overlap", "late", "slow", "restart"}

// answersItself reports whether all that was done to a delivery leaves the
// answer to be the worker's own.
func (w *wired) answersItself() bool {
	return !slices.ContainsFunc(w.Disturbed, func(d *spec.DisturbEvent) bool {
		return !slices.Contains(disturbedAnswers, d.Do)
	})
}

// seeAgain holds the answer against that to another delivery of the same
// decision (D5). Only answers that an engine could take are compared.
func seeAgain(x *exchange) {
	if !x.stopped && x.accepted && !x.submitted {
		x.compare()
	}
}

// compareDisturbed compares an answer that is judged by nothing else, since we
// disturbed its delivery. It climbs beside the session to learn whether it
// reads; that the engine gave the delivery up is our doing.
func (x *exchange) compareDisturbed() {
	if !x.answersItself() {
		return
	}
	aside := &exchange{wired: &wired{Exchange: x.Exchange}, judge: x.judge, state: &session{}, req: x.req}
	aside.climb()
	if aside.stopped || !aside.accepted {
		return
	}
	x.decision = aside.decision
	x.compare()
	x.judge.ledger.enter(x.notes)
}

// compare remembers the answer to a decision, or compares it with the one that
// is remembered. The earlier delivery is the one that was sent earlier; either
// may be answered first (D6).
func (x *exchange) compare() {
	now := x.told()
	x.now = now.settles
	decision := x.req.DecisionID
	if decision == "" {
		return
	}
	i := slices.IndexFunc(x.state.told, func(t told) bool { return t.decision == decision })
	if i < 0 {
		if len(x.state.told) == maxTold {
			x.state.told = slices.Delete(x.state.told, 0, 1)
		}
		x.state.told = append(x.state.told, now)
		return
	}
	earlier, later := x.state.told[i], now
	if now.n < earlier.n {
		earlier, later = now, earlier
	}
	_, execute := x.asked()
	if execute || len(earlier.settles) > 0 {
		x.alike(earlier, later)
	}
}

// alike says what two answers to one decision have in common. An error that
// becomes a result is no loss: the tool was tried again and did better. But of
// two deliveries that were open at once the engine takes the answer that comes
// first, so there neither may fail alone. A call that was let go may be settled
// by the later answer.
func (x *exchange) alike(earlier, later told) {
	const (
		survives = "retry.survives-redelivery"
		alike    = "retry.answers-alike"
	)
	hint := "remember the answer by decision_id and give it again; run nothing twice"
	var held bool
	for _, was := range earlier.settles {
		i := slices.IndexFunc(later.settles, func(s toldSettle) bool { return s.call == was.call })
		if i < 0 && x.settledElsewhere(was.call) {
			continue
		}
		if i < 0 {
			x.brokeAt(later.d, survives, spec.Finding{
				Pointer: "/actions", Got: fmt.Sprintf("no settle of call %s, which the answer in %s settled by %s", quote(was.call), earlier.d, was.kind),
				Want: was.kind + ", as before", Hint: hint,
			})
			return
		}
		is := later.settles[i]
		if (was.kind == kindResult) != (is.kind == kindResult) {
			failed, at, other := is, later.d, earlier.d
			if is.kind == kindResult {
				failed, at, other = was, earlier.d, later.d
			}
			if is.kind != kindResult || earlier.until >= later.n {
				x.brokeAt(at, survives, spec.Finding{
					Pointer: failed.pointer, Got: failed.kind + ": " + failed.text,
					Want: fmt.Sprintf("%s, as in the answer to another delivery of the decision (%s)", kindResult, other), Hint: hint,
				})
				return
			}
		}
		if was.kind != is.kind || was.words != is.words {
			x.brokeAt(later.d, alike, spec.Finding{
				Pointer: is.pointer, Got: is.kind + ": " + is.text,
				Want: fmt.Sprintf("%s, as in %s: %s", was.kind, earlier.d, was.text), Hint: hint,
			})
			continue
		}
		held = true
	}
	x.held(survives)
	if held {
		x.held(alike)
	}
}

// settledElsewhere reports whether the engine has taken a settle of the call
// outside a decision: then no answer has to say it again.
func (x *exchange) settledElsewhere(call string) bool {
	return slices.ContainsFunc(x.state.late.taken, func(t tookSettle) bool { return t.outside && t.call == call })
}

// brokeAt notes a finding in another delivery of the decision, which may have
// been answered before.
func (x *exchange) brokeAt(d, id string, f spec.Finding) {
	x.broke(id, f)
	x.notes[len(x.notes)-1].finding.Exchange = d
}

// told is what is kept of the answer.
func (x *exchange) told() told {
	t := told{decision: x.req.DecisionID, n: x.N, until: x.until, d: x.D}
	for _, s := range x.settles() {
		if len(t.settles) == maxToldSettles {
			break
		}
		t.settles = append(t.settles, x.tell(s))
	}
	return t
}

// tell is what is kept of one settle.
func (x *exchange) tell(s settle) toldSettle {
	kept := toldSettle{call: s.call, kind: kindError, pointer: s.pointer("")}
	var text string
	if s.err != nil {
		text = s.err.Error
	} else {
		stored := toolcall.ReadResult(*s.result, keeper{})
		text, kept.kind = toolcall.Rendered(stored), kindResult
		if stored.IsError {
			kept.kind = kindFlagged
		}
	}
	kept.words, kept.text = sha256.Sum256([]byte(wordsOf(text))), quote(text)
	return kept
}
