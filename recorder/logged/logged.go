// Package logged reads exchanges that something else wrote down: pairs of files,
// HTTP archives, and logs of one JSON object a line. What a source does not hold
// is said with each exchange, and never made up.
package logged

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// Exchange is one request with its answer, as far as a source holds them.
type Exchange struct {
	// At is when the request was sent, the zero time when nobody knows; Took is
	// how long the answer took.
	At   time.Time
	Took time.Duration
	// Method, Target and Proto are "" when they are not known.
	Method, Target, Proto string
	// Headers and AnswerHeaders are nil when they are not known.
	Headers, AnswerHeaders [][2]string
	Request, Answer        []byte
	// Status is that of the answer, 0 when it is not known.
	Status int
	// End and Reason say how the answer ended, "" for whole.
	End    spec.BodyEnd
	Reason string
	// Lacks says what the source does not hold of this exchange.
	Lacks []string
}

// The things that a source may lack.
const (
	LacksTime          = "times"
	LacksHeaders       = "request headers"
	LacksAnswerHeaders = "answer headers"
	LacksStatus        = "statuses (taken to be 200)"
	LacksAnswer        = "answers"
	LacksAnswerEnd     = "ends of answers"
	LacksExactness     = "exact bytes (a content coding was undone)"
)

func (x *Exchange) lacks(what string) { x.Lacks = append(x.Lacks, what) }

// settle says what is missing in the same way whatever the source is.
func (x *Exchange) settle() {
	if x.At.IsZero() {
		x.lacks(LacksTime)
	}
	if x.Headers == nil {
		x.lacks(LacksHeaders)
	}
	switch {
	case x.End == spec.EndOmitted, x.End == spec.EndReset, x.End == spec.EndTimeout:
		x.lacks(LacksAnswer)
		return
	case x.End == spec.EndCut:
		x.lacks(LacksAnswerEnd)
	}
	if x.AnswerHeaders == nil {
		x.lacks(LacksAnswerHeaders)
	}
	if x.Status == 0 {
		x.Status = 200
		x.lacks(LacksStatus)
	}
}

// Assumed is what is taken for granted of the answer, in the words of a
// [spec.ResponseEvent].
func (x *Exchange) Assumed() []string {
	var out []string
	for _, a := range [][2]string{{LacksStatus, spec.AssumedStatus}, {LacksAnswerHeaders, spec.AssumedHeaders}, {LacksTime, spec.AssumedTime}} {
		if slices.Contains(x.Lacks, a[0]) {
			out = append(out, a[1])
		}
	}
	return out
}

// Error says where a source does not read.
type Error struct {
	// File is its name; Place is the line or the entry: "line 3".
	File, Place string
	Err         error
	// Fix says what to do.
	Fix string
}

// Error names the place and what is wrong with it.
func (e *Error) Error() string {
	if e.Place == "" {
		return fmt.Sprintf("import %s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("import %s: %s: %v", e.File, e.Place, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *Error) Hint() string { return e.Fix }

// parseTime reads the time of a source: RFC 3339 of any precision.
func parseTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, strings.ToUpper(strings.TrimSpace(s)))
	if err != nil {
		return t, fmt.Errorf("%q is no time: want 2026-11-30T20:10:45.599Z", s)
	}
	return t, nil
}

// longest bounds what an answer took: nobody waits longer, and the time of an
// answer must stay a time.
const longest = 365 * 24 * time.Hour

// tookOf reads how long an answer took, in milliseconds. What is below zero says
// that nobody knows, as HAR has it.
func tookOf(ms float64) time.Duration {
	switch {
	case !(ms > 0):
		return 0
	case ms >= float64(longest/time.Millisecond):
		return longest
	}
	return time.Duration(ms * float64(time.Millisecond))
}
