package schema

import (
	stdjson "encoding/json" // only for the type in which the library takes numbers
	"math"
	"strconv"
	"strings"
)

// span is the largest power of ten, up or down, that a number handed to the
// library may have. The library expands exponents, so 1e1000000 would cost
// half a megabyte and 1e1000000000 would be no number at all.
const span = 1000

// bounded returns a number that stands for text in comparisons: text itself
// when its exponents are small, else one with small exponents of the same sign
// that keeps its place in the order of all numbers and is whole exactly when
// text is.
func bounded(text string) string {
	if len(text) <= span && !strings.ContainsAny(text, "eE") {
		return text
	}
	neg, digits, exp := split(text)
	if digits == "" {
		return "0"
	}
	sign := ""
	if neg {
		sign = "-"
	}
	// top is the power of ten of the first digit.
	top := add(exp, int64(len(digits))-1)
	switch {
	case top > span:
		return sign + large(digits, top, exp >= 0)
	case top < -span:
		return sign + small(digits, top)
	case exp < -span:
		// The tail beyond the span only says that there is more.
		return sign + digits[:top+span+1] + "1e" + strconv.Itoa(-span-1)
	}
	return sign + digits + "e" + strconv.FormatInt(exp, 10)
}

// split returns the sign of a JSON number, its digits without zeros at either
// end ("" for zero) and the power of ten of the last of them, which is held
// inside int64.
func split(text string) (neg bool, digits string, exp int64) {
	text, neg = strings.CutPrefix(text, "-")
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		// ParseInt gives the nearest int64 when the exponent is out of range.
		exp, _ = strconv.ParseInt(strings.TrimPrefix(text[i+1:], "+"), 10, 64)
		text = text[:i]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	exp = add(exp, -int64(len(fraction)))
	n := len(digits)
	digits = strings.TrimRight(digits, "0")
	return neg, digits, add(exp, int64(n-len(digits)))
}

// add adds without leaving int64.
func add(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

// prefix returns the first span-1 digits, filled up with zeros, and a last one
// that says whether there were more.
func prefix(digits string) string {
	if len(digits) < span {
		return digits + strings.Repeat("0", span-len(digits))
	}
	return digits[:span-1] + "1"
}

// large encodes a number beyond the span: first its power of ten, then its
// digits, so that the order stays.
func large(digits string, top int64, whole bool) string {
	out := strconv.FormatInt(top, 10) + "0" + prefix(digits)
	if !whole {
		out += ".5"
	}
	return out
}

// small encodes a number below the span as one between zero and the least
// number inside it: the deeper its power of ten, the less.
func small(digits string, top int64) string {
	// top is negative, so this lies between zero and 19 digits.
	rank := strconv.FormatInt(math.MaxInt64+max(top, -math.MaxInt64), 10)
	fill := strings.Repeat("0", 19-len(rank))
	return fill + rank + prefix(digits) + "e" + strconv.Itoa(-span-1-19-span)
}

// count returns n as the value of a keyword that counts: the library reads
// those as machine integers, and wraps larger ones.
func count(n stdjson.Number) any {
	neg, digits, exp := split(n.String())
	if !neg && digits != "" && exp >= 0 && add(exp, int64(len(digits))) > 15 {
		return stdjson.Number("1000000000000000")
	}
	return n
}
