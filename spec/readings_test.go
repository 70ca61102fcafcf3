package spec_test

import (
	"iter"
	"reflect"
	"slices"
	"testing"

	"github.com/hallmarkdev/hallmark/spec"
)

// TestReadingsReadAsAlways: what is read with a memory of the recording is what is
// read without one, a fault with its own place each time included.
func TestReadingsReadAsAlways(t *testing.T) {
	t.Parallel()
	const (
		agent    = `"agent":{"model":"m","llm":"main","tools":[{"name":"a","description":"d","input":{"type":"object"}}]}`
		message  = `{"id":"m1","role":"user","content":"hi"}`
		called   = `{"id":"m2","role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"a","arguments":"{}"}}]}`
		wrong    = `{"id":"m3","role":"user","content":7}`
		nameless = `{"role":"user","content":"hi"}`
	)
	head := func(rest string) string {
		return `{"session_id":"s","decision_id":"d","agent_id":"a","trigger":{"type":"client.messages","new_from":0,"messages":[` + message + `]},` + rest + `}`
	}
	bodies := []string{
		head(agent + `,"messages":[` + message + `,` + called + `]`),
		head(agent + `,"messages":[` + message + `,` + called + `],"message_tree":{"nodes":[{"message":` + message + `}],"head_id":"m1"},"proposed":{"messages":[` + called + `]}`),
		head(`"messages":[` + message + `,` + wrong + `]`),
		head(`"messages":[` + wrong + `]`),
		head(`"proposed":{"messages":[` + nameless + `]}`),
		head(`"messages":[` + nameless + `]`),
		head(`"agent":{"tools":7},"messages":[]`),
		head(`"agent":{"tools":7}`),
	}
	var events []spec.Event
	for i, b := range bodies {
		d := string(rune('a' + i))
		events = append(events, spec.Event{N: int64(i + 1), Session: "s1", Data: &spec.RequestEvent{D: d, Decision: d, Body: spec.BodyOf([]byte(b)), End: spec.EndWhole}})
	}
	kept := spec.NewReadings()
	faults := 0
	for range 2 {
		n := 0
		for x := range kept.Exchanges(iter.Seq[spec.Event](slices.Values(events))) {
			got, fault := x.Asked()
			want, wantFault := spec.ParseRequest([]byte(bodies[n]))
			if !reflect.DeepEqual(fault, wantFault) {
				t.Errorf("%s: got fault %v, want %v", bodies[n], fault, wantFault)
			}
			if fault != nil {
				faults++
			} else if !reflect.DeepEqual(*got, want) {
				t.Errorf("%s: got %+v, want %+v", bodies[n], *got, want)
			}
			n++
		}
		if n != len(bodies) {
			t.Fatalf("%d of %d exchanges", n, len(bodies))
		}
	}
	if faults != 2*5 {
		t.Errorf("%d faults", faults)
	}
}
