package judge

import "github.com/hallmarkdev/hallmark/spec"

// maxPieces bounds the body that is put together from pieces, in bytes. A
// larger one is over every limit of a delivery and is not judged by content.
const maxPieces = 64 << 20

// wired is an exchange as it was on the wire, put together from its events.
type wired struct {
	n        int64
	step     *int
	request  *spec.RequestEvent
	response *spec.ResponseEvent
	// question and answer are the two bodies.
	question []byte
	answer   []byte
	// disturbed says that something was done to the delivery on purpose, and
	// dropped that the engine did not take the answer (D6).
	disturbed, dropped bool
}

// assembler joins requests, pieces, responses and disturbances by session and
// exchange. It holds only exchanges that are not taken yet.
type assembler struct {
	open map[string][]*wired
	// early holds disturbances that stand before their request.
	early map[[2]string]bool
}

func newAssembler() *assembler {
	return &assembler{open: map[string][]*wired{}, early: map[[2]string]bool{}}
}

func (a *assembler) find(session, d string) *wired {
	for _, w := range a.open[session] {
		if w.request.D == d {
			return w
		}
	}
	return nil
}

func (a *assembler) request(e spec.Event, d *spec.RequestEvent, step *int) {
	w := &wired{n: e.N, step: step, request: d}
	if b, err := d.Body.Bytes(); err == nil {
		w.question = b
	}
	key := [2]string{e.Session, d.D}
	w.disturbed = a.early[key]
	delete(a.early, key)
	a.open[e.Session] = append(a.open[e.Session], w)
}

func (a *assembler) piece(session string, d *spec.PieceEvent) {
	w := a.find(session, d.D)
	if w == nil {
		return
	}
	b, err := d.Body.Bytes()
	if err != nil {
		return
	}
	to := &w.answer
	if d.Of == "request" {
		to = &w.question
	}
	if len(*to)+len(b) <= maxPieces {
		*to = append(*to, b...)
	}
}

func (a *assembler) response(session string, d *spec.ResponseEvent) {
	w := a.find(session, d.D)
	if w == nil {
		return
	}
	w.response = d
	if b, err := d.Body.Bytes(); err == nil && b != nil {
		w.answer = b
	}
}

func (a *assembler) outcome(session string, d *spec.OutcomeEvent) {
	if w := a.find(session, d.D); w != nil {
		w.dropped = d.As == spec.OutcomeDropped
	}
}

func (a *assembler) disturb(session string, d *spec.DisturbEvent) {
	if w := a.find(session, d.D); w != nil {
		w.disturbed = true
		return
	}
	a.early[[2]string{session, d.D}] = true
}

// take returns the answered exchanges of a session in the order of their
// requests, and forgets them.
func (a *assembler) take(session string) []*wired {
	var done, rest []*wired
	for _, w := range a.open[session] {
		if w.response != nil {
			done = append(done, w)
		} else {
			rest = append(rest, w)
		}
	}
	a.open[session] = rest
	return done
}
