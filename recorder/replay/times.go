package replay

import (
	"context"
	"fmt"
	"reflect"
)

// UnlikeError says that a recording was played again in the same way, and that
// not the same came of it. A replay has no input but its recording (R20), so that
// is a fault of Hallmark.
type UnlikeError struct {
	// Time is the first time that was unlike the first one, from 2.
	Time int
	// First and Other say in words what came of both.
	First, Other string
}

// Error says what came of both.
func (e *UnlikeError) Error() string {
	return fmt.Sprintf("played the same way, time %d gave %s and time 1 gave %s: Hallmark is not deterministic here", e.Time, e.Other, e.First)
}

// FileTimes plays the recording in a file n times, as [File] does, and wants the
// same of each: the digest of what was sent, and the divergence. The report is the
// first one. The error is that of [File], or an [*UnlikeError].
func FileTimes(ctx context.Context, name string, n int) (Report, error) {
	return times(n, func() (Report, error) { return File(ctx, name) }, func(r Report) string {
		if r.Divergence != nil {
			return r.Divergence.String()
		}
		return fmt.Sprintf("digest %s of %d requests", r.Asked, r.Requests)
	})
}

// StepFileTimes plays the recording in a file step by step n times, as [StepFile]
// does, and wants the same of each step. The report is the first one. The error is
// that of [StepFile], or an [*UnlikeError].
func StepFileTimes(ctx context.Context, name string, n int) (Steps, error) {
	return times(n, func() (Steps, error) { return StepFile(ctx, name) }, func(s Steps) string {
		return fmt.Sprintf("%d steps that agree, %d that differ and %d unexplained", s.Agrees, s.Differs, s.Unexplained)
	})
}

// times calls play n times, at least once, and wants the same each time.
func times[T any](n int, play func() (T, error), told func(T) string) (T, error) {
	first, err := play()
	for i := 2; i <= n && err == nil; i++ {
		var other T
		if other, err = play(); err == nil && !reflect.DeepEqual(first, other) {
			err = &UnlikeError{Time: i, First: told(first), Other: told(other)}
		}
	}
	return first, err
}
