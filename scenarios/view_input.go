package scenarios

import (
	"net/http"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// input takes in what reached the engine from outside, once it was taken: an
// answer to a call. A view may hold answers that no tool.finished tells of (B7).
func (s *snapshot) input(d *spec.InputEvent) {
	lost := d.From == "worker" && d.Status == 0
	if lost || d.Status >= http.StatusBadRequest {
		return
	}
	s.settled(d.Settled)
	body, err := d.Body.Bytes()
	if err != nil {
		return
	}
	kind, _ := jsonv.Get(body, "/type")
	switch name, _ := jsonv.Text(kind); name {
	case spec.InputToolResult:
		s.answered(d.Call, "done", nil)
	case spec.InputClientMessages:
		list, _ := jsonv.Get(body, "/messages")
		messages, fault := spec.ParseMessages(list)
		if fault != nil {
			return
		}
		for _, m := range messages {
			if call := s.calls[m.ToolCallID]; m.Role == spec.RoleTool && call.handler == spec.HandlerClient {
				text, _ := jsonv.Text(messageText(m.Content))
				s.answered(m.ToolCallID, "done", &text)
			}
		}
	}
}

// answered ends a call that is open; the first answer counts.
func (s *snapshot) answered(id, is string, text *string) {
	if call, known := s.calls[id]; known && call.is == "open" {
		call.is, call.text = is, text
		s.calls[id] = call
	}
}
