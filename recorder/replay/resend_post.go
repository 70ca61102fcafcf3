package replay

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// learn learns the ids of a request and returns its deadline, the zero time for
// none; unread says why it is no request. It is not decoded: that would cost more
// than to send it.
func (s *sending) learn(x *spec.Exchange) (deadline time.Time, unread string) {
	if bytes.Contains(x.RequestBody, []byte("connector")) {
		// The id of a call of a connector may be no id.
		asked, fault := x.Asked()
		if fault != nil {
			return deadline, fault.Error()
		}
		s.ids.LearnRequest(asked)
	} else if !s.ids.LearnNext(x.RequestBody) {
		_, fault := x.Asked()
		return deadline, cmp.Or(fault, &spec.Fault{Message: "not JSON"}).Error()
	}
	var decision, trigger bool
	for _, m := range jsonv.SoundMembers(x.RequestBody) {
		switch m.Name {
		case "decision_id":
			decision = jsonv.Kind(m.Value) == '"'
		case "trigger":
			trigger = jsonv.Kind(m.Value) == '{'
		case "deadline":
			if text, is := jsonv.SoundText(m.Value); is {
				deadline, _ = time.Parse(time.RFC3339Nano, text)
			}
		}
	}
	if decision && trigger {
		return deadline, ""
	}
	return deadline, "it has no decision_id or no trigger"
}

// renewed is the body that goes out, and what its deadline leaves.
func (s *sending) renewed(one *sent, x *spec.Exchange, deadline, now time.Time) (body []byte, left time.Duration) {
	was := s.sentAt(x)
	left = decisionDeadline
	by := time.Duration(0)
	if !was.IsZero() {
		by = now.Sub(was).Truncate(time.Millisecond)
	}
	if until := deadline.Sub(was); !deadline.IsZero() && !was.IsZero() && until > 0 && until < longestLeft {
		left = until
	}
	text := s.ids.Renew(x.RequestBody, by)
	for _, n := range text.Notes {
		one.note(NoteIDs, x.D, fmt.Sprintf("%s at %s: %s", n.ID, n.Pointer, n.Code))
	}
	if n := bytes.Count(x.RequestBody, []byte(spec.StandInPrefix)); n > 0 {
		one.note(NoteStandIns, x.D, "sent with "+plural(n, "stand-in")+" in place of what was redacted")
	}
	return text.Body, left
}

// sentAt is when a request was sent as it was recorded.
func (s *sending) sentAt(x *spec.Exchange) time.Time {
	at, err := time.Parse(time.RFC3339Nano, x.Request.Now)
	if err != nil {
		return s.at.Add(time.Duration(x.W) * time.Microsecond)
	}
	return at
}

// post sends a request. tooShort says that the bound of its answer was shorter
// than the deadline.
func (s *sending) post(ctx context.Context, one *sent, x *spec.Exchange, body []byte, left time.Duration) (got simulator.Got, tooShort bool) {
	bound := left
	if s.cfg.Patience > 0 && s.cfg.Patience < left {
		bound, tooShort = s.cfg.Patience, true
	}
	if s.cfg.Patience >= 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, bound, fmt.Errorf("no answer within %s", bound))
		defer cancel()
	}
	p := simulator.Post{Body: body, Headers: s.headers(one, x, body)}
	got = s.t.Post(ctx, p)
	if got.Answer.End == spec.EndStale {
		// No delivery took place (R17).
		p.Fresh = true
		got = s.t.Post(ctx, p)
	}
	return got, tooShort
}

// notSent are headers that belong to one connection, or that are made anew.
var notSent = []string{
	"host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "expect", "keep-alive",
	"proxy-connection", "proxy-authorization", "content-encoding", "accept-encoding", "content-type", "accept", "traceparent",
}

// headers are those of an engine, followed by others that were recorded and are
// not set now.
func (s *sending) headers(one *sent, x *spec.Exchange, body []byte) [][2]string {
	signature := s.cfg.SignatureHeader
	if signature == "" {
		signature = simulator.SignatureHeader
	}
	trace := s.ids.Headers([][2]string{{"traceparent", x.RequestHeader("traceparent")}})[0][1]
	all := simulator.WireHeaders(trace, nil)
	if trace == "" {
		all = slices.DeleteFunc(all, func(h [2]string) bool { return h[0] == "traceparent" })
	}
	for _, h := range s.ids.Headers(x.Request.Headers) {
		name := strings.ToLower(h[0])
		switch {
		case slices.Contains(notSent, name), name == strings.ToLower(signature), strings.HasPrefix(h[0], ":"):
		case slices.ContainsFunc(s.cfg.Headers, func(own [2]string) bool { return strings.EqualFold(own[0], h[0]) }):
		case strings.Contains(h[1], spec.StandInPrefix):
			one.note(NoteStandIns, x.D, "the header "+h[0]+" was redacted and is not sent; give it by --header-env")
		default:
			all = append(all, h)
		}
	}
	all = append(all, s.cfg.Headers...)
	if len(s.cfg.Secret) > 0 {
		all = append(all, [2]string{signature, simulator.Sign(s.cfg.Secret, body)})
	}
	return all
}
