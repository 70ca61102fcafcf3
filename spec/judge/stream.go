package judge

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// streams reports whether the answer is an event stream (wire 1).
func (x *exchange) streams() bool {
	const prefix = "text/event-stream"
	kind := header(x.Response.Headers, "content-type")
	return x.Response.Status/100 == 2 && len(kind) >= len(prefix) && strings.EqualFold(kind[:len(prefix)], prefix)
}

// streamEnded reports whether the answer is a stream whose last word arrived;
// what becomes of the connection then does not matter (D11).
func (x *exchange) streamEnded() bool {
	if !x.streams() {
		return false
	}
	event, _ := x.lastFrame()
	return event == spec.FrameDecisionResult || event == spec.FrameDecisionError
}

// lastFrame returns the frame at which an engine stops reading: the first that
// is no delta. The event is "" when the stream has none.
func (x *exchange) lastFrame() (event string, data []byte) {
	spec.ReadStream(x.ResponseBody, func(f spec.StreamFrame) bool {
		if f.Event == spec.FrameTokenDelta {
			return true
		}
		event, data = f.Event, f.Data
		return false
	})
	return event, data
}

// readStream takes the decision out of a stream, for the rungs above to judge
// like a body (D11).
func (x *exchange) readStream() {
	const fits = "response.fits-the-protocol"
	want := "frames of the protocol, ending in decision.result"
	if x.strayDelta() {
		x.broke(fits, spec.Finding{Got: "a frame llm.token.delta in answer to " + string(x.trigger()), Want: want})
		return
	}
	switch event, data := x.lastFrame(); event {
	case spec.FrameDecisionResult:
		x.text = jsontext.Value(data)
		x.held("response.has-a-body")
	case spec.FrameDecisionError:
		// The worker says itself that it failed: nothing more is to be seen.
		x.stopped = true
	case "":
		x.broke("delivery.answers-whole", spec.Finding{
			Got: "an event stream that ends without decision.result", Want: "decision.result or decision.error as the last frame",
		})
	default:
		x.broke(fits, spec.Finding{Got: "a frame " + quote(event), Want: want})
	}
}

// strayDelta reports whether a stream holds pieces of a model's answer that
// nobody asked for.
func (x *exchange) strayDelta() (stray bool) {
	t, ok := x.req.Trigger.(spec.LlmExecuteTrigger)
	if ok && t.Stream {
		return false
	}
	spec.ReadStream(x.ResponseBody, func(f spec.StreamFrame) bool {
		stray = f.Event == spec.FrameTokenDelta
		return false
	})
	return stray
}
