package workertest

import (
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/suggest"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// maxFile bounds a hallmark.yaml, one byte above what its reader takes.
const maxFile = 1<<20 + 1

// readFile reads a hallmark.yaml; the empty name gives an empty one. reset says that the caller puts the worker's world back.
func readFile(name string, reset bool) (*scenarios.Config, error) {
	if name == "" {
		return &scenarios.Config{}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, &fault{message: "Config.File: " + err.Error(), err: err}
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, &fault{message: "Config.File: " + err.Error(), err: err}
	}
	c, err := scenarios.ParseConfig(name, text)
	if err != nil {
		return nil, &fault{message: "Config.File cannot be read:\n" + err.Error(), err: err}
	}
	if c.Reset != nil && !reset {
		return nil, problem(fmt.Sprintf("Config.File: %s: a test runs no reset of a file", c.Reset.Pos),
			"set Config.Reset, which takes its place")
	}
	if _, ok := spec.Profile(c.Profile); c.Profile != "" && !ok {
		return nil, problem(fmt.Sprintf("Config.File: %s: no profile is called %q", name, c.Profile),
			suggest.Hint(c.Profile, spec.ProfileNames()))
	}
	return c, nil
}

// applyFile takes over what the file says of the worker and its tools.
func (p *plan) applyFile() error {
	c := p.file
	p.AgentID, p.Agent, p.Form, p.Features = c.AgentID, c.Propose, c.Form, c.Features
	p.Samples = c.Samples()
	p.SignatureHeader = c.SignatureHeader
	if c.SecretEnv != "" {
		secret := os.Getenv(c.SecretEnv)
		if secret == "" {
			return problem(fmt.Sprintf("Config.File: the secret is to be in %s, which is not set", c.SecretEnv), "")
		}
		p.Secret = []byte(secret)
		p.secrets = append(p.secrets, recorder.Secret{Value: secret, Variable: c.SecretEnv})
	}
	for _, h := range c.Headers {
		value := h.Value
		if h.Env != "" {
			found, set := os.LookupEnv(h.Env)
			if !set {
				return problem(fmt.Sprintf("Config.File: %s: the header %s takes its value from %s, which is not set", h.Pos, h.Name, h.Env), "")
			}
			value = found
			p.secrets = append(p.secrets, recorder.Secret{Value: value, Variable: h.Env})
		}
		if err := checkHeader(h.Name, value); err != nil {
			return problem(fmt.Sprintf("Config.File: %s: %s", h.Pos, err), "")
		}
		p.Headers = append(p.Headers, [2]string{h.Name, value})
	}
	if !c.HasTools {
		return nil
	}
	p.Consent.Policies = map[string]simulator.CallPolicy{}
	p.Consent.Samples = map[string][]jsontext.Value{}
	for _, t := range c.Tools {
		p.Consent.Policies[t.Name] = simulator.CallPolicy(t.Call)
		for _, s := range t.Samples {
			p.Consent.Samples[t.Name] = append(p.Consent.Samples[t.Name], s.Arguments)
		}
	}
	return nil
}
