package proxy

import (
	"slices"
	"time"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// root is a root session with its descendants: what goes into one file, or
// into the parts of one.
type root struct {
	id    string
	scope *recorder.Scope
	// file is the part that is written, nil before the first event and between
	// parts.
	file *file
	// base names the first part, last the one before the next.
	base, last string
	parts      int
	sessions   map[string]*session
	// open counts exchanges whose response is to come.
	open int
	used time.Time
	// kept says that the session is recorded although it is not in the sample.
	kept bool
	// missing is what could not be recorded and is not said in a file yet.
	missing missing
	// lacked is what the file has said that its source lacks.
	lacked []string
}

// session is one session of a file.
type session struct {
	alias string
	// exchanges counts those named so far.
	exchanges int
	// decisions are the latest decisions with their deliveries.
	decisions []delivered
	// said says that the part that is written has introduced the session.
	said bool
	// introduced is the event that did so first.
	introduced *spec.SessionEvent
}

type delivered struct {
	decision string
	n        int
}

// maxDecisions bounds the decisions whose deliveries are counted: one is live
// at a time, and few wait for their retry (G1).
const maxDecisions = 64

// delivery counts the deliveries of a decision.
func (s *session) delivery(decision string) int {
	for i := range s.decisions {
		if s.decisions[i].decision == decision {
			s.decisions[i].n++
			return s.decisions[i].n
		}
	}
	if len(s.decisions) == maxDecisions {
		s.decisions = slices.Delete(s.decisions, 0, 1)
	}
	s.decisions = append(s.decisions, delivered{decision, 1})
	return 1
}

// missing is what was lost, until an event says so.
type missing struct {
	n, bytes int64
	reason   string
}

func (m *missing) add(o missing) {
	m.n += o.n
	m.bytes += o.bytes
	m.reason = o.reason
}
