package judge

import (
	"fmt"

	"github.com/hallmarkdev/hallmark/spec"
)

// The requirements on signatures (D10, wire 1).
const (
	acceptsValid   = "signature.accepts-valid"
	coversBytes    = "signature.covers-the-bytes"
	refusesForged  = "signature.refuses-forged"
	refusesChanged = "signature.refuses-changed-body"
	refusesMissing = "signature.refuses-unsigned"
	refusesBy401   = "signature.refuses-with-401"
	checksFirst    = "signature.checks-first"
)

// signatureChecks stand below the checks of the status: a worker that does not
// take a right signature has no other fault.
func signatureChecks() []check {
	const sent = "no request was sent "
	return []check{
		{id: acceptsValid, moment: "no request with a right signature was answered", see: seeSigned},
		{id: coversBytes, moment: sent + "with a right signature that a second encoder would write otherwise"},
		{id: refusesForged, moment: sent + "with a made-up signature", sum: sumForgeries},
		{id: refusesChanged, moment: sent + "whose body was changed after it was signed"},
		{id: refusesMissing, moment: sent + "without a signature on purpose"},
		{id: refusesBy401, moment: "no request was refused for its signature"},
		{id: checksFirst, moment: "no call was forged ahead of the real one", sum: sumChecksFirst},
	}
}

// unsigned says why a requirement on signatures does not apply to a recording,
// "" when it may.
func (j *Judge) unsigned(r spec.Requirement) string {
	if r.Area() != "signature" || j.signs() {
		return ""
	}
	return "requests are not signed: name the variable that holds the secret by --secret-env, or secret_env in hallmark.yaml"
}

// seeSigned looks at a request with a right signature: the worker may not turn
// it away for that.
func seeSigned(x *exchange) {
	if x.Request.Signature != spec.SignatureValid || !x.judge.signs() {
		return
	}
	j := x.judge
	tells := respelled(x.RequestBody)
	if status := x.Response.Status; status != 401 && status != 403 {
		x.held(acceptsValid)
		if tells {
			x.held(coversBytes)
		}
		j.forgeries.trusted = true
		return
	}
	f := spec.Finding{
		Got: fmt.Sprintf("status %d", x.Response.Status), Want: "a decision, since the signature is right",
		Hint: "is the worker's secret the one of the run, and is the header sha256= and the hex of the HMAC over the raw body?",
	}
	if len(x.ResponseBody) > 0 {
		f.Got += ", " + first(x.ResponseBody)
	}
	if !j.forgeries.trusted {
		x.broke(acceptsValid, f)
		return
	}
	// The worker has the secret, since it took other requests.
	f.Hint = "compute the HMAC over the bytes as they were received, before they are parsed or decoded; text that is put together from pieces or encoded anew is not those bytes"
	x.broke(coversBytes, f)
}

// respelled reports whether a body holds what common encoders write in another
// way than an engine: letters beyond ASCII, or signs that some escape.
func respelled(body []byte) bool {
	for _, b := range body {
		if b >= 0x80 || b == '<' || b == '>' || b == '&' {
			return true
		}
	}
	return false
}

// badlySigned reports whether a request was signed in another way than an
// engine signs it.
func (j *Judge) badlySigned(w *wired) bool {
	if !j.signs() {
		return false
	}
	switch w.Request.SignatureKind() {
	case "", spec.SignatureValid, spec.SignatureUnchecked:
		return false
	}
	return true
}

// forgeries is what a recording shows of requests that are badly signed.
type forgeries struct {
	// trusted says that some request with a right signature was not turned away.
	trusted bool
	// took says what decisions were given to rightly signed requests, by trigger.
	took map[spec.TriggerType]taken
	seen []forgery
}

// taken is what some rightly signed request with a trigger was answered with: a
// decision at all, one that is not empty, one with a plain result.
type taken struct{ any, full, result bool }

// forgery is one badly signed request and what it was answered with.
type forgery struct {
	// place and n say where it is; kind is how it is signed.
	place   spec.Finding
	n       int
	kind    string
	trigger spec.TriggerType
	// status is that of the response, 0 for none, and answered tells it.
	status   int
	answered string
	// decided says that the answer is a decision; empty that it holds nothing,
	// failed that all it does is to settle calls by errors.
	decided, empty, failed bool
}

// maxForgeries bounds those that are kept of one recording.
const maxForgeries = 1000

// forged takes a badly signed request. It is no moment of any other
// requirement: what it asks for, nobody should do.
func (j *Judge) forged(s *session, w *wired) {
	x, ok := j.open(s, w)
	if !ok || w.Response.End == spec.EndTimeout && closedByUs(w.Response.Reason) {
		return
	}
	s.before(x)
	f := forgery{
		place: x.place("", spec.Finding{}), n: x.N, kind: w.Request.SignatureKind(), trigger: x.trigger(),
		status: w.Response.Status, answered: x.answered(),
	}
	if d, failure := w.Decided(); failure == nil {
		x.decision = *d
		f.decided, f.empty = true, d.IsEmpty() && !x.echoesNothing()
		settles := x.settles()
		f.failed = len(settles) > 0 && len(settles) == len(d.Actions)
		for _, settle := range settles {
			f.failed = f.failed && settle.err != nil
			s.drop(settle.call)
		}
	}
	if len(j.forgeries.seen) < maxForgeries {
		j.forgeries.seen = append(j.forgeries.seen, f)
	}
	if t, ok := x.asked(); ok && w.Request.Ahead && !f.decided {
		s.tale(t.ID).forged = x.D
	}
}

// echoesNothing reports whether an empty answer is no more than the engine's
// proposal handed back: then it tells that the worker went along.
func (x *exchange) echoesNothing() bool {
	switch x.trigger() {
	case spec.OnSessionStart, spec.OnToolExecute:
		return false
	}
	return x.req.Proposed.IsEmpty()
}

// took notes what a rightly signed request was answered with.
func (j *Judge) took(x *exchange) {
	if x.Request.Signature != spec.SignatureValid {
		return
	}
	if j.forgeries.took == nil {
		j.forgeries.took = map[spec.TriggerType]taken{}
	}
	t := j.forgeries.took[x.trigger()]
	t.any = true
	t.full = t.full || !x.decision.IsEmpty()
	for _, s := range x.settles() {
		t.result = t.result || x.plain(s)
	}
	j.forgeries.took[x.trigger()] = t
}

// refusesID is the requirement that a kind of signature is about, "" for
// spellings of the right code: the protocol leaves those free.
func refusesID(kind string) string {
	switch kind {
	case spec.SignatureAbsent:
		return refusesMissing
	case spec.SignatureChangedBody:
		return refusesChanged
	case spec.SignatureBareHex, spec.SignatureUpperHex:
		return ""
	}
	return refusesForged
}

// sumForgeries weighs the answers to badly signed requests by their meaning. An
// empty decision, or one that only fails calls, turns a request away where the
// rightly signed one is answered with more; and a refusal proves something only
// where the rightly signed one is taken (R11).
func sumForgeries(j *Judge, l *ledger) {
	for _, f := range j.forgeries.seen {
		id := refusesID(f.kind)
		took := j.forgeries.took[f.trigger]
		acted := f.decided && !(f.empty && took.full) && !(f.failed && took.result)
		switch {
		case acted && id != "":
			found := f.place
			found.Requirement, found.Got = id, "a decision: "+f.answered
			found.Want = "status 401 and nothing done, since the signature is " + signatureWords(f.kind)
			found.Hint = "check the signature before anything else, whatever the trigger is"
			l.enter([]note{{id: id, n: f.n, finding: &found}})
		case acted:
		case !took.any:
			if id != "" {
				l.because(id, "no rightly signed "+string(f.trigger)+" was taken, so a refusal proves nothing")
			}
		default:
			if id != "" {
				l.enter([]note{{id: id, n: f.n}})
			}
			l.enter([]note{f.manner()})
		}
	}
}

// signatureWords say what is wrong with a kind of signature.
func signatureWords(kind string) string {
	switch kind {
	case spec.SignatureAbsent:
		return "missing"
	case spec.SignatureOtherSecret:
		return "made with another secret"
	case spec.SignatureChangedBody:
		return "that of another body"
	case spec.SignatureForged:
		return "made up"
	}
	return "wrong"
}

// manner weighs in which way a request was refused.
func (f forgery) manner() note {
	if f.status == 401 {
		return note{id: refusesBy401, n: f.n}
	}
	found := f.place
	found.Requirement, found.Got, found.Want = refusesBy401, f.answered, "status 401"
	found.Hint = "answer 401 before the body is parsed: it tells whoever set the secret what is wrong"
	return note{id: refusesBy401, n: f.n, finding: &found}
}

// answered words what came back: the status and the beginning of the body.
func (x *exchange) answered() string {
	r := x.Response
	switch {
	case r.Status == 0:
		return "no response: " + r.Reason
	case len(x.ResponseBody) == 0:
		return fmt.Sprintf("status %d without a body", r.Status)
	}
	return fmt.Sprintf("status %d, %s", r.Status, first(x.ResponseBody))
}
