package spec_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// The three benchmarks walk the same bytes, so their ratio says what decoding
// events costs over checking that they are JSON, and what reading the bodies
// adds.
func BenchmarkCheckLines(b *testing.B) {
	lines := exampleLines(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			if !jsontext.Value(line).IsValid() {
				b.Fatal("damaged line")
			}
		}
	}
}

func BenchmarkUnmarshalEvent(b *testing.B) {
	lines := exampleLines(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			if _, err := spec.UnmarshalEvent(line); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkReadBodies(b *testing.B) {
	events := exampleEvents(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, x := range collect(events...) {
			if _, fault := x.Asked(); fault != nil {
				b.Fatal(fault)
			}
			if _, failure := x.Decided(); failure != nil {
				b.Fatal(failure)
			}
		}
	}
}
