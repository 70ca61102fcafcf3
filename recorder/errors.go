package recorder

import (
	"errors"
	"fmt"
)

// CutError says that a recording ends before its closing line: the process
// that wrote it was killed, the disk was full, or the file was copied while it
// was written. What was read before it is good (rule 1).
type CutError struct {
	// Line is the number of the last good line, 0 when there is none.
	Line int64
	// Partial is how many bytes of an unfinished line stand after it.
	Partial int64
}

// Error says after which line the recording ends.
func (e *CutError) Error() string {
	if e.Line == 0 {
		return "recording is cut before its first line ends"
	}
	return fmt.Sprintf("recording is cut after line %d: it has no closing line", e.Line)
}

// Hint says what to do.
func (e *CutError) Hint() string {
	if e.Line == 0 {
		return "nothing can be recovered; record again"
	}
	return fmt.Sprintf("the first %d lines are good: recover them, or record again", e.Line)
}

// DamageError says that a line is not what was written: its bytes, its place
// or its meaning.
type DamageError struct {
	// Line is where it stands in the file, from 1.
	Line int64
	// Reason says what is wrong.
	Reason string
	// Fix says what to do.
	Fix string
	// Err is the cause, nil when there is none beneath.
	Err error
}

// Error names the line and what is wrong with it.
func (e *DamageError) Error() string {
	s := fmt.Sprintf("recording line %d: %s", e.Line, e.Reason)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *DamageError) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *DamageError) Hint() string { return e.Fix }

// PackedError says that a compressed recording does not unpack: it is cut or
// damaged. What was unpacked before it is good as far as its lines are.
type PackedError struct {
	Err error
}

// Error says what unpacking ran into.
func (e *PackedError) Error() string { return "the packed file is cut or damaged: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *PackedError) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *PackedError) Hint() string { return "fetch the file again from where it was written" }

// LineTooLongError says that an event does not fit into a line that a reader
// would take. The event is not in the file; a gap stands in its place.
type LineTooLongError struct {
	Kind  string
	Bytes int
}

// Error names the kind of the event and its size.
func (e *LineTooLongError) Error() string {
	return fmt.Sprintf("write recording: a %s line of %d bytes is over the limit of %d", e.Kind, e.Bytes, MaxLine)
}

// Hint says what to do.
func (e *LineTooLongError) Hint() string {
	return "a gap stands in its place; make what is recorded smaller"
}

// ErrClosed is what a [Writer] returns for an event after its closing line.
var ErrClosed = errors.New("write recording: it is closed")

const (
	fixCopy    = "fetch the file again from where it was written; what this line says cannot be trusted"
	fixNotOurs = "give a file that hallmark recorded"
)
