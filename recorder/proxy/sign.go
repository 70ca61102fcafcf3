package proxy

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"github.com/hallmarkdev/hallmark/spec"
)

// signatureHeader carries the signature of a request (wire 1, D10).
const signatureHeader = "x-substructure-signature"

// signs reports whether a secret is known by which requests are signed.
func (c *Config) signs() bool { return len(c.SigningSecrets) > 0 }

// signature checks the signature of a request over the exact bytes that passed.
func (c *Config) signature(headers [][2]string, it *item) string {
	got := header(headers, signatureHeader)
	switch {
	case got == "" && c.imported:
		return "" // nobody knows what was sent
	case got == "":
		return spec.SignatureAbsent
	case c.imported, !c.signs() || it.end != spec.EndWhole || it.over || it.lost != "":
		return spec.SignatureUnchecked
	}
	for _, secret := range c.SigningSecrets {
		mac := hmac.New(sha256.New, secret)
		mac.Write(it.body)
		if hmac.Equal([]byte(got), []byte("sha256="+hex.EncodeToString(mac.Sum(nil)))) {
			return spec.SignatureValid
		}
	}
	return spec.SignatureWrong
}
