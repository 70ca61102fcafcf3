package judge

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// noAnswer is the moment that did not come when nothing arrived, or only what
// we disturbed.
const noAnswer = "no answer came that can be judged"

func transportChecks() []check {
	return []check{
		{id: "delivery.answers-whole", moment: noAnswer, see: seeWhole},
		{id: "delivery.answers-in-time", moment: noAnswer, see: seeInTime},
		{id: "delivery.answer-is-bounded", moment: noAnswer, see: seeBounded},
	}
}

func seeWhole(x *exchange) {
	const id = "delivery.answers-whole"
	r := x.Response
	if x.overdue() {
		return
	}
	switch r.End {
	case spec.EndWhole:
		x.held(id)
	case spec.EndCut:
		if x.streamEnded() {
			x.held(id)
			return
		}
		x.broke(id, spec.Finding{
			Got:  fmt.Sprintf("status %d and %d bytes of the body, then the connection ended", r.Status, len(x.ResponseBody)),
			Want: "the whole body that was announced",
		})
	case spec.EndReset:
		if r.Reason == spec.ReasonHeadTooBig {
			return
		}
		f := spec.Finding{Got: r.Reason, Want: "an HTTP response"}
		switch {
		case f.Got == "":
			f.Got = "the connection ended before a whole response head"
		case r.Reason == spec.ReasonNotHTTP && len(x.ResponseBody) > 0:
			f.Got += ": " + first(x.ResponseBody)
		}
		f.Hint = "an exception that ends the process looks like this: catch everything, and answer with a tool.error"
		x.broke(id, f)
	}
}

func seeInTime(x *exchange) {
	const id = "delivery.answers-in-time"
	r := x.Response
	switch {
	case x.overdue() || r.End == spec.EndTimeout && !closedByUs(r.Reason):
		got := "no whole answer: " + r.Reason
		if closedByUs(r.Reason) || r.End != spec.EndTimeout {
			got = "no answer when the deadline passed"
		}
		f := spec.Finding{
			Got:  got,
			Want: "an answer before the deadline of the delivery",
			Hint: "give the tool a time limit, or answer {} and settle the call later",
		}
		if n := x.framesSoFar(); n > 0 {
			f.Got = fmt.Sprintf("a stream that fell silent after %d of its frames: %s", n, got)
			f.Hint = "give the provider a time limit, and end the stream with decision.error when it passes"
		}
		bound := x.judge.patience()
		if deadline := x.allowed(); bound > 0 && bound < deadline {
			f.Got += fmt.Sprintf(" (the run waited %s; the delivery allows %s)", bound, deadline)
			x.bent(id, f)
			return
		}
		x.broke(id, f)
	case r.End == spec.EndTimeout:
		x.stopped = true
	case r.End == spec.EndWhole:
		x.held(id)
	}
}

// overdue reports whether the engine gave the delivery up when its deadline
// passed (D2); what comes later is late. The total of a decision may end a
// delivery sooner: it is on no wire, and no worker can keep it (D4, H7).
func (x *exchange) overdue() bool { return x.gaveUp > 0 && x.gaveUp >= x.allowed() }

// closedByUs reports whether our side ended a delivery because the case had
// ended, which says nothing of the worker.
func closedByUs(reason string) bool {
	return reason == "given up" || strings.HasPrefix(reason, "closed by hallmark")
}

// signs reports whether the run signed its requests.
func (j *Judge) signs() bool { return j.header != nil && j.header.Signing != nil }

// patience is the real time that the run gave an answer, 0 when it set none of
// its own.
func (j *Judge) patience() time.Duration {
	if j.header == nil {
		return 0
	}
	v, _ := jsonv.Get(j.header.Engine, "/answer_ms")
	ms, err := strconv.ParseInt(string(v), 10, 32)
	if err != nil || ms < 0 {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

// allowed is the time that the delivery had, by the clock of the wire; that
// of D4 when the request does not say.
func (x *exchange) allowed() time.Duration {
	sent, err := time.Parse(time.RFC3339Nano, x.Request.Now)
	if err != nil || x.req.Deadline == nil {
		return 20 * time.Second
	}
	return x.req.Deadline.Sub(sent)
}

func seeBounded(x *exchange) {
	const id = "delivery.answer-is-bounded"
	r := x.Response
	switch {
	case x.overdue():
	case r.End == spec.EndWhole:
		x.held(id)
	case r.End == spec.EndOverLimit || r.End == spec.EndReset && r.Reason == spec.ReasonHeadTooBig:
		got := r.Reason
		if r.Bytes > 0 {
			got = fmt.Sprintf("%s after %d bytes", r.Reason, r.Bytes)
		}
		x.broke(id, spec.Finding{
			Got: got, Want: "an answer within the limit",
			Hint: "cap what a tool returns; say how long it was and how to get the rest",
		})
	}
}

func statusChecks() []check {
	return []check{
		{id: "delivery.does-not-redirect", moment: noAnswer, see: seeRedirect},
		{id: "delivery.answers-2xx", moment: noAnswer, see: seeStatus},
	}
}

func seeRedirect(x *exchange) {
	const id = "delivery.does-not-redirect"
	r := x.Response
	if r.Status/100 != 3 {
		x.held(id)
		return
	}
	got := fmt.Sprintf("status %d", r.Status)
	if to := header(r.Headers, "location"); to != "" {
		got += " to " + quote(to)
	}
	x.broke(id, spec.Finding{
		Got: got, Want: "a 2xx status at the URL that was asked",
		Hint: "this was not followed; an engine may follow it, by a GET without the body",
	})
}

func seeStatus(x *exchange) {
	const id = "delivery.answers-2xx"
	r := x.Response
	switch r.Status / 100 {
	case 2:
		x.held(id)
		return
	case 3:
		return
	}
	f := spec.Finding{Got: fmt.Sprintf("status %d", r.Status), Want: "a 2xx status with a decision"}
	if len(x.ResponseBody) > 0 {
		f.Got += ", " + first(x.ResponseBody)
	}
	switch {
	case r.Status == 401 && !x.judge.signs():
		f.Hint = "a worker that checks signatures needs a signed request: give the secret to the run"
	case x.trigger() == spec.OnToolExecute:
		f.Hint = "a tool that fails is no failed request: answer 200 with a tool.error"
	}
	x.broke(id, f)
}

func encodingChecks() []check {
	return []check{
		{id: "delivery.answers-uncompressed", moment: noAnswer + " with a 2xx status", see: seeEncoding},
	}
}

var gzipMagic = []byte{0x1f, 0x8b}

func seeEncoding(x *exchange) {
	const id = "delivery.answers-uncompressed"
	encoding := header(x.Response.Headers, "content-encoding")
	switch {
	case encoding != "" && !strings.EqualFold(encoding, "identity"):
		x.broke(id, spec.Finding{Got: "content-encoding: " + quote(encoding), Want: "a body that is not encoded"})
	case x.Response.Was != "":
		x.broke(id, spec.Finding{Got: "a " + quote(x.Response.Was) + " body, which the recorder unpacked", Want: "a body that is not encoded"})
	case bytes.HasPrefix(x.ResponseBody, gzipMagic):
		x.broke(id, spec.Finding{Got: "a gzip body: " + first(x.ResponseBody), Want: "a body that is not encoded"})
	default:
		x.held(id)
	}
}
