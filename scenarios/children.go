package scenarios

import (
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

// A step whose session is labelled like a call acts in the session of the
// subagent that answers the call. Such a session begins when its call spawns it
// and belongs to the session that made the call.

// ChildSessions returns the labels of the subagents' sessions that steps act in,
// each with the label of the script's own session that it descends from, "" for
// the default one.
func ChildSessions(steps []Step) map[string]string {
	owners := callOwners(steps)
	var all map[string]string
	for i := range steps {
		label := steps[i].sessionLabel()
		root, child := label, false
		// A chain of calls is no longer than there are steps.
		for range steps {
			owner, made := owners[root]
			if !made || root == "" {
				break
			}
			root, child = owner, true
		}
		if !child {
			continue
		}
		if all == nil {
			all = map[string]string{}
		}
		all[label] = root
	}
	return all
}

// rootSession is the label of the script's own session that a step acts in or
// below.
func (s *Step) rootSession(children map[string]string) string {
	label := s.sessionLabel()
	if root, child := children[label]; child {
		return root
	}
	return label
}

// callsAgents notes which of the tools that a case calls are subagents, so that a
// recording can tell them from tools.
func (c *Case) callsAgents(p *planner) {
	agent := p.declared.Agent
	note := func(tool spec.AgentTool) {
		if !agent.OffersSubagent(tool.Name) || slices.Contains(c.called, tool.Name) {
			return
		}
		c.called = append(c.called, tool.Name)
		c.agents = &spec.AgentConfig{Subagents: agent.Subagents, SubagentTools: agent.SubagentTools}
	}
	for _, b := range c.Bound {
		note(b.Tool)
	}
	for _, from := range c.made {
		note(from.tool)
	}
}
