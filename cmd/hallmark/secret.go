package main

import (
	"cmp"
	"os"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/simulator"
)

// The variable of the secret that demo signs with, and its value where the
// environment has none: the lines that demo prints work as they stand. It
// guards nothing.
const (
	demoVariable = "HALLMARK_DEMO_SECRET"
	demoSecret   = "hallmark-demo-secret"
)

// secretIn takes the secret from a variable of the environment: arguments of a
// process can be read by others.
func secretIn(variable string) (string, error) {
	value := os.Getenv(variable)
	if variable == demoVariable {
		value = cmp.Or(value, demoSecret)
	}
	if value == "" {
		return "", usage("the secret is to be in %s, which is not set", variable)
	}
	return value, nil
}

// sign has each request signed with the secret in a variable.
func (f *workerFlags) sign(cfg *certify.Config, variable string) error {
	value, err := secretIn(variable)
	if err != nil {
		return err
	}
	cfg.Secret = []byte(value)
	f.secrets = append(f.secrets, recorder.Secret{Value: value, Variable: variable})
	return nil
}

// signedBy names the header of signatures, where it has another name than the
// protocol's.
func (f *workerFlags) signedBy(cfg *certify.Config) error {
	if f.signatureHeader == "" {
		return nil
	}
	if err := simulator.CheckSignatureHeader(f.signatureHeader); err != nil {
		return usage("--signature-header %s: %w", f.signatureHeader, err).hinted("for example " + simulator.SignatureHeader)
	}
	if len(cfg.Secret) == 0 {
		return usage("--signature-header %s: nothing is signed", f.signatureHeader).hinted("name the variable that holds the secret by --secret-env")
	}
	cfg.SignatureHeader = f.signatureHeader
	for _, h := range cfg.Headers {
		if strings.EqualFold(h[0], f.signatureHeader) {
			return usage("--signature-header %s: --header sets it too", f.signatureHeader)
		}
	}
	return nil
}
