package simulator

import "github.com/hallmarkdev/hallmark/spec"

// DefaultAgent is the config that session.start proposes when nobody gives
// one: the smallest that an engine's agent file could hold (R2).
func DefaultAgent() *spec.AgentConfig {
	return &spec.AgentConfig{Model: "hallmark-simulated", Llm: "main"}
}
