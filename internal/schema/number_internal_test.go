package schema

import (
	"math/big"
	"strings"
	"testing"
)

// Numbers in ascending order, each with whether it is whole.
var ascending = []struct {
	text  string
	whole bool
}{
	{"-1e99999999999999999999", true},
	{"-1e1000000000", true},
	{"-1e1001", true},
	{"-1e1000", true},
	{"-9007199254740993", true},
	{"-9007199254740992", true},
	{"-1.5", false},
	{"-1e-1000", false},
	{"-1e-1001", false},
	{"-1e-99999999999", false},
	{"0", true},
	{"1e-99999999999999999998", false},
	{"0.1e-999999999", false},
	{"2e-999999999", false},
	{"1e-1001", false},
	{"1e-1000", false},
	{"1." + strings.Repeat("0", 1000) + "1e0", false},
	{"1." + strings.Repeat("0", 999) + "1e0", false},
	{"1.5", false},
	{"9007199254740993", true},
	{"1e400", true},
	{"1e1000", true},
	{"1" + strings.Repeat("0", 1000) + ".5", false},
	{"1e1001", true},
	{"1" + strings.Repeat("0", 1500) + ".5", false},
	{"1e1501", true},
	{"1" + strings.Repeat("0", 1500) + "1", true},
	{"1" + strings.Repeat("0", 499) + "1" + strings.Repeat("0", 1001), true},
	{"10000001e1495", true},
	{"1e1000000", true},
	{"1.00001e1000000", true},
	{"1e1000000000", true},
	{"1e99999999999999999999", true},
}

func TestBoundedKeepsOrder(t *testing.T) {
	t.Parallel()
	var last *big.Rat
	for i, n := range ascending {
		text := bounded(n.text)
		r, ok := new(big.Rat).SetString(text)
		if !ok || len(text) > 4*span {
			t.Fatalf("%.40s: no number of bounded size: %.60s, %d bytes", n.text, text, len(text))
		}
		if r.IsInt() != n.whole {
			t.Errorf("%.40s: whole is %t, want %t", n.text, r.IsInt(), n.whole)
		}
		if last != nil && last.Cmp(r) >= 0 {
			t.Errorf("%.40s is not more than %.40s", n.text, ascending[i-1].text)
		}
		last = r
	}
}

func TestBoundedKeepsValue(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"0", "-0", "0e5", "0.000e-99999999999", "-0.0"},
		{"100", "1e2", "1E+2", "0.1e3", "10000e-2", "100.0"},
		{"1e1000000", "10e999999", "0.1e1000001", "1.0e1000000"},
		{"1e-2000", "0.1e-1999", "10e-2001"},
	} {
		for _, text := range same {
			a, _ := new(big.Rat).SetString(bounded(same[0]))
			b, _ := new(big.Rat).SetString(bounded(text))
			if a.Cmp(b) != 0 {
				t.Errorf("%s is not %s", text, same[0])
			}
		}
	}
}

// A long tail of digits is cut, but is not lost.
func TestBoundedCutsDigits(t *testing.T) {
	t.Parallel()
	text := bounded("1." + strings.Repeat("0", 5000) + "1")
	r, ok := new(big.Rat).SetString(text)
	if !ok || len(text) > 2*span || r.IsInt() || r.Cmp(big.NewRat(1, 1)) <= 0 {
		t.Errorf("%d bytes: %.40s", len(text), text)
	}
}
