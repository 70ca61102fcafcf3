package simulator

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// settleReadTimeout is how long a body may take to come.
const settleReadTimeout = 20 * time.Second

// read reads a body within its bounds. A status other than 0 says why it could
// not be read.
func (e *Endpoint) read(w http.ResponseWriter, r *http.Request) (body []byte, status int, text string) {
	select {
	case e.reading <- struct{}{}:
		defer func() { <-e.reading }()
	case <-r.Context().Done():
		return nil, http.StatusRequestTimeout, "the caller left"
	}
	// A server that knows no deadlines is one of a test; its bodies are there.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(settleReadTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxSettleBytes))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, http.StatusRequestEntityTooLarge, "the body is over " + strconv.Itoa(MaxSettleBytes) + " bytes"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, http.StatusRequestTimeout, "the body did not come within " + settleReadTimeout.String()
	case err != nil:
		return nil, http.StatusBadRequest, "the body could not be read: " + err.Error()
	}
	// The session may let its caller wait.
	_ = control.SetReadDeadline(time.Time{})
	return body, 0, ""
}

// answer writes the reply of an endpoint; text is empty for a success.
func answer(w http.ResponseWriter, status int, text string) {
	body := []byte(`{"ok":true}`)
	if text != "" {
		body = append([]byte(`{"ok":false,"error":`), jsonv.Quote(text)...)
		body = append(body, '}')
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
