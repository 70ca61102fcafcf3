package main

import (
	"fmt"
	"strconv"
	"strings"
)

// byteSize is a flag for a number of bytes: 4096, 64KiB, 2GB.
type byteSize int64

var byteUnits = []struct {
	suffix string
	bytes  int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1},
}

// Set reads a size.
func (s *byteSize) Set(text string) error {
	for _, u := range byteUnits {
		digits, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n <= 0 || n > (1<<62)/u.bytes {
			break
		}
		*s = byteSize(n * u.bytes)
		return nil
	}
	return fmt.Errorf("%q is no size: write 4096, 64KiB or 2GB", text)
}

// String is the size in the largest unit that fits whole.
func (s *byteSize) String() string {
	for _, u := range []int{3, 2, 1, 0} {
		if unit := byteUnits[u]; *s > 0 && int64(*s)%unit.bytes == 0 {
			return strconv.FormatInt(int64(*s)/unit.bytes, 10) + unit.suffix
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Type names the kind of value for the help.
func (*byteSize) Type() string { return "size" }
