package recorder

import (
	"fmt"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// slimInput tells what came from outside: the kind, what was said or settled,
// and what was answered when that was no.
func slimInput(d *spec.InputEvent, call func(id string) string) string {
	body, _ := d.Body.Bytes()
	s := clean(d.From)
	if v, ok := jsonv.Get(body, "/type"); ok {
		kind, _ := jsonv.Text(v)
		s += ": " + short(kind, textLimit)
	}
	if d.Decision != "" {
		s += ": answers the decision " + short(d.Decision, textLimit)
	}
	if d.Call != "" {
		s += " of " + call(d.Call)
	}
	s += slimSaid(d, body)
	for _, settled := range d.Settled {
		if settled.Then == "retry" {
			s += ", retry at " + seconds(settled.At)
		}
	}
	if d.Dropped != "" {
		s += ", nothing changes: " + clean(d.Dropped)
	}
	if d.From == "worker" && d.Status == 0 {
		s += ", lost with the worker"
	}
	if d.Status >= 300 {
		s += fmt.Sprintf(", answered %d", d.Status)
		if d.Reply != "" {
			s += ": " + short(d.Reply, textLimit)
		}
	}
	return s
}

// slimSaid tells the words of a client: its message, the last one of several,
// the name of its action, or what it answers a call with.
func slimSaid(d *spec.InputEvent, body []byte) (s string) {
	if d.From != "client" {
		return ""
	}
	messages, _ := jsonv.Get(body, "/messages")
	if list, err := jsonv.Elements(messages); err == nil && len(list) > 0 {
		s = ", " + count(int64(len(list)), "message", "messages")
		if v, ok := jsonv.Get(list[len(list)-1], "/content"); ok {
			s = join(s, valueText(v))
		}
	}
	for _, pointer := range []string{"/message/content", "/name", "/result/content/0/text", "/error"} {
		if v, ok := jsonv.Get(body, pointer); ok {
			s = join(s, valueText(v))
		}
	}
	return s
}
