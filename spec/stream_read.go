package spec

import (
	"bytes"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// StreamFrame is one event of a streamed answer (wire 9).
type StreamFrame struct {
	// Event is the event's name, "message" when it has none.
	Event string
	// Data is the data lines joined by newlines.
	Data []byte
	// Offset and End are the bytes of the stream that the frame took, blank
	// line included.
	Offset, End int
}

// MaxStreamFrames is how many frames [ReadStream] reads of one stream.
const MaxStreamFrames = 1 << 20

// ReadStream splits an event stream into its frames: lines end in LF, CR or
// CRLF, a blank line ends a frame, comments and fields other than event and
// data are skipped, and a frame without data is none. rest is what follows the
// last blank line, which no reader takes for a frame. Reading stops when yield
// returns false, or after [MaxStreamFrames]. The memory is that of the largest
// frame. It is safe for concurrent use.
func ReadStream(body []byte, yield func(StreamFrame) bool) (rest []byte) {
	i := 0
	if bytes.HasPrefix(body, []byte("\xef\xbb\xbf")) {
		i = 3
	}
	frame := StreamFrame{Offset: i}
	var data []byte
	hasData := false
	for frames := 0; i < len(body) && frames < MaxStreamFrames; {
		line, next, ended := cutLine(body, i)
		if !ended {
			break
		}
		i = next
		if len(line) > 0 {
			name, value := cutField(line)
			switch name {
			case "event":
				frame.Event = string(value)
			case "data":
				if hasData {
					data = append(data, '\n')
				}
				data, hasData = append(data, value...), true
			}
			continue
		}
		if len(data) > 0 {
			if frame.Event == "" {
				frame.Event = "message"
			}
			frame.Data, frame.End = data, i
			frames++
			if !yield(frame) {
				return nil
			}
		}
		frame, data, hasData = StreamFrame{Offset: i}, nil, false
	}
	return body[frame.Offset:]
}

// cutLine returns the line that begins at i, where the next one begins, and
// whether the line has ended.
func cutLine(b []byte, i int) (line []byte, next int, ended bool) {
	n := bytes.IndexAny(b[i:], "\r\n")
	if n < 0 {
		return b[i:], len(b), false
	}
	next = i + n + 1
	if b[i+n] == '\r' && next < len(b) && b[next] == '\n' {
		next++
	}
	return b[i : i+n], next, true
}

// cutField splits a line at its colon; one space after it is not part of the
// value. A comment has the empty name.
func cutField(line []byte) (string, []byte) {
	name, value, _ := bytes.Cut(line, []byte{':'})
	return string(name), bytes.TrimPrefix(value, []byte{' '})
}

// streamRules says which frames an answer may hold (D11).
type streamRules struct {
	// answers is the trigger's type, "" when it is not known.
	answers TriggerType
	// deltas says that the engine asked for a stream.
	deltas bool
	// checked says that deltas are of the protocol's own shape.
	checked bool
}

// readStreamed reads a streamed answer up to the frame that ends it (D11).
// What follows that frame is not read, and how the body ended then does not
// matter.
func readStreamed(a Answer, rules streamRules) (Decision, *Failure) {
	var d Decision
	var failure *Failure
	ended := false
	ReadStream(a.Body, func(f StreamFrame) bool {
		switch f.Event {
		case FrameTokenDelta:
			failure = rules.delta(f.Data)
			ended = failure != nil
		case FrameDecisionResult:
			d, failure = readBody(f.Data)
			ended = true
		case FrameDecisionError:
			failure = errorFrame(f.Data)
			ended = true
		default:
			failure = fail(FailureFatal, CodeInvalidResponse,
				"unknown worker stream event `%s`; expected llm.token.delta, decision.result or decision.error", f.Event)
			ended = true
		}
		return !ended
	})
	switch {
	case ended:
		return d, failure
	case a.End != EndWhole && a.End != "":
		return Decision{}, a.brokenOff()
	}
	return Decision{}, fail(FailureRetryable, CodeHandlerError, "streaming worker response ended before decision.result")
}

var deltaShape = &shape[StreamDelta]{what: "delta", fields: []field[StreamDelta]{
	opt("text", ptr(readText), func(d *StreamDelta) **string { return &d.Text }),
	opt("reasoning", ptr(readText), func(d *StreamDelta) **string { return &d.Reasoning }),
	opt("tool_calls", list(of(callDeltaShape)), func(d *StreamDelta) *[]ToolCallDelta { return &d.ToolCalls }),
	opt("finish_reason", ptr(readText), func(d *StreamDelta) **string { return &d.FinishReason }),
}}

var callDeltaShape = &shape[ToolCallDelta]{what: "tool call delta", fields: []field[ToolCallDelta]{
	must(set("id", readText, func(d *ToolCallDelta) *string { return &d.ID })),
	opt("name", ptr(readText), func(d *ToolCallDelta) **string { return &d.Name }),
	opt("arguments", ptr(readText), func(d *ToolCallDelta) **string { return &d.Arguments }),
}}

// ParseStreamDelta reads the data of an llm.token.delta frame (wire 9). It is
// safe for concurrent use.
func ParseStreamDelta(data []byte) (StreamDelta, *Fault) { return parse(data, of(deltaShape), strict) }

func (r streamRules) delta(data []byte) *Failure {
	switch {
	case r.answers != "" && r.answers != OnLlmExecute:
		return fail(FailureFatal, CodeInvalidResponse,
			"llm.token.delta is only valid for an llm.execute decision; this one answers %s", r.answers)
	case !r.deltas:
		return fail(FailureFatal, CodeInvalidResponse, "llm.token.delta received for a call the engine did not ask to stream")
	}
	if fault := checkDelta(data, r.checked); fault != nil {
		return badFrame(FrameTokenDelta, fault)
	}
	return nil
}

// checkDelta reads a piece: of the protocol's own shape, or else any JSON.
func checkDelta(data []byte, own bool) *Fault {
	_, fault := oneValue(data, jsonv.MaxDepth)
	if fault == nil && own {
		_, fault = ParseStreamDelta(data)
	}
	return fault
}

// CheckDelta says what is wrong with one piece of the streamed answer to t, nil
// when an engine takes it: a [StreamDelta], or any JSON where t names a format
// (wire 9, D11).
func CheckDelta(t LlmExecuteTrigger, data []byte) *Fault { return checkDelta(data, t.Format == "") }

var errorFrameShape = &shape[DecisionErrorFrame]{what: "decision.error", fields: []field[DecisionErrorFrame]{
	must(set("message", readText, func(e *DecisionErrorFrame) *string { return &e.Message })),
	set("retryable", ptr(readBool), func(e *DecisionErrorFrame) **bool { return &e.Retryable }),
}}

// CheckErrorFrame says what is wrong with the data of a decision.error frame, nil
// when an engine reads it (wire 9, D11).
func CheckErrorFrame(data []byte) *Fault {
	_, fault := parse(data, of(errorFrameShape), strict)
	return fault
}

func errorFrame(data []byte) *Failure {
	e, fault := parse(data, of(errorFrameShape), strict)
	if fault != nil {
		return badFrame(FrameDecisionError, fault)
	}
	class := FailureRetryable
	if e.Retryable != nil && !*e.Retryable {
		class = FailureFatal
	}
	return &Failure{Class: class, Info: ErrorInfo{Code: CodeHandlerError, Message: e.Message}}
}

func badFrame(event string, fault *Fault) *Failure {
	f := fail(FailureFatal, CodeInvalidResponse, "invalid %s frame: %s", event, fault.Message)
	f.Fault = fault
	return f
}
