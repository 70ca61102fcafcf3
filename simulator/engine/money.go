package engine

import (
	"math/big"
	"strings"
)

// maxDecimal bounds the digits that a cost may have before it is ignored.
const maxDecimal = 64

// addDecimals adds two decimal texts exactly, with as many decimals as the
// longer one has. A text that is no decimal counts as nothing (wire, dec).
func addDecimals(a, b string) string {
	x, okX := decimal(a)
	y, okY := decimal(b)
	switch {
	case !okY:
		return a
	case !okX:
		return b
	}
	return new(big.Rat).Add(x, y).FloatString(max(decimals(a), decimals(b)))
}

func decimal(s string) (*big.Rat, bool) {
	if len(s) > maxDecimal || strings.Trim(s, "-.0123456789") != "" {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

func decimals(s string) int {
	_, after, _ := strings.Cut(s, ".")
	return len(after)
}
