package recorder

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"slices"
	"strconv"

	"github.com/hallmarkdev/hallmark/spec"
)

// digestDigits is how many hex digits of a SHA-256 stand in asked and answered.
const digestDigits = 32

// rows is a digest over rows of text, one running sum a session.
type rows struct {
	sums map[string]hash.Hash
}

// add appends one row of parts to the sum of a session. The parts are short
// but for the body, which comes as bytes to spare a copy.
func (r *rows) add(session, head string, body []byte, tail string) {
	if r.sums == nil {
		r.sums = map[string]hash.Hash{}
	}
	sum, ok := r.sums[session]
	if !ok {
		sum = sha256.New()
		r.sums[session] = sum
	}
	io.WriteString(sum, head)
	sum.Write(body)
	io.WriteString(sum, tail)
}

// text is the digest as it stands in a closing line.
func (r *rows) text() string {
	aliases := make([]string, 0, len(r.sums))
	for s := range r.sums {
		aliases = append(aliases, s)
	}
	slices.SortFunc(aliases, compareAliases)
	if len(aliases) == 1 {
		return hex.EncodeToString(r.sums[aliases[0]].Sum(nil))[:digestDigits]
	}
	all := sha256.New()
	for _, s := range aliases {
		io.WriteString(all, s+" "+hex.EncodeToString(r.sums[s].Sum(nil))+"\n")
	}
	return hex.EncodeToString(all.Sum(nil))[:digestDigits]
}

// compareAliases orders s2 before s10.
func compareAliases(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// exchangeDigests keeps asked and answered (rule 4).
type exchangeDigests struct {
	asked, answered rows
}

// add takes an event into the digests. The error is that of damaged base64.
func (x *exchangeDigests) add(e spec.Event) error {
	switch d := e.Data.(type) {
	case *spec.RequestEvent:
		b, err := d.Body.Bytes()
		if err != nil {
			return err
		}
		x.asked.add(e.Session, e.Session+" "+d.D+" ", b, "\n")
	case *spec.ResponseEvent:
		b, err := d.Body.Bytes()
		if err != nil {
			return err
		}
		x.answered.add(e.Session, e.Session+" "+d.D+" "+strconv.Itoa(d.Status)+" ", b, "\n")
	case *spec.PieceEvent:
		b, err := d.Body.Bytes()
		if err != nil {
			return err
		}
		to := &x.answered
		if d.Of == ofRequest {
			to = &x.asked
		}
		to.add(e.Session, e.Session+" "+d.D+" ", b, "")
	}
	return nil
}
