package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// Heard is an answer to a recorded request, with the recorded one.
type Heard struct {
	Recording string
	Exchange  *spec.Exchange
	// Recorded and Now are by what they mean, ids of now put back to the recorded
	// ones.
	Recorded, Now recorder.Told
}

// hear tells of an answer that was compared.
func (s *sending) hear(x *spec.Exchange, got compared, at time.Time) {
	if s.cfg.Heard == nil || got.untold != "" {
		return
	}
	got.was.Now, got.now.Now = s.sentAt(x), at
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cfg.Heard(Heard{Recording: s.file, Exchange: x, Recorded: got.was, Now: got.now})
}

// toldOf is an answer as it is told, in words that are the same for failures of
// one kind.
func toldOf(x *spec.Exchange, a spec.Answer, f *spec.Failure) recorder.Told {
	switch {
	case f == nil:
		d, _ := x.Decided()
		return recorder.Told{Answer: meant(*d)}
	case a.Status == 0:
		return recorder.Told{Failed: "no answer"}
	case !good(a.Status):
		return recorder.Told{Failed: fmt.Sprintf("status %d", a.Status)}
	}
	return recorder.Told{Failed: fmt.Sprintf("status %d and no decision: %s", a.Status, cmp.Or(string(f.Info.Code), string(f.Class)))}
}

// likened is an answer with what counts as the recorded value replaced by it.
func (c *comparer) likened(was, now jsontext.Value, request []byte, redacted bool) jsontext.Value {
	out := now
	for p := range jsonv.Places(now, was) {
		place := recorder.Place{Pointer: p.Pointer, A: p.Want, B: p.Got}
		if standsFor(place.A, place.B, redacted) || c.sameID(place, request) {
			out = jsonv.Put(out, p.Pointer, p.Want)
		}
	}
	return out
}

// Repeated is what came of sending recordings to a worker several times.
type Repeated struct {
	// Times is how often they were sent, to the end or to where a session had to
	// stop.
	Times int `json:"times"`
	// First is what came of the first time.
	First Resent `json:"first"`
	// Ended is that of the time that ended early, "" when none did.
	Ended   string `json:"ended,omitzero"`
	EndedBy string `json:"ended_by,omitzero"`
	recorder.Steadiness
}

// heldBytes bounds the answers that are held because they are not as recorded.
const heldBytes = 256 << 20

// SendTimes sends what was planned to a worker as often as p.Repeat, each time with
// other ids, and says how steady its answers are: where they vary, what kind of thing does,
// and which rules let it (R6). A request counts that was answered at least twice.
// cfg.Heard is not called. Memory is that of the answers that are not as
// recorded, within bounds. The error is that of [ResendPlan.Send].
func (p *ResendPlan) SendTimes(ctx context.Context, t simulator.Poster, cfg ResendConfig) (Repeated, error) {
	h := hearing{answers: map[heardKey]*heardAnswers{}, file: map[string]int{}, out: recorder.Stability{Ignore: cfg.Ignore}}
	for _, c := range p.chains {
		for _, name := range c {
			h.file[name] = len(h.file)
		}
	}
	cfg.Heard = h.hear
	var out Repeated
	for out.Times < max(1, p.Repeat) && out.Ended == "" {
		sent, err := p.Send(ctx, t, cfg)
		if out.Times == 0 {
			out.First = sent
		}
		if err != nil {
			return out, err
		}
		cfg.Seed++
		out.Times++
		out.Ended, out.EndedBy = sent.Ended, sent.EndedBy
	}
	out.Steadiness = h.sum()
	return out, nil
}

// hearing gathers answers over all times.
type hearing struct {
	answers map[heardKey]*heardAnswers
	// file are the files in their order.
	file  map[string]int
	bytes int
	full  bool
	out   recorder.Stability
}

// heardKey names a request.
type heardKey struct{ recording, session, d string }

// heardAnswers are the answers to one request.
type heardAnswers struct {
	of recorder.Repeated
	// n counts the exchanges of its file.
	n int
	// times is how often it was answered; as long as all say what is recorded,
	// nothing more is held.
	times    int
	at       []time.Time
	recorded recorder.Told
	answers  []recorder.Told
}

func (h *hearing) hear(a Heard) {
	key := heardKey{a.Recording, a.Exchange.Session, a.Exchange.D}
	one := h.answers[key]
	if one == nil {
		one = &heardAnswers{n: a.Exchange.N, of: recorder.Repeated{
			Recording: a.Recording, Session: a.Exchange.Session, Exchange: a.Exchange.D, About: about(&spec.Event{Data: a.Exchange.Request}),
		}}
		h.answers[key] = one
		h.out.See(a.Recorded.Answer)
	}
	one.times++
	like := a.Recorded.Failed == a.Now.Failed && jsonv.Equal(a.Recorded.Answer, a.Now.Answer)
	if one.answers == nil {
		one.at = append(one.at, a.Now.Now)
		if like {
			return
		}
		// What came before was as recorded.
		one.recorded = a.Recorded
		h.bytes += len(a.Recorded.Answer)
		for _, at := range one.at[:len(one.at)-1] {
			as := a.Recorded
			as.Now = at
			one.answers = append(one.answers, as)
		}
	}
	if like {
		a.Now.Answer = one.recorded.Answer
	} else if h.bytes += len(a.Now.Answer); h.bytes > heldBytes {
		h.full = true
		a.Now.Answer = one.recorded.Answer
	}
	one.answers = append(one.answers, a.Now)
}

// sum compares what was heard, in the order of the recordings.
func (h *hearing) sum() recorder.Steadiness {
	all := make([]*heardAnswers, 0, len(h.answers))
	for _, one := range h.answers {
		if one.times > 1 {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b *heardAnswers) int {
		return cmp.Or(cmp.Compare(h.file[a.of.Recording], h.file[b.of.Recording]), cmp.Compare(a.n, b.n))
	})
	for _, one := range all {
		if one.answers == nil {
			h.out.AddSteady()
		} else {
			h.out.Add(one.of, &one.recorded, one.answers)
		}
	}
	sum := h.out.Sum()
	sum.Full = sum.Full || h.full
	return sum
}
