package recorder_test

import (
	"bytes"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// TestMemoryIsThatOfALine writes one streamed body that is far larger than what
// the writer and the verifier may hold, from one to the other.
func TestMemoryIsThatOfALine(t *testing.T) {
	const parts, limit = 200, 16 << 20 // 50 MiB in pieces
	in, out := io.Pipe()
	wrote := make(chan error, 1)
	go func() {
		w := recorder.NewWriter(out, func() time.Duration { return 0 })
		err := streamed(w, parts)
		out.CloseWithError(err) // nil gives io.EOF
		wrote <- err
	}()
	var most uint64
	seen := 0
	watch := readFunc(func(p []byte) (int, error) {
		if seen++; seen%400 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
		return in.Read(p)
	})
	rep, err := recorder.Verify(watch, "long")
	if err != nil || rep.State != recorder.StateWhole {
		t.Fatalf("%v, %s", err, rep)
	}
	if err := <-wrote; err != nil {
		t.Fatal(err)
	}
	if rep.Pieces != parts || most == 0 || most > limit {
		t.Errorf("%d pieces, at most %d bytes in use; want %d pieces and no more than %d bytes", rep.Pieces, most, parts, limit)
	}
}

// streamed writes one exchange whose answer has that many pieces.
func streamed(w *recorder.Writer, parts int) error {
	part := spec.BodyOf(bytes.Repeat([]byte("x"), recorder.PieceSize))
	if err := w.Write(header()); err != nil {
		return err
	}
	if err := w.Write(request("d1", nil)); err != nil {
		return err
	}
	for i := range parts {
		piece := &spec.PieceEvent{D: "d1", Of: "response", Offset: int64(i * recorder.PieceSize), Body: part}
		if err := w.Write(spec.Event{Session: "s1", Data: piece}); err != nil {
			return err
		}
	}
	end := &spec.ResponseEvent{D: "d1", Status: 200, Pieces: parts, Bytes: int64(parts * recorder.PieceSize), End: spec.EndWhole}
	if err := w.Write(spec.Event{Session: "s1", Data: end}); err != nil {
		return err
	}
	return w.Close(spec.CloseScriptDone, 0)
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
