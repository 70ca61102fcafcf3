package replay

import (
	"bytes"
	"regexp"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// keepIDs has the ids of an answer that came again stand for themselves. That of
// a stream is found by the request; to read that for any other costs more than to
// send it.
func (c *comparer) keepIDs(x *spec.Exchange, a spec.Answer) {
	keep := func(_ recorder.IDPlace, id string) { c.ids.Bind(id, id) }
	if a.Streams() {
		if d, failure := x.Decided(); failure == nil {
			recorder.DecisionIDs(*d, keep)
		}
	} else if d, fault := spec.ParseDecision(a.Body); fault == nil {
		recorder.DecisionIDs(d, keep)
	}
}

// mayMakeUpIDs tells quickly that an answer makes up no id of its own: it has no
// message, and asks for nothing but to settle calls.
func mayMakeUpIDs(body []byte) bool {
	for _, word := range []string{"message", ".call", "interrupt", "subagent", `\u`} {
		if bytes.Contains(body, []byte(word)) {
			return true
		}
	}
	return false
}

// pair tells which ids stand at the places of others, where they do at each. One
// that a worker makes up again as it did stands for itself, since an engine gives
// it back so. It is false where all are the same.
func (c *comparer) pair(was, now spec.Decision) bool {
	type placed struct {
		place recorder.IDPlace
		id    string
	}
	var a, b []placed
	recorder.DecisionIDs(was, func(p recorder.IDPlace, id string) { a = append(a, placed{p, id}) })
	recorder.DecisionIDs(now, func(p recorder.IDPlace, id string) { b = append(b, placed{p, id}) })
	if len(a) != len(b) {
		return false
	}
	differs := false
	for i := range a {
		if a[i].place != b[i].place {
			return false
		}
		differs = differs || a[i].id != b[i].id
	}
	for i := range a {
		c.ids.Bind(a[i].id, b[i].id)
	}
	return differs
}

// sameID reports whether a place that differs holds an id in both answers that
// stands for the same: one that is made of another id, or one that a model's
// answer makes up, which only the conversation after it knows as an id.
func (c *comparer) sameID(p recorder.Place, request []byte) bool {
	was, okA := jsonv.Text(p.A)
	now, okB := jsonv.Text(p.B)
	if !okA || !okB {
		return false
	}
	from := func(id string) string {
		if old, is := c.ids.From(id); is {
			return old
		}
		return id
	}
	restored := idInside.ReplaceAllStringFunc(now, from)
	if restored != was {
		restored = shortInside.ReplaceAllStringFunc(restored, from)
	}
	if restored != was && (!modelsID.MatchString(p.Pointer) || bytes.Contains(request, []byte(was))) {
		return false
	}
	return c.ids.Bind(was, now) || restored == was
}

var (
	// idInside is what may be an id within a text: a UUID, or a word so long that
	// it is nothing else by chance.
	idInside = regexp.MustCompile(`[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Za-z_]{16,}`)
	// shortInside is what may be a shorter one: words and numbers that are put
	// together, such as call_0.
	shortInside = regexp.MustCompile(`[0-9A-Za-z]+(?:[_:-][0-9A-Za-z]+)+`)
	// modelsID are the places of ids in the answer of a model, in whatever form.
	modelsID = regexp.MustCompile(`^/actions/\d+/response/.*(?:^|[/_])(?:id|callId|toolUseId)$`)
)
