package proxy

import (
	"cmp"
	"crypto/hmac"

	"github.com/hallmarkdev/hallmark/spec"
)

// signs reports whether a secret is known by which requests are signed.
func (c *Config) signs() bool { return len(c.SigningSecrets) > 0 }

// signature checks the signature of a request over the exact bytes that passed
// (D10).
func (c *Config) signature(headers [][2]string, it *item) string {
	got := header(headers, cmp.Or(c.SignatureHeader, spec.SignatureHeader))
	switch {
	case got == "" && c.imported:
		return "" // nobody knows what was sent
	case got == "":
		return spec.SignatureAbsent
	case c.imported, !c.signs() || it.end != spec.EndWhole || it.over || it.lost != "":
		return spec.SignatureUnchecked
	}
	for _, secret := range c.SigningSecrets {
		if hmac.Equal([]byte(got), []byte(spec.Sign(secret, it.body))) {
			return spec.SignatureValid
		}
	}
	return spec.SignatureWrong
}
