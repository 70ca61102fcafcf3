package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

func referenceCommand(io streams) *cobra.Command {
	var faults []string
	var listen, secretEnv, signatureHeader, journal string
	var list bool
	cmd := &cobra.Command{
		Use:   "reference",
		Short: "Serve the reference worker, right or with a named fault",
		Long: `Serve the reference worker on a port. Without a fault it does everything right;
with one it does one thing wrong, so that a report can be seen to turn red.

Two of its tools take their time where there is an engine to tell: they let a
call go and settle it at HALLMARK_ENGINE_URL with the key in HALLMARK_API_KEY,
which hallmark test --start sets. Without, they answer at once. With --journal
they outlive a restart of the worker.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if list {
				return listFaults(io)
			}
			options := reference.Options{Faults: faults, Exit: os.Exit, SignatureHeader: signatureHeader, Engine: reference.Engine{
				URL: os.Getenv(engineURLVariable), Key: os.Getenv(engineKeyVariable),
			}}
			if secretEnv != "" {
				secret, err := secretIn(secretEnv)
				if err != nil {
					return err
				}
				options.Secret = []byte(secret)
			}
			if journal != "" {
				var err error
				if options.Journal, err = reference.OpenJournal(journal); err != nil {
					return failedIO(err).hinted("name another file with --journal")
				}
			}
			handler, err := reference.New(options)
			if err != nil {
				return faultError(err)
			}
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return failedIO(fmt.Errorf("listen: %w", err))
			}
			fmt.Fprintf(io.out, "listening on http://%s\n", l.Addr())
			return serveUntil(cmd.Context(), l, handler)
		},
	}
	cmd.Flags().StringArrayVar(&faults, "fault", nil, "do one thing wrong, by `NAME`; may be repeated")
	cmd.Flags().BoolVar(&list, "list-faults", false, "list the faults and the requirements that each breaks")
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:4444", "the `ADDRESS` to listen on")
	cmd.Flags().StringVar(&journal, "journal", "", "write calls that were let go to `FILE`, and go on with them after a restart")
	cmd.Flags().StringVar(&secretEnv, "secret-env", "", "answer only what is signed with the secret in the environment `VARIABLE`")
	cmd.Flags().StringVar(&signatureHeader, "signature-header", "", "the `NAME` of the header that carries the signature")
	return cmd
}

// faultError names the fault that may have been meant, or where to find all.
func faultError(err error) error {
	var unknown *reference.UnknownFaultError
	if errors.As(err, &unknown) && unknown.Hint != "" {
		return usage("%w", err).hinted(unknown.Hint)
	}
	return usage("%w", err).hinted("hallmark reference --list-faults prints them all")
}

func listFaults(io streams) error {
	for _, f := range reference.Faults() {
		if _, err := fmt.Fprintf(io.out, "%-32s %s\n%-32s breaks %s\n", f.Name, f.Text, "", strings.Join(f.Breaks, ", ")); err != nil {
			return err
		}
	}
	return nil
}

// workerServer is a server with the time-outs of a worker: idle connections
// live longer than any engine keeps them, so that none is cut as a request
// goes out.
func workerServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
}

// serveUntil serves until ctx is cancelled, then lets open requests end.
func serveUntil(ctx context.Context, l net.Listener, h http.Handler) error {
	server := workerServer(h)
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	select {
	case err := <-done:
		return failedIO(err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(stop); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return failedIO(err)
	}
	return nil
}

func demoCommand(io streams) *cobra.Command {
	var f testFlags
	var faults []string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Certify the built-in worker over HTTP, to see how it looks",
		Long: `Start the reference worker in this process on a free port of loopback, and
certify it over real HTTP, with signed requests. With --fault it does one thing
wrong.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.demo(cmd.Context(), io, faults) },
	}
	f.output.flags(cmd)
	f.runFlags.flags(cmd)
	cmd.Flags().StringArrayVar(&faults, "fault", nil, "let the worker do one thing wrong, by `NAME`; may be repeated")
	return cmd
}

func (f *testFlags) demo(ctx context.Context, io streams, faults []string) error {
	cfg, err := f.config(io)
	if err != nil {
		return err
	}
	if err := f.sign(&cfg, demoVariable); err != nil {
		return err
	}
	engine, err := f.serveEngine(&cfg, anyPort, rand.Text())
	if err != nil {
		return err
	}
	defer engine.close()
	cfg.Redact = recorder.NewRedactor(f.secrets, []byte(rand.Text()))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return failedIO(fmt.Errorf("listen: %w", err))
	}
	// A fault that ends the process leaves nobody at the port.
	handler, err := reference.NewRestartable(reference.Options{
		Faults: faults, Secret: cfg.Secret, Exit: func(int) { _ = l.Close() },
		Engine: reference.Engine{URL: engine.url, Key: engine.key},
	})
	if err != nil {
		_ = l.Close()
		return faultError(err)
	}
	cfg.Restart = handler.Restart
	ctx, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- serveUntil(ctx, l, handler) }()
	// The worker is gone when the demo ends; the command named starts one like
	// it, so that a line that repeats a case can be pasted.
	words := []string{"hallmark", "reference", "--listen", "127.0.0.1:{port}", "--secret-env", demoVariable}
	for _, name := range faults {
		words = append(words, "--fault", name)
	}
	cfg.Worker = spec.WorkerHeader{
		URL: "http://" + l.Addr().String(), Name: "reference worker", Version: version, Start: strings.Join(words, " "),
		BadArguments: claims(faults), Args: []string{"--secret-env", demoVariable},
	}
	cfg.Consent = simulator.ConsentOptions{Started: true}
	cfg.Samples = demoSamples()
	cfg.Features = scenarios.HostedFeatures(spec.HostedForms()...)
	cfg.Features = append(cfg.Features, "async")
	err = f.certify(ctx, io, cfg)
	stop()
	<-served
	return err
}

// demoSamples are calls of the reference worker whose outcome is known, as a
// project's file would name them.
func demoSamples() map[string]map[string]jsontext.Value {
	return map[string]map[string]jsontext.Value{
		"studio_notice": {"flagged": jsontext.Value(`{"page":7}`), "large": jsontext.Value(`{"page":2}`)},
		"glaze_swatch":  {"binary": jsontext.Value(`{"glaze":"celadon"}`)},
		"find_glaze":    {"fails": jsontext.Value(`{"glaze":"hallmark"}`)},
		"fire_kiln":     {"slow": jsontext.Value(`{"kiln":"east","cone":"6"}`)},
		"mix_glaze":     {"slow": jsontext.Value(`{"glaze":"celadon","grams":3000}`)},
		"book_kiln":     {"retryable": jsontext.Value(`{"kiln":"east","day":"2026-09-14","busy_for":9}`)},
		"order_clay":    {"asks": jsontext.Value(`{"clay":"stoneware","kilos":500}`)},
	}
}

// claims is what the reference worker declares to do with bad arguments: it
// refuses them, unless one of its faults is to claim otherwise.
func claims(faults []string) map[string]string {
	claimed := map[string]string{spec.AllTools: spec.ArgumentsRefused}
	for _, f := range reference.Faults() {
		if f.Claims != nil && slices.Contains(faults, f.Name) {
			claimed = f.Claims
		}
	}
	return claimed
}
