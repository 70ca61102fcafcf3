package recorder_test

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// long is a recording of many exchanges, made from the example.
func long(tb testing.TB, times int) []byte {
	tb.Helper()
	events, err := read(example())
	if err != nil {
		tb.Fatal(err)
	}
	var out bytes.Buffer
	w := recorder.NewWriter(&out, func() time.Duration { return 0 })
	if err := w.Write(events[0]); err != nil {
		tb.Fatal(err)
	}
	for range times {
		for _, e := range events[1 : len(events)-1] {
			if err := w.Write(e); err != nil {
				tb.Fatal(err)
			}
		}
	}
	if err := w.Close(spec.CloseScriptDone, 0); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// BenchmarkDecode is the measure: every line decoded once, as tokens.
func BenchmarkDecode(b *testing.B) {
	file := long(b, 100)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		dec := jsontext.NewDecoder(bytes.NewReader(file))
		for {
			if _, err := dec.ReadToken(); err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkUnmarshalEvent(b *testing.B) {
	file := long(b, 100)
	all := lines(file)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		for _, l := range all {
			if _, err := spec.UnmarshalEvent(l); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkReader(b *testing.B) {
	file := long(b, 100)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		for _, err := range recorder.NewReader(bytes.NewReader(file)).All() {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	file := long(b, 100)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		rep, err := recorder.Verify(bytes.NewReader(file), "x")
		if err != nil || rep.State != recorder.StateWhole {
			b.Fatal(err, rep)
		}
	}
}

func BenchmarkWriter(b *testing.B) {
	events, err := read(example())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(example())))
	for b.Loop() {
		w := recorder.NewWriter(io.Discard, func() time.Duration { return 0 })
		for _, e := range events[:len(events)-1] {
			if err := w.Write(e); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Close("x", 0); err != nil {
			b.Fatal(err)
		}
	}
}
