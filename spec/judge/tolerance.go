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
	if adds == spec.AddsFields {
		return j.takesFields(x, w.Response.Status)
	}
	if _, failure := w.Decided(); failure != nil {
		x.broke(answersUnknownly, spec.Finding{
			Got: x.answered(), Want: "a decision: proposed as it came, or {}",
			Hint: "return proposed for every trigger that is not handled",
		})
	} else {
		x.held(answersUnknownly)
	}
	j.ledger.enter(x.notes)
	return false
}

// takesFields judges whether a request with fields too many was refused for
// them. One that was not is a delivery like any other: what is wrong with its
// answer is not the fault of the fields.
func (j *Judge) takesFields(x *exchange, status int) (more bool) {
	refused := status < 200 || status > 299
	switch {
	case status == 0:
		return true
	case refused:
		x.broke(toleratesFields, spec.Finding{
			Got: x.answered(), Want: "a decision, as for the same request without those fields",
			Hint: "read what is known and pass over the rest: a later engine sends more",
		})
	default:
		x.held(toleratesFields)
	}
	j.ledger.enter(x.notes)
	return !refused
}
