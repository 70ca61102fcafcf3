package reference

import (
	"net/http"

	"github.com/hallmarkdev/hallmark/spec"
)

// crudeDefects are the blunt ones: workers that hardly are any, and the two
// that look at more than one exchange.
func crudeDefects() []defect {
	const ok, config = "delivery.answers-2xx", "start.yields-a-config"
	return []defect{
		{
			// The proposed config is a config, without tools. So it starts in
			// the form that has one, and nothing else is asked of it.
			Fault:  named("echoes-proposed", "Returns proposed to every trigger, the first one included.", "model.settles-once", "start.works-in-either-form"),
			at:     always,
			answer: func(x *exchange) []byte { return x.asked.proposed },
		},
		{
			Fault:  named("always-empty", "Answers every trigger with the empty decision.", config),
			at:     always,
			answer: says(`{}`),
		},
		{
			Fault:   named("answers-500", "Answers every request with status 500.", ok, config),
			at:      always,
			deliver: status(http.StatusInternalServerError, "text/plain; charset=utf-8", "internal server error"),
		},
		{
			Fault:   named("dies", "Ends its process in the middle of an answer to a call.", "delivery.answers-whole"),
			at:      afterAWhile,
			deliver: (*exchange).die,
		},
		{
			Fault: Fault{
				Name:    "shares-a-variable",
				Text:    "Remembers one session for the whole process, and turns calls of any other away.",
				Breaks:  []string{"sessions.do-not-share"},
				Company: true,
			},
			at:      (*exchange).isStranger,
			deliver: status(http.StatusConflict, "text/plain; charset=utf-8", "busy with another session"),
		},
		{
			Fault: Fault{
				Name:   "answers-another-session",
				Text:   "Answers a call under an id of another session, when that one was opened since this one's message and has said nothing yet.",
				Breaks: []string{"sessions.do-not-share"},
				Seed:   raceSeed,
			},
			at:     (*exchange).isBetween,
			answer: says(`{"actions":[{"type":"tool.result","id":"call_of_another_session","result":{"content":[{"type":"text","text":"done"}]}}]}`),
		},
	}
}

// raceSeed lets the corpus open one session between the message and the call of
// another.
const raceSeed = 196

// isBetween picks valid calls of a session while another has been opened since
// its message and has said nothing yet: a race that few orders of two sessions
// come to.
func (x *exchange) isBetween() bool {
	a := x.asked
	if x.isChild() {
		return false
	}
	switch a.kind {
	case spec.OnSessionStart:
		x.worker.lastOpened.Store(a.session)
	case spec.OnClientMessages:
		x.worker.lastOpened.Store("")
	case spec.OnToolExecute:
		opened, _ := x.worker.lastOpened.Load().(string)
		_, declared := find(x.worker.tools, a.text("name"))
		return declared && opened != "" && opened != a.session && a.status() == spec.InputValid && len(a.actions()) == 0
	}
	return false
}

// afterAWhile picks the first calls once the worker has answered its share.
func afterAWhile(x *exchange) bool {
	return x.asked.kind == spec.OnToolExecute && x.number > int64(x.worker.options.DiesAfter)
}

// die sends half an answer and ends the process. Where the process does not
// end, every later request is met with a closed connection.
func (x *exchange) die(rw http.ResponseWriter, _ *http.Request) {
	if x.worker.dead.Swap(true) {
		closeConnection(rw)
		return
	}
	breakOff(rw, x.worker.exit, half(x.answer))
}

func (w *worker) exit() {
	if w.options.Exit != nil {
		w.options.Exit(1)
	}
}

// isStranger keeps the session whose client spoke last, and picks calls of
// every other.
func (x *exchange) isStranger() bool {
	a := x.asked
	if x.isChild() || holdsMore(x) {
		// What answers a later protocol is held to no more than a should, and
		// only what fails runs once more alone.
		return false
	}
	switch a.kind {
	case spec.OnClientMessages:
		x.worker.current.Store(a.session)
	case spec.OnToolExecute:
		current, _ := x.worker.current.Load().(string)
		// After a restart it is nobody's yet.
		return current != "" && current != a.session
	}
	return false
}

// isChild reports whether the session is a subagent's: it runs beside its
// caller's in any company, so it shows nothing of what sessions share.
func (x *exchange) isChild() bool { return len(x.asked.list("/ancestry")) > 0 }
