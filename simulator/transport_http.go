package simulator

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"syscall"
)

// newHTTPTransport sets net/http up so that it adds nothing of its own. A POST
// without GetBody is never sent again by it. Proxies of the environment are
// used, but never for loopback: that is how ProxyFromEnvironment reads it.
func newHTTPTransport(cfg TransportConfig) *http.Transport {
	only1 := new(http.Protocols)
	only1.SetHTTP1(true)
	dial := cfg.Dial
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	limit := int(cfg.MaxHead)
	return &http.Transport{
		Proxy:     http.ProxyFromEnvironment,
		Protocols: only1,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, cfg.DialTimeout)
			defer cancel()
			c, err := dial(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return &tapConn{Conn: c, limit: limit}, nil
		},
		DialTLSContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, cfg.DialTimeout)
			defer cancel()
			c, err := dial(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			secure := tls.Client(c, tlsConfig(cfg.TLS, addr))
			if err := secure.HandshakeContext(ctx); err != nil {
				_ = c.Close()
				return nil, &tlsError{err}
			}
			return &tapConn{Conn: secure, limit: limit}, nil
		},
		TLSClientConfig:        cfg.TLS.Clone(),
		DisableCompression:     true,
		IdleConnTimeout:        cfg.Idle,
		MaxIdleConnsPerHost:    1024,
		MaxResponseHeaderBytes: cfg.MaxHead,
	}
}

func tlsConfig(base *tls.Config, addr string) *tls.Config {
	cfg := base.Clone()
	if cfg == nil {
		cfg = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if cfg.ServerName == "" {
		cfg.ServerName, _, _ = net.SplitHostPort(addr)
	}
	cfg.NextProtos = []string{"http/1.1"}
	return cfg
}

// tlsError marks a handshake that failed, whatever the reason was.
type tlsError struct{ err error }

func (e *tlsError) Error() string { return "TLS handshake: " + e.err.Error() }
func (e *tlsError) Unwrap() error { return e.err }

func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
