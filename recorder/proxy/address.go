package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// dialTimeout is the engine's own bound for a connection (wire 1), the
// handshake included.
const dialTimeout = 10 * time.Second

// Address is a place that can be dialled or listened at: TCP with or without
// TLS, or a unix socket. Make one with [ParseAddress].
type Address struct {
	// Network is tcp or unix.
	Network string
	// Addr is host:port, or the path of the socket.
	Addr string
	// Secure says that TLS is spoken there.
	Secure bool
}

// ParseAddress reads the address of a worker: http://HOST[:PORT],
// https://HOST[:PORT] or unix:/PATH. Paths of requests are passed on as they
// come, so an address has none. The error says what to do.
func ParseAddress(raw string) (Address, error) {
	if path, ok := strings.CutPrefix(raw, "unix:"); ok {
		if path == "" {
			return Address{}, fmt.Errorf("address %q: no path of a socket", raw)
		}
		return Address{Network: "unix", Addr: path}, nil
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return Address{}, fmt.Errorf("address %q: not a URL", raw)
	case u.Scheme != "http" && u.Scheme != "https":
		return Address{}, fmt.Errorf("address %q: want http://, https:// or unix:PATH", raw)
	case u.Hostname() == "":
		return Address{}, fmt.Errorf("address %q: no host", raw)
	case u.User != nil:
		return Address{}, errors.New("address: holds a user name, which would be sent to nobody; let the client send a header")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		return Address{}, fmt.Errorf("address %q: holds more than a host; paths are passed on as they come, so let the client ask for %s at the proxy", raw, u.RequestURI())
	}
	a := Address{Network: "tcp", Addr: u.Host, Secure: u.Scheme == "https"}
	if u.Port() == "" {
		port := "80"
		if a.Secure {
			port = "443"
		}
		a.Addr = net.JoinHostPort(u.Hostname(), port)
	}
	return a, nil
}

// String is the address as [ParseAddress] reads it.
func (a Address) String() string {
	switch {
	case a.Network == "unix":
		return "unix:" + a.Addr
	case a.Secure:
		return "https://" + a.Addr
	}
	return "http://" + a.Addr
}

// host is what the Host header of a request to the address says.
func (a Address) host() string {
	if a.Network == "unix" {
		return "localhost"
	}
	if a.Secure {
		return strings.TrimSuffix(a.Addr, ":443")
	}
	return strings.TrimSuffix(a.Addr, ":80")
}

// dial connects to the worker.
func (p *Proxy) dial() (net.Conn, error) {
	ctx, cancel := context.WithTimeout(p.ctx, dialTimeout)
	defer cancel()
	var d net.Dialer
	conn, err := d.DialContext(ctx, p.cfg.To.Network, p.cfg.To.Addr)
	if err != nil || p.tls == nil {
		return conn, err
	}
	secure := tls.Client(conn, p.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, &tlsError{err}
	}
	return secure, nil
}

// clientTLS is the configuration for the worker's side.
func (c *Config) clientTLS() *tls.Config {
	if !c.To.Secure {
		return nil
	}
	t := c.TLS.Clone()
	if t == nil {
		t = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if t.ServerName == "" {
		t.ServerName, _, _ = net.SplitHostPort(c.To.Addr)
	}
	// What passes is HTTP/1, byte for byte.
	t.NextProtos = []string{"http/1.1"}
	return t
}

// tlsError marks a handshake that failed, whatever the reason was.
type tlsError struct{ err error }

func (e *tlsError) Error() string { return "TLS handshake: " + e.err.Error() }
func (e *tlsError) Unwrap() error { return e.err }

// dialReason says why there is no connection, in the words of a recording.
func dialReason(err error) string {
	var handshake *tlsError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(err, &handshake), errors.As(err, &unknown):
		return spec.ReasonTLS
	case errors.Is(err, syscall.ECONNREFUSED):
		return spec.ReasonRefused
	}
	return spec.ReasonUnreachable
}

// withHost is a head whose Host field says something else.
func withHost(head, host []byte) []byte {
	out := make([]byte, 0, len(head)+len(host))
	for len(head) > 0 {
		line := head
		if i := strings.IndexByte(string(head), '\n'); i >= 0 {
			line = head[:i+1]
		}
		head = head[len(line):]
		if len(line) < 5 || !strings.EqualFold(string(line[:5]), "host:") {
			out = append(out, line...)
			continue
		}
		out = append(append(append(out, line[:5]...), ' '), host...)
		out = append(out, "\r\n"...)
	}
	return out
}
