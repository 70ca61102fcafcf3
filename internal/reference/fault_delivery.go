package reference

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// deliveryDefects break the way an answer travels (D1, D2, wire 1).
func deliveryDefects() []defect {
	const (
		ok         = "delivery.answers-2xx"
		whole      = "delivery.answers-whole"
		direct     = "delivery.does-not-redirect"
		inTime     = "delivery.answers-in-time"
		packed     = "delivery.answers-uncompressed"
		bounded    = "delivery.answer-is-bounded"
		plainWords = "text/plain; charset=utf-8"
	)
	return []defect{
		{
			Fault:   named("answers-500-on-undeclared", "Answers a call of a tool that nobody declared with status 500.", ok),
			at:      undeclared,
			deliver: status(http.StatusInternalServerError, plainWords, "TypeError: cannot read properties of undefined (reading 'run')"),
		},
		{
			Fault:   named("answers-400-on-malformed", "Answers a call whose arguments are no JSON object with status 400.", ok),
			at:      badly(spec.InputMalformed, anyArguments),
			deliver: status(http.StatusBadRequest, plainWords, "bad request"),
		},
		{
			Fault:   named("closes-the-connection", "Closes the connection before the head of the answer.", whole),
			at:      running(quietTool),
			deliver: func(_ *exchange, rw http.ResponseWriter, _ *http.Request) { closeConnection(rw) },
		},
		{
			Fault: named("cuts-the-body", "Announces the whole body, sends half of it and closes the connection.", whole),
			at:    running(quietTool),
			deliver: func(x *exchange, rw http.ResponseWriter, _ *http.Request) {
				closeConnection(rw, half(x.answer))
			},
		},
		{
			Fault: named("speaks-no-http", "Writes a line of text where an HTTP response should be.", whole),
			at:    running(quietTool),
			deliver: func(_ *exchange, rw http.ResponseWriter, _ *http.Request) {
				closeConnection(rw, "studio worker ready\n")
			},
		},
		{
			Fault: named("redirects", "Redirects the delivery to an address with a slash at its end.", direct),
			at:    running(quietTool),
			deliver: func(_ *exchange, rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("Location", strings.TrimSuffix(r.URL.Path, "/")+"/decide/")
				rw.WriteHeader(http.StatusTemporaryRedirect)
			},
		},
		{
			Fault: named("hangs", "Holds the request until the client leaves.", inTime),
			at:    running(quietTool),
			deliver: func(_ *exchange, _ http.ResponseWriter, r *http.Request) {
				<-r.Context().Done()
			},
		},
		{
			Fault:   named("compresses", "Compresses the body with gzip although nobody asked for it.", packed),
			at:      running(quietTool),
			deliver: compress,
		},
		{
			Fault:   named("endless-body", "Sends a body that never ends.", bounded),
			at:      running(quietTool),
			deliver: endless,
		},
	}
}

// status answers with a status and a text.
func status(code int, kind, text string) func(*exchange, http.ResponseWriter, *http.Request) {
	return func(_ *exchange, rw http.ResponseWriter, _ *http.Request) {
		write(rw, code, kind, []byte(text))
	}
}

// closeConnection closes the connection after these pieces.
func closeConnection(rw http.ResponseWriter, pieces ...string) {
	breakOff(rw, func() {}, pieces...)
}

// breakOff writes pieces as they are, calls then, and closes the connection.
func breakOff(rw http.ResponseWriter, then func(), pieces ...string) {
	conn, buffered, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		// HTTP/2 hands no connection out; this is the server's own way to
		// break off, and it is neither logged nor fatal.
		panic(http.ErrAbortHandler)
	}
	for _, p := range pieces {
		_, _ = buffered.WriteString(p)
	}
	_ = buffered.Flush()
	then()
	_ = conn.Close()
}

// half is a response that announces more than it holds.
func half(body []byte) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body[:len(body)/2])
}

func compress(x *exchange, rw http.ResponseWriter, _ *http.Request) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	// Writing to memory does not fail.
	_, _ = z.Write(x.answer)
	_ = z.Close()
	rw.Header().Set("Content-Encoding", "gzip")
	write(rw, http.StatusOK, "application/json", out.Bytes())
}

// endless begins the right answer with white space that never ends.
func endless(_ *exchange, rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("Content-Type", "application/json")
	blank := bytes.Repeat([]byte{' '}, 64<<10)
	for r.Context().Err() == nil {
		if _, err := rw.Write(blank); err != nil {
			return
		}
	}
}
