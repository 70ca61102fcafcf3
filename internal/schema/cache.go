package schema

import (
	"container/list"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxCacheBytes bounds the texts of all schemas that a [Cache] keeps, added up.
// A compiled schema may take a hundred times the memory of its text.
const MaxCacheBytes = 2 << 20

// Cache compiles each schema once. It keeps a bounded number of them, the ones
// used last, and also remembers which do not build. It is safe for concurrent
// use.
type Cache struct {
	max int

	mu    sync.Mutex
	used  *list.List // of *entry, the one used last in front
	by    map[string]*list.Element
	bytes int // of the texts of all entries
}

type entry struct {
	key     string
	compile func() (*Schema, error)
}

// NewCache returns a cache that keeps at most max schemas, less than 1 counting
// as 1, and at most [MaxCacheBytes] of them.
func NewCache(max int) *Cache {
	return &Cache{max: max, used: list.New(), by: map[string]*list.Element{}}
}

// Compile is [Compile] for schemas that come again: texts of the same bytes
// share one Schema. Texts too long to be compiled are not kept.
func (c *Cache) Compile(raw jsontext.Value) (*Schema, error) {
	if raw == nil || len(raw) > MaxSchemaBytes {
		return Compile(raw)
	}
	return c.entry(raw).compile()
}

// entry returns the entry of raw, in front of all others. Compiling happens
// outside the lock, so that a slow schema holds up nobody but its own users.
func (c *Cache) entry(raw jsontext.Value) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.by[string(raw)]; ok {
		c.used.MoveToFront(at)
		return at.Value.(*entry)
	}
	text := string(raw)
	e := &entry{text, sync.OnceValues(func() (*Schema, error) { return Compile(jsontext.Value(text)) })}
	c.by[text] = c.used.PushFront(e)
	c.bytes += len(text)
	for c.used.Len() > max(1, c.max) || c.bytes > MaxCacheBytes {
		last := c.used.Remove(c.used.Back()).(*entry)
		delete(c.by, last.key)
		c.bytes -= len(last.key)
	}
	return e
}
