package arguments

import (
	"crypto/sha256"
	"encoding/binary"
)

// draws is a stream of numbers that its origin fixes. The generators of the
// standard library do not promise the same numbers in the next release.
type draws struct{ state uint64 }

// newDraws is the stream of H(seed, key, kind, ordinal) (R20).
func newDraws(seed uint64, key, kind string, ordinal int) *draws {
	b := binary.BigEndian.AppendUint64(nil, seed)
	for _, part := range []string{key, kind} {
		b = binary.BigEndian.AppendUint64(b, uint64(len(part)))
		b = append(b, part...)
	}
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(b, uint64(ordinal)))
	return &draws{binary.BigEndian.Uint64(sum[:8])}
}

// at is the stream of one place. It leaves d as it is, so that a change in one
// place changes no other.
func (d *draws) at(place string) *draws {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	sum := uint64(offset)
	for i := range len(place) {
		sum = (sum ^ uint64(place[i])) * prime
	}
	child := &draws{d.state ^ sum}
	child.next()
	return child
}

// next is one step of SplitMix64.
func (d *draws) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n-1; 0 when there is no choice. The little
// bias of the remainder does no harm here.
func (d *draws) below(n int) int {
	if n < 2 {
		return 0
	}
	return int(d.next() % uint64(n))
}

// order is a drawn order of the numbers below n.
func (d *draws) order(n int) []int {
	all := make([]int, n)
	for i := range all {
		j := d.below(i + 1)
		all[i] = all[j]
		all[j] = i
	}
	return all
}
