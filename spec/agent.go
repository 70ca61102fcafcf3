package spec

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"
)

// AgentConfig is the whole config of an agent. It is replaced as a whole,
// never merged (wire 8, O2).
type AgentConfig struct {
	Model            string         `json:"model"`
	Llm              string         `json:"llm,omitzero"`
	System           string         `json:"system,omitzero"`
	Effort           string         `json:"effort,omitzero"`
	Retry            *RetryConfig   `json:"retry,omitzero"`
	Tools            []AgentTool    `json:"tools,omitzero"`
	Subagents        []Subagent     `json:"subagents,omitzero"`
	SubagentTools    *SubagentTools `json:"subagent_tools,omitzero"`
	MaxSubagentDepth *uint32        `json:"max_subagent_depth,omitzero"`
	Mcp              []McpServer    `json:"mcp,omitzero"`
	Plugins          []AgentPlugin  `json:"plugins,omitzero"`
	// DeferTools is true, false or an object; see [AgentConfig.Deferral].
	DeferTools  jsontext.Value `json:"defer_tools,omitzero"`
	McpAnnounce string         `json:"mcp_announce,omitzero"`
	// Attachments is of a later protocol and kept as spelled.
	Attachments jsontext.Value `json:"attachments,omitzero"`
}

// AgentTool is one declared tool (wire 8).
type AgentTool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
	// Input and Output are JSON Schemas as spelled; nil means unchecked.
	Input   jsontext.Value `json:"input,omitzero"`
	Output  jsontext.Value `json:"output,omitzero"`
	Handler Handler        `json:"handler,omitzero"`
	Defer   *bool          `json:"defer,omitzero"`
}

// RunsOn returns where calls of the tool run: the declared handler, or the
// worker (wire 8).
func (t AgentTool) RunsOn() Handler {
	if t.Handler == "" {
		return HandlerWorker
	}
	return t.Handler
}

// Tool returns the first declared tool of that exact name (E4: case counts).
func (c *AgentConfig) Tool(name string) (AgentTool, bool) {
	if c == nil {
		return AgentTool{}, false
	}
	for _, t := range c.Tools {
		if t.Name == name {
			return t, true
		}
	}
	return AgentTool{}, false
}

// Defers reports whether c keeps t out of the model's request: by the tool's own
// word, else by that for all tools (K1). A nil config defers what says so itself.
func (c *AgentConfig) Defers(t AgentTool) bool {
	if t.Defer != nil {
		return *t.Defer
	}
	_, all := c.Deferral()
	return all
}

// The tools by which a model finds and calls what it is not shown (K1). They run
// on the engine.
const (
	ToolSearchName = "tool_search"
	CallToolName   = "call_tool"
)

// RunsOnEngine reports whether a call of that name is the engine's own to run for
// an agent with config c: of [ToolSearchName] and [CallToolName], unless c has a tool of
// that name (K3, K5). A nil config has none.
func (c *AgentConfig) RunsOnEngine(name string) bool {
	_, own := c.Tool(name)
	return !own && (name == ToolSearchName || name == CallToolName)
}

// Subagent is another agent offered as a tool (wire 8, L1).
type Subagent struct {
	ID          string `json:"id"`
	Description string `json:"description,omitzero"`
	Defer       *bool  `json:"defer,omitzero"`
	Prefix      *bool  `json:"prefix,omitzero"`
	Mode        string `json:"mode,omitzero"`
}

// SubagentTools says how subagents are offered (wire 8).
type SubagentTools struct {
	Strategy string `json:"strategy,omitzero"`
	Wait     *bool  `json:"wait,omitzero"`
}

// McpServer is a connection that the engine dials (wire 8). Path is spelled
// `id` by older and newer engines (gap 10).
type McpServer struct {
	Path            string         `json:"path,omitzero"`
	ID              string         `json:"id,omitzero"`
	Tools           jsontext.Value `json:"tools,omitzero"`
	AuthFailure     string         `json:"auth_failure,omitzero"`
	ToolSyncFailure string         `json:"tool_sync_failure,omitzero"`
	Approve         string         `json:"approve,omitzero"`
}

// AgentPlugin is a bundle of servers and skills (wire 8).
type AgentPlugin struct {
	ID              string         `json:"id"`
	Description     string         `json:"description,omitzero"`
	Servers         []string       `json:"servers,omitzero"`
	Skills          []PluginSkill  `json:"skills,omitzero"`
	Tools           jsontext.Value `json:"tools,omitzero"`
	Approve         string         `json:"approve,omitzero"`
	AuthFailure     string         `json:"auth_failure,omitzero"`
	ToolSyncFailure string         `json:"tool_sync_failure,omitzero"`
}

// PluginSkill is one skill of a plugin (wire 8).
type PluginSkill struct {
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
}

// Connections names the connections of c, as results of a search and
// connector.sync do: those of mcp by their path, those of plugins as
// plugin.ID.mcp.SERVER (wire 5, K6). A nil config has none.
func (c *AgentConfig) Connections() []string {
	if c == nil {
		return nil
	}
	var all []string
	for _, s := range c.Mcp {
		all = append(all, cmp.Or(s.Path, "mcp."+s.ID))
	}
	for _, p := range c.Plugins {
		for _, s := range p.Servers {
			all = append(all, "plugin."+p.ID+".mcp."+s)
		}
	}
	return all
}
