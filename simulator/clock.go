package simulator

import "time"

// Clock is the real time that a run lives in. [SystemClock] is the only one
// that a user meets; tests put the time package itself on fake time instead.
// Implementations are safe for concurrent use.
type Clock interface {
	// Now returns the current moment.
	Now() time.Time
	// AfterFunc calls f in a goroutine of its own once d has passed, unless
	// the returned function is called before. That function reports whether
	// it came in time.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// SystemClock is the machine's own clock.
var SystemClock Clock = systemClock{}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) AfterFunc(d time.Duration, f func()) func() bool {
	return time.AfterFunc(d, f).Stop
}
