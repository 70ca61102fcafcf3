package spec_test

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/spec"
)

func TestMarshalRequest(t *testing.T) {
	t.Parallel()
	at := spec.At(time.Date(2026, 8, 28, 12, 0, 20, 1e6, time.UTC))
	id, no := "c1", false
	req := spec.DecisionRequest{
		SessionID: "s", DecisionID: "d", AgentID: "desk",
		Identity: spec.Identity{Visibility: "shared"},
		Trigger: spec.ToolExecuteTrigger{ID: "c1", Name: "f", Arguments: `{"n":1e2,"n":1.0}`,
			Input: spec.ToolInput{Status: spec.InputValid, Value: jsontext.Value(`{"n":1.0,"t":"\ud835","u":"é"}`)}},
		Proposed: spec.Proposal{Decision: spec.Decision{Actions: []spec.Action{
			spec.ToolErrorAction{ID: &id, Error: "unknown tool: f", Retryable: &no},
		}}},
		Deadline: &at,
	}
	got, err := spec.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"session_id":"s","decision_id":"d","agent_id":"desk","identity":{"visibility":"shared","metadata":{}},` +
		`"trigger":{"type":"tool.execute","id":"c1","name":"f","arguments":"{\"n\":1e2,\"n\":1.0}",` +
		`"input":{"status":"valid","value":{"n":1.0,"t":"\ud835","u":"é"}},"attempt":0},` +
		`"proposed":{"messages":[],"actions":[{"type":"tool.error","id":"c1","error":"unknown tool: f","retryable":false}],"state":null},` +
		`"state":null,"agent":null,"calls":[],"pending_calls":0,"messages":[],"message_tree":{"nodes":[]},"ancestry":[],` +
		`"attempts":0,"deadline":"2026-08-28T12:00:20.001Z","turn_id":null}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}
