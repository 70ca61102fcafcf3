package scenarios

import (
	"testing"

	"github.com/hallmarkdev/hallmark/spec"
)

func TestHandlerOf(t *testing.T) {
	t.Parallel()
	plain := &spec.AgentConfig{Tools: []spec.AgentTool{{Name: "price"}, {Name: "confirm", Handler: spec.HandlerClient}}}
	own := &spec.AgentConfig{Tools: []spec.AgentTool{{Name: "call_tool"}}}
	for _, tt := range []struct {
		agent           *spec.AgentConfig
		name, arguments string
		want            spec.Handler
	}{
		{plain, "price", "{}", spec.HandlerWorker},
		{plain, "confirm", "{}", spec.HandlerClient},
		{plain, "nobody", "{}", spec.HandlerWorker},
		{plain, "tool_search", "{}", spec.HandlerServer},
		{plain, "call_tool", `{"name":"price"}`, spec.HandlerWorker},
		{plain, "call_tool", `{"name":"confirm"}`, spec.HandlerClient},
		{plain, "call_tool", `{"name":"nobody"}`, spec.HandlerServer},
		{plain, "call_tool", `[`, spec.HandlerServer},
		{own, "call_tool", `{"name":"price"}`, spec.HandlerWorker},
		{nil, "tool_search", "{}", spec.HandlerServer},
	} {
		if got := handlerOf(tt.agent, tt.name, tt.arguments); got != tt.want {
			t.Errorf("handlerOf(%s, %s) = %s, want %s", tt.name, tt.arguments, got, tt.want)
		}
	}
}
