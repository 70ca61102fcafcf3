package spec

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

var subjectShape = &shape[Subject]{what: "subject", fields: []field[Subject]{
	opt("issuer", readText, func(s *Subject) *string { return &s.Issuer }),
	opt("id", readText, func(s *Subject) *string { return &s.ID }),
}}

var identityShape = &shape[Identity]{what: "identity", fields: []field[Identity]{
	opt("subject", ptr(of(subjectShape)), func(i *Identity) **Subject { return &i.Subject }),
	opt("id", readText, func(i *Identity) *string { return &i.ID }),
	opt("visibility", readText, func(i *Identity) *string { return &i.Visibility }),
	opt("metadata", readTexts, func(i *Identity) *map[string]string { return &i.Metadata }),
}}

func readTexts(p *place, v jsontext.Value) (map[string]string, *Fault) {
	if jsonv.Kind(v) != '{' {
		return nil, p.wrongType(v, "an object of strings")
	}
	members := jsonv.SoundMembers(v)
	out := make(map[string]string, len(members))
	for _, m := range members {
		s, f := readText(p.member(m.Name), m.Value)
		if f != nil {
			return nil, f
		}
		out[m.Name] = s
	}
	return out, nil
}

var callShape = &shape[Call]{what: "call", fields: []field[Call]{
	must(set("id", readText, func(c *Call) *string { return &c.ID })),
	must(set("kind", oneOf[CallKind]("kind"), func(c *Call) *CallKind { return &c.Kind })),
	must(set("status", oneOf[CallStatus]("status"), func(c *Call) *CallStatus { return &c.Status })),
	opt("attempt", readU32, func(c *Call) *uint32 { return &c.Attempt }),
	opt("deadline", readTime, func(c *Call) **Timestamp { return &c.Deadline }),
	opt("anchor", readText, func(c *Call) *string { return &c.Anchor }),
	opt("name", readText, func(c *Call) *string { return &c.Name }),
	opt("arguments", ptr(readText), func(c *Call) **string { return &c.Arguments }),
	opt("handler", readHandler, func(c *Call) *Handler { return &c.Handler }),
	opt("stream", ptr(readBool), func(c *Call) **bool { return &c.Stream }),
	opt("agent_id", readText, func(c *Call) *string { return &c.AgentID }),
	opt("session_id", readText, func(c *Call) *string { return &c.SessionID }),
}}

var nodeShape = &shape[MessageNode]{what: "node", fields: []field[MessageNode]{
	must(set("message", readMessage, func(n *MessageNode) *Message { return &n.Message })),
	opt("parent_id", readText, func(n *MessageNode) *string { return &n.ParentID }),
}}

var treeShape = &shape[MessageTree]{what: "message_tree", fields: []field[MessageTree]{
	opt("nodes", list(of(nodeShape)), func(t *MessageTree) *[]MessageNode { return &t.Nodes }),
	opt("head_id", readText, func(t *MessageTree) *string { return &t.HeadID }),
}}

// readProposal reads `proposed` and remembers in which form it was written
// (gap 2).
func readProposal(p *place, v jsontext.Value) (Proposal, *Fault) {
	d, f := readDecision(p, v)
	members := jsonv.SoundMembers(v)
	_, messages := jsonv.Last(members, "messages")
	_, actions := jsonv.Last(members, "actions")
	return Proposal{Decision: d, Short: !messages || !actions}, f
}

var requestShape = &shape[DecisionRequest]{what: "request", fields: []field[DecisionRequest]{
	must(set("session_id", readText, func(r *DecisionRequest) *string { return &r.SessionID })),
	must(set("decision_id", readText, func(r *DecisionRequest) *string { return &r.DecisionID })),
	must(set("agent_id", readText, func(r *DecisionRequest) *string { return &r.AgentID })),
	opt("identity", of(identityShape), func(r *DecisionRequest) *Identity { return &r.Identity }),
	must(set("trigger", readTrigger, func(r *DecisionRequest) *Trigger { return &r.Trigger })),
	opt("proposed", readProposal, func(r *DecisionRequest) *Proposal { return &r.Proposed }),
	opt("state", readAny, func(r *DecisionRequest) *jsontext.Value { return &r.State }),
	opt("agent", ptr(readAgent), func(r *DecisionRequest) **AgentConfig { return &r.Agent }),
	opt("worker", readAny, func(r *DecisionRequest) *jsontext.Value { return &r.Worker }),
	opt("calls", list(of(callShape)), func(r *DecisionRequest) *[]Call { return &r.Calls }),
	opt("pending_calls", readU32, func(r *DecisionRequest) *uint32 { return &r.PendingCalls }),
	opt("messages", list(readMessage), func(r *DecisionRequest) *[]Message { return &r.Messages }),
	opt("message_tree", of(treeShape), func(r *DecisionRequest) *MessageTree { return &r.MessageTree }),
	opt("ancestry", list(readText), func(r *DecisionRequest) *[]string { return &r.Ancestry }),
	opt("attempts", readU32, func(r *DecisionRequest) *uint32 { return &r.Attempts }),
	opt("deadline", readTime, func(r *DecisionRequest) **Timestamp { return &r.Deadline }),
	opt("turn_id", ptr(readText), func(r *DecisionRequest) **string { return &r.TurnID }),
}}

var readRequest = of(requestShape)

// ParseRequest reads what an engine sent (wire 2), tolerantly: members that
// other protocol versions have or lack, unknown triggers, actions and enum
// values, null for any optional member. The Fault is the first wrong type, or a
// missing session_id, decision_id, agent_id or trigger. Whether a request is
// exactly what an engine sends is a question for [Schema]. Free values of the
// result share memory with body. It is safe for concurrent use.
func ParseRequest(body []byte) (DecisionRequest, *Fault) {
	return parse(body, readRequest, lenient)
}
