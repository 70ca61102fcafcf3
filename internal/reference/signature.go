package reference

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
)

// signed is a request as far as its signature goes (D10).
type signed struct {
	secret []byte
	// header is the value that came, "" for none.
	header string
	// body is the body as it was received, edges where its pieces ended.
	body  []byte
	edges []int
}

// fits reports whether the signature is right, in constant time. It is that of
// the bytes as they came: nothing was parsed yet.
func (s signed) fits() bool { return s.fitsOver(s.body) }

func (s signed) fitsOver(body []byte) bool {
	return hmac.Equal([]byte("sha256="+hex.EncodeToString(s.mac(body))), []byte(s.header))
}

func (s signed) mac(body []byte) []byte {
	mac := hmac.New(sha256.New, s.secret)
	mac.Write(body)
	return mac.Sum(nil)
}

// trusts reports whether a request may be acted on. Without a secret every one
// may.
func (w *worker) trusts(s signed) bool {
	if len(s.secret) == 0 {
		return true
	}
	for _, d := range w.defects {
		if d.trusts != nil {
			return d.trusts(w, s)
		}
	}
	return s.fits()
}

// turnAway refuses a request that is not to be trusted.
func (w *worker) turnAway(rw http.ResponseWriter, s signed) {
	for _, d := range w.defects {
		if d.refuse != nil && d.refuse(rw, s) {
			return
		}
	}
	http.Error(rw, "the signature does not fit the request", http.StatusUnauthorized)
}

// receive reads a body of at most so many bytes, and keeps where its pieces
// ended. The error is [errTooLong], or says that it ended early.
func receive(body io.Reader, most int64) (all []byte, edges []int, err error) {
	var whole bytes.Buffer
	piece := make([]byte, 32<<10)
	for {
		n, err := body.Read(piece)
		whole.Write(piece[:n])
		if int64(whole.Len()) > most {
			return nil, nil, errTooLong
		}
		if n > 0 {
			edges = append(edges, whole.Len())
		}
		if errors.Is(err, io.EOF) {
			return whole.Bytes(), edges, nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

var errTooLong = errors.New("the request is too long")
