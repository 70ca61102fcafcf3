package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// Verify reads the recording in r to its end and reports everything that is
// wrong with it: lines that were changed, lost, doubled or moved, sums and
// digests that do not fit, pieces that do not make a body, and members beside a
// body that contradict it (rules 3, 4 and 5). A damaged line hides none of those
// after it, but what does not unpack does. name stands in the report. The error
// is only that of reading r; the report then covers what was read. Memory is bounded by the largest line and
// the number of open exchanges.
func Verify(r io.Reader, name string) (Report, error) {
	v := &verifier{
		rep:     Report{Name: name},
		src:     newLineSource(r, MaxLine),
		tally:   newTally(),
		chain:   newChain(),
		bodies:  newBodies(),
		unknown: map[spec.EventKind]int64{},
	}
	v.src.long = v.tally.sum
	err := v.run()
	v.finish()
	if err != nil {
		err = fmt.Errorf("read recording %s: line %d: %w", name, v.rep.Lines+1, err)
	}
	return v.rep, err
}

type verifier struct {
	rep     Report
	src     *lineSource
	tally   *tally
	chain   *chain
	bodies  *bodies
	unknown map[spec.EventKind]int64

	// closed says that a closing line was met, sound or not.
	closed bool
	// after says that text after it was reported.
	after bool
	// shaken says that a line was lost, changed or moved, so that sums cannot
	// fit and what one line says of others proves nothing.
	shaken bool
}

func (v *verifier) fault(kind FaultKind, hint, format string, args ...any) {
	v.rep.add(Fault{Line: v.rep.Lines, Kind: kind, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// run takes the lines one by one.
func (v *verifier) run() error {
	for {
		line, err := v.src.next()
		if errors.Is(err, io.EOF) {
			if !v.closed {
				v.cut(0)
			}
			return nil
		}
		if packed, ok := errors.AsType[*PackedError](err); ok {
			v.rep.add(Fault{Line: v.rep.Lines + 1, Kind: FaultRead, Message: packed.Error(), Hint: packed.Hint()})
			return nil
		}
		if err != nil {
			return err
		}
		if !line.ended {
			v.unended(line)
			return nil
		}
		v.rep.Lines++
		if v.closed && !v.after {
			v.after = true
			v.fault(FaultPlace, "delete what follows the closing line, or give the files one by one", "there is text after the closing line")
		}
		if !v.line(line) {
			return nil
		}
	}
}

// unended handles a last line without its line feed.
func (v *verifier) unended(line rawLine) {
	if v.rep.Lines == 0 && !beginsLikeHeader(line.text) {
		v.rep.Lines++
		v.fault(FaultRead, fixNotOurs, notOurs)
		return
	}
	if v.closed {
		v.rep.Lines++
		v.fault(FaultPlace, "delete what follows the closing line", "there is text after the closing line")
		return
	}
	v.cut(line.size)
}

func (v *verifier) cut(partial int64) {
	e := &CutError{Line: v.rep.Lines, Partial: partial}
	v.rep.add(Fault{Line: e.Line + 1, Kind: FaultCut, Message: e.Error(), Hint: e.Hint()})
}

// line checks one whole line, and says whether there is a point in going on.
func (v *verifier) line(line rawLine) bool {
	if line.text == nil {
		v.shaken = true
		v.bodies.shake()
		v.chain.skip()
		v.fault(FaultRead, fixCopy, "%s", tooLong(line.size))
		return true
	}
	l := v.chain.check(line.text)
	if v.rep.Lines == 1 && !l.sealed && !beginsLikeHeader(line.text) {
		v.fault(FaultRead, fixNotOurs, notOurs)
		return false
	}
	if l.fault != "" {
		v.shaken = true
		v.bodies.shake()
		v.fault(l.kind, fixCopy, "%s", l.fault)
	}
	if _, closing := l.event.Data.(*spec.CloseEvent); closing {
		v.closed = true
	}
	switch {
	case l.trusted && l.err != nil:
		v.fault(FaultRead, fixWriter, "%s: %v", doesNotRead, l.err)
	case l.trusted:
		v.event(l.event)
	}
	v.tally.sum.Write(line.text)
	v.tally.sum.Write([]byte("\n"))
	return true
}

// event checks what a line says.
func (v *verifier) event(e spec.Event) {
	if fault := checkHeader(e); fault != "" {
		v.fault(FaultRead, fixPlace(e), "%s", fault)
	}
	for _, f := range v.bodies.check(e) {
		v.fault(f.Kind, f.Hint, "%s", f.Message)
	}
	switch d := e.Data.(type) {
	case *spec.HeaderEvent:
		if v.rep.Header == nil {
			v.rep.Header = d
			v.bodies.dialect = d.Dialect
		}
	case *spec.CloseEvent:
		if v.rep.Close == nil {
			v.rep.Close = d
			v.sums(d)
		}
	case *spec.UnknownEvent:
		if len(v.unknown) < maxFaults || v.unknown[d.Kind] > 0 {
			v.unknown[d.Kind]++
		}
	}
	if err := v.tally.add(e); err != nil {
		v.fault(FaultRead, fixWriter, "the body does not read: %v", err)
	}
}

// sums compares the closing line with what was counted.
func (v *verifier) sums(got *spec.CloseEvent) {
	if v.shaken {
		return
	}
	want := v.tally.closing(got.Why)
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"events", got.Events, want.Events},
		{"sessions", got.Sessions, want.Sessions},
		{"exchanges", got.Exchanges, want.Exchanges},
		{"pieces", got.Pieces, want.Pieces},
		{"lost", got.Lost, want.Lost},
		{"sha256", got.SHA256, want.SHA256},
		{"asked", got.Asked, want.Asked},
		{"answered", got.Answered, want.Answered},
	} {
		if c.got != c.want {
			v.fault(FaultSum, fixWriter, "%s is %v; the lines before give %v", c.name, c.got, c.want)
		}
	}
	if strings.HasPrefix(got.Why, recoveredWhy) {
		return // what was under way at the cut has no end
	}
	for _, f := range v.bodies.unfinished() {
		v.fault(f.Kind, f.Hint, "%s", f.Message)
	}
}

// finish sums up.
func (v *verifier) finish() {
	r := &v.rep
	t := v.tally
	r.Sessions, r.Exchanges, r.Pieces, r.Lost = t.sessions, t.exchanges, t.pieces, t.lost
	r.Asked, r.Answered = t.digests.asked.text(), t.digests.answered.text()
	for kind, n := range v.unknown {
		r.Unknown = append(r.Unknown, KindCount{Kind: kind, Count: n})
	}
	slices.SortFunc(r.Unknown, func(a, b KindCount) int { return cmp.Compare(a.Kind, b.Kind) })
	r.State, r.Good = StateWhole, r.Lines
	for i, f := range r.Faults {
		if i == 0 {
			r.Good = f.Line - 1
			r.State = StateCut
		}
		if f.Kind != FaultCut {
			r.State = StateDamaged
		}
	}
}
