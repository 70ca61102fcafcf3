package arguments

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// limits are the bounds of a number, in exact arithmetic: a schema may speak of
// 2^53+1.
type limits struct {
	low, high         *big.Rat // nil for none
	lowOpen, highOpen bool     // the bound itself is out
	step              *big.Rat // the number is a multiple of it
	stepped           bool     // the schema asks for multiples
	whole             bool
}

// limits are the tightest bounds of all layers.
func (v *view) limits(whole bool) limits {
	l := limits{whole: whole, step: big.NewRat(1, 1)}
	for _, layer := range v.layers {
		l.lower(rational(layer.member("minimum")), layer.member("exclusiveMinimum").is("true"))
		l.lower(rational(layer.member("exclusiveMinimum")), true)
		l.upper(rational(layer.member("maximum")), layer.member("exclusiveMaximum").is("true"))
		l.upper(rational(layer.member("exclusiveMaximum")), true)
		if step := rational(layer.member("multipleOf")); step != nil && step.Sign() > 0 {
			if l.stepped {
				step = commonMultiple(l.step, step)
			}
			l.step, l.stepped = step, true
		}
	}
	if whole && !l.step.IsInt() {
		// A whole multiple of any fraction that has this numerator.
		l.step = new(big.Rat).SetInt(l.step.Num())
	}
	return l
}

func (l *limits) lower(x *big.Rat, open bool) {
	if x == nil {
		return
	}
	if l.low == nil || x.Cmp(l.low) > 0 {
		l.low, l.lowOpen = x, open
	} else if x.Cmp(l.low) == 0 {
		l.lowOpen = l.lowOpen || open
	}
}

func (l *limits) upper(x *big.Rat, open bool) {
	if x == nil {
		return
	}
	if l.high == nil || x.Cmp(l.high) < 0 {
		l.high, l.highOpen = x, open
	} else if x.Cmp(l.high) == 0 {
		l.highOpen = l.highOpen || open
	}
}

func (l *limits) fits(x *big.Rat) bool {
	if l.low != nil && (x.Cmp(l.low) < 0 || l.lowOpen && x.Cmp(l.low) == 0) {
		return false
	}
	return l.high == nil || x.Cmp(l.high) < 0 || !l.highOpen && x.Cmp(l.high) == 0
}

// least and greatest are the outermost numbers inside the bounds, nil without
// a bound. Where it is open and any fraction will do they are half a step in.
func (l *limits) least() *big.Rat {
	if l.low == nil {
		return nil
	}
	x := multiple(l.low, l.step)
	if l.lowOpen && x.Cmp(l.low) == 0 {
		x = new(big.Rat).Add(x, l.step)
	}
	return x
}

func (l *limits) greatest() *big.Rat {
	if l.high == nil {
		return nil
	}
	x := multipleBelow(l.high, l.step)
	if l.highOpen && x.Cmp(l.high) == 0 {
		x = new(big.Rat).Sub(x, l.step)
	}
	return x
}

// number picks 1 where it fits, else a number at a bound, else one between.
func (m *maker) number(v *view, at place, whole bool) (*tree, *refused) {
	l := v.limits(whole)
	nth := int64(at.variety + m.shift[at.pointer])
	if m.draws != nil {
		nth += int64(m.drawn(at, "number", 1000))
	}
	for _, x := range l.candidates(nth) {
		if !l.fits(x) {
			continue
		}
		if made := numberTree(decimal(x)); !m.isBarred(at.pointer, made) {
			return made, nil
		}
	}
	return nil, &refused{at.pointer, "no number fits the bounds"}
}

// candidates are numbers to try, the nth of each kind.
func (l *limits) candidates(nth int64) []*big.Rat {
	times := func(n int64) *big.Rat { return new(big.Rat).Mul(l.step, big.NewRat(n, 1)) }
	plus := func(x *big.Rat, n int64) *big.Rat { return new(big.Rat).Add(x, times(n)) }
	low, high := l.least(), l.greatest()
	var all []*big.Rat
	if low != nil && high != nil && low.Cmp(high) <= 0 {
		if room := new(big.Rat).Quo(new(big.Rat).Sub(high, low), l.step); room.Cmp(big.NewRat(nth, 1)) < 0 {
			// So many steps do not fit: go round.
			if n := new(big.Int).Quo(room.Num(), room.Denom()).Int64(); n >= 0 {
				nth %= n + 1
			}
		}
	}
	all = append(all, times(1+nth))
	if nth == 0 {
		all = append(all, new(big.Rat))
	}
	if low != nil {
		all = append(all, plus(low, nth))
	}
	if high != nil {
		all = append(all, plus(high, -nth))
	}
	if !l.stepped && !l.whole {
		all = append(all, l.between(nth)...)
	}
	for i := nth + 1; i < nth+8; i++ {
		all = append(all, times(1+i), times(-i))
	}
	return all
}

// between are fractions inside narrow bounds, and the bounds themselves.
func (l *limits) between(nth int64) []*big.Rat {
	var all []*big.Rat
	if l.low != nil && l.high != nil {
		part := new(big.Rat).Sub(l.high, l.low)
		part.Mul(part, big.NewRat(1, 1<<min(nth+1, 30)))
		all = append(all, part.Add(part, l.low))
	}
	if l.low != nil {
		all = append(all, l.low)
	}
	if l.high != nil {
		all = append(all, l.high)
	}
	return all
}

// maxSpelling keeps a hostile 1e999999999 out of exact arithmetic.
const maxSpelling = 40

// rational reads a number of a schema, nil when it is none or of extreme size.
func rational(t *tree) *big.Rat {
	if t == nil || t.kind != '0' || len(t.text) > maxSpelling {
		return nil
	}
	value, err := strconv.ParseFloat(t.text, 64)
	if err != nil || math.Abs(value) > 1e30 || value != 0 && math.Abs(value) < 1e-15 {
		return nil
	}
	if value == 0 && strings.ContainsAny(t.text, "eE") {
		return new(big.Rat)
	}
	x, ok := new(big.Rat).SetString(t.text)
	if !ok {
		return nil
	}
	return x
}

// isWhole says whether a number has no fraction, as far as that is plain.
func isWhole(t *tree) bool {
	x := rational(t)
	if x == nil {
		return !strings.ContainsAny(t.text, ".eE")
	}
	return x.IsInt()
}

// multiple is the smallest multiple of step that is not below x.
func multiple(x, step *big.Rat) *big.Rat {
	return new(big.Rat).Neg(multipleBelow(new(big.Rat).Neg(x), step))
}

// multipleBelow is the largest multiple of step that is not above x.
func multipleBelow(x, step *big.Rat) *big.Rat {
	times := new(big.Rat).Quo(x, step)
	whole := new(big.Int).Div(times.Num(), times.Denom()) // rounds down
	return times.Mul(times.SetInt(whole), step)
}

// commonMultiple is the smallest number that is a multiple of both.
func commonMultiple(a, b *big.Rat) *big.Rat {
	divisor := new(big.Int).Mul(a.Denom(), b.Denom())
	x := new(big.Int).Mul(a.Num(), b.Denom())
	y := new(big.Int).Mul(b.Num(), a.Denom())
	common := new(big.Int).GCD(nil, nil, x, y)
	if common.Sign() == 0 || x.BitLen()+y.BitLen() > 2000 {
		return a
	}
	product := x.Mul(x, y.Quo(y, common))
	return new(big.Rat).SetFrac(product, divisor)
}

// decimal spells a number. A fraction gets as many digits as it needs, at most
// twenty.
func decimal(x *big.Rat) string {
	if x.IsInt() {
		return x.Num().String()
	}
	text := strings.TrimRight(x.FloatString(20), "0")
	return strings.TrimSuffix(text, ".")
}
