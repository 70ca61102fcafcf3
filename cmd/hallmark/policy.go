package main

import (
	"crypto/rand"

	"github.com/spf13/pflag"

	"github.com/hallmarkdev/hallmark/recorder"
)

// policyFlags say what is kept out of recordings of production.
type policyFlags struct {
	env, headers, keys, pointers, patterns []string
	standInKeyEnv                          string
}

func (p *policyFlags) flags(fl *pflag.FlagSet) {
	fl.StringArrayVar(&p.env, "redact-env", nil, "keep out the secret in the environment `VARIABLE`; may be repeated")
	fl.StringArrayVar(&p.headers, "redact-header", nil, "keep out the values of the header `NAME`, beside the usual ones; may be repeated")
	fl.StringArrayVar(&p.keys, "redact-key", nil, "keep out the values of members called `NAME`, beside the usual ones; may be repeated")
	fl.StringArrayVar(&p.pointers, "redact-pointer", nil, "keep out the value at the JSON `POINTER` of a body, where * is any segment; may be repeated")
	fl.StringArrayVar(&p.patterns, "redact-pattern", nil, "keep out what matches the regular `EXPRESSION`, or its first group; may be repeated")
	fl.StringVar(&p.standInKeyEnv, "stand-in-key-env", "", "key the stand-ins with the environment `VARIABLE`, so that those of several runs compare; without it the key is made up")
}

// policy reads the flags; secrets are further values that are known.
func (p *policyFlags) policy(secrets []string) (*recorder.Policy, error) {
	c := recorder.PolicyConfig{Secrets: secrets, Headers: p.headers, Keys: p.keys, Pointers: p.pointers, Patterns: p.patterns}
	for _, name := range p.env {
		v, err := secretOf("--redact-env", name)
		if err != nil {
			return nil, err
		}
		c.Secrets = append(c.Secrets, v)
	}
	c.Key = make([]byte, 32)
	_, _ = rand.Read(c.Key) // it never fails
	if p.standInKeyEnv != "" {
		v, err := secretOf("--stand-in-key-env", p.standInKeyEnv)
		if err != nil {
			return nil, err
		}
		c.Key = []byte(v)
		c.Secrets = append(c.Secrets, v)
	}
	policy, err := recorder.NewPolicy(c)
	if err != nil {
		return nil, usage("%w", err)
	}
	return policy, nil
}
