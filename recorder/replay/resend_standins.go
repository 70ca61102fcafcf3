package replay

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

var standInForm = regexp.MustCompile(spec.StandInPrefix + `[a-z]+-[a-z2-7]{8}(?:-[-0]*)?`)

func holdsStandIn(b []byte) bool { return bytes.Contains(b, []byte(spec.StandInPrefix)) }

// standsFor reports whether a recorded string holds stand-ins and another one may
// be what they stand for. The digits of a number are replaced without a mark.
func standsFor(was, now jsontext.Value, redacted bool) bool {
	if redacted && jsonv.Kind(was) == '0' && jsonv.Kind(now) == '0' && len(was) == len(now) {
		return true
	}
	if !holdsStandIn(was) {
		return false
	}
	a, okA := jsonv.Text(was)
	b, okB := jsonv.Text(now)
	if !okA || !okB {
		return false
	}
	parts := standInForm.Split(a, -1)
	if len(parts) < 2 || !strings.HasPrefix(b, parts[0]) {
		return false
	}
	b = b[len(parts[0]):]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(b, p)
		if i < 0 {
			return false
		}
		b = b[i+len(p):]
	}
	return strings.HasSuffix(b, parts[len(parts)-1])
}

// sentStandIns reports whether the worker was sent stand-ins where it may act on
// them: anywhere but in the conversation before a call of a tool.
func sentStandIns(x *spec.Exchange) bool {
	if !holdsStandIn(x.RequestBody) {
		return false
	}
	members, err := jsonv.Members(x.RequestBody)
	if asked, fault := x.Asked(); err != nil || fault != nil || asked.Trigger.TriggerType() != spec.OnToolExecute {
		return true
	}
	for _, m := range members {
		if m.Name != "messages" && m.Name != "message_tree" && holdsStandIn(m.Value) {
			return true
		}
	}
	return false
}
