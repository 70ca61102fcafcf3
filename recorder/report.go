package recorder

import (
	"fmt"

	"github.com/hallmarkdev/hallmark/spec"
)

// State says what is known of a file as a whole.
type State string

// The states of a recording.
const (
	// StateWhole is a file in which nothing is wrong.
	StateWhole State = "whole"
	// StateCut is a file that ends before its closing line, and is good so far.
	StateCut State = "cut"
	// StateDamaged is a file with a line that is not as it was written, or
	// that contradicts another.
	StateDamaged State = "damaged"
)

// FaultKind sorts faults by what is wrong.
type FaultKind string

// The kinds of faults.
const (
	// FaultCut: the file ends before its closing line.
	FaultCut FaultKind = "cut"
	// FaultChecksum: the bytes of a line are not those that were written.
	FaultChecksum FaultKind = "checksum"
	// FaultPlace: a line is missing, doubled or out of order.
	FaultPlace FaultKind = "place"
	// FaultRead: a line is over the limit, or is no event.
	FaultRead FaultKind = "read"
	// FaultSum: a count or digest of the closing line does not fit.
	FaultSum FaultKind = "sum"
	// FaultIndex: a member beside a body says something else than the body,
	// which is right (rule 5).
	FaultIndex FaultKind = "index"
	// FaultPiece: the pieces of a body do not make the whole.
	FaultPiece FaultKind = "piece"
	// FaultExchange: a response without a request, or a request twice.
	FaultExchange FaultKind = "exchange"
)

// Fault is one thing that is wrong with a recording.
type Fault struct {
	// Line is where it stands in the file, from 1.
	Line    int64     `json:"line"`
	Kind    FaultKind `json:"kind"`
	Message string    `json:"message"`
	// Hint says what to do.
	Hint string `json:"hint"`
}

// KindCount counts the events of a kind that this version does not know.
type KindCount struct {
	Kind  spec.EventKind `json:"kind"`
	Count int64          `json:"count"`
}

// Report is what [Verify] found.
type Report struct {
	// Name is the name of the file, as it was given.
	Name  string `json:"name"`
	State State  `json:"state"`
	// Lines counts the whole lines of the file; Good counts those before the
	// first fault.
	Lines int64 `json:"lines"`
	Good  int64 `json:"good"`
	// Header and Close are the first and the last line, nil when they did not
	// read.
	Header *spec.HeaderEvent `json:"-"`
	Close  *spec.CloseEvent  `json:"-"`
	// The counts and digests as the lines give them, whatever Close says.
	Sessions  int64  `json:"sessions"`
	Exchanges int64  `json:"exchanges"`
	Pieces    int64  `json:"pieces"`
	Lost      int64  `json:"lost"`
	Asked     string `json:"asked"`
	Answered  string `json:"answered"`
	// Unknown counts events of unknown kinds, sorted by kind. They are not
	// faults (rule 7).
	Unknown []KindCount `json:"unknown,omitzero"`
	// Faults are in order of lines. At most 1000 are kept; More counts the
	// rest.
	Faults []Fault `json:"faults,omitzero"`
	More   int64   `json:"more,omitzero"`
}

// maxFaults bounds what a hostile file can make a report hold.
const maxFaults = 1000

// add keeps a fault.
func (r *Report) add(f Fault) {
	if len(r.Faults) == maxFaults {
		r.More++
		return
	}
	r.Faults = append(r.Faults, f)
}

// String is the verdict as one line: whole, cut with what is good, or damaged
// with the first place.
func (r Report) String() string {
	switch r.State {
	case StateCut:
		return fmt.Sprintf("%s: cut: %d good lines, then the file ends without its closing line", r.Name, r.Good)
	case StateDamaged:
		s := fmt.Sprintf("%s: damaged: line %d: %s", r.Name, r.Faults[0].Line, r.Faults[0].Message)
		if n := int64(len(r.Faults)) + r.More - 1; n > 0 {
			s += fmt.Sprintf(" (and %d more)", n)
		}
		return s
	}
	return fmt.Sprintf("%s: whole: %s, %s, %s", r.Name, count(r.Lines, "line", "lines"), count(r.Sessions, "session", "sessions"), count(r.Exchanges, "exchange", "exchanges"))
}
