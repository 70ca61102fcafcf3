package recorder

// matcher finds which of many texts stand in a body, in one pass: by pairs of
// bytes it knows how far it may jump (Wu and Manber). It is safe for concurrent
// use once it is made.
type matcher struct {
	texts []string
	// least is the length of the shortest text; only so much of each decides
	// the jumps.
	least int
	jumps [1 << 16]uint8
	// ends are the texts by the pair at which their first part ends.
	ends map[uint16][]int
}

// newMatcher returns a matcher of texts of at least two bytes, nil of none.
func newMatcher(texts []string) *matcher {
	if len(texts) == 0 {
		return nil
	}
	m := &matcher{texts: texts, least: len(texts[0]), ends: map[uint16][]int{}}
	for _, t := range texts {
		m.least = min(m.least, len(t))
	}
	m.least = min(m.least, 200)
	for i := range m.jumps {
		m.jumps[i] = uint8(m.least - 1)
	}
	for i, t := range texts {
		for j := 1; j < m.least; j++ {
			pair := uint16(t[j-1])<<8 | uint16(t[j])
			m.jumps[pair] = min(m.jumps[pair], uint8(m.least-1-j))
		}
		pair := uint16(t[m.least-2])<<8 | uint16(t[m.least-1])
		m.ends[pair] = append(m.ends[pair], i)
	}
	return m
}

// find calls found with the index of each text that stands in b, possibly more
// than once, until it returns false.
func (m *matcher) find(b []byte, found func(i int) bool) {
	if m == nil {
		return
	}
	for at := m.least - 1; at < len(b); {
		pair := uint16(b[at-1])<<8 | uint16(b[at])
		if jump := m.jumps[pair]; jump > 0 {
			at += int(jump)
			continue
		}
		from := at - m.least + 1
		for _, i := range m.ends[pair] {
			t := m.texts[i]
			if len(b)-from >= len(t) && string(b[from:from+len(t)]) == t && !found(i) {
				return
			}
		}
		at++
	}
}

// any reports whether one of the texts stands in b.
func (m *matcher) any(b []byte) bool {
	hit := false
	m.find(b, func(int) bool {
		hit = true
		return false
	})
	return hit
}
