package reference

import (
	"context"
	"net/http"
	"sync/atomic"

	"github.com/hallmarkdev/hallmark/spec"
)

// restartDefects break what a worker does after it went down and came up again
// (R15).
func restartDefects() []defect {
	return []defect{{
		Fault: Fault{
			Name:    "forgets-over-a-restart",
			Text:    "Knows a session by its own memory only, so that a call after a restart meets a stranger.",
			Breaks:  []string{"restart.keeps-going"},
			Restart: true,
		},
		at:     (*exchange).isUnheardOf,
		answer: says(`{"actions":[{"type":"tool.error","error":"there is no such session"}]}`),
	}, {
		Fault: Fault{
			Name:    "loses-its-work-over-a-restart",
			Text:    "Keeps the work of calls that it let go in memory only, so that a restart loses it.",
			Breaks:  []string{"restart.keeps-its-work"},
			Restart: true, Later: true,
		},
		loses: func(entry) bool { return true },
	}}
}

// isUnheardOf keeps the sessions that were opened, and picks valid calls of any
// other.
func (x *exchange) isUnheardOf() bool {
	a := x.asked
	_, declared := find(x.worker.tools, a.text("name"))
	known := func(now bool) bool {
		return x.worker.opened.once(fingerprint(a.session), func() bool { return now })
	}
	switch a.kind {
	case spec.OnSessionStart:
		known(true)
	case spec.OnToolExecute:
		return declared && a.status() == spec.InputValid && len(a.actions()) == 0 && !known(false)
	}
	return false
}

// Restartable is a reference worker that can be restarted: it then is another
// one with the same options, and remembers nothing but its journal: it goes on
// with the work that the old one had under way. It is safe for concurrent use; requests that are under way
// end at the worker that took them.
type Restartable struct {
	options Options
	now     atomic.Pointer[http.Handler]
}

// NewRestartable is like [New].
func NewRestartable(o Options) (*Restartable, error) {
	if o.Journal == nil {
		o.Journal = NewJournal()
	}
	r := &Restartable{options: o}
	return r, r.Restart(context.Background())
}

// Restart puts a new worker in place of the old. It fails only where [New] does.
func (r *Restartable) Restart(context.Context) error {
	h, err := New(r.options)
	if err != nil {
		return err
	}
	if old := r.now.Swap(&h); old != nil {
		(*old).(*worker).leave()
	}
	return nil
}

// ServeHTTP implements [http.Handler].
func (r *Restartable) ServeHTTP(rw http.ResponseWriter, q *http.Request) {
	(*r.now.Load()).ServeHTTP(rw, q)
}
