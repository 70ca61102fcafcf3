package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/proxy"
	"github.com/hallmarkdev/hallmark/spec"
)

// recordFlags are the flags of record.
type recordFlags struct {
	to, listen, admin, dir string
	rewriteHost            bool
	grace                  time.Duration

	tlsCert, tlsKey, clientCA string
	ca, cert, key             string

	secretEnv, redactEnv, headers, keys, pointers, patterns []string
	standInKeyEnv                                           string

	queue, maxBody, rotateSize byteSize
	rotateAge, closeAfter      time.Duration
}

func recordCommand(io streams) *cobra.Command {
	var f recordFlags
	cmd := &cobra.Command{
		Use:   "record --to URL --dir DIR",
		Short: "Stand in front of a worker and record what passes",
		Long: `Pass the traffic of an engine on to a worker, byte for byte, and record it. Let
the engine post to the address that this prints instead of the worker's. Paths
are passed on as they come.

Recording never holds traffic up: when the disk is full or slow, exchanges are
left out, counted, and the file says so. Secrets are replaced by stand-ins before
anything is written: by the names of headers and members, by their form, and the
values of the variables named. Equal secrets get equal stand-ins.

TERM stops in good order: what is under way is finished and every file closed.
What kill -9 leaves is mended at the next start.`,
		Example: `  hallmark record --to http://127.0.0.1:4444 --listen 127.0.0.1:4445 --dir captures
  hallmark record --to https://worker.example.com --rewrite-host --listen unix:/run/worker.sock --dir captures \
    --admin 127.0.0.1:9095 --secret-env WORKER_SECRET
  hallmark judge captures`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), io) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.to, "to", "", "the `URL` of the worker: http://HOST:PORT, https://HOST or unix:/PATH")
	fl.StringVar(&f.listen, "listen", "127.0.0.1:4445", "listen on `ADDRESS`: HOST:PORT or unix:/PATH")
	fl.StringVar(&f.dir, "dir", "", "write recordings into the folder `DIR`")
	fl.StringVar(&f.admin, "admin", "", "serve /healthz and /metrics on `ADDRESS`")
	fl.BoolVar(&f.rewriteHost, "rewrite-host", false, "send the worker its own host in the Host header")
	fl.DurationVar(&f.grace, "grace", 30*time.Second, "wait so long for exchanges under way when stopping")
	fl.StringVar(&f.tlsCert, "tls-cert", "", "listen with TLS and the certificate in `FILE`")
	fl.StringVar(&f.tlsKey, "tls-key", "", "the key of --tls-cert, in `FILE`")
	fl.StringVar(&f.clientCA, "client-ca", "", "take clients only with a certificate of the authority in `FILE`")
	fl.StringVar(&f.ca, "ca", "", "trust the authority in `FILE` for the worker, and no other")
	fl.StringVar(&f.cert, "cert", "", "show the worker the certificate in `FILE`")
	fl.StringVar(&f.key, "key", "", "the key of --cert, in `FILE`")
	fl.StringArrayVar(&f.secretEnv, "secret-env", nil, "requests are signed with the secret in the environment `VARIABLE`: check each, and keep the secret out; may be repeated")
	fl.StringArrayVar(&f.redactEnv, "redact-env", nil, "keep out the secret in the environment `VARIABLE`; may be repeated")
	fl.StringArrayVar(&f.headers, "redact-header", nil, "keep out the values of the header `NAME`, beside the usual ones; may be repeated")
	fl.StringArrayVar(&f.keys, "redact-key", nil, "keep out the values of members called `NAME`, beside the usual ones; may be repeated")
	fl.StringArrayVar(&f.pointers, "redact-pointer", nil, "keep out the value at the JSON `POINTER` of a body, where * is any segment; may be repeated")
	fl.StringArrayVar(&f.patterns, "redact-pattern", nil, "keep out what matches the regular `EXPRESSION`, or its first group; may be repeated")
	fl.StringVar(&f.standInKeyEnv, "stand-in-key-env", "", "key the stand-ins with the environment `VARIABLE`, so that those of several runs compare; without it the key is made up")
	f.queue, f.maxBody, f.rotateSize = 64<<20, 64<<20, 64<<20
	fl.Var(&f.queue, "queue", "hold at most `SIZE` bytes between traffic and disk; beyond it exchanges are left out")
	fl.Var(&f.maxBody, "max-body", "record bodies up to `SIZE`, larger ones by their size only")
	fl.Var(&f.rotateSize, "rotate-size", "begin a new part of a session's file at `SIZE`")
	fl.DurationVar(&f.rotateAge, "rotate-age", 24*time.Hour, "begin a new part of a session's file after so long")
	fl.DurationVar(&f.closeAfter, "close-after", 10*time.Minute, "close the file of a session that was quiet so long")
	for _, name := range []string{"to", "dir"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	cmd.MarkFlagsRequiredTogether("cert", "key")
	return cmd
}

// run records until ctx ends.
func (f *recordFlags) run(ctx context.Context, io streams) error {
	cfg, err := f.config(io)
	if err != nil {
		return err
	}
	serving, err := f.serverTLS()
	if err != nil {
		return err
	}
	l, err := listen(f.listen)
	if err != nil {
		return failedIO(fmt.Errorf("listen: %w", err))
	}
	defer func() { _ = l.Close() }()
	where := shownAddress(l, serving != nil)
	var admin net.Listener
	if f.admin != "" {
		if admin, err = listen(f.admin); err != nil {
			return failedIO(fmt.Errorf("listen for --admin: %w", err))
		}
		defer func() { _ = admin.Close() }()
	}
	p, err := proxy.New(cfg)
	if errors.Is(err, proxy.ErrInUse) {
		return usage("%w", err).hinted("give each proxy a folder of its own")
	}
	if err != nil {
		return failedIO(err)
	}
	if serving != nil {
		l = tls.NewListener(l, serving)
	}
	fmt.Fprintf(io.out, "listening on %s\n", where)
	if admin != nil {
		server := &http.Server{Handler: p.Admin(), ReadHeaderTimeout: 10 * time.Second}
		go func() { _ = server.Serve(admin) }()
		defer func() { _ = server.Close() }()
		fmt.Fprintf(io.out, "health and metrics on %s\n", shownAddress(admin, false))
	}
	served := make(chan error, 1)
	go func() { served <- p.Serve(l) }()
	select {
	case err = <-served:
	case <-ctx.Done():
		err = nil
	}
	wait, cancel := context.WithTimeout(context.Background(), f.grace)
	defer cancel()
	stopped := p.Shutdown(wait)
	fmt.Fprintln(io.out, p.Summary())
	if stopped != nil && !errors.Is(stopped, context.DeadlineExceeded) {
		return failedIO(stopped)
	}
	if err != nil {
		return failedIO(err)
	}
	return nil
}

// config reads the flags before anything is opened.
func (f *recordFlags) config(io streams) (proxy.Config, error) {
	to, err := proxy.ParseAddress(f.to)
	if err != nil {
		return proxy.Config{}, usage("--to: %w", err)
	}
	cfg := proxy.Config{
		To: to, RewriteHost: f.rewriteHost, Dir: f.dir,
		Queue: int64(f.queue), MaxBody: int64(f.maxBody), RotateSize: int64(f.rotateSize),
		RotateAge: f.rotateAge, CloseAfter: f.closeAfter,
		MadeBy: spec.MadeBy{Hallmark: version, Registry: spec.RegistryVersion},
		Log:    lineLog(io),
	}
	policy := recorder.PolicyConfig{Headers: f.headers, Keys: f.keys, Pointers: f.pointers, Patterns: f.patterns}
	for _, name := range f.secretEnv {
		v, err := secretOf("--secret-env", name)
		if err != nil {
			return cfg, err
		}
		cfg.SigningSecrets = append(cfg.SigningSecrets, []byte(v))
		policy.Secrets = append(policy.Secrets, v)
	}
	for _, name := range f.redactEnv {
		v, err := secretOf("--redact-env", name)
		if err != nil {
			return cfg, err
		}
		policy.Secrets = append(policy.Secrets, v)
	}
	policy.Key = make([]byte, 32)
	_, _ = rand.Read(policy.Key) // it never fails
	if f.standInKeyEnv != "" {
		v, err := secretOf("--stand-in-key-env", f.standInKeyEnv)
		if err != nil {
			return cfg, err
		}
		policy.Key = []byte(v)
		policy.Secrets = append(policy.Secrets, v)
	}
	if cfg.Redact, err = recorder.NewPolicy(policy); err != nil {
		return cfg, usage("%w", err)
	}
	cfg.TLS, err = f.workerTLS()
	return cfg, err
}

// secretOf reads a secret from the environment, where alone it may stand.
func secretOf(flag, name string) (string, error) {
	v := os.Getenv(name)
	if v == "" {
		return "", usage("%s %s: the variable is not set", flag, name).hinted("export it, or leave " + flag + " out")
	}
	return v, nil
}

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

// lineLog prints lines to stderr, at most so many a minute: a disk that fails
// must not fill another.
func lineLog(io streams) func(string) {
	const most = 20
	var mu sync.Mutex
	var minute time.Time
	n := 0
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(minute) > time.Minute {
			minute, n = now, 0
		}
		if n++; n > most {
			return
		}
		fmt.Fprintf(io.err, "hallmark: %s\n", line)
	}
}
