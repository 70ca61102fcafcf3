package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// recoveredWhy begins the `why` of a closing line that [Recover] wrote.
const recoveredWhy = "recovered: "

// Recovered says what [Recover] kept.
type Recovered struct {
	// Whole says that nothing was wrong: the copy is the file.
	Whole bool
	// Lines is how many lines were kept, without the closing line.
	Lines int64
	// Cause is the [*CutError] or [*DamageError] at which the good part ends,
	// nil when Whole.
	Cause error
}

// Recover copies the good beginning of the recording in r to w, byte for byte,
// and ends it with a closing line whose `why` says where it was cut. Before that, a
// gap counts the lines that are not kept, if there are any: an unfinished one,
// or a damaged one and all after it. A whole file is copied as it is. It is an error when not even the header is good, and when reading or
// writing fails.
func Recover(r io.Reader, w io.Writer) (Recovered, error) {
	c := &copier{out: w, tally: newTally(), crc: chainStart}
	in := NewReader(r)
	in.seen = c.take
	for {
		_, err := in.Next()
		switch {
		case errors.Is(err, io.EOF):
			return Recovered{Whole: true, Lines: c.tally.lines - 1}, nil
		case err == nil:
			continue
		case c.err != nil:
			return Recovered{Lines: c.tally.lines}, c.err
		}
		why, lost := whyRecovered(err)
		if why == "" || c.tally.lines == 0 {
			return Recovered{Cause: err}, fmt.Errorf("recover recording: %w", err)
		}
		done := Recovered{Lines: c.tally.lines, Cause: err}
		lost += in.src.rest()
		if lost > 0 {
			gap := &spec.GapEvent{Lost: lost, Reason: strings.TrimPrefix(why, recoveredWhy)}
			if err := c.append(gap); err != nil {
				return done, err
			}
		}
		return done, c.append(c.tally.closing(why))
	}
}

// whyRecovered words the closing line, and says how many lines are known to be
// lost. It is empty for an error of reading, which may pass.
func whyRecovered(err error) (why string, lost int64) {
	if cut, ok := errors.AsType[*CutError](err); ok {
		if cut.Partial > 0 {
			lost = 1
		}
		return fmt.Sprintf("%scut after line %d", recoveredWhy, cut.Line), lost
	}
	if damage, ok := errors.AsType[*DamageError](err); ok {
		return fmt.Sprintf("%sdamaged at line %d", recoveredWhy, damage.Line), 1
	}
	return "", 0
}

// copier writes lines as they were and keeps the counts.
type copier struct {
	out   io.Writer
	tally *tally
	crc   string
	t, w  int64
	err   error
}

// take copies one sound line.
func (c *copier) take(text []byte, sum string, e spec.Event) error {
	text = append(text, '\n')
	if _, err := c.out.Write(text); err != nil {
		c.err = fmt.Errorf("recover recording: write line %d: %w", e.N, err)
		return c.err
	}
	c.tally.sum.Write(text)
	c.crc, c.t, c.w = sum, e.T, e.W
	return c.tally.add(e)
}

// append writes a line of our own, at the time of the last one that was kept.
func (c *copier) append(data spec.EventData) error {
	e := spec.Event{N: c.tally.lines + 1, T: c.t, W: c.w, Data: data}
	text, err := spec.MarshalEvent(e)
	if err != nil {
		return fmt.Errorf("recover recording: %w", err)
	}
	text, sum := seal(text, c.crc)
	return c.take(bytes.TrimSuffix(text, []byte("\n")), sum, e)
}
