package simulator

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

// writes keeps what is written to a connection, write by write.
type writes struct {
	net.Conn
	all [][]byte
}

func (w *writes) Write(p []byte) (int, error) {
	w.all = append(w.all, bytes.Clone(p))
	return w.Conn.Write(p)
}

// posted posts a body and returns it as it was received, with the writes that
// it came in.
func posted(t *testing.T, body string, cut bool) (string, [][]byte) {
	t.Helper()
	ours, theirs := net.Pipe()
	kept := &writes{Conn: ours}
	came := make(chan string, 1)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all, _ := io.ReadAll(r.Body)
		came <- string(all)
		_, _ = io.WriteString(w, "{}")
	})}
	l := &oneConn{conn: theirs, closed: make(chan struct{})}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	post, err := NewTransport(TransportConfig{
		URL:  "http://worker.example/",
		Dial: func(context.Context, string, string) (net.Conn, error) { return kept, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(post.Close)
	if got := post.Post(t.Context(), Post{Body: []byte(body), Cut: cut}); got.Answer.Status != 200 {
		t.Fatalf("%+v", got.Answer)
	}
	return <-came, kept.all
}

// oneConn is a listener that gives one connection.
type oneConn struct {
	conn   net.Conn
	closed chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	if c := l.conn; c != nil {
		l.conn = nil
		return c, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error   { close(l.closed); return nil }
func (l *oneConn) Addr() net.Addr { return &net.UnixAddr{Name: "one", Net: "pipe"} }

// insides counts the writes that begin inside a letter.
func insides(all [][]byte) int {
	n := 0
	for _, w := range all {
		if !utf8.RuneStart(w[0]) {
			n++
		}
	}
	return n
}

func TestWritesEndInsideLetters(t *testing.T) {
	t.Parallel()
	body := `{"text":"` + strings.Repeat("陶芸の窯🏺", 20000) + `"}`
	got, all := posted(t, body, true)
	if got != body {
		t.Fatal("other bytes came than were sent")
	}
	if n := insides(all); n < 5 {
		t.Errorf("%d of %d writes begin inside a letter", n, len(all))
	}
	small, all := posted(t, `{"text":"é"}`, true)
	if small != `{"text":"é"}` || insides(all) != 1 {
		t.Errorf("%q in %d writes", small, len(all))
	}
}

// The measure itself: where nobody asks for it, hardly a write ends inside a
// letter of ASCII, and none is cut in two.
func TestWritesOfPlainTextAreWhole(t *testing.T) {
	t.Parallel()
	body := `{"text":"` + strings.Repeat("plain ", 1000) + `"}`
	_, uncut := posted(t, body, false)
	got, cut := posted(t, body, true)
	if got != body || len(cut) != len(uncut) {
		t.Errorf("%d writes, %d without cuts", len(cut), len(uncut))
	}
}
