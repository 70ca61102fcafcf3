package reference

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// robustnessDefects end the process over something odd, once it was answered
// rightly; and two of them know no later protocol.
func robustnessDefects() []defect {
	dies := func(of, text string, at moment) defect {
		return defect{
			Fault:   named("dies-of-"+of, "Answers "+text+", and then ends its process.", "robustness.survives-"+of),
			at:      at,
			deliver: (*exchange).answerAndDie,
		}
	}
	call := func(fits func(*asked) bool) moment {
		return func(x *exchange) bool { return x.asked.kind == spec.OnToolExecute && fits(x.asked) }
	}
	unheard := func(x *exchange) bool { return x.asked.kind == "hallmark.later" }
	return []defect{
		dies("large-arguments", "a call with a megabyte of arguments", call(func(a *asked) bool { return len(a.text("arguments")) >= 1<<20 })),
		dies("long-history", "what a client says after 200 messages", func(x *exchange) bool {
			return x.asked.kind == spec.OnClientMessages && len(x.asked.list("/messages")) >= 200
		}),
		dies("deep-nesting", "a call whose arguments open a thousand lists", call(func(a *asked) bool { return strings.Count(a.text("arguments"), "[") >= 1000 })),
		dies("odd-text", "a call with a line separator in its arguments", call(func(a *asked) bool { return strings.Contains(a.text("arguments"), "\u2028") })),
		dies("odd-names", "a call of __proto__", call(func(a *asked) bool { return a.text("name") == "__proto__" })),
		dies("odd-ids", "a call with the id __proto__", call(func(a *asked) bool { return a.text("id") == "__proto__" })),
		dies("many-calls", "a call that fits while 32 are open", call(func(a *asked) bool {
			pending, _ := jsonv.Get(a.body, "/pending_calls")
			return whole(pending, 0) >= 32 && a.status() == spec.InputValid
		})),
		dies("empty-text", "a call of a tool without a name", call(func(a *asked) bool { return a.text("name") == "" })),
		dies("what-it-does-not-know", "what a client says with a field that no protocol has", func(x *exchange) bool {
			return x.asked.kind == spec.OnClientMessages && holdsMore(x)
		}),
		{
			Fault: named("dies-of-broken-requests", "Turns away what is no decision request, and then ends its process.", "robustness.survives-broken-requests"),
			stray: (*worker).turnAwayAndDie,
		},
		{
			Fault:   named("refuses-unknown-fields", "Answers a request with a field that no protocol has with status 422.", "robustness.tolerates-unknown-fields"),
			at:      holdsMore,
			deliver: status(http.StatusUnprocessableEntity, "text/plain; charset=utf-8", "extra fields not permitted"),
		},
		{
			Fault:   named("refuses-unknown-triggers", "Answers a trigger that no protocol has with status 400.", "robustness.answers-unknown-triggers"),
			at:      unheard,
			deliver: status(http.StatusBadRequest, "text/plain; charset=utf-8", "unknown trigger"),
		},
	}
}

// holdsMore picks requests with a field that no protocol has.
func holdsMore(x *exchange) bool {
	_, has := jsonv.Get(x.asked.body, "/hallmark_later")
	return has
}

// answerAndDie sends the right answer and ends the process. Where that does not
// end, every later request is met with a closed connection.
func (x *exchange) answerAndDie(rw http.ResponseWriter, _ *http.Request) {
	x.worker.lastWords(rw, http.StatusOK, "application/json", x.answer)
}

// turnAwayAndDie is answerAndDie for a request that is no decision request.
func (w *worker) turnAwayAndDie(rw http.ResponseWriter, code int, text string) {
	w.lastWords(rw, code, "text/plain; charset=utf-8", []byte(text+"\n"))
}

// lastWords sends a whole response and ends the process.
func (w *worker) lastWords(rw http.ResponseWriter, code int, kind string, body []byte) {
	if w.dead.Swap(true) {
		closeConnection(rw)
		return
	}
	breakOff(rw, w.exit, fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		code, http.StatusText(code), kind, len(body), body))
}
