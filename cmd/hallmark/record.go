package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/internal/suggest"
	"github.com/hallmarkdev/hallmark/recorder/proxy"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// recordFlags are the flags of record.
type recordFlags struct {
	to, listen, admin, dir string
	rewriteHost            bool
	grace                  time.Duration

	tlsCert, tlsKey, clientCA string
	ca, cert, key             string

	secretEnv []string
	// signatureHeader is the header of signatures, "" for the protocol's.
	signatureHeader string

	policy policyFlags

	queue, maxBody, rotateSize, maxSize byteSize
	rotateAge, closeAfter, maxAge       time.Duration

	sample     string
	keep       []string
	slow       time.Duration
	onlyAgents []string
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
	fl.StringVar(&f.signatureHeader, "signature-header", "", "the `NAME` of the header that carries the signature; without it "+spec.SignatureHeader)
	f.policy.flags(fl)
	f.queue, f.maxBody, f.rotateSize = 64<<20, 64<<20, 64<<20
	fl.Var(&f.queue, "queue", "hold at most `SIZE` bytes between traffic and disk; beyond it exchanges are left out")
	fl.Var(&f.maxBody, "max-body", "record bodies up to `SIZE`, larger ones by their size only")
	fl.Var(&f.rotateSize, "rotate-size", "begin a new part of a session's file at `SIZE`")
	fl.DurationVar(&f.rotateAge, "rotate-age", 24*time.Hour, "begin a new part of a session's file after so long")
	fl.DurationVar(&f.closeAfter, "close-after", 10*time.Minute, "close the file of a session that was quiet so long")
	fl.Var(&f.maxSize, "max-size", "delete the oldest closed recordings beyond `SIZE`")
	fl.DurationVar(&f.maxAge, "max-age", 0, "delete closed recordings older than so long")
	fl.StringVar(&f.sample, "sample", "1/1", "record one session in `1/N`, chosen by a hash of its id")
	fl.StringSliceVar(&f.keep, "keep", []string{"failures", "slow", "failed-tools"}, "record such answers of any session, and what follows: `KINDS` of failures, slow, failed-tools, none")
	fl.DurationVar(&f.slow, "slow", 5*time.Second, "an answer is slow after so long")
	fl.StringArrayVar(&f.onlyAgents, "only-agent", nil, "record the sessions of agent `ID` only; may be repeated")
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
		RotateAge: f.rotateAge, CloseAfter: f.closeAfter, MaxSize: int64(f.maxSize), MaxAge: f.maxAge,
		OnlyAgents: f.onlyAgents,
		MadeBy:     spec.MadeBy{Hallmark: version, Registry: spec.RegistryVersion},
		Log:        lineLog(io),
	}
	if cfg.Sample, err = sampleOf(f.sample); err != nil {
		return cfg, err
	}
	if cfg.Keep, err = f.kept(); err != nil {
		return cfg, err
	}
	var secrets []string
	for _, name := range f.secretEnv {
		v, err := secretOf("--secret-env", name)
		if err != nil {
			return cfg, err
		}
		cfg.SigningSecrets = append(cfg.SigningSecrets, []byte(v))
		secrets = append(secrets, v)
	}
	if err := f.signedBy(&cfg); err != nil {
		return cfg, err
	}
	if cfg.Redact, err = f.policy.policy(secrets); err != nil {
		return cfg, err
	}
	cfg.TLS, err = f.workerTLS()
	return cfg, err
}

// signedBy names the header of signatures, whose values are kept out like those of
// the protocol's own.
func (f *recordFlags) signedBy(cfg *proxy.Config) error {
	if f.signatureHeader == "" {
		return nil
	}
	if err := simulator.CheckSignatureHeader(f.signatureHeader); err != nil {
		return usage("--signature-header %s: %w", f.signatureHeader, err).hinted("for example " + spec.SignatureHeader)
	}
	if len(f.secretEnv) == 0 {
		return usage("--signature-header %s: nothing is checked", f.signatureHeader).hinted("name the variable that holds the secret by --secret-env")
	}
	cfg.SignatureHeader = f.signatureHeader
	f.policy.headers = append(f.policy.headers, f.signatureHeader)
	return nil
}

// sampleOf reads 1/N.
func sampleOf(text string) (int, error) {
	digits, ok := strings.CutPrefix(text, "1/")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 {
		return 0, usage("--sample %s: want 1/N, as in 1/100", text)
	}
	return n, nil
}

// kept reads the kinds of answers that are always recorded.
func (f *recordFlags) kept() (proxy.Keep, error) {
	var k proxy.Keep
	kinds := []string{"failures", "slow", "failed-tools", "none"}
	for _, kind := range f.keep {
		switch kind {
		case "failures":
			k.Failures = true
		case "slow":
			k.Slow = f.slow
		case "failed-tools":
			k.FailedTools = true
		case "none":
		default:
			return k, usage("--keep %s: no such kind of answers", kind).hinted(suggest.Hint(kind, kinds))
		}
	}
	return k, nil
}

// secretOf reads a secret from the environment, where alone it may stand.
func secretOf(flag, name string) (string, error) {
	v := os.Getenv(name)
	if v == "" {
		return "", usage("%s %s: the variable is not set", flag, name).hinted("export it, or leave " + flag + " out")
	}
	return v, nil
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
