package judge

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// outside judges what the worker sent to the settle endpoint.
func (s *session) outside(j *Judge, d *spec.InputEvent) {
	body, err := d.Body.Bytes()
	if err != nil || d.Status == 0 || d.Status >= 500 {
		return
	}
	switch kind, _ := jsonv.Text(textAt(body, "/type")); spec.ActionType(kind) {
	case spec.DoLlmResult, spec.DoLlmError:
		s.input(j, d)
		return
	}
	v := &outsideView{j: j, s: s, status: d.Status, reply: d.Reply, sum: sha256.Sum256(body)}
	v.read(body)
	if d.Status >= 300 {
		v.refusedSettle()
	} else {
		v.takenSettle()
	}
	j.ledger.enter(v.x.notes)
}

// outsideView is one settle at the endpoint.
type outsideView struct {
	j      *Judge
	s      *session
	status int
	reply  string
	// x stands for the exchange that asked for the call, with the settle for
	// its decision.
	x *exchange
	// settle is set when the body reads as one.
	settle *settle
	fault  *spec.Fault
	// asked are the deliveries of the call, attempt is the one that the settle
	// is of.
	asked   []handed
	attempt uint32
	told    toldSettle
	// sum is that of the whole body.
	sum [sha256.Size]byte
}

// read reads the body as the one action of a decision, which it is in form.
func (v *outsideView) read(body []byte) {
	v.x = v.j.latest(v.s)
	text := append(append([]byte(`{"actions":[`), body...), `]}`...)
	d, fault := spec.ParseDecision(text)
	if fault != nil || len(d.Actions) != 1 {
		v.fault = fault
		v.find(callOf(body))
		return
	}
	settles := (&exchange{req: v.x.req, decision: d, bare: true}).settles()
	if len(settles) == 0 {
		v.find(callOf(body))
		return
	}
	v.settle = &settles[0]
	v.find(v.settle.call)
	v.x.decision, v.x.bare = d, true
	if v.settle.attempt != nil {
		v.attempt = *v.settle.attempt
	}
	v.told = v.x.tell(*v.settle)
}

// atEndpoint begins the pointers into what was sent to the settle endpoint.
const atEndpoint = "settle:"

func callOf(body []byte) string {
	call, _ := jsonv.Text(textAt(body, "/id"))
	return call
}

// find looks up who asked for the call.
func (v *outsideView) find(call string) {
	v.asked = v.j.deliveries(v.s, call)
	if n := len(v.asked); n > 0 {
		x := *v.asked[n-1].x
		v.x, v.attempt = &x, v.asked[n-1].attempt
	}
}

// takenSettle judges a settle that the engine took: the call, the attempt, and
// what it holds, as in an answer (I4).
func (v *outsideView) takenSettle() {
	if v.settle == nil {
		return
	}
	v.x.held(asyncThrough)
	if len(v.asked) == 0 {
		// It ended a call that the worker was not asked to run here.
		return
	}
	v.x.held(asyncCall)
	if v.settle.attempt != nil {
		v.x.held(asyncAttempt)
	}
	v.naming()
	v.x.held(asyncOnce)
	v.s.late.taken = keep(v.s.late.taken, maxTaken, v.take())
	v.contents()
	c, open := v.s.drop(v.settle.call)
	if open {
		v.x.held(c.id)
	}
	if (open && c.twin || !open && v.x.isTwin()) && v.x.plain(*v.settle) {
		v.s.ran = true
	}
}

func (v *outsideView) take() tookSettle {
	return tookSettle{
		call: v.settle.call, attempt: v.attempt, kind: v.told.kind, words: v.told.words, n: v.j.wire.n, life: v.j.restarts,
		where: "the settle endpoint", outside: true,
		unnamed: v.settle.attempt == nil && v.triedAgain(),
	}
}

// triedAgain reports whether more than one attempt of the call was delivered.
func (v *outsideView) triedAgain() bool {
	return v.asked[0].attempt != v.asked[len(v.asked)-1].attempt
}

// naming wants the attempt named where there was more than one (H10).
func (v *outsideView) naming() {
	if !v.triedAgain() {
		return
	}
	if v.settle.attempt != nil {
		v.x.held(asyncNames)
		return
	}
	v.x.broke(asyncNames, spec.Finding{
		Pointer: atEndpoint + "/attempt", Got: fmt.Sprintf("no attempt, for a call that was tried as %d and as %d", v.asked[0].attempt, v.attempt),
		Want: "the attempt of the trigger that asked for it", Hint: "keep attempt with the job, and send it as it came",
	})
}

// contents judges the settle as if it stood in the answer to the trigger.
func (v *outsideView) contents() {
	v.x.accepted = true
	for _, see := range []func(*exchange){
		seeRetryable, seeUndeclared, seeResults, seeErrors, seeOutput, seePolicy, seeRestarted,
		adviseOnTexts,
	} {
		see(v.x)
	}
}

// refusedSettle says what is wrong with a settle that the engine refused, where
// anything is: one that only came too late is no fault of its own.
func (v *outsideView) refusedSettle() {
	v.givesUp()
	got := fmt.Sprintf("refused with %d", v.status)
	if v.reply != "" {
		got += ": " + quote(v.reply)
	}
	switch {
	case v.status == 409:
		v.conflict(got)
	case v.status == 404 && len(v.asked) == 0 && v.settle != nil:
		v.stranger(got)
	case v.form():
		v.excuse(v.call())
	default:
		v.x.broke(asyncThrough, spec.Finding{Pointer: atEndpoint, Got: got, Want: "a settle that the engine takes", Hint: hintOfRefusal(v.status)})
		v.excuse(v.call())
	}
}

// stranger names a settle of a call that the session does not know, and says so
// where it is one of another session.
func (v *outsideView) stranger(got string) {
	f := spec.Finding{
		Pointer: atEndpoint + "/id", Got: quote(v.settle.call) + ", " + got, Want: "the id of a call that the worker was asked to run in this session",
		Hint: "keep session_id, id and attempt of the trigger with the job",
	}
	for _, alias := range v.j.aliases {
		if s := v.j.sessions[alias]; len(v.j.deliveries(s, v.settle.call)) > 0 {
			f.Got += ", a call of the session " + alias
			s.excuse(v.settle.call)
			v.x.broke(asyncCall, f)
			return
		}
	}
	v.x.broke(asyncCall, f)
	v.excuse("")
}

// excuse keeps a call from being called unsettled too. A settle that names none
// is that of the call that has waited longest, of the asked one if none has been
// let go yet.
func (v *outsideView) excuse(call string) {
	if t, ok := v.x.asked(); call == "" && len(v.s.calls) > 0 {
		call = v.s.calls[0].call
	} else if call == "" && ok {
		call = t.ID
	}
	v.s.excuse(call)
}

// form gives faults in the form of a result their own name.
func (v *outsideView) form() bool {
	switch {
	case v.fault != nil && nameOfFault(v.fault) == "result.blocks-are-valid":
		v.x.broke("result.blocks-are-valid", spec.Finding{
			Pointer: atEndpoint + "/content", Got: v.fault.Message, Want: wantOfFault(v.fault),
		})
		return true
	case v.settle != nil && v.settle.result != nil && v.settle.result.Result != nil && v.settle.result.Content != nil:
		v.x.broke("result.one-form", spec.Finding{
			Pointer: atEndpoint, Got: "both result and content", Want: "result or content", Hint: "send content blocks inside result",
		})
		return true
	}
	return false
}

func hintOfRefusal(status int) string {
	switch status {
	case 401, 403:
		return "send Authorization: Bearer KEY with the API key of the engine that asked; --start passes it as HALLMARK_API_KEY"
	case 404, 405:
		return "POST to /api/machine/sessions/{session_id}/calls/settle, with the session of the request that asked for the call"
	}
	return `send {"type": "tool.result", "id": …, "attempt": …, "result": {…}}, or tool.error with error and retryable`
}

func (v *outsideView) call() string {
	if v.settle != nil {
		return v.settle.call
	}
	if len(v.asked) > 0 {
		return v.asked[0].call
	}
	return ""
}

// conflict judges a settle that the call's state refused (F4).
func (v *outsideView) conflict(got string) {
	if v.settle == nil || len(v.asked) == 0 {
		return
	}
	call := v.settle.call
	if !slices.ContainsFunc(v.asked, func(h handed) bool { return h.attempt == v.attempt }) {
		if v.endedElsewhere(call) {
			// The call had ended by somebody else's settle: no attempt would do.
			return
		}
		v.x.broke(asyncAttempt, spec.Finding{
			Pointer: atEndpoint + "/attempt", Got: fmt.Sprintf("%d, %s", v.attempt, got),
			Want: fmt.Sprintf("%d, the attempt that was asked for", v.asked[len(v.asked)-1].attempt),
			Hint: "the number is opaque: echo the trigger's",
		})
		v.s.excuse(call)
		return
	}
	if v.settle.attempt != nil {
		v.x.held(asyncAttempt)
	} else if v.triedAgain() {
		v.naming()
		return
	}
	i := slices.IndexFunc(v.s.late.taken, func(t tookSettle) bool { return t.call == call && t.attempt == v.attempt })
	if i < 0 || v.s.late.taken[i].unnamed {
		// Too late, or somebody else was first: it may be the settle of an
		// earlier attempt that did not name it.
		return
	}
	v.again(v.s.late.taken[i], v.told, atEndpoint, v.j.wire.n)
}

// endedElsewhere reports whether somebody else has settled a call.
func (v *outsideView) endedElsewhere(call string) bool {
	return slices.Contains(v.s.late.elsewhere, call)
}

// again judges a second settle of an attempt. A worker that is asked again after
// it has settled may tell again what it told; everything else is one settle too
// many.
func (v *outsideView) again(first tookSettle, now toldSettle, pointer string, n int) {
	v.x.again(first, now, pointer, v.asked, n)
}

func (x *exchange) again(first tookSettle, now toldSettle, pointer string, asked []handed, n int) {
	if first.life < x.judge.restarts {
		// The process went down between the two, and may not know of the first.
		return
	}
	var deliveries []handed
	for _, h := range asked {
		if h.attempt == first.attempt && h.n <= n {
			deliveries = append(deliveries, h)
		}
	}
	f := spec.Finding{
		Pointer: pointer, Got: fmt.Sprintf("a second settle of call %s, by %s after %s", quote(first.call), now.kind, first.where),
		Want: "one settle for each attempt of a call", Hint: "settle in the decision or at the engine, never both; the first one counts",
	}
	if last := len(deliveries) - 1; last > 0 {
		f.Hint = fmt.Sprintf("the decision came again in %s: find the work that it began before, and begin none", deliveries[last].x.D)
		if deliveries[last].n > first.n {
			if first.kind == now.kind && first.words == now.words {
				x.held(asyncOnce)
				return
			}
			f.Got += ", and with another text"
		}
	}
	x.broke(asyncOnce, f)
}

// excuse keeps a call from being called unsettled too, when its settle went
// wrong in a way that has a name.
func (s *session) excuse(call string) {
	if _, open := s.drop(call); !open {
		s.late.excused = keep(s.late.excused, maxRefused, call)
	}
}

// givesUp wants a refused settle to stay the only one of its kind, until the
// call is asked for again (F4).
func (v *outsideView) givesUp() {
	if v.settle == nil || len(v.asked) == 0 || v.status == 401 {
		// Another call or another key may be behind the same words.
		return
	}
	last := v.asked[len(v.asked)-1].n
	before := slices.ContainsFunc(v.s.late.refused, func(r refused) bool {
		return r.sum == v.sum && r.n >= last
	})
	if !before {
		v.s.late.refused = keep(v.s.late.refused, maxRefused, refused{sum: v.sum, n: v.j.wire.n})
		v.x.held(asyncGivesUp)
		return
	}
	v.x.broke(asyncGivesUp, spec.Finding{
		Pointer: atEndpoint, Got: fmt.Sprintf("the settle of call %s once more, after it was refused", quote(v.settle.call)), Want: "no more settles of it",
		Hint: "send again only what got no answer, or a status of 500 and above",
	})
}
