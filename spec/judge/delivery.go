package judge

import (
	"bytes"
	"fmt"
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
	r := x.response
	switch r.End {
	case spec.EndWhole:
		x.held(id)
	case spec.EndCut:
		if x.streamEnded() {
			x.held(id)
			return
		}
		x.broke(id, spec.Finding{
			Got:  fmt.Sprintf("status %d and %d bytes of the body, then the connection ended", r.Status, len(x.answer)),
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
		case r.Reason == spec.ReasonNotHTTP && len(x.answer) > 0:
			f.Got += ": " + first(x.answer)
		}
		f.Hint = "an exception that ends the process looks like this: catch everything, and answer with a tool.error"
		x.broke(id, f)
	}
}

// givenUp is the reason of a delivery that our side ended.
const givenUp = "given up"

func seeInTime(x *exchange) {
	const id = "delivery.answers-in-time"
	switch {
	case x.response.End == spec.EndWhole:
		x.held(id)
	case x.response.End == spec.EndTimeout && x.response.Reason == givenUp:
		x.stopped = true
	case x.response.End == spec.EndTimeout:
		f := spec.Finding{
			Got:  "no whole answer: " + x.response.Reason,
			Want: "an answer before the deadline of the delivery",
			Hint: "give the tool a time limit, or answer {} and settle the call later",
		}
		bound := x.judge.patience()
		if deadline := x.deadline(); bound > 0 && bound < deadline {
			f.Got += fmt.Sprintf(" (the run waited %s; the delivery allows %s)", bound, deadline)
			x.bent(id, f)
			return
		}
		x.broke(id, f)
	}
}

// signs reports whether the run signed its requests.
func (j *Judge) signs() bool { return j.header != nil && j.header.Signing != nil }

// patience is the real time that the run gave an answer, 0 when it set none.
func (j *Judge) patience() time.Duration {
	if j.header == nil {
		return 0
	}
	v, ok := jsonv.Get(j.header.Engine, "/patience")
	if !ok {
		return 0
	}
	text, ok := jsonv.Text(v)
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0
	}
	return d
}

// deadline is the time that the delivery had, by the clock of the wire; that
// of D4 when the request does not say.
func (x *exchange) deadline() time.Duration {
	sent, err := time.Parse(time.RFC3339Nano, x.request.Now)
	if err != nil || x.req.Deadline == nil {
		return 20 * time.Second
	}
	return x.req.Deadline.Sub(sent)
}

func seeBounded(x *exchange) {
	const id = "delivery.answer-is-bounded"
	r := x.response
	switch {
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
	r := x.response
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
	r := x.response
	switch r.Status / 100 {
	case 2:
		x.held(id)
		return
	case 3:
		return
	}
	f := spec.Finding{Got: fmt.Sprintf("status %d", r.Status), Want: "a 2xx status with a decision"}
	if len(x.answer) > 0 {
		f.Got += ", " + first(x.answer)
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
	encoding := header(x.response.Headers, "content-encoding")
	switch {
	case encoding != "" && !strings.EqualFold(encoding, "identity"):
		x.broke(id, spec.Finding{Got: "content-encoding: " + quote(encoding), Want: "a body that is not encoded"})
	case bytes.HasPrefix(x.answer, gzipMagic):
		x.broke(id, spec.Finding{Got: "a gzip body: " + first(x.answer), Want: "a body that is not encoded"})
	default:
		x.held(id)
	}
}
