package engine

import "github.com/hallmarkdev/hallmark/spec"

// tree is the conversation with all its branches. Nothing recorded is ever
// rewritten (O6): nodes are only appended, so a request may share them.
type tree struct {
	nodes []spec.MessageNode
	// at is the index of each node by its id.
	at map[string]int
	// head is the id of the newest message of the active path, "" before any.
	head string
	// path and drafts are the active path, root to head, in both forms. They
	// are replaced, never cut in place, because requests share them.
	path   []spec.Message
	drafts []spec.DraftMessage
	// on is the place of each message of the active path.
	on map[string]int
	// toolMessages names the recorded tool messages of each call (O4).
	toolMessages map[string][]string
}

func newTree() tree {
	return tree{at: map[string]int{}, on: map[string]int{}, toolMessages: map[string][]string{}}
}

func (t *tree) known(id string) bool {
	_, ok := t.at[id]
	return ok && id != ""
}

// onPath reports whether id is on the active path. The empty id is the root of
// every path.
func (t *tree) onPath(id string) bool {
	_, ok := t.on[id]
	return ok || id == ""
}

// before reports whether a stands ahead of b on the active path.
func (t *tree) before(a, b string) bool {
	x, ok := t.on[a]
	y, both := t.on[b]
	return ok && both && x < y
}

// recordedAnswer returns the tool message that stands for call at this point:
// one of the active path, or one that hangs directly below parent (O4, B2).
func (t *tree) recordedAnswer(call, parent string) (string, bool) {
	ids := t.toolMessages[call]
	for i := len(ids) - 1; i >= 0; i-- {
		if t.onPath(ids[i]) || t.nodes[t.at[ids[i]]].ParentID == parent {
			return ids[i], true
		}
	}
	return "", false
}

// add records m below parent and returns its id. The head does not move.
func (t *tree) add(m spec.DraftMessage, parent string) string {
	msg := spec.Message(m)
	if msg.ToolCalls == nil {
		msg.ToolCalls = []spec.ToolCall{}
	}
	t.at[msg.ID] = len(t.nodes)
	t.nodes = append(t.nodes, spec.MessageNode{Message: msg, ParentID: parent})
	if msg.Role == spec.RoleTool && msg.ToolCallID != "" {
		t.toolMessages[msg.ToolCallID] = append(t.toolMessages[msg.ToolCallID], msg.ID)
	}
	return msg.ID
}

// moveTo makes id the head. It reports whether the old path was left, so that
// work that hangs on it must be looked at (O5).
func (t *tree) moveTo(id string) (left bool) {
	if id == t.head {
		return false
	}
	var fresh []spec.Message
	at := id
	for at != "" && at != t.head && !t.onPath(at) {
		node := t.nodes[t.at[at]]
		fresh = append(fresh, node.Message)
		at = node.ParentID
	}
	if at != t.head {
		left = true
		t.cut(at)
	}
	for i := len(fresh) - 1; i >= 0; i-- {
		t.on[fresh[i].ID] = len(t.path)
		t.path = append(t.path, fresh[i])
		t.drafts = append(t.drafts, fresh[i].Draft())
	}
	t.head = id
	return left
}

// cut shortens the active path to end at id, without touching what requests
// already share.
func (t *tree) cut(id string) {
	keep := 0
	if id != "" {
		keep = t.on[id] + 1
	}
	for _, m := range t.path[keep:] {
		delete(t.on, m.ID)
	}
	t.path = append([]spec.Message(nil), t.path[:keep]...)
	t.drafts = append([]spec.DraftMessage(nil), t.drafts[:keep]...)
}

// messages returns the active path for a request to share.
func (t *tree) messages() []spec.Message {
	if len(t.path) == 0 {
		return []spec.Message{}
	}
	return t.path[:len(t.path):len(t.path)]
}

// transcript returns the active path as drafts; appending to it copies.
func (t *tree) transcript() []spec.DraftMessage {
	if len(t.drafts) == 0 {
		return []spec.DraftMessage{}
	}
	return t.drafts[:len(t.drafts):len(t.drafts)]
}

// wire returns the whole tree for a request to share.
func (t *tree) wire() spec.MessageTree {
	nodes := t.nodes[:len(t.nodes):len(t.nodes)]
	if len(nodes) == 0 {
		nodes = []spec.MessageNode{}
	}
	return spec.MessageTree{Nodes: nodes, HeadID: t.head}
}
