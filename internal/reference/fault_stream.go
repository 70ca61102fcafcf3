package reference

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// streamDefects break answers that come as an event stream (D11, wire 9).
func streamDefects() []defect {
	var (
		notice = running("studio_notice")
		native = speaking(spec.HostedNative)
	)
	const (
		known = "stream.frames-are-known"
		reads = "stream.frames-read"
	)
	return []defect{
		{
			Fault: named("names-no-frame", "Streams a decision in a frame without a name.", known),
			at:    notice,
			deliver: func(x *exchange, rw http.ResponseWriter, _ *http.Request) {
				write(rw, http.StatusOK, "text/event-stream", []byte("data: "+string(x.answer)+"\n\n"))
			},
		},
		{
			Fault: named("streams-its-progress", "Puts a frame of its own before the decision.", known),
			at:    notice,
			deliver: streams(func(x *exchange) []frame {
				return []frame{{"progress", jsontext.Value(`{"done":0.5}`)}, {spec.FrameDecisionResult, x.answer}}
			}),
		},
		{
			Fault: named("streams-text-for-pieces", "Streams a piece of the model's answer as a number.", reads),
			at:    native,
			deliver: streams(func(x *exchange) []frame {
				return frames(append([]jsontext.Value{jsontext.Value(`{"text":5}`)}, x.pieces...), x.answer)
			}),
		},
		{
			Fault: named("fails-without-a-message", "Ends a stream with an error that has no message.", reads),
			at:    notice,
			deliver: streams(func(*exchange) []frame {
				return []frame{{spec.FrameDecisionError, jsontext.Value(`{"error":"the notice fell down"}`)}}
			}),
		},
		{
			Fault: named("ends-the-stream-early", "Ends the stream of a model's answer before the decision.", "stream.ends-with-a-decision"),
			at:    native,
			deliver: streams(func(x *exchange) []frame {
				all := frames(x.pieces, x.answer)
				return all[:len(all)-1]
			}),
		},
		{
			Fault:   named("stalls-a-stream", "Begins to stream a model's answer, and then says nothing more.", "delivery.answers-in-time"),
			at:      native,
			deliver: stall,
		},
		{
			Fault: named("streams-a-tool", "Streams pieces of text in answer to a call of a tool.", "stream.deltas-only-where-asked"),
			at:    notice,
			deliver: streams(func(x *exchange) []frame {
				return frames([]jsontext.Value{jsontext.Value(`{"text":"Open"}`)}, x.answer)
			}),
		},
		{
			Fault: named("decides-twice", "Streams a second decision after the first.", "stream.says-nothing-after-the-decision"),
			at:    native,
			deliver: streams(func(x *exchange) []frame {
				return append(frames(x.pieces, x.answer), frame{spec.FrameDecisionResult, jsontext.Value(`{"state":{"asked":1}}`)})
			}),
		},
		{
			Fault: named("streams-its-own-pieces", "Streams pieces in the protocol's own shape where a provider's was asked for.", "stream.deltas-fit-the-format"),
			at:    speaking(spec.FormatOpenAI),
			deliver: streams(func(x *exchange) []frame {
				return frames(x.reply.pieces(""), x.answer)
			}),
		},
		{
			Fault: named("loses-the-last-piece", "Streams all pieces of the model's words but the last.", "stream.deltas-add-up"),
			at:    native,
			deliver: streams(func(x *exchange) []frame {
				pieces := append([]jsontext.Value(nil), x.pieces...)
				for i := len(pieces) - 1; i >= 0; i-- {
					if _, words := jsonv.Get(pieces[i], "/text"); words {
						return frames(append(pieces[:i], pieces[i+1:]...), x.answer)
					}
				}
				return frames(pieces, x.answer)
			}),
		},
	}
}

// stall writes the first piece of an answer and holds the connection until the
// client leaves.
func stall(x *exchange, rw http.ResponseWriter, r *http.Request) {
	x.stream(rw, frames(x.pieces, x.answer)[:1])
	_ = http.NewResponseController(rw).Flush()
	<-r.Context().Done()
}

// streams writes other frames in place of the right ones.
func streams(of func(*exchange) []frame) func(*exchange, http.ResponseWriter, *http.Request) {
	return func(x *exchange, rw http.ResponseWriter, _ *http.Request) { x.stream(rw, of(x)) }
}
