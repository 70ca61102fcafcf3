package reference

import "sync"

// memory keeps the newest values of a bounded number of keys. It is safe for
// concurrent use.
type memory[V any] struct {
	mu     sync.Mutex
	most   int
	values map[[32]byte]V
	// ring holds the keys in the order they came; next is the oldest once it
	// is full.
	ring [][32]byte
	next int
}

func newMemory[V any](most int) *memory[V] {
	return &memory[V]{most: most, values: map[[32]byte]V{}}
}

// has reports whether something is kept under key.
func (m *memory[V]) has(key [32]byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.values[key]
	return ok
}

// once returns what is kept under key, or else makes it and keeps it. make runs
// while the memory is held, so that two deliveries of one decision at the same
// time make it once (D6, field report 104); it must be quick.
func (m *memory[V]) once(key [32]byte, make func() V) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok := m.values[key]; ok {
		return v
	}
	v := make()
	m.values[key] = v
	if len(m.ring) < m.most {
		m.ring = append(m.ring, key)
		return v
	}
	delete(m.values, m.ring[m.next])
	m.ring[m.next] = key
	m.next = (m.next + 1) % m.most
	return v
}
