package certify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// olderKeys are members of a config or of a tool that other revisions and
// neighbouring protocols use, and what this one reads instead.
var olderKeys = []struct{ at, key, now string }{
	{"agent", "sub_agents", "subagents"},
	{"agent", "mcp_servers", "mcp"},
	{"agent", "system_prompt", "system"},
	{"agent", "instructions", "system"},
	{"tool", "input_schema", "input"},
	{"tool", "inputSchema", "input"},
	{"tool", "parameters", "input"},
	{"tool", "output_schema", "output"},
	{"tool", "outputSchema", "output"},
}

// olderForms names the keys of a config that nobody reads, though somebody
// meant them to be read: "sub_agents (today subagents)".
func olderForms(agent jsontext.Value) []string {
	tools, _ := jsonv.Get(agent, "/tools")
	items, err := jsonv.Elements(tools)
	if err != nil {
		items = nil
	}
	var found []string
	for _, o := range olderKeys {
		has := func(v jsontext.Value) bool { _, ok := jsonv.Get(v, "/"+o.key); return ok }
		if o.at == "agent" && has(agent) || o.at == "tool" && slices.ContainsFunc(items, has) {
			found = append(found, fmt.Sprintf("%s (today %s)", o.key, o.now))
		}
	}
	return found
}

// hints are lines that tell one cause in place of its many findings.
func hints(all []*Judged, r *reports.Report) []string {
	var lines []string
	var keys []string
	for _, j := range all {
		for _, k := range j.facts.older {
			if !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	if len(keys) > 0 {
		lines = append(lines, "the declarations look like another revision of the protocol: "+strings.Join(keys, ", "))
	}
	for _, j := range all {
		if line := undialed(j.facts.agent); line != "" {
			lines = append(lines, line)
			break
		}
	}
	for _, q := range r.Requirements {
		if q.ID == "result.is-explicit" && q.Status == spec.StatusWarn && len(q.Cases) > 2 {
			lines = append(lines, "results are bare values, as an older revision took them: answer {\"content\":[{\"type\":\"text\",\"text\":…}]}")
		}
	}
	return lines
}
