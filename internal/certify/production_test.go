package certify_test

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// busy is a capture of one session that goes on for so many rounds: the
// published example again and again, each time with decisions and calls of its
// own and with so many bytes more in every body. It is made as it is read.
func busy(tb testing.TB, rounds, pad int) certify.Recording {
	tb.Helper()
	file, err := os.ReadFile(filepath.Join("..", "..", "recorder", "testdata", "recording-example.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	var round []spec.Event
	for e, err := range recorder.NewReader(bytes.NewReader(file)).All() {
		if err != nil {
			tb.Fatal(err)
		}
		switch e.Data.(type) {
		case *spec.RequestEvent, *spec.ResponseEvent, *spec.PieceEvent:
			round = append(round, e)
		}
	}
	header := &spec.HeaderEvent{
		Format: spec.RecordingFormat, Version: spec.RecordingVersion, Source: spec.SourceCapture, ID: "busy", Started: "2026-11-30T20:10:45.599Z",
		Evidence: []spec.Evidence{spec.EvidenceExchange, spec.EvidenceSession},
	}
	return certify.Recording{Name: "busy.jsonl", Events: func() iter.Seq2[spec.Event, error] {
		return func(yield func(spec.Event, error) bool) {
			n := int64(1)
			give := func(e spec.Event) bool {
				e.N = n
				n++
				return yield(e, nil)
			}
			if !give(spec.Event{Data: header}) || !give(spec.Event{Session: "s1", Data: &spec.SessionEvent{SessionID: "s", AgentID: "desk", Origin: "new"}}) {
				return
			}
			for i := range rounds {
				own := strings.NewReplacer(
					"01989a3c-5400-7d", fmt.Sprintf("%08x-5400-7d", i), "call_5QmZ", fmt.Sprintf("call_%08x", i),
					`"Book room 4 at nine."`, `"Book room 4 at nine.`+strings.Repeat(" Please.", pad/8)+`"`,
				)
				for _, e := range round {
					if !give(again(e, own, i)) {
						return
					}
				}
			}
			give(spec.Event{Data: &spec.CloseEvent{Why: "quiet"}})
		}
	}}
}

// again is an event of a later round.
func again(e spec.Event, own *strings.Replacer, round int) spec.Event {
	body := func(b spec.Body) spec.Body {
		if b.Text == nil {
			return b
		}
		text := own.Replace(*b.Text)
		return spec.Body{Text: &text}
	}
	name := func(d string) string { return fmt.Sprintf("d%d%s", round, d[1:]) }
	switch d := e.Data.(type) {
	case *spec.RequestEvent:
		c := *d
		c.D, c.Body, c.Call, c.Decision = name(d.D), body(d.Body), own.Replace(d.Call), own.Replace(d.Decision)
		e.Data = &c
	case *spec.ResponseEvent:
		c := *d
		c.D, c.Body = name(d.D), body(d.Body)
		if c.Pieces == 0 {
			b, _ := c.Body.Bytes()
			c.Bytes = int64(len(b))
		}
		e.Data = &c
	case *spec.PieceEvent:
		c := *d
		c.D = name(d.D)
		e.Data = &c
	}
	return e
}

// peak judges a recording, and gives the size of its bodies and the most memory
// that was in use, sampled as it is read.
func peak(tb testing.TB, r certify.Recording) (size int64, most uint64) {
	tb.Helper()
	seen := 0
	watched := certify.Recording{Name: r.Name, Events: func() iter.Seq2[spec.Event, error] {
		return func(yield func(spec.Event, error) bool) {
			for e, err := range r.Events() {
				if d, ok := e.Data.(*spec.RequestEvent); ok {
					size += int64(len(*d.Body.Text))
				}
				if d, ok := e.Data.(*spec.ResponseEvent); ok && d.Body.Text != nil {
					size += int64(len(*d.Body.Text))
				}
				if seen++; seen%512 == 0 {
					var m runtime.MemStats
					runtime.GC()
					runtime.ReadMemStats(&m)
					most = max(most, m.HeapAlloc)
				}
				if !yield(e, err) {
					return
				}
			}
		}
	}}
	judged, err := certify.Judge(watched)
	if err != nil {
		tb.Fatal(err)
	}
	if report := certify.Sum([]*certify.Judged{judged}); report.Exit != reports.ExitGood || report.Summary.Requirements.Pass < 20 {
		tb.Fatalf("exit %d, %d passed", report.Exit, report.Summary.Requirements.Pass)
	}
	return size, most
}

// TestJudgingIsFlat judges captures of which one is eight times as long as the
// other, in the same memory. It runs by itself, since it looks at the heap.
func TestJudgingIsFlat(t *testing.T) {
	_, short := peak(t, busy(t, 50, 8<<10))
	size, long := peak(t, busy(t, 400, 8<<10))
	t.Logf("%d MB judged in at most %d KB, a capture an eighth as long in %d KB", size>>20, long>>10, short>>10)
	if size < 100<<20 {
		t.Errorf("%d bytes of bodies, want 100 MB or more", size)
	}
	const noise = 2 << 20
	if long > short+noise || long > 64<<20 {
		t.Errorf("%d bytes in use, %d for a capture an eighth as long", long, short)
	}
}

// BenchmarkJudgeGigabyte judges a capture of a gigabyte and tells the most memory
// that was in use.
func BenchmarkJudgeGigabyte(b *testing.B) {
	for b.Loop() {
		size, most := peak(b, busy(b, 500, 40<<10))
		b.SetBytes(size)
		b.ReportMetric(float64(size)/(1<<30), "GB")
		b.ReportMetric(float64(most)/(1<<20), "peak-MB")
	}
}

// BenchmarkJudgeAgainstDecode judges a capture from its bytes and decodes the
// same bytes once, by turns in one run, and reports the ratio of the medians: at
// most 3 is the budget.
func BenchmarkJudgeAgainstDecode(b *testing.B) {
	var file bytes.Buffer
	w := recorder.NewWriter(&file, func() time.Duration { return 0 })
	for e := range busy(b, 60, 8<<10).Events() {
		if c, ok := e.Data.(*spec.CloseEvent); ok {
			if err := w.Close(c.Why, 0); err != nil {
				b.Fatal(err)
			}
		} else if err := w.Write(e); err != nil {
			b.Fatal(err)
		}
	}
	text := file.Bytes()
	from := certify.Recording{Name: "busy.jsonl", Events: func() iter.Seq2[spec.Event, error] {
		return recorder.NewReader(bytes.NewReader(text)).All()
	}}
	var ratios []float64
	for b.Loop() {
		start := time.Now()
		decodeOnce(b, bytes.NewReader(text))
		decoded := time.Since(start)
		start = time.Now()
		if _, err := certify.Judge(from); err != nil {
			b.Fatal(err)
		}
		ratios = append(ratios, float64(time.Since(start))/float64(decoded))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "ratio")
	b.ReportMetric(0, "ns/op")
}

// decodeOnce decodes every line, and every body, once.
func decodeOnce(b *testing.B, r io.Reader) {
	for e, err := range recorder.NewReader(r).All() {
		if err != nil {
			b.Fatal(err)
		}
		switch d := e.Data.(type) {
		case *spec.RequestEvent:
			body, _ := d.Body.Bytes()
			if _, fault := spec.ParseRequest(body); fault != nil {
				b.Fatal(fault)
			}
		case *spec.ResponseEvent:
			if body, _ := d.Body.Bytes(); body != nil {
				if _, fault := spec.ParseDecision(body); fault != nil {
					b.Fatal(fault)
				}
			}
		}
	}
}
