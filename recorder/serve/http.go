package serve

import (
	"bytes"
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// Bounds in real time and of connections.
const (
	headTime  = 10 * time.Second
	readTime  = time.Minute
	writeTime = 30 * time.Second
	idleTime  = 2 * time.Minute
	headBytes = 64 << 10
	maxConns  = 256
)

// Serve answers what comes to l until ctx ends, and then finishes what is under
// way. The error is that of l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: headTime, ReadTimeout: readTime, IdleTimeout: idleTime, MaxHeaderBytes: headBytes,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(limited{l, make(chan struct{}, maxConns)}) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(stop); err != nil {
		_ = server.Close()
	}
	return nil
}

// limited takes so many connections at a time; others wait.
type limited struct {
	net.Listener
	slots chan struct{}
}

func (l limited) Accept() (net.Conn, error) {
	l.slots <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &slotted{Conn: c, free: l.slots}, nil
}

// slotted gives its slot back once, when it is closed.
type slotted struct {
	net.Conn
	free   chan struct{}
	closed atomicBool
}

func (c *slotted) Close() error {
	if c.closed.set() {
		<-c.free
	}
	return c.Conn.Close()
}

// ServeHTTP answers one request as it was answered then, or says why not.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := s.read(w, r)
	if err != nil {
		s.write(w, r, s.unread(r, err))
		return
	}
	s.write(w, r, s.answer(r, body))
}

// read reads the body of a request within its bounds.
func (s *Server) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	select {
	case s.reading <- struct{}{}:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	defer func() { <-s.reading }()
	return io.ReadAll(http.MaxBytesReader(w, r.Body, s.cfg.MaxBody))
}

// unread is the answer to a request whose body did not come.
func (s *Server) unread(r *http.Request, err error) *answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report.requests++
	var large *http.MaxBytesError
	why := "its body did not come whole"
	if errors.As(err, &large) {
		why = fmt.Sprintf("its body is over %d bytes", large.Limit)
	}
	return s.unknown(nil, nil, r.Method+" "+clip(r.URL.Path)+": "+why)
}

// answer finds the answer to a request.
func (s *Server) answer(r *http.Request, body []byte) *answer {
	asked, fault := spec.ParseRequest(body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report.requests++
	s.checkSignature(r, body)
	if r.Method != http.MethodPost || fault != nil {
		return s.outside(r, body, fault)
	}
	q := &request{DecisionRequest: &asked, body: body, text: triggerText(&asked)}
	rec, near, again := s.match(q)
	if rec == nil {
		return s.unknown(q, near, "")
	}
	if again {
		s.report.again++
	} else {
		s.drift(q, rec)
	}
	return s.serve(rec, again)
}

// serve is the answer of an exchange.
func (s *Server) serve(rec *recorded, again bool) *answer {
	if rec.cannot != "" {
		s.report.refused(rec)
		s.cfg.Log(fmt.Sprintf("%s is not served: %s", rec.name(), rec.cannot))
		return notServed(rec)
	}
	if !again {
		s.report.served++
		s.report.noted(rec)
	}
	return s.whole(rec)
}

// outside answers what is no decision: as recorded where the same bytes were.
func (s *Server) outside(r *http.Request, body []byte, fault *spec.Fault) *answer {
	for _, x := range s.raw {
		q := x.x.Request
		if x.used == 0 && q.Method == r.Method && q.Target == r.URL.RequestURI() && bytes.Equal(x.x.RequestBody, body) {
			s.use(x)
			return s.serve(x, false)
		}
	}
	why := r.Method + " is no way to ask for a decision"
	if r.Method == http.MethodPost {
		why = "it is no decision request: " + fault.Error()
	}
	return s.unknown(nil, nil, why)
}

// checkSignature counts what the signature of a request is (D10).
func (s *Server) checkSignature(r *http.Request, body []byte) {
	if len(s.cfg.Secrets) == 0 {
		return
	}
	got := r.Header.Get(s.cfg.SignatureHeader)
	if got == "" {
		s.report.unsigned++
		return
	}
	for _, secret := range s.cfg.Secrets {
		if hmac.Equal([]byte(spec.Sign(secret, body)), []byte(got)) {
			s.report.signed++
			return
		}
	}
	s.report.forged++
}

// write sends an answer. A stream goes out part by part.
func (s *Server) write(w http.ResponseWriter, r *http.Request, a *answer) {
	out := http.NewResponseController(w)
	deadline := func() { _ = out.SetWriteDeadline(s.cfg.Now().Add(writeTime)) }
	w.Header()["Content-Type"] = nil
	for _, h := range a.headers {
		w.Header().Add(h[0], h[1])
	}
	if !a.streams && a.status != http.StatusNoContent && a.status != http.StatusNotModified {
		w.Header().Set("Content-Length", strconv.Itoa(a.size()))
	}
	deadline()
	w.WriteHeader(a.status)
	for _, p := range a.parts {
		if s.cfg.Pace && p.after > 0 {
			s.cfg.Wait(p.after, r.Context().Done())
			deadline()
		}
		if _, err := w.Write(p.body); err != nil {
			return
		}
		if a.streams && out.Flush() != nil {
			return
		}
	}
}
