package jsonv

import (
	"bytes"
	"math/big"
	"slices"
	"strconv"
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
	ka, kb := Kind(a), Kind(b)
	if ka != kb {
		return false
	}
	switch ka {
	case '{':
		am, errA := Members(a)
		bm, errB := Members(b)
		return errA == nil && errB == nil && slices.EqualFunc(ordered(am), ordered(bm), func(x, y Member) bool {
			return x.Name == y.Name && Equal(x.Value, y.Value)
		})
	case '[':
		av, errA := Elements(a)
		bv, errB := Elements(b)
		return errA == nil && errB == nil && slices.EqualFunc(av, bv, func(x, y jsontext.Value) bool {
			return Equal(x, y)
		})
	case '"':
		as, okA := Text(a)
		bs, okB := Text(b)
		return okA && okB && as == bs
	case '0':
		return equalNumbers(a, b)
	}
	return bytes.Equal(bytes.TrimSpace(a), bytes.TrimSpace(b))
}

// decimal is 0.digits × 10^exp, digits without zeros at either end.
type decimal struct {
	negative bool
	digits   string
	exp      *big.Int
}

func equalNumbers(a, b jsontext.Value) bool {
	x, okA := parseDecimal(string(bytes.TrimSpace(a)))
	y, okB := parseDecimal(string(bytes.TrimSpace(b)))
	return okA && okB && x.negative == y.negative && x.digits == y.digits && x.exp.Cmp(y.exp) == 0
}

// parseDecimal normalises the text of a number. -0 is 0.
func parseDecimal(s string) (decimal, bool) {
	sc := scanner{b: []byte(s), max: 1}
	if s == "" || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return decimal{}, false
	}
	if end, err := sc.number(0); err != nil || end != len(s) {
		return decimal{}, false
	}
	s, negative := strings.CutPrefix(s, "-")
	mantissa, power := s, "0"
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, power = s[:i], s[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := whole + fraction
	front := strings.TrimLeft(all, "0")
	if front == "" {
		return decimal{exp: new(big.Int)}, true
	}
	exp := new(big.Int).SetInt64(int64(len(whole) - (len(all) - len(front))))
	if n, err := strconv.ParseInt(power, 10, 32); err == nil {
		exp.Add(exp, big.NewInt(n))
	} else if huge, ok := new(big.Int).SetString(strings.TrimPrefix(power, "+"), 10); ok {
		exp.Add(exp, huge)
	}
	return decimal{negative: negative, digits: strings.TrimRight(front, "0"), exp: exp}, true
}
