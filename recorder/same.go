package recorder

import (
	"errors"
	"fmt"
	"io"

	"github.com/hallmarkdev/hallmark/spec"
)

// SameRun reports whether a and b record the same run: whether what was sent is
// equal, byte for byte, by session and exchange (rule 4, R20). It reads both
// to the end, in memory for one line, computes the digests from the lines, and
// does not take a closing line's word for them. A recording that is cut or
// damaged gives an error, since a beginning is not a run.
func SameRun(a, b io.Reader) (bool, error) {
	first, err := Asked(a)
	if err != nil {
		return false, fmt.Errorf("first recording: %w", err)
	}
	second, err := Asked(b)
	if err != nil {
		return false, fmt.Errorf("second recording: %w", err)
	}
	return first == second, nil
}

// Asked returns the digest of what a recording says was sent, computed from its
// lines. Two runs are the same when it is equal.
func Asked(r io.Reader) (string, error) {
	in := NewReader(r)
	var digests exchangeDigests
	var closing *spec.CloseEvent
	for {
		e, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
		if err := digests.add(e); err != nil {
			return "", &DamageError{Line: e.N, Reason: "the body does not read", Fix: fixWriter, Err: err}
		}
		if c, ok := e.Data.(*spec.CloseEvent); ok {
			closing = c
		}
	}
	asked := digests.asked.text()
	if closing.Asked != asked {
		return "", &DamageError{Line: in.last, Reason: fmt.Sprintf("asked is %s; the lines before give %s", closing.Asked, asked), Fix: fixWriter}
	}
	return asked, nil
}
