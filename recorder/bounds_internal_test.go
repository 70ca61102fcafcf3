package recorder

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/hallmarkdev/hallmark/spec"
)

// pieceOf is a piece of a JSON body of so many bytes.
func pieceOf(d string, size int) (spec.Event, spec.PieceEvent) {
	p := spec.PieceEvent{D: d, Of: ofRequest, Body: spec.BodyOf(make([]byte, size))}
	return spec.Event{Session: "s1", Data: &p}, p
}

// What is held of bodies in pieces is bounded, in bytes and in number.
func TestRewriterHoldsNoMoreThanItMay(t *testing.T) {
	t.Parallel()
	x := &rewriter{}
	const one = maxHeld / 2
	for n := range 2*maxAllHeld/maxHeld + 3 {
		x.piece(pieceOf(fmt.Sprint("d", n), one))
	}
	kept := 0
	for _, b := range x.open {
		kept += len(b.held)
	}
	if kept != x.held || kept > maxAllHeld || kept < maxAllHeld-one {
		t.Errorf("kept %d bytes and counted %d, want at most %d", kept, x.held, maxAllHeld)
	}
	for n := range 2*maxAllHeld/maxHeld + 3 {
		x.take("s1", fmt.Sprint("d", n), ofRequest)
	}
	if x.held != 0 {
		t.Errorf("%d bytes counted when all were taken", x.held)
	}
	for n := range maxOpen + 1 {
		if x.err != nil {
			t.Fatalf("refused the body %d: %v", n, x.err)
		}
		x.piece(pieceOf(fmt.Sprint("e", n), 1))
	}
	if x.err == nil {
		t.Error("any number of bodies is followed")
	}
}

// A recording that was packed after its name was listed is read all the same.
func TestOpenFindsWhatWasPackedMeanwhile(t *testing.T) {
	t.Parallel()
	plain := filepath.Join(t.TempDir(), "a"+PlainSuffix)
	if _, err := Open(plain); !os.IsNotExist(err) {
		t.Fatalf("nothing there: %v", err)
	}
	if err := os.WriteFile(plain[:len(plain)-len(PlainSuffix)]+CompressedSuffix, []byte("its text"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(plain)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := io.ReadAll(f); err != nil || string(text) != "its text" {
		t.Errorf("read %q, %v", text, err)
	}
}
