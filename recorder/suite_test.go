package recorder_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

func TestRecorder(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "recorder")
}

// example is the published example of the format.
func example() []byte {
	b, err := os.ReadFile("testdata/recording-example.jsonl")
	if err != nil {
		panic(err)
	}
	return b
}

// lines splits a recording into lines, each with its line feed.
func lines(file []byte) [][]byte {
	return bytes.SplitAfter(bytes.TrimSuffix(file, []byte("\n")), []byte("\n"))
}

// join puts lines together, each with a line feed.
func join(lines [][]byte) []byte {
	var out []byte
	for _, l := range lines {
		out = append(out, bytes.TrimSuffix(l, []byte("\n"))...)
		out = append(out, '\n')
	}
	return out
}

// read reads all events of a recording, and the error at which it stops.
func read(file []byte) ([]spec.Event, error) {
	var out []spec.Event
	for e, err := range recorder.NewReader(bytes.NewReader(file)).All() {
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
	return out, nil
}

// verify verifies a recording from memory.
func verify(file []byte) recorder.Report {
	GinkgoHelper()
	rep, err := recorder.Verify(bytes.NewReader(file), "x.jsonl")
	Expect(err).NotTo(HaveOccurred())
	return rep
}

// noClock is a clock that stands still.
func noClock() time.Duration { return 0 }

// record writes events with a clock that gives the W they carry, and closes
// with the closing event if it is the last.
func record(events []spec.Event) []byte {
	GinkgoHelper()
	var out bytes.Buffer
	at := 0
	w := recorder.NewWriter(&out, func() time.Duration {
		return time.Duration(events[at].W) * time.Microsecond
	})
	for i, e := range events {
		at = i
		if c, ok := e.Data.(*spec.CloseEvent); ok {
			Expect(w.Close(c.Why, e.T)).To(Succeed())
			continue
		}
		Expect(w.Write(e)).To(Succeed())
	}
	return out.Bytes()
}

// header is the smallest header.
func header() spec.Event {
	return spec.Event{Data: &spec.HeaderEvent{
		Format: spec.RecordingFormat, Version: spec.RecordingVersion, Source: spec.SourceTest,
		ID: "x", Started: "2026-11-30T20:10:45.599Z", Evidence: []spec.Evidence{},
	}}
}
