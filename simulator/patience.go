package simulator

import (
	"sync/atomic"
	"time"
)

// After vainWaits waits of a run in vain, and no settle ever, a worker is taken
// for one that settles nothing later: from then on it is waited for no longer
// than shortWait. One that answers every call by nothing would else cost seconds
// in each case.
const (
	vainWaits = 3
	shortWait = 100 * time.Millisecond
)

// settling is what the sessions of a run have learned of how the worker settles
// later. It is safe for concurrent use; the nil one has learned nothing.
type settling struct {
	// seen says that a call was settled over the endpoint, vain counts waits
	// that were in vain.
	seen atomic.Bool
	vain atomic.Int32
}

// heard says that the worker settles calls later.
func (s *settling) heard() {
	if s != nil {
		s.seen.Store(true)
	}
}

// waited says that a wait was in vain.
func (s *settling) waited() {
	if s != nil {
		s.vain.Add(1)
	}
}

// within is how long to wait, where a wait of limit is wanted.
func (s *settling) within(limit time.Duration) time.Duration {
	if s != nil && !s.seen.Load() && s.vain.Load() >= vainWaits {
		return min(limit, shortWait)
	}
	return limit
}
