package replay

import (
	"fmt"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// recordedAnswer is what was recorded, as far as it can be held against anything:
// untold says why not.
func recordedAnswer(x *spec.Exchange) (a spec.Answer, untold string) {
	r := x.Response
	switch {
	case r == nil:
		return a, "no answer was recorded"
	case strings.HasPrefix(x.Damage, "response"):
		return a, x.Damage
	}
	a = spec.Answer{Status: r.Status, Headers: r.Headers, Body: x.ResponseBody, End: r.End, Reason: r.Reason}
	switch r.End {
	case spec.EndOmitted, spec.EndClientGone, spec.EndStale, spec.EndOverLimit:
		if a.Streams() && r.End != spec.EndOmitted {
			// A stream is over with its final frame, however it ended.
			if _, failure := asAnswered(x, a).Decided(); failure == nil {
				return a, ""
			}
		}
		return a, "no whole answer was recorded: " + joined(string(r.End), r.Reason)
	case spec.EndReset, spec.EndTimeout:
		switch r.Reason {
		case spec.ReasonRefused, spec.ReasonUnreachable, spec.ReasonTLS:
			return a, "the worker had not been reached: " + r.Reason
		}
	}
	return a, ""
}

func joined(a, b string) string {
	if b == "" {
		return a
	}
	return a + ", " + b
}

// unpacked undoes a coding that was undone for the recording too.
func unpacked(a spec.Answer) spec.Answer {
	const limit = 64 << 20
	if got := recorder.Unpack(a.Body, a.Header("content-encoding"), limit); got.Fault == "" {
		a.Body = got.Body
	}
	return a
}

// asAnswered is an exchange whose answer is a.
func asAnswered(x *spec.Exchange, a spec.Answer) *spec.Exchange {
	return &spec.Exchange{
		Session: x.Session, D: x.D, Request: x.Request, RequestBody: x.RequestBody, ResponseBody: a.Body,
		Response: &spec.ResponseEvent{D: x.D, Status: a.Status, Headers: a.Headers, End: a.End, Reason: a.Reason, Redacted: x.Response.Redacted},
	}
}

// streamed is what a stream in the protocol's own form says piece by piece,
// however it is cut; "" for other answers.
func streamed(x *spec.Exchange) string {
	asked, fault := x.Asked()
	if fault != nil || !x.Answer().Streams() {
		return ""
	}
	if t, ok := asked.Trigger.(spec.LlmExecuteTrigger); !ok || t.Format != "" {
		return ""
	}
	var text strings.Builder
	spec.ReadStream(x.ResponseBody, func(f spec.StreamFrame) bool {
		if f.Event == spec.FrameTokenDelta {
			if d, fault := spec.ParseStreamDelta(f.Data); fault == nil && d.Text != nil {
				text.WriteString(*d.Text)
			}
		}
		return true
	})
	return text.String()
}

// failures holds two answers against each other of which one at least is no
// decision.
func failures(was, now spec.Answer, f1, f2 *spec.Failure) *Divergence {
	d := &Divergence{Got: saysAnswer(now, f2), Want: saysAnswer(was, f1)}
	switch {
	case was.Status == 0 && now.Status == 0:
		return nil
	case now.Status == 0:
		d.Code = CodeMissing
	case was.Status == 0:
		d.Code = CodeExtra
	case !good(was.Status) || !good(now.Status):
		if was.Status == now.Status {
			return nil
		}
		d.Code = CodeStatus
	case f1 != nil && f2 != nil && f1.Class == f2.Class && f1.Info.Code == f2.Info.Code:
		return nil
	default:
		d.Code = CodeFailure
	}
	return d
}

func good(status int) bool { return status >= 200 && status <= 299 }

// saysAnswer puts an answer in a few words.
func saysAnswer(a spec.Answer, f *spec.Failure) string {
	switch {
	case f == nil:
		return fmt.Sprintf("%d and a decision", a.Status)
	case a.Status == 0:
		return "no answer: " + joined(string(a.End), a.Reason)
	case good(a.Status):
		return jsonv.Short(jsonv.Quote(f.Info.Message), shownWidth) + ", " + string(f.Class)
	}
	return jsonv.Short(jsonv.Quote(f.Info.Message), shownWidth)
}
