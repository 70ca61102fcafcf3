package spec_test

import (
	"testing"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// Whatever a worker sends, reading it ends in a decision or in one failure, and
// a decision that was read reads again to the same meaning.
func FuzzParseDecision(f *testing.F) {
	for _, s := range []string{
		`{}`, `null`, `[]`, `{"actions":[{"type":"tool.result","result":{"a":1.0}}]}`, `{"error":"x"}`,
		`{"agent":{"model":"m","tools":[{"name":"f"}],"defer_tools":{"max_matches":3}},"state":{"a":1,"a":2}}`,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"\ud83d\ude00"}]}]}`,
		`{"actions":[{"type":"llm.call","messages":[],"retry":{"max_attempts":1}},{"type":"done"}],"channels":{}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		d, fault := spec.ParseDecision(body)
		a := spec.Answer{Status: 200, Body: body, End: spec.EndWhole}
		read, failure := spec.ReadAnswer(a, false)
		if fault != nil {
			if failure == nil {
				t.Fatalf("refused (%v), but the answer is taken", fault)
			}
			return
		}
		_ = spec.ResolveDecision(read, spec.ToolExecuteTrigger{ID: "c"}, spec.ResolveContext{Agent: d.Agent, Blocks: []string{"main"}})
		text, err := spec.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		again, fault := spec.ParseDecision(text)
		if fault != nil {
			t.Fatalf("%s: %v", text, fault)
		}
		twice, err := spec.Marshal(again)
		if err != nil || !jsonv.Equal(text, twice) {
			t.Fatalf("%s became %s (%v)", text, twice, err)
		}
	})
}

// Frames lie in the stream one after the other, and reading never fails.
func FuzzReadStream(f *testing.F) {
	for _, s := range []string{"event: a\ndata: 1\n\n", ": x\r\rdata: a\r\ndata\n\n", "\ufeffdata:1\n\nid", "event: decision.result\ndata: {}\n\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		last := 0
		rest := spec.ReadStream(body, func(fr spec.StreamFrame) bool {
			if fr.Offset < last || fr.End <= fr.Offset || fr.End > len(body) || len(fr.Data) == 0 || fr.Event == "" {
				t.Fatalf("frame %+v after %d", fr, last)
			}
			last = fr.End
			return true
		})
		if len(rest) > len(body)-last {
			t.Fatalf("rest of %d bytes after offset %d of %d", len(rest), last, len(body))
		}
		for _, trigger := range []spec.Trigger{spec.LlmExecuteTrigger{Stream: true}, spec.ToolExecuteTrigger{}} {
			_, _ = spec.ReadAnswerTo(trigger, streamed(string(body)))
		}
	})
}

// A line that was read is written and read again to the same line.
func FuzzUnmarshalEvent(f *testing.F) {
	for _, line := range exampleLines(f) {
		f.Add(line)
	}
	f.Add([]byte(`{"n":1,"k":"moon","s":"s1","t":5,"phase":"full","w":1,"crc":"00000000"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := spec.UnmarshalEvent(line)
		if err != nil {
			return
		}
		once, err := spec.MarshalEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		again, err := spec.UnmarshalEvent(once)
		if err != nil {
			t.Fatalf("%s: %v", once, err)
		}
		twice, err := spec.MarshalEvent(again)
		if err != nil || string(once) != string(twice) {
			t.Fatalf("%s became %s (%v)", once, twice, err)
		}
	})
}
