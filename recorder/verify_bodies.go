package recorder

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

// maxOpen bounds how many exchanges without a response are followed.
const maxOpen = 1 << 16

// bodyKey names a body that stands in pieces.
type bodyKey struct{ session, d, of string }

// bodyState is a body of which pieces were met.
type bodyState struct {
	pieces int
	next   int64
	// first is the beginning of a request, for its index.
	first []byte
	// unsure says that a damaged line may have held a part of it.
	unsure bool
}

// exchangeKey names an exchange.
type exchangeKey struct{ session, d string }

// bodies checks what lines say of each other: pieces, exchanges, and the index
// of a request.
type bodies struct {
	inPieces map[bodyKey]*bodyState
	open     map[exchangeKey]struct{}
	dialect  *spec.Dialect
	// shaken says that a line is missing, so that an unknown request or the
	// middle of a body is no fault of its own.
	shaken bool
}

func newBodies() *bodies {
	return &bodies{inPieces: map[bodyKey]*bodyState{}, open: map[exchangeKey]struct{}{}}
}

// shake says that a line was lost, changed or moved.
func (b *bodies) shake() {
	b.shaken = true
	for _, st := range b.inPieces {
		st.unsure = true
	}
}

// check takes an event and returns what is wrong with it, without line numbers.
func (b *bodies) check(e spec.Event) []Fault {
	switch d := e.Data.(type) {
	case *spec.PieceEvent:
		return b.piece(e.Session, d)
	case *spec.RequestEvent:
		return b.request(e.Session, d)
	case *spec.ResponseEvent:
		return b.response(e.Session, d)
	}
	return nil
}

func pieceFault(format string, args ...any) []Fault {
	return []Fault{{
		Kind:    FaultPiece,
		Message: fmt.Sprintf(format, args...),
		Hint:    "the body is not whole; do not judge or serve it, and tell the maker of the program that wrote it",
	}}
}

func exchangeFault(format string, args ...any) []Fault {
	return []Fault{{Kind: FaultExchange, Message: fmt.Sprintf(format, args...), Hint: fixWriter}}
}

func (b *bodies) piece(session string, d *spec.PieceEvent) []Fault {
	if d.Of != ofRequest && d.Of != ofResponse {
		return pieceFault("a piece of %q; it must be of request or response", d.Of)
	}
	body, err := d.Body.Bytes()
	if err != nil {
		return nil // the tally reports it
	}
	key := bodyKey{session, d.D, d.Of}
	st := b.inPieces[key]
	if st == nil {
		if len(b.inPieces) >= maxOpen {
			return pieceFault("more than %d bodies are open", maxOpen)
		}
		st = &bodyState{unsure: b.shaken && d.Offset != 0}
		b.inPieces[key] = st
	}
	var faults []Fault
	if d.Offset != st.next && !st.unsure {
		faults = pieceFault("the piece of %s %s begins at %d; the pieces before it end at %d", d.Of, d.D, d.Offset, st.next)
	}
	if d.Of == ofRequest && d.Offset == 0 {
		st.first = body
	}
	st.pieces++
	st.next = d.Offset + int64(len(body))
	return faults
}

func (b *bodies) request(session string, d *spec.RequestEvent) []Fault {
	var faults []Fault
	key := exchangeKey{session, d.D}
	if _, twice := b.open[key]; twice && !b.shaken {
		faults = exchangeFault("request %s stands twice", d.D)
	}
	if len(b.open) < maxOpen {
		b.open[key] = struct{}{}
	}
	body, err := d.Body.Bytes()
	if err != nil {
		return faults
	}
	whole := true
	if d.Pieces > 0 {
		whole = false
		if st := b.inPieces[bodyKey{session, d.D, ofRequest}]; st != nil {
			body = st.first
		}
	}
	faults = append(faults, b.whole(session, d.D, ofRequest, d.Pieces, d.Bytes, len(body), whole && d.Bytes > 0 && d.End == "")...)
	return append(faults, b.index(d, body)...)
}

func (b *bodies) response(session string, d *spec.ResponseEvent) []Fault {
	var faults []Fault
	key := exchangeKey{session, d.D}
	if _, known := b.open[key]; !known && !b.shaken && len(b.open) < maxOpen {
		faults = exchangeFault("response %s has no request before it", d.D)
	}
	delete(b.open, key)
	body, err := d.Body.Bytes()
	if err != nil {
		return faults
	}
	inline := d.Pieces == 0 && d.End == spec.EndWhole
	return append(faults, b.whole(session, d.D, ofResponse, d.Pieces, d.Bytes, len(body), inline)...)
}

// whole compares the line that ends a body with its pieces, or with the body in
// the line itself when sized says that its size is stated.
func (b *bodies) whole(session, d, of string, pieces int, size int64, inline int, sized bool) []Fault {
	key := bodyKey{session, d, of}
	st := b.inPieces[key]
	delete(b.inPieces, key)
	switch {
	case st == nil && pieces == 0:
		if sized && size != int64(inline) {
			return pieceFault("%s %s says %d bytes; its body has %d", of, d, size, inline)
		}
	case st == nil:
		if !b.shaken {
			return pieceFault("%s %s counts %d pieces; none stands before it", of, d, pieces)
		}
	case st.unsure:
	case st.pieces != pieces:
		return pieceFault("%s %s counts %d pieces; %d stand before it", of, d, pieces, st.pieces)
	case st.next != size:
		return pieceFault("%s %s says %d bytes; its pieces end at %d", of, d, size, st.next)
	}
	return nil
}

// unfinished returns the bodies whose last line never came.
func (b *bodies) unfinished() []Fault {
	keys := make([]bodyKey, 0, len(b.inPieces))
	for k := range b.inPieces {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y bodyKey) int {
		return cmp.Or(compareAliases(x.session, y.session), compareAliases(x.d, y.d), cmp.Compare(x.of, y.of))
	})
	var faults []Fault
	for _, k := range keys {
		faults = append(faults, pieceFault("the pieces of %s %s of session %s have no %s line", k.of, k.d, k.session, k.of)...)
	}
	return faults
}
