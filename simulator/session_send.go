package simulator

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// rawWithin is how long the answer to a raw request is waited for in real time:
// nothing hangs on it.
const rawWithin = 5 * time.Second

// sendRaw sends a request outside the protocol, and records it as such. The
// engine never hears of it.
func (s *session) sendRaw(ctx context.Context, step *scenarios.SendStep) {
	r, broken := s.rawOf(step)
	s.exchanges++
	d := exchangeAlias(s.exchanges)
	var got Got
	if s.in.tape != nil {
		got, _ = s.in.tape.got(s.alias, d)
	} else if sender, ok := s.t.(RawSender); ok {
		got = sender.SendRaw(ctx, r)
	} else {
		got = omitted(reasonNoRaw)
	}
	event := &spec.RequestEvent{
		D: d, Method: r.Method, Target: cmp.Or(r.Target, s.target), Proto: "HTTP/1.1", Conn: got.Conn,
		Now: spec.At(s.rawAt()).String(), Headers: r.Headers, Body: spec.BodyOf(r.Body), Broken: spec.BrokenRaw(broken),
	}
	if broken != "" {
		event.End = spec.EndCut
	}
	if len(s.in.Secret) > 0 {
		event.Signature = spec.SignatureUnchecked
	}
	s.emit(s.now(), event)
	a := got.Answer
	s.emit(s.now(), &spec.ResponseEvent{
		D: d, Status: a.Status, Proto: got.Proto, Headers: a.Headers, Body: spec.BodyOf(a.Body),
		Bytes: int64(len(a.Body)), End: a.End, Reason: a.Reason,
	})
	s.reached = s.reached || got.Conn != ""
	if s.root.received += int64(len(a.Body)); s.root.received > MaxCaseBytes {
		s.end(spec.CloseReason(spec.CloseBytes, strconv.Itoa(MaxCaseBytes)))
	}
}

// rawAt is the wire time of a raw request.
func (s *session) rawAt() time.Time {
	if s.in.Fixed {
		return s.in.At.Add(s.eng.Now())
	}
	return s.wallTimeOf(s.exchanges)
}

// rawOf makes the request of a step, and says what happens to it on its way.
func (s *session) rawOf(step *scenarios.SendStep) (r Raw, broken string) {
	r = Raw{Method: step.Method, Target: step.Path, Body: step.Base64, Within: rawWithin}
	if step.Path == "/" {
		// The worker's own address, whatever path it has.
		r.Target = ""
	}
	if step.Body != nil {
		r.Body = []byte(step.Body.String())
	}
	r.Headers = s.rawHeaders(step, r.Body)
	if n := step.CutAfter; n != nil {
		broken = fmt.Sprintf("cut after %d of %d bytes", min(*n, len(r.Body)), len(r.Body))
		r.Body = bytes.Clone(r.Body[:min(*n, len(r.Body))])
		r.Half = step.Status != nil
		r.Gone = !r.Half
	}
	if s.in.Patience < 0 {
		r.Within = 0
	}
	return r, broken
}

// rawHeaders are the headers of an engine, each replaced by one of the step's own
// of the same name; one that is empty there is left out. The signature is right,
// so that a worker with a secret looks at what is sent.
func (s *session) rawHeaders(step *scenarios.SendStep, body []byte) [][2]string {
	all := WireHeaders(s.ids.Traceparent(s.exchanges+1), s.headers)
	if len(s.in.Secret) > 0 {
		all = append(all, [2]string{cmp.Or(s.in.SignatureHeader, SignatureHeader), Sign(s.in.Secret, body)})
	}
	for _, h := range step.Headers {
		all = slices.DeleteFunc(all, func(o [2]string) bool { return strings.EqualFold(o[0], h.Name) })
	}
	if len(body) == 0 && step.Body == nil && step.Base64 == nil {
		all = slices.DeleteFunc(all, func(o [2]string) bool { return strings.EqualFold(o[0], "content-type") })
	}
	for _, h := range step.Headers {
		if h.Value != "" {
			all = append(all, [2]string{h.Name, h.Value})
		}
	}
	if (len(body) > 0 || step.Method != "GET" && step.Method != "HEAD") && !announces(all) {
		all = append(all, [2]string{"content-length", strconv.Itoa(len(body))})
	}
	return all
}
