package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// Report is what came of playing one recording again.
type Report struct {
	// Recording is the file, ID the case.
	Recording string `json:"recording"`
	ID        string `json:"id"`
	// Requests is how many requests the recording holds, Reproduced how many of
	// them came out again, byte for byte.
	Requests   int `json:"requests"`
	Reproduced int `json:"reproduced"`
	// Skipped is why the case was not driven in the first place, "" when it was.
	Skipped string `json:"skipped,omitzero"`
	// Asked is the digest of what was sent, the same for the same run.
	Asked string `json:"asked,omitzero"`
	// Divergence is the first difference, nil for none.
	Divergence *Divergence `json:"divergence,omitzero"`
	// MadeBy is the version that made the recording.
	MadeBy string `json:"made_by"`
}

// MaxBytes bounds a recording that is driven again: it is held in memory.
const MaxBytes = 1 << 30

// File drives the recording in a file again, see [simulator.Replay]. The error
// is that of reading: a [*recorder.CutError] or [*recorder.DamageError], since
// what cannot be trusted is not played; or a [*simulator.NotReplayedError].
func File(ctx context.Context, name string) (Report, error) {
	f, err := recorder.Open(name)
	if err != nil {
		return Report{Recording: name}, err
	}
	defer f.Close()
	r, err := Run(ctx, f)
	r.Recording = name
	return r, err
}

// Run drives the recording in r again, as [File] does.
func Run(ctx context.Context, r io.Reader) (Report, error) {
	var events []spec.Event
	limited := &io.LimitedReader{R: r, N: MaxBytes}
	for e, err := range recorder.NewReader(limited).All() {
		if limited.N == 0 {
			return Report{}, &simulator.NotReplayedError{
				Reason: fmt.Sprintf("the recording is over %d bytes, too large to be driven again", MaxBytes),
				Fix:    "hallmark judge reads recordings of any size",
			}
		}
		if err != nil {
			return Report{}, err
		}
		events = append(events, e)
	}
	return Events(ctx, events)
}

// Events drives a recording again whose events are held already, the closing
// line included where there is one.
func Events(ctx context.Context, events []spec.Event) (Report, error) {
	var out Report
	for _, e := range events {
		if h, ok := e.Data.(*spec.HeaderEvent); ok {
			out.ID, out.MadeBy = h.ID, h.MadeBy.Hallmark
		}
	}
	sums := newDigest()
	done, err := simulator.Replay(ctx, events, sums.event)
	if err != nil {
		return out, err
	}
	out.Requests, out.Reproduced, out.Skipped = done.Requests, done.Same, done.Skipped
	if done.Divergence != nil {
		out.Divergence = divergenceOf(done.Divergence)
		return out, nil
	}
	if out.Skipped != "" {
		return out, nil
	}
	if out.Asked, err = sums.asked(done.Result); err != nil {
		return out, err
	}
	for _, e := range events {
		if c, ok := e.Data.(*spec.CloseEvent); ok && c.Asked != "" && c.Asked != out.Asked {
			out.Divergence = &Divergence{Code: CodeDigest, Got: out.Asked, Want: c.Asked}
		}
	}
	return out, nil
}

// digest writes a recording to nowhere, for the digest of its closing line.
type digest struct {
	w    *recorder.Writer
	last lastLine
	err  error
}

type lastLine struct{ text []byte }

func (l *lastLine) Write(b []byte) (int, error) {
	l.text = append(l.text[:0], b...)
	return len(b), nil
}

func newDigest() *digest {
	d := &digest{}
	d.w = recorder.NewWriter(&d.last, func() time.Duration { return 0 })
	return d
}

func (d *digest) event(e spec.Event) { d.err = errors.Join(d.err, d.w.Write(e)) }

func (d *digest) asked(r simulator.Result) (string, error) {
	if err := errors.Join(d.err, d.w.Close(r.Why, r.T)); err != nil {
		return "", fmt.Errorf("sum up the replay: %w", err)
	}
	e, err := spec.UnmarshalEvent(d.last.text)
	if err != nil {
		return "", fmt.Errorf("sum up the replay: %w", err)
	}
	return e.Data.(*spec.CloseEvent).Asked, nil
}
