package jsonv

import (
	"bytes"
	"math/big"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Equal reports whether a and b mean the same: members in any order, the last
// of equal names, numbers as exact decimals (1.0 is 1 is 1e0), strings as the
// text that they stand for. Text that is not JSON equals only the same bytes.
// The cost is bounded by the length of the texts, whatever the exponents.
func Equal(a, b jsontext.Value) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, okX := parseTree(a)
	y, okY := parseTree(b)
	return okX && okY && x.equal(y)
}

func (n node) equal(o node) bool {
	if n.kind != o.kind {
		return false
	}
	if bytes.Equal(n.raw, o.raw) {
		return true
	}
	switch n.kind {
	case '{':
		return slices.EqualFunc(n.ordered(), o.ordered(), func(x, y node) bool {
			return x.name == y.name && x.equal(y)
		})
	case '[':
		return slices.EqualFunc(n.kids, o.kids, node.equal)
	case '"':
		return n.text == o.text
	case '0':
		return parseDecimal(string(n.raw)).equal(parseDecimal(string(o.raw)))
	}
	return false
}

// decimal is 0.digits × 10^exp, digits without zeros at either end.
type decimal struct {
	negative bool
	digits   string
	exp      *big.Int
	// endless is the exponent as spelled when it has too many digits to
	// reckon with; exp then holds only the shift of the point.
	endless string
}

// maxExponent is how many digits an exponent may have to be reckoned with.
// Two numbers beyond it are equal only when their exponents are spelled alike.
const maxExponent = 1000

func (d decimal) equal(o decimal) bool {
	return d.negative == o.negative && d.digits == o.digits && d.exp.Cmp(o.exp) == 0 && d.endless == o.endless
}

// parseDecimal normalises the text of a number that the scanner has passed. -0
// is 0.
func parseDecimal(s string) decimal {
	s, negative := strings.CutPrefix(s, "-")
	mantissa, power := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, power = s[:i], strings.TrimPrefix(s[i+1:], "+")
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := whole + fraction
	front := strings.TrimLeft(all, "0")
	if front == "" {
		return decimal{exp: new(big.Int)}
	}
	d := decimal{
		negative: negative,
		digits:   strings.TrimRight(front, "0"),
		exp:      big.NewInt(int64(len(whole) - (len(all) - len(front)))),
	}
	sign := ""
	if digits, ok := strings.CutPrefix(power, "-"); ok {
		sign, power = "-", digits
	}
	return d.shift(sign, power)
}

// shift adds the exponent, given as sign and digits.
func (d decimal) shift(sign, digits string) decimal {
	digits = strings.TrimLeft(digits, "0")
	if len(digits) > maxExponent {
		d.endless = sign + digits
		return d
	}
	if n, ok := new(big.Int).SetString(sign+digits, 10); ok {
		d.exp.Add(d.exp, n)
	}
	return d
}
