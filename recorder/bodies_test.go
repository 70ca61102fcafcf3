package recorder_test

import (
	"bytes"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// anyBody draws bytes that a worker may send: text, control characters, half
// characters, nothing, and more than a line may hold.
func anyBody() *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		b := rapid.OneOf(
			rapid.SliceOf(rapid.Byte()),
			rapid.Map(rapid.String(), func(s string) []byte { return []byte(s) }),
			rapid.Just([]byte("\x00\x1f\u2028<>&\"\\\\\ud7ff\U0001F378")),
			rapid.Just([]byte(`{"t":"x\ud835y","n":2512292042121000001,"e":1e1000000000}`)),
			rapid.Just([]byte{0xef, 0xbb, 0xbf, 0xed, 0xa0, 0x80}),
		).Draw(t, "part")
		if len(b) > 0 && rapid.IntRange(0, 9).Draw(t, "huge") == 0 {
			n := rapid.IntRange(recorder.PieceSize/2, 3*recorder.PieceSize).Draw(t, "size")
			b = bytes.Repeat(b, n/len(b)+1)
		}
		return b
	})
}

func TestBodiesSurvive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sent, got := anyBody().Draw(t, "sent"), anyBody().Draw(t, "got")
		var out bytes.Buffer
		w := recorder.NewWriter(&out, func() time.Duration { return 0 })
		for _, e := range []spec.Event{header(), request("d1", sent), response("d1", got)} {
			if err := w.Write(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(spec.CloseScriptDone, 0); err != nil {
			t.Fatal(err)
		}
		file := out.Bytes()
		rep, err := recorder.Verify(bytes.NewReader(file), "x")
		if err != nil || rep.State != recorder.StateWhole {
			t.Fatalf("%v %s", err, rep)
		}
		events, err := read(file)
		if err != nil {
			t.Fatal(err)
		}
		if b := joined(t, events, "request"); !bytes.Equal(b, sent) {
			t.Errorf("request: %q is not %q", b, sent)
		}
		if b := joined(t, events, "response"); !bytes.Equal(b, got) {
			t.Errorf("response: %q is not %q", b, got)
		}
	})
}

// joined puts the only body of its kind together again.
func joined(t *rapid.T, events []spec.Event, of string) []byte {
	var out []byte
	for _, e := range events {
		var b spec.Body
		switch d := e.Data.(type) {
		case *spec.PieceEvent:
			if d.Of == of {
				b = d.Body
			}
		case *spec.RequestEvent:
			if of == "request" {
				b = d.Body
			}
		case *spec.ResponseEvent:
			if of == "response" {
				b = d.Body
			}
		}
		part, err := b.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, part...)
	}
	return out
}

func TestOneChangedByteIsSeen(t *testing.T) {
	t.Parallel()
	file := example()
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.IntRange(0, len(file)-1).Draw(t, "at")
		flip := byte(rapid.IntRange(1, 255).Draw(t, "flip"))
		bad := bytes.Clone(file)
		bad[at] ^= flip
		line := int64(bytes.Count(file[:at], []byte("\n")) + 1)
		rep, err := recorder.Verify(bytes.NewReader(bad), "x")
		if err != nil || rep.State == recorder.StateWhole {
			t.Fatalf("%v: not seen", err)
		}
		if rep.Faults[0].Line != line {
			t.Fatalf("line %d is blamed for line %d: %+v", rep.Faults[0].Line, line, rep.Faults)
		}
		if _, err := read(bad); err == nil {
			t.Fatal("the reader takes it")
		}
	})
}
