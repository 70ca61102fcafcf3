package main

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"strings"
)

// workerTLS is the configuration towards the worker, nil for the system's.
func (f *recordFlags) workerTLS() (*tls.Config, error) {
	if f.ca == "" && f.cert == "" {
		return nil, nil
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	var err error
	if f.ca != "" {
		if cfg.RootCAs, err = authority("--ca", f.ca); err != nil {
			return nil, err
		}
	}
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return nil, usage("--cert: %w", err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return cfg, nil
}

// serverTLS is the configuration towards clients, nil for none.
func (f *recordFlags) serverTLS() (*tls.Config, error) {
	if f.tlsCert == "" {
		if f.clientCA != "" {
			return nil, usage("--client-ca: needs --tls-cert and --tls-key")
		}
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(f.tlsCert, f.tlsKey)
	if err != nil {
		return nil, usage("--tls-cert: %w", err)
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}}
	if f.clientCA != "" {
		if cfg.ClientCAs, err = authority("--client-ca", f.clientCA); err != nil {
			return nil, err
		}
		cfg.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return cfg, nil
}

// authority reads the certificates of an authority.
func authority(flag, name string) (*x509.CertPool, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, usage("%s: %w", flag, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, usage("%s: %s holds no certificate in PEM", flag, name)
	}
	return pool, nil
}

// listen listens at HOST:PORT or unix:/PATH. A socket that nobody answers at is
// taken over.
func listen(addr string) (net.Listener, error) {
	path, ok := strings.CutPrefix(addr, "unix:")
	if !ok {
		return net.Listen("tcp", addr)
	}
	l, err := net.Listen("unix", path)
	if err == nil {
		return l, nil
	}
	if conn, dead := net.Dial("unix", path); dead == nil {
		_ = conn.Close()
		return nil, err
	}
	if info, stat := os.Lstat(path); stat != nil || info.Mode().Type() != os.ModeSocket || os.Remove(path) != nil {
		return nil, err
	}
	return net.Listen("unix", path)
}

func shownAddress(l net.Listener, secure bool) string {
	switch {
	case l.Addr().Network() == "unix":
		return "unix:" + l.Addr().String()
	case secure:
		return "https://" + l.Addr().String()
	}
	return "http://" + l.Addr().String()
}
