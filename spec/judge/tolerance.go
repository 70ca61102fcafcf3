package judge

import "github.com/hallmarkdev/hallmark/spec"

// The requirements on what a later protocol may send (gaps 13 and 14, D14).
const (
	toleratesFields  = "robustness.tolerates-unknown-fields"
	answersUnknownly = "robustness.answers-unknown-triggers"
)

func toleranceChecks() []check {
	return []check{
		{id: toleratesFields, moment: "no request was sent with fields that no protocol has"},
		{id: answersUnknownly, moment: "no request was sent with a trigger that no protocol has"},
	}
}

// tolerates judges the answer to a request that holds more than the protocol has,
// and reports whether there is more to be seen in it.
func (j *Judge) tolerates(s *session, w *wired) bool {
	adds := w.Request.Adds()
	if adds == "" {
		return true
	}
	x, ok := j.open(s, w)
	if !ok || w.Response.End == spec.EndTimeout && closedByUs(w.Response.Reason) {
		return false
	}
	id, found := toleratesFields, spec.Finding{
		Want: "a decision, as for the same request without those fields",
		Hint: "read what is known and pass over the rest: a later engine sends more",
	}
	if adds == spec.AddsTrigger {
		id, found = answersUnknownly, spec.Finding{
			Want: "a decision: proposed as it came, or {}",
			Hint: "return proposed for every trigger that is not handled",
		}
	}
	if _, failure := w.Decided(); failure != nil {
		found.Got = x.answered()
		x.broke(id, found)
	} else {
		x.held(id)
	}
	j.ledger.enter(x.notes)
	// With fields too many it is a delivery like any other, once it is taken.
	return adds == spec.AddsFields && x.notes[0].finding == nil
}
