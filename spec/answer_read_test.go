package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/spec"
)

func whole(status int, body string, headers ...[2]string) spec.Answer {
	return spec.Answer{Status: status, Headers: headers, Body: []byte(body), End: spec.EndWhole}
}

func streamed(body string) spec.Answer {
	return whole(200, body, [2]string{"content-type", "text/event-stream"})
}

// TestReadAnswer holds what the vectors leave open.
func TestReadAnswer(t *testing.T) {
	t.Parallel()
	ends := func(end spec.BodyEnd, reason string) spec.Answer {
		return spec.Answer{Status: 200, Body: []byte(`{}`), End: end, Reason: reason}
	}
	silent := func(end spec.BodyEnd, reason string) spec.Answer { return spec.Answer{End: end, Reason: reason} }
	for _, c := range []struct {
		name string
		a    spec.Answer
		want string
	}{
		{"whole", ends(spec.EndWhole, ""), ""},
		{"end not said", ends("", ""), ""},
		{"cut", ends(spec.EndCut, ""), "retryable worker_unreachable: response was cut off"},
		{"reset in the body", ends(spec.EndReset, ""), "retryable worker_unreachable: response was cut off"},
		{"timeout in the body", ends(spec.EndTimeout, ""), "retryable deadline_exceeded: deadline exceeded"},
		{"silence in the body", ends(spec.EndTimeout, spec.ReasonSilence), "retryable worker_unreachable: worker endpoint was silent for 60 s"},
		{"over the limit", ends(spec.EndOverLimit, ""), "fatal invalid_response: response over the size limit"},
		{"omitted", ends(spec.EndOmitted, ""), "fatal internal: response body was not kept"},
		{"client gone", ends(spec.EndClientGone, ""), "retryable worker_unreachable: caller left before the response ended"},

		{"refused", silent(spec.EndReset, spec.ReasonRefused), "retryable worker_unreachable: worker endpoint not reached: connection refused"},
		{"closed", silent(spec.EndReset, spec.ReasonClosed), "fatal worker_unreachable: worker endpoint gave no response head: closed before a response head"},
		{"head too big", silent(spec.EndReset, spec.ReasonHeadTooBig), "fatal worker_unreachable: worker endpoint gave no response head: response head over the limit"},
		{"nothing", silent("", ""), "fatal worker_unreachable: worker endpoint gave no response head"},
		{"stale", silent(spec.EndStale, ""), "retryable worker_unreachable: idle connection was closed; no delivery took place"},
		{"no answer", silent(spec.EndTimeout, ""), "retryable deadline_exceeded: deadline exceeded"},

		{"status whose body was cut", spec.Answer{Status: 500, Body: []byte(`{"error":`), End: spec.EndCut}, "retryable handler_error: worker endpoint returned 500 Internal Server Error"},
		{"status whose body never ended", spec.Answer{Status: 500, End: spec.EndTimeout}, "retryable deadline_exceeded: deadline exceeded"},
		{"status without a name", whole(599, ""), "retryable handler_error: worker endpoint returned 599 <unknown status code>"},
		{"status 600", whole(600, ""), "fatal handler_error: worker endpoint returned 600 <unknown status code>"},
		{"status 103", whole(103, ""), "fatal handler_error: worker endpoint returned 103 Early Hints"},
		{"body too large for it", whole(413, ""), "fatal handler_error: worker endpoint returned 413 Payload Too Large"},
		{"redirect", whole(301, "", [2]string{"Location", "/x"}), "fatal handler_error: worker endpoint returned 301 Moved Permanently: redirects are not followed here"},
		{"location of something else", whole(404, "", [2]string{"Location", "/x"}), "fatal handler_error: worker endpoint returned 404 Not Found"},
		{"redirect that speaks", whole(301, `{"error":"moved"}`, [2]string{"Location", "/x"}), "fatal handler_error: worker endpoint returned 301 Moved Permanently: moved"},

		{"first key that holds text", whole(200, `{"detail":"c","message":" ","error":[]}`), "fatal handler_error: worker reported: c"},
		{"error inside", whole(200, `{"error":{"message":"","error":"b"}}`), "fatal handler_error: worker reported: b"},
		{"no text", whole(200, `{"error":{"code":"x"},"message":null,"detail":7}`), ""},
		{"last of equal keys", whole(200, `{"error":"a","error":"b"}`), "fatal handler_error: worker reported: b"},
		{"beside empty channels", whole(200, `{"channels":{},"error":"a"}`), "fatal handler_error: worker reported: a"},
		{"beside channels", whole(200, `{"channels":{"slack":1},"error":"a"}`), ""},
		{"in a body with a syntax error", whole(200, `{"error":"a",}`), "fatal invalid_response: invalid decision response: expected a member name, got '}' at line 1 column 14"},
		{"in a list", whole(200, `["error"]`), "fatal invalid_response: invalid decision response at `[0]`: expected an array, got the string \"error\""},
		{"cut by characters", whole(200, `{"error":"`+strings.Repeat("é", 301)+`"}`), "fatal handler_error: worker reported: " + strings.Repeat("é", 300) + "…"},
		{"not cut", whole(200, `{"error":"`+strings.Repeat("é", 300)+`"}`), "fatal handler_error: worker reported: " + strings.Repeat("é", 300)},
		{"blank is not Unicode blank", whole(200, "\u00a0"), "fatal invalid_response: invalid decision response: expected a value, got '\\u00a0' at line 1 column 1"},

		{"delta for nobody", streamed("event: llm.token.delta\ndata: {}\n\n"), "fatal invalid_response: llm.token.delta received for a call the engine did not ask to stream"},
		{"result before the cut", spec.Answer{Status: 200, Headers: [][2]string{{"CONTENT-TYPE", "text/event-stream"}}, Body: []byte("event: decision.result\ndata: {}\n\nevent: x"), End: spec.EndCut}, ""},
		{"result not ended", streamed("event: decision.result\ndata: {}\n"), "retryable handler_error: streaming worker response ended before decision.result"},
		{"timeout in a stream", spec.Answer{Status: 200, Headers: [][2]string{{"content-type", "text/event-stream"}}, Body: []byte(": x\n\n"), End: spec.EndTimeout}, "retryable deadline_exceeded: deadline exceeded"},
		{"error frame that is no JSON", streamed("event: decision.error\ndata: oops\n\n"), "fatal invalid_response: invalid decision.error frame: expected a value, got 'o' at line 1 column 1"},
		{"error frame with null retryable", streamed("event: decision.error\ndata: {\"message\":\"m\",\"retryable\":null}\n\n"), "fatal invalid_response: invalid decision.error frame: expected true or false, got null"},
		{"result of two lines", streamed("event: decision.result\ndata: {\ndata: }\n\n"), ""},
		{"result of invalid text", streamed("event: decision.result\ndata: \"\xff\"\n\n"), "fatal invalid_response: invalid decision response: invalid UTF-8: byte 0xff at line 1 column 2"},
		{"nothing in a stream", streamed(""), "retryable handler_error: streaming worker response ended before decision.result"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, failure := spec.ReadAnswer(c.a, false)
			got := ""
			if failure != nil {
				got = string(failure.Class) + " " + string(failure.Info.Code) + ": " + failure.Info.Message
				if !d.IsEmpty() {
					t.Error("a decision comes with the failure")
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadAnswerStreaming(t *testing.T) {
	t.Parallel()
	const result = "event: decision.result\ndata: {\"state\":1}\n\n"
	asked := func(format string) spec.Trigger {
		return spec.LlmExecuteTrigger{ID: "l", Stream: true, Format: format}
	}
	for _, c := range []struct {
		name, delta string
		t           spec.Trigger
		want        string
	}{
		{"delta", `{"text":"a","tool_calls":[{"id":"c","arguments":"{"}],"x":1}`, asked(""), ""},
		{"wrong shape", `{"text":5}`, asked(""), "invalid llm.token.delta frame: expected a string, got the number 5"},
		{"a provider's event", `{"text":5}`, asked("openai"), ""},
		{"a provider's event that is no JSON", `[DONE]`, asked("openai"), "invalid llm.token.delta frame: expected a value, got 'D' at line 1 column 2"},
		{"other trigger", `{}`, spec.ToolFinishedTrigger{}, "llm.token.delta is only valid for an llm.execute decision; this one answers tool.finished"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, failure := spec.ReadAnswerTo(c.t, streamed("event: llm.token.delta\ndata: "+c.delta+"\n\n"+result))
			got := ""
			if failure != nil {
				got = failure.Info.Message
			}
			if got != c.want || (failure == nil) != (string(d.State) == "1") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if _, failure := spec.ReadAnswer(streamed("event: llm.token.delta\ndata: {\"text\":5}\n\n"+result), true); failure != nil {
		t.Errorf("without its trigger a delta need only be JSON: %+v", failure)
	}
}

func TestReadStream(t *testing.T) {
	t.Parallel()
	type frame struct{ Event, Data, Text string }
	for _, c := range []struct {
		name, in string
		want     []frame
		rest     string
	}{
		{"empty", "", nil, ""},
		{"plain", "event: a\ndata: 1\n\ndata:2\n\n", []frame{{"a", "1", "event: a\ndata: 1\n\n"}, {"message", "2", "data:2\n\n"}}, ""},
		{"line ends", "event: a\rdata: 1\r\rdata: 2\r\n\r\n", []frame{{"a", "1", "event: a\rdata: 1\r\r"}, {"message", "2", "data: 2\r\n\r\n"}}, ""},
		{"comments and other fields", ": hi\nid: 4\nretry: 5\nevent: a\ndata: 1\n\n", []frame{{"a", "1", ": hi\nid: 4\nretry: 5\nevent: a\ndata: 1\n\n"}}, ""},
		{"lines are joined", "data: a\ndata\ndata:  b\n\n", []frame{{"message", "a\n\n b", "data: a\ndata\ndata:  b\n\n"}}, ""},
		{"last event name counts", "event: a\nevent: b\ndata: 1\n\n", []frame{{"b", "1", "event: a\nevent: b\ndata: 1\n\n"}}, ""},
		{"no data, no frame", "event: a\n\ndata: 1\n\n", []frame{{"message", "1", "data: 1\n\n"}}, ""},
		{"empty data, no frame", "event: a\ndata:\n\n", nil, ""},
		{"byte-order mark", "\ufeffdata: 1\n\n", []frame{{"message", "1", "data: 1\n\n"}}, ""},
		{"unfinished frame", "data: 1\n\nevent: a\ndata: 2\n", []frame{{"message", "1", "data: 1\n\n"}}, "event: a\ndata: 2\n"},
		{"unfinished line", "data: 1\n\ndata: 2", []frame{{"message", "1", "data: 1\n\n"}}, "data: 2"},
		{"blank lines", "\n\n\ndata: 1\n\n\n", []frame{{"message", "1", "data: 1\n\n"}}, ""},
		{"colon in the value", "data: a:b\n\n", []frame{{"message", "a:b", "data: a:b\n\n"}}, ""},
		{"bytes that are no text", "data: \xff\x00\n\n", []frame{{"message", "\xff\x00", "data: \xff\x00\n\n"}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []frame
			rest := spec.ReadStream([]byte(c.in), func(f spec.StreamFrame) bool {
				got = append(got, frame{f.Event, string(f.Data), c.in[f.Offset:f.End]})
				return true
			})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if string(rest) != c.rest {
				t.Errorf("rest %q, want %q", rest, c.rest)
			}
		})
	}
	n := 0
	spec.ReadStream([]byte("data: 1\n\ndata: 2\n\n"), func(spec.StreamFrame) bool { n++; return false })
	if n != 1 {
		t.Errorf("%d frames after the reader stopped", n)
	}
}
