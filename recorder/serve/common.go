package serve

import (
	"strings"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// parts says up to which element the lists of two requests are of the same kinds,
// by the name of the list. Beyond that, equal places are not of the same things.
type parts map[string]int

func commonParts(a, b *spec.DecisionRequest) parts {
	p := parts{
		"messages":          common(a.Messages, b.Messages, func(m spec.Message) string { return string(m.Role) }),
		"message_tree":      common(a.MessageTree.Nodes, b.MessageTree.Nodes, func(n spec.MessageNode) string { return string(n.Message.Role) }),
		"proposed/messages": common(a.Proposed.Messages, b.Proposed.Messages, role),
		"proposed/actions":  common(a.Proposed.Actions, b.Proposed.Actions, func(x spec.Action) string { return string(x.ActionType()) }),
	}
	if x, is := a.Trigger.(spec.ClientMessagesTrigger); is {
		if y, is := b.Trigger.(spec.ClientMessagesTrigger); is {
			p["trigger/messages"] = common(x.Messages, y.Messages, role)
		}
	}
	if x, is := a.Trigger.(spec.LlmExecuteTrigger); is {
		if y, is := b.Trigger.(spec.LlmExecuteTrigger); is {
			p["trigger/request/messages"] = common(prompt(x), prompt(y), role)
		}
	}
	return p
}

// prompt are the messages that a model is asked with, in the protocol's own form.
func prompt(t spec.LlmExecuteTrigger) []spec.DraftMessage {
	asked, fault := spec.ParseLlmRequest(t.Request)
	if fault != nil {
		return nil
	}
	return asked.Messages
}

func role(m spec.DraftMessage) string { return string(m.Role) }

// common is how many elements two lists begin with that are of the same kind.
func common[T any](a, b []T, kind func(T) string) int {
	n := 0
	for n < len(a) && n < len(b) && kind(a[n]) == kind(b[n]) {
		n++
	}
	return n
}

func (p parts) has(place recorder.IDPlace) bool {
	list := place.Name
	if i := strings.LastIndexByte(list, '/'); i >= 0 && !strings.HasPrefix(list, "trigger/message/") {
		list = list[:i]
	}
	if place.Kind == recorder.IDBlob {
		list = strings.TrimSuffix(place.Name, "/content")
	}
	n, bounded := p[list]
	return !bounded || place.I < n
}
