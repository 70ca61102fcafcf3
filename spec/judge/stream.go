package judge

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

func streamChecks() []check {
	const moment = "no answer came as an event stream"
	return []check{
		{id: "stream.frames-are-known", moment: moment},
		{id: "stream.frames-read", moment: moment},
		{id: "stream.ends-with-a-decision", moment: moment},
		{id: "stream.deltas-only-where-asked", moment: "no stream held a delta"},
		{id: "stream.says-nothing-after-the-decision", moment: moment},
	}
}

// streams reports whether the answer is an event stream (wire 1).
func (x *exchange) streams() bool { return x.Answer().Streams() }

// streamEnded reports whether the answer is a stream whose last word arrived;
// what becomes of the connection then does not matter (D11).
func (x *exchange) streamEnded() bool {
	if !x.streams() {
		return false
	}
	ended := false
	spec.ReadStream(x.ResponseBody, func(f spec.StreamFrame) bool {
		ended = isLast(f)
		return f.Event == spec.FrameTokenDelta
	})
	return ended
}

// framesSoFar counts the frames of a stream that did not come to its end.
func (x *exchange) framesSoFar() (n int) {
	if !x.streams() {
		return 0
	}
	spec.ReadStream(x.ResponseBody, func(spec.StreamFrame) bool {
		n++
		return true
	})
	return n
}

func isLast(f spec.StreamFrame) bool {
	return f.Event == spec.FrameDecisionResult || f.Event == spec.FrameDecisionError
}

// wantFrames says what a stream is made of.
const wantFrames = "frames named llm.token.delta, then one decision.result or decision.error"

// readStream takes the decision out of a stream, for the rungs above to judge
// like a body (D11). A stream that is spoiled gets one name.
func (x *exchange) readStream() {
	var last *spec.StreamFrame
	var after string
	spoiled := false
	rest := spec.ReadStream(x.ResponseBody, func(f spec.StreamFrame) bool {
		switch {
		case last != nil:
			after = "a frame " + quote(f.Event)
			return false
		case f.Event == spec.FrameTokenDelta:
			spoiled = !x.takeDelta(f)
		case isLast(f):
			f.Data = bytes.Clone(f.Data)
			last = &f
		default:
			x.broke("stream.frames-are-known", unknownFrame(f))
			spoiled = true
		}
		return !spoiled
	})
	if spoiled {
		return
	}
	x.held("stream.frames-are-known")
	if last == nil {
		x.held("stream.frames-read")
		x.broke("stream.ends-with-a-decision", spec.Finding{
			Got: "an event stream that ends without decision.result", Want: "decision.result or decision.error as the last frame",
			Hint: "a frame ends with an empty line: without it the last one is not read",
		})
		return
	}
	x.endStream(*last)
	if after == "" && len(bytes.TrimSpace(rest)) > 0 {
		after = first(bytes.TrimSpace(rest))
	}
	const quiet = "stream.says-nothing-after-the-decision"
	if after == "" {
		x.held(quiet)
		return
	}
	x.broke(quiet, spec.Finding{
		Got: after + " after " + last.Event, Want: "nothing after the decision",
		Hint: "nobody reads on: what stands there is lost",
	})
}

// endStream takes the frame at which an engine stops reading.
func (x *exchange) endStream(f spec.StreamFrame) {
	x.held("stream.ends-with-a-decision")
	if f.Event == spec.FrameDecisionResult {
		x.held("stream.frames-read")
		x.text = jsontext.Value(f.Data)
		x.held("response.has-a-body")
		return
	}
	if fault := spec.CheckErrorFrame(f.Data); fault != nil {
		x.unread(f, fault, `{"message": "…"}, and retryable where it is false`)
		return
	}
	x.held("stream.frames-read")
	// The worker says itself that it failed: nothing more is to be seen.
	x.stopped = true
}

func unknownFrame(f spec.StreamFrame) spec.Finding {
	finding := spec.Finding{Got: "a frame " + quote(f.Event), Want: wantFrames}
	if f.Event == "message" {
		finding.Got = "a frame without a name"
		finding.Hint = "write a line event: decision.result before the data"
	} else {
		finding.Hint = "a note to the reader is a comment: a line that begins with a colon"
	}
	return finding
}

func (x *exchange) unread(f spec.StreamFrame, fault *spec.Fault, want string) {
	x.broke("stream.frames-read", spec.Finding{Got: "a frame " + f.Event + " of " + first(f.Data) + ": " + fault.Error(), Want: want})
}

// takeDelta takes a piece of a model's answer, and reports whether an engine
// does.
func (x *exchange) takeDelta(f spec.StreamFrame) bool {
	const asked = "stream.deltas-only-where-asked"
	t, ok := x.req.Trigger.(spec.LlmExecuteTrigger)
	if !ok || !t.Stream {
		got := "a frame llm.token.delta in answer to " + string(x.trigger())
		if ok {
			got += " with stream false"
		}
		x.broke(asked, spec.Finding{Got: got, Want: "deltas in answer to an llm.execute with stream true, and nowhere else"})
		return false
	}
	x.held(asked)
	if fault := spec.CheckDelta(t, f.Data); fault != nil {
		x.unread(f, fault, "a piece of the answer as JSON, in the shape that goes with the format")
		return false
	}
	x.deltas.take(t.Format, f.Data)
	return true
}

// deltas is what the pieces of a streamed model answer add up to.
type deltas struct {
	// count counts pieces, known those of the shape that goes with the format.
	count, known int
	// stray is the first piece of another shape.
	stray string
	text  strings.Builder
	calls []spec.ToolCall
}
