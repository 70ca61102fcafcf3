package workertest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/simulator"
)

// headersOf lists h sorted by name, so that every request is the same.
func headersOf(h http.Header) ([][2]string, error) {
	var out [][2]string
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			if err := checkHeader(name, value); err != nil {
				return nil, misset("Header", "", "%s", err)
			}
			out = append(out, [2]string{name, value})
		}
	}
	return out, nil
}

// transportOwn are the headers that the transport of a request sets itself.
var transportOwn = []string{"Content-Length", "Transfer-Encoding", "Connection", "Trailer", "Expect", "Upgrade"}

// checkHeader says what is wrong with a header that is to be added.
func checkHeader(name, value string) error {
	for _, own := range transportOwn {
		if strings.EqualFold(name, own) {
			return fmt.Errorf("%s: is the transport's own", name)
		}
	}
	if !isToken(name) {
		return fmt.Errorf("%q: is no name of a header", name)
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return fmt.Errorf("%s: its value holds a control character", name)
	}
	return nil
}

// variableOf is the variable from which a curl line of a report takes the value
// of a header that a test has set: HALLMARK_ and the name in capitals.
func variableOf(header string) string {
	return "HALLMARK_" + strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, header)
}

// isToken reports whether a header may be called name (RFC 9110, 5.6.2).
func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// checkSigning says what is wrong with the way in which requests are to be
// signed.
func (p *plan) checkSigning() error {
	if p.SignatureHeader == "" {
		return nil
	}
	if err := simulator.CheckSignatureHeader(p.SignatureHeader); err != nil {
		return misset("SignatureHeader", "for example "+simulator.SignatureHeader, "%s: %s", p.SignatureHeader, err)
	}
	if len(p.Secret) == 0 {
		return misset("SignatureHeader", "set Config.Secret", "%s: nothing is signed", p.SignatureHeader)
	}
	return nil
}
