package fits

import (
	"bytes"
	"hash/maphash"
	"sync"
	"time"
)

// seen remembers which requests fit. Runs of one scenario send the same requests
// but for ids and times, so most of them fitted before: holding each against the
// schema takes as long as all else that is done with it.
type seen struct {
	mu   sync.Mutex
	seed maphash.Seed
	fit  map[uint64]bool
}

// maxSeen bounds what is remembered.
const maxSeen = 1 << 18

func newSeen() *seen { return &seen{seed: maphash.MakeSeed(), fit: map[uint64]bool{}} }

// fits reports whether a request like this one fitted.
func (s *seen) fits(sum uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fit[sum]
}

func (s *seen) remember(sum uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.fit) < maxSeen {
		s.fit[sum] = true
	}
}

// of is the same for requests that differ in nothing but UUIDs and times: the
// schema takes one as well as another, and none of it wants two to differ.
func (s *seen) of(body []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	for {
		i := bytes.IndexByte(body, '"')
		if i < 0 {
			break
		}
		_, _ = h.Write(body[:i+1])
		body = body[i+1:]
		for _, form := range forms {
			if n := len(form.like); len(body) > n && body[n] == '"' && form.is(body[:n]) {
				_, _ = h.WriteString(form.like)
				body = body[n:]
				break
			}
		}
	}
	_, _ = h.Write(body)
	return h.Sum64()
}

// forms are the forms of strings of which one is as good as another.
var forms = []struct {
	like string
	is   func([]byte) bool
}{
	{"00000000-0000-0000-0000-000000000000", isUUID},
	{"2026-08-28T12:00:00.000Z", isTime},
}

func isUUID(b []byte) bool {
	for i, c := range b {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash && (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func isTime(b []byte) bool {
	if b[4] != '-' || b[10] != 'T' || b[23] != 'Z' {
		return false
	}
	_, err := time.Parse(time.RFC3339Nano, string(b))
	return err == nil
}
