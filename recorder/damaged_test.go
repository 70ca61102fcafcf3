package recorder_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// small is a whole recording of few lines, with a request in pieces' worth of
// everything that can be damaged.
func small(tb testing.TB, change func([]spec.Event) []spec.Event) []byte {
	tb.Helper()
	const asked = `{"session_id":"s","decision_id":"x1","agent_id":"a","trigger":{"type":"client.action","name":"go"}}`
	events := []spec.Event{
		header(),
		{Session: "s1", Data: &spec.SessionEvent{SessionID: "s", AgentID: "a", Origin: "new"}},
		{Session: "s1", T: 1, Data: &spec.RequestEvent{D: "d1", Decision: "x1", Trigger: spec.OnClientAction, Method: "POST", Target: "/", Proto: "HTTP/1.1", Headers: [][2]string{}, Body: spec.BodyOf([]byte(asked))}},
		{Session: "s1", T: 1, Data: &spec.PieceEvent{D: "d1", Of: "response", Body: spec.BodyOf([]byte("event: decision.result\n"))}},
		{Session: "s1", T: 1, Data: &spec.PieceEvent{D: "d1", Of: "response", Offset: 23, Body: spec.BodyOf([]byte("data: {}\n\n"))}},
		{Session: "s1", T: 1, Data: &spec.ResponseEvent{D: "d1", Status: 200, Proto: "HTTP/1.1", Pieces: 2, Bytes: 33, End: spec.EndWhole}},
	}
	if change != nil {
		events = change(events)
	}
	var out bytes.Buffer
	w := recorder.NewWriter(&out, func() time.Duration { return 0 })
	for _, e := range events {
		if err := w.Write(e); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close("done", 2); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// damages are the files of testdata/damaged, by how each was made.
func damages(tb testing.TB) map[string][]byte {
	whole := small(tb, nil)
	cut := func(from, to int) []byte {
		return join(append(append([][]byte{}, lines(whole)[:from]...), lines(whole)[to:]...))
	}
	swapped := lines(whole)
	swapped[2], swapped[3] = swapped[3], swapped[2]
	doubled := append(append([][]byte{}, lines(whole)[:4]...), lines(whole)[3:]...)
	without := func(i int) func([]spec.Event) []spec.Event {
		return func(e []spec.Event) []spec.Event { return append(e[:i:i], e[i+1:]...) }
	}
	packed := func(b []byte) []byte {
		var out bytes.Buffer
		if err := recorder.Compress(&out, bytes.NewReader(b)); err != nil {
			tb.Fatal(err)
		}
		return out.Bytes()
	}
	flipped := packed(whole)
	flipped[len(flipped)/2] ^= 0x20
	return map[string][]byte{
		"byte-changed.jsonl":             bytes.Replace(whole, []byte(`"status":200`), []byte(`"status":500`), 1),
		"number-changed.jsonl":           bytes.Replace(whole, []byte(`{"n":4,`), []byte(`{"n":5,`), 1),
		"line-dropped.jsonl":             cut(3, 4),
		"line-doubled.jsonl":             join(doubled),
		"lines-swapped.jsonl":            join(swapped),
		"cut-in-a-line.jsonl":            whole[:len(whole)-200],
		"cut-after-a-line.jsonl":         cut(6, 7),
		"cut-in-the-header.jsonl":        whole[:50],
		"last-line-feed-lost.jsonl":      whole[:len(whole)-1],
		"text-after-the-end.jsonl":       append(bytes.Clone(whole), "more\n"...),
		"two-in-one.jsonl":               append(bytes.Clone(whole), whole...),
		"empty.jsonl":                    {},
		"no-recording.jsonl":             []byte("{\"level\":\"info\",\"msg\":\"hello\"}\n"),
		"no-text.jsonl":                  {0x7f, 'E', 'L', 'F', 0, 0, '\n'},
		"windows-line-ends.jsonl":        bytes.ReplaceAll(whole, []byte("\n"), []byte("\r\n")),
		"byte-order-mark.jsonl":          append([]byte("\ufeff"), whole...),
		"not-utf8.jsonl":                 bytes.Replace(whole, []byte(`"agent_id":"a"`), []byte("\"agent_id\":\"\xff\""), 1),
		"checksum-lost.jsonl":            bytes.Replace(whole, []byte(`,"crc":"`), []byte(`,"sum":"`), 1),
		"later-version.jsonl":            reseal(whole, 1, func(e spec.Event) { e.Data.(*spec.HeaderEvent).Version = 2 }),
		"other-format.jsonl":             reseal(whole, 1, func(e spec.Event) { e.Data.(*spec.HeaderEvent).Format = "har" }),
		"sums-do-not-fit.jsonl":          reseal(whole, 7, func(e spec.Event) { e.Data.(*spec.CloseEvent).Exchanges = 9 }),
		"index-lies.jsonl":               small(tb, func(e []spec.Event) []spec.Event { e[2].Data.(*spec.RequestEvent).Decision = "x2"; return e }),
		"piece-missing.jsonl":            small(tb, without(3)),
		"response-without-request.jsonl": small(tb, without(2)),
		"packed-cut.jsonl.zst":           packed(whole)[:len(packed(whole))-30],
		"packed-changed.jsonl.zst":       flipped,
		"packed-no-recording.jsonl.zst":  packed([]byte("hello\n")),
		"packed-text-after.jsonl.zst":    append(packed(whole), "more"...),
	}
}

const damagedFolder = "testdata/damaged"

// TestDamaged reads a folder of recordings each of which must fail, and wants
// of each the very errors that stand in expected.txt. UPDATE_DAMAGED=1 makes the
// files and what is expected anew.
func TestDamaged(t *testing.T) {
	t.Parallel()
	golden := filepath.Join(damagedFolder, "expected.txt")
	if os.Getenv("UPDATE_DAMAGED") != "" {
		for name, text := range damages(t) {
			if err := os.WriteFile(filepath.Join(damagedFolder, name), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	entries, err := os.ReadDir(damagedFolder)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	n := 0
	for _, e := range entries {
		if !recorder.IsRecordingName(e.Name()) {
			continue
		}
		n++
		got.WriteString(toldOf(t, e.Name()))
	}
	if want := len(damages(t)); n != want {
		t.Errorf("%d files, want %d", n, want)
	}
	if os.Getenv("UPDATE_DAMAGED") != "" {
		if err := os.WriteFile(golden, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Error(diff)
	}
}

// toldOf is what is said of one file: what verify finds, and at which error a
// reader stops, after how many events.
func toldOf(t *testing.T, name string) string {
	f, err := recorder.Open(filepath.Join(damagedFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	rep, err := recorder.Verify(f, name)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	_ = f.Close()
	if rep.State == recorder.StateWhole {
		t.Errorf("%s: is taken for whole", name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, the first %d lines are good\n", name, rep.State, rep.Good)
	for _, fault := range rep.Faults {
		fmt.Fprintf(&b, "  line %d: %s: %s\n    hint: %s\n", fault.Line, fault.Kind, fault.Message, fault.Hint)
	}
	if f, err = recorder.Open(filepath.Join(damagedFolder, name)); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	events := 0
	for _, err := range recorder.NewReader(f).All() {
		if err != nil {
			fmt.Fprintf(&b, "  read after %d events: %v\n", events, err)
			return b.String()
		}
		events++
	}
	// What contradicts itself and not its checksums is for verify to find.
	fmt.Fprintf(&b, "  read to the end\n")
	return b.String()
}

// TestPackedCut cuts a packed recording at every byte: it is never taken for a
// whole one, and never as an error that is not about the file.
func TestPackedCut(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	if err := recorder.Compress(&packed, bytes.NewReader(small(t, nil))); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "cut.jsonl.zst")
	for at := range packed.Len() {
		if err := os.WriteFile(name, packed.Bytes()[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := recorder.Open(name)
		if err != nil {
			t.Fatalf("cut at %d: %v", at, err)
		}
		rep, err := recorder.Verify(f, name)
		_ = f.Close()
		if err != nil || rep.State == recorder.StateWhole {
			t.Fatalf("cut at %d of %d: %v, %s", at, packed.Len(), err, rep)
		}
	}
}
