package engine

import (
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// Body returns the bytes of the request when it is sent at now: compact JSON in
// which the deadlines lie as far ahead of now as they lie ahead of d.Sent in
// engine time (R1). Those are the deadline of the request, of its trigger and of
// each of its calls, cut to milliseconds. With now at Config.At plus d.Sent
// nothing moves. The error is that of a value that has no JSON form.
func (d Deliver) Body(now time.Time) ([]byte, error) {
	shift := now.Sub(d.at.Add(d.Sent))
	if shift == 0 {
		return spec.Marshal(d.Request)
	}
	r := d.Request
	r.Deadline = shifted(r.Deadline, shift)
	r.Calls = make([]spec.Call, len(d.Request.Calls))
	for i, c := range d.Request.Calls {
		c.Deadline = shifted(c.Deadline, shift)
		r.Calls[i] = c
	}
	switch t := r.Trigger.(type) {
	case spec.ToolExecuteTrigger:
		t.Deadline = shifted(t.Deadline, shift)
		r.Trigger = t
	case spec.LlmExecuteTrigger:
		t.Deadline = shifted(t.Deadline, shift)
		r.Trigger = t
	}
	return spec.Marshal(r)
}

func shifted(t *spec.Timestamp, by time.Duration) *spec.Timestamp {
	if t == nil {
		return nil
	}
	moved := spec.At(t.Add(by))
	return &moved
}
