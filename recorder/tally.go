package recorder

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"github.com/hallmarkdev/hallmark/spec"
)

// The values of a piece's `of`.
const (
	ofRequest  = "request"
	ofResponse = "response"
)

// tally is what a closing line sums up. Writer, Verify and Recover share it,
// so that they cannot count differently.
type tally struct {
	lines, sessions, exchanges, pieces, lost int64

	sum     hash.Hash
	digests exchangeDigests
}

func newTally() *tally { return &tally{sum: sha256.New()} }

// add counts one event. Its bytes go to sum separately, since a line that does
// not read has bytes but no event.
func (t *tally) add(e spec.Event) error {
	t.lines++
	switch d := e.Data.(type) {
	case *spec.SessionEvent:
		t.sessions++
	case *spec.RequestEvent:
		t.exchanges++
	case *spec.PieceEvent:
		t.pieces++
	case *spec.GapEvent:
		t.lost += d.Lost
	}
	return t.digests.add(e)
}

// closing is the closing line that fits what was counted, itself included.
func (t *tally) closing(why string) *spec.CloseEvent {
	return &spec.CloseEvent{
		Why:       why,
		Events:    t.lines + 1,
		Sessions:  t.sessions,
		Exchanges: t.exchanges,
		Pieces:    t.pieces,
		Lost:      t.lost,
		SHA256:    hex.EncodeToString(t.sum.Sum(nil)),
		Asked:     t.digests.asked.text(),
		Answered:  t.digests.answered.text(),
	}
}
