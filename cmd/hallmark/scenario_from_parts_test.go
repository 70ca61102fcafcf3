package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// part writes a capture of these events, which follow the part that it continues.
func part(t *testing.T, name, continues string, events []spec.Event) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := recorder.NewWriter(f, func() time.Duration { return 0 })
	head := spec.Event{Data: &spec.HeaderEvent{
		Format: spec.RecordingFormat, Version: spec.RecordingVersion, Source: spec.SourceCapture, Started: "2026-11-30T20:10:45.599Z", Clock: "live",
		ID: strings.TrimSuffix(filepath.Base(name), ".jsonl"), Evidence: []spec.Evidence{spec.EvidenceExchange, spec.EvidenceSession}, Continues: continues,
	}}
	for _, e := range append([]spec.Event{head}, events...) {
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close("rotated", 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// The parts of a rotated session are told as one, wherever it was cut, and what is
// damaged is named.
func TestPartsAreToldAsOne(t *testing.T) {
	t.Parallel()
	f, err := recorder.Open("../../recorder/testdata/recording-example.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var session spec.Event
	var events []spec.Event
	// cuts are the places between exchanges.
	var cuts []int
	for e, err := range recorder.NewReader(f).All() {
		if err != nil {
			t.Fatal(err)
		}
		switch d := e.Data.(type) {
		case *spec.SessionEvent:
			session = e
			session.Data = &spec.SessionEvent{SessionID: d.SessionID, AgentID: d.AgentID, Identity: d.Identity, Origin: "joined"}
			events = append(events, e)
		case *spec.RequestEvent:
			cuts = append(cuts, len(events))
			events = append(events, e)
		case *spec.PieceEvent, *spec.ResponseEvent:
			events = append(events, e)
		}
	}
	tell := func(path string) string {
		told, err := (&fromFlags{}).tell(path)
		if err != nil {
			t.Fatal(err)
		}
		told.Tree.Delete("refs")
		told.Tree.Comment = ""
		return string(told.Tree.YAML())
	}
	whole := filepath.Join(t.TempDir(), "night.jsonl")
	part(t, whole, "", events)
	want := tell(whole)
	for _, cut := range cuts[1:] {
		dir := t.TempDir()
		part(t, filepath.Join(dir, "night.jsonl"), "", events[:cut])
		later := filepath.Join(dir, "night-002.jsonl")
		part(t, later, "night.jsonl", append([]spec.Event{session}, events[cut:]...))
		if d := cmp.Diff(want, tell(dir)); d != "" {
			t.Errorf("cut at %d: %s", cut, d)
		}
		text, err := os.ReadFile(later)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(later, []byte(strings.Replace(string(text), `"k":"request"`, `"k":"request "`, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := (&fromFlags{}).tell(dir); err == nil || !strings.Contains(err.Error(), "night-002.jsonl") {
			t.Errorf("%v", err)
		}
	}
}
