package main

import (
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
)

// workerFlags say which worker is asked, how requests are dressed for it, and
// what it may be asked to do: the same for each command that sends anything.
type workerFlags struct {
	start        string
	readyTimeout time.Duration
	headers      []string
	headersEnv   []string
	secretEnv    string
	// signatureHeader is the header of signatures, "" for the protocol's.
	signatureHeader string
	onlyTools       []string
	skipTools       []string
	allTools        bool
	planOnly        bool
	timeout         time.Duration
	project         string

	// secrets are values that nothing written may hold.
	secrets []recorder.Secret
}

func (f *workerFlags) flags(cmd *cobra.Command) {
	projectFlag(cmd, &f.project)
	fl := cmd.Flags()
	fl.StringVar(&f.start, "start", "", "start the worker with `COMMAND`; {port} in it, and PORT in its environment, are the port")
	fl.DurationVar(&f.readyTimeout, "ready-timeout", simulator.DefaultReadyTimeout, "how long a started worker may take to accept a connection")
	fl.StringArrayVar(&f.headers, "header", nil, "add a header, `NAME: VALUE`, to each request; may be repeated")
	fl.StringArrayVar(&f.headersEnv, "header-env", nil, "add a header whose value is in an environment variable, `NAME=VARIABLE`; recordings and reports never hold it")
	fl.StringVar(&f.secretEnv, "secret-env", "", "sign each request with the secret in the environment `VARIABLE`")
	fl.StringVar(&f.signatureHeader, "signature-header", "", "the `NAME` of the header that carries the signature; without it "+simulator.SignatureHeader)
	fl.StringSliceVar(&f.onlyTools, "only-tools", nil, "call these tools and no others")
	fl.StringSliceVar(&f.skipTools, "skip-tools", nil, "never call these tools")
	fl.DurationVar(&f.timeout, "timeout", 0, "end the run after this long; 0 is no bound")
	fl.BoolVar(&f.allTools, "all-tools", false, "call every declared tool, wherever the worker is")
	cmd.MarkFlagsMutuallyExclusive("all-tools", "only-tools")
}

// dress reads the flags that say how requests are dressed.
func (f *workerFlags) dress(cfg *certify.Config) (err error) {
	if cfg.Headers, err = parseHeaders(f.headers); err != nil {
		return err
	}
	if err := f.secretHeaders(cfg); err != nil {
		return err
	}
	if f.secretEnv == "" {
		return nil
	}
	return f.sign(cfg, f.secretEnv)
}

// consent is what the flags say of calling tools.
func (f *workerFlags) consent() simulator.ConsentOptions {
	return simulator.ConsentOptions{AllTools: f.allTools, OnlyTools: f.onlyTools, SkipTools: f.skipTools, Started: f.start != ""}
}

// apply takes from a project's file what it says of the worker and no flag
// can.
func (f *workerFlags) apply(c *scenarios.Config, url string, cfg *certify.Config) error {
	// The section is consent for the worker that the file names, and for no
	// other.
	if c.HasTools && (url == c.URL || f.start != "" || simulator.IsLoopback(url)) {
		cfg.Consent.Policies = map[string]simulator.CallPolicy{}
		cfg.Consent.Samples = map[string][]jsontext.Value{}
		for _, t := range c.Tools {
			if t.Call != "" {
				cfg.Consent.Policies[t.Name] = simulator.CallPolicy(t.Call)
			}
			for _, s := range t.Samples {
				cfg.Consent.Samples[t.Name] = append(cfg.Consent.Samples[t.Name], s.Arguments)
			}
		}
	}
	if c.SecretEnv != "" && f.secretEnv == "" {
		if err := f.sign(cfg, c.SecretEnv); err != nil {
			return err
		}
	}
	for _, h := range c.Headers {
		value := h.Value
		if h.Env != "" {
			found, ok := os.LookupEnv(h.Env)
			if !ok {
				return usage("%s: the header %s takes its value from %s, which is not set", h.Pos, h.Name, h.Env)
			}
			value = found
			f.secrets = append(f.secrets, recorder.Secret{Value: value, Variable: h.Env})
		}
		cfg.Headers = append(cfg.Headers, [2]string{h.Name, value})
	}
	return nil
}

// secretHeaders adds the headers whose values are in the environment.
func (f *workerFlags) secretHeaders(cfg *certify.Config) error {
	for _, text := range f.headersEnv {
		name, variable, ok := strings.Cut(text, "=")
		if !ok || name == "" || variable == "" {
			return usage("--header-env %q: want NAME=VARIABLE", text)
		}
		value, set := os.LookupEnv(variable)
		if !set {
			return usage("--header-env %s: %s is not set", text, variable)
		}
		cfg.Headers = append(cfg.Headers, [2]string{name, value})
		f.secrets = append(f.secrets, recorder.Secret{Value: value, Variable: variable})
	}
	return nil
}

// parseHeaders reads NAME: VALUE. Secrets do not belong there: arguments of a
// process can be read by others.
func parseHeaders(texts []string) ([][2]string, error) {
	var headers [][2]string
	for _, text := range texts {
		name, value, ok := strings.Cut(text, ":")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, usage("--header %q: want NAME: VALUE", text)
		}
		headers = append(headers, [2]string{name, strings.TrimSpace(value)})
	}
	return headers, nil
}
