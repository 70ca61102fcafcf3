package spec

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

var (
	readHandler = oneOf("handler", HandlerWorker, HandlerClient, HandlerServer)
	readEffort  = oneOf("effort", "xhigh", "high", "medium", "low", "minimal", "none")
)

var overrideShape = &shape[RetryOverride]{what: "retry", fields: []field[RetryOverride]{
	opt("queue_timeout_secs", ptr(readU32), func(r *RetryOverride) **uint32 { return &r.QueueTimeoutSecs }),
	opt("run_timeout_secs", ptr(readU32), func(r *RetryOverride) **uint32 { return &r.RunTimeoutSecs }),
	opt("total_timeout_secs", ptr(readU32), func(r *RetryOverride) **uint32 { return &r.TotalTimeoutSecs }),
	opt("max_attempts", ptr(readU32), func(r *RetryOverride) **uint32 { return &r.MaxAttempts }),
	opt("backoff_base_secs", ptr(readU32), func(r *RetryOverride) **uint32 { return &r.BackoffBaseSecs }),
	opt("backoff_max_secs", ptr(readU32), func(r *RetryOverride) **uint32 { return &r.BackoffMaxSecs }),
}}

var readOverride = ptr(of(overrideShape))

var retryConfigShape = &shape[RetryConfig]{what: "retry", fields: []field[RetryConfig]{
	opt("default", readOverride, func(r *RetryConfig) **RetryOverride { return &r.Default }),
	opt("llm", readOverride, func(r *RetryConfig) **RetryOverride { return &r.Llm }),
	opt("tool", readOverride, func(r *RetryConfig) **RetryOverride { return &r.Tool }),
	opt("subagent", readOverride, func(r *RetryConfig) **RetryOverride { return &r.Subagent }),
	opt("connector", readOverride, func(r *RetryConfig) **RetryOverride { return &r.Connector }),
}}

var agentToolShape = &shape[AgentTool]{what: "tool", fields: []field[AgentTool]{
	must(set("name", readText, func(t *AgentTool) *string { return &t.Name })),
	set("description", readText, func(t *AgentTool) *string { return &t.Description }),
	opt("input", readAny, func(t *AgentTool) *jsontext.Value { return &t.Input }),
	opt("output", readAny, func(t *AgentTool) *jsontext.Value { return &t.Output }),
	opt("handler", readHandler, func(t *AgentTool) *Handler { return &t.Handler }),
	opt("defer", ptr(readBool), func(t *AgentTool) **bool { return &t.Defer }),
}}

var subagentShape = &shape[Subagent]{what: "subagent", fields: []field[Subagent]{
	must(set("id", readText, func(s *Subagent) *string { return &s.ID })),
	set("description", readText, func(s *Subagent) *string { return &s.Description }),
	opt("defer", ptr(readBool), func(s *Subagent) **bool { return &s.Defer }),
	opt("prefix", ptr(readBool), func(s *Subagent) **bool { return &s.Prefix }),
	opt("mode", oneOf("mode", "blocking", "detached", "any"), func(s *Subagent) *string { return &s.Mode }),
}}

var subagentToolsShape = &shape[SubagentTools]{what: "subagent_tools", closed: true, fields: []field[SubagentTools]{
	opt("strategy", oneOf("strategy", "per_agent", "single"), func(s *SubagentTools) *string { return &s.Strategy }),
	opt("wait", ptr(readBool), func(s *SubagentTools) **bool { return &s.Wait }),
}}

var (
	readAuthFailure = oneOf("auth_failure", "interrupt", "degrade")
	readSyncFailure = oneOf("tool_sync_failure", "warn", "silent")
	readApprove     = oneOf("approve", "never", "destructive", "always")
	readAnnounce    = oneOf("mcp_announce", "auto", "never")
)

// toolFilter is read for its faults only; the text is kept as spelled.
type toolFilter struct {
	include, exclude                               []string
	readOnly, nonDestructive, idempotent, deferred *bool
}

var toolFilterShape = &shape[toolFilter]{what: "tools", fields: []field[toolFilter]{
	opt("include", list(readText), func(t *toolFilter) *[]string { return &t.include }),
	opt("exclude", list(readText), func(t *toolFilter) *[]string { return &t.exclude }),
	opt("read_only", ptr(readBool), func(t *toolFilter) **bool { return &t.readOnly }),
	opt("non_destructive", ptr(readBool), func(t *toolFilter) **bool { return &t.nonDestructive }),
	opt("idempotent", ptr(readBool), func(t *toolFilter) **bool { return &t.idempotent }),
	opt("defer", ptr(readBool), func(t *toolFilter) **bool { return &t.deferred }),
}}

// keep reads v with read for its faults and keeps the text.
func keep[V any](read reader[V]) reader[jsontext.Value] {
	return func(p *place, v jsontext.Value) (jsontext.Value, *Fault) {
		if _, f := read(p, v); f != nil {
			return nil, f
		}
		return v, nil
	}
}

var mcpShape = &shape[McpServer]{what: "mcp server", fields: []field[McpServer]{
	opt("path", readText, func(m *McpServer) *string { return &m.Path }),
	opt("id", readText, func(m *McpServer) *string { return &m.ID }),
	opt("tools", keep(of(toolFilterShape)), func(m *McpServer) *jsontext.Value { return &m.Tools }),
	set("auth_failure", readAuthFailure, func(m *McpServer) *string { return &m.AuthFailure }),
	set("tool_sync_failure", readSyncFailure, func(m *McpServer) *string { return &m.ToolSyncFailure }),
	set("approve", readApprove, func(m *McpServer) *string { return &m.Approve }),
}}

// readMcp reads a connection, which is named by path or by id (gap 10).
func readMcp(p *place, v jsontext.Value) (McpServer, *Fault) {
	m, f := of(mcpShape)(p, v)
	if f == nil && m.Path == "" && m.ID == "" && !p.lenient {
		f = p.fault("mcp server lacks %q", "path")
	}
	return m, f
}

var skillShape = &shape[PluginSkill]{what: "skill", fields: []field[PluginSkill]{
	must(set("name", readText, func(s *PluginSkill) *string { return &s.Name })),
	set("description", readText, func(s *PluginSkill) *string { return &s.Description }),
}}

var pluginShape = &shape[AgentPlugin]{what: "plugin", fields: []field[AgentPlugin]{
	must(set("id", readText, func(a *AgentPlugin) *string { return &a.ID })),
	set("description", readText, func(a *AgentPlugin) *string { return &a.Description }),
	opt("servers", list(readText), func(a *AgentPlugin) *[]string { return &a.Servers }),
	opt("skills", list(of(skillShape)), func(a *AgentPlugin) *[]PluginSkill { return &a.Skills }),
	opt("tools", keep(of(toolFilterShape)), func(a *AgentPlugin) *jsontext.Value { return &a.Tools }),
	set("approve", readApprove, func(a *AgentPlugin) *string { return &a.Approve }),
	set("auth_failure", readAuthFailure, func(a *AgentPlugin) *string { return &a.AuthFailure }),
	set("tool_sync_failure", readSyncFailure, func(a *AgentPlugin) *string { return &a.ToolSyncFailure }),
}}

var agentShape = &shape[AgentConfig]{what: "agent", fields: []field[AgentConfig]{
	must(set("model", readText, func(a *AgentConfig) *string { return &a.Model })),
	opt("llm", readText, func(a *AgentConfig) *string { return &a.Llm }),
	opt("system", readText, func(a *AgentConfig) *string { return &a.System }),
	opt("effort", readEffort, func(a *AgentConfig) *string { return &a.Effort }),
	opt("retry", ptr(of(retryConfigShape)), func(a *AgentConfig) **RetryConfig { return &a.Retry }),
	set("tools", list(of(agentToolShape)), func(a *AgentConfig) *[]AgentTool { return &a.Tools }),
	set("subagents", list(of(subagentShape)), func(a *AgentConfig) *[]Subagent { return &a.Subagents }),
	opt("subagent_tools", ptr(of(subagentToolsShape)), func(a *AgentConfig) **SubagentTools { return &a.SubagentTools }),
	opt("max_subagent_depth", ptr(readU32), func(a *AgentConfig) **uint32 { return &a.MaxSubagentDepth }),
	set("mcp", list(readMcp), func(a *AgentConfig) *[]McpServer { return &a.Mcp }),
	set("plugins", list(of(pluginShape)), func(a *AgentConfig) *[]AgentPlugin { return &a.Plugins }),
	opt("defer_tools", readDeferral, func(a *AgentConfig) *jsontext.Value { return &a.DeferTools }),
	set("mcp_announce", readAnnounce, func(a *AgentConfig) *string { return &a.McpAnnounce }),
	opt("attachments", keep(of(attachmentsShape)), func(a *AgentConfig) *jsontext.Value { return &a.Attachments }),
}}

var readAgent = remembered(of(agentShape), func(m *memo) *map[string]AgentConfig { return &m.agents })

// deferral is the object form of defer_tools.
type deferral struct {
	strategy   string
	maxMatches uint32
}

// DefaultMatches is how many tools a search returns at most where a config does
// not say it (K7).
const DefaultMatches = 5

var deferralShape = &shape[deferral]{what: "defer_tools", closed: true, fields: []field[deferral]{
	opt("strategy", oneOf("strategy", "search"), func(d *deferral) *string { return &d.strategy }),
	opt("max_matches", readMatches, func(d *deferral) *uint32 { return &d.maxMatches }),
}}

func readMatches(p *place, v jsontext.Value) (uint32, *Fault) {
	n, f := readU32(p, v)
	if f == nil && n == 0 {
		f = p.fault("max_matches must be at least 1")
	}
	return n, f
}

// readDeferral reads true, false or an object. Which of them it is decides the
// parser by trying, so a fault inside has no path of its own.
func readDeferral(p *place, v jsontext.Value) (jsontext.Value, *Fault) {
	switch jsonv.Kind(v) {
	case 't', 'f':
		return v, nil
	case '{':
		if _, f := of(deferralShape)(p, v); f != nil {
			f.Param = p.fault("").Param
			return nil, f
		}
		return v, nil
	}
	return nil, p.wrongType(v, "true, false or an object")
}

// Deferral reports whether c keeps tools out of the model's request, and how
// many tools a search then returns at most (K1, K7). A nil config does not.
func (c *AgentConfig) Deferral() (maxMatches uint32, on bool) {
	if c == nil {
		return 0, false
	}
	switch jsonv.Kind(c.DeferTools) {
	case 't':
		return DefaultMatches, true
	case '{':
		d := deferral{maxMatches: DefaultMatches}
		if jsonv.Valid(c.DeferTools, jsonv.Deepest) != nil {
			return DefaultMatches, true
		}
		if f := deferralShape.read(root(&reading{lenient: true}), c.DeferTools, &d); f != nil {
			return DefaultMatches, true
		}
		return d.maxMatches, true
	}
	return 0, false
}

// attachments is read for its faults only.
type attachments struct {
	tools     []string
	maxInline jsontext.Value
	rules     jsontext.Value
}

var attachmentsShape = &shape[attachments]{what: "attachments", closed: true, fields: []field[attachments]{
	opt("tools", list(oneOf("attachment tool", "read", "view")), func(a *attachments) *[]string { return &a.tools }),
	opt("max_inline", readSize, func(a *attachments) *jsontext.Value { return &a.maxInline }),
	opt("rules", readObject, func(a *attachments) *jsontext.Value { return &a.rules }),
}}

func readSize(p *place, v jsontext.Value) (jsontext.Value, *Fault) {
	if k := jsonv.Kind(v); k != '0' && k != '"' {
		return nil, p.wrongType(v, "a number or a string")
	}
	return v, nil
}
