package proxy

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// budget bounds the bytes between the traffic and the disk.
type budget struct {
	used  atomic.Int64
	limit int64
}

// take reserves n bytes, unless that is too much.
func (b *budget) take(n int64) bool {
	if b.used.Add(n) > b.limit {
		b.used.Add(-n)
		return false
	}
	return true
}

// release gives n bytes back.
func (b *budget) release(n int64) { b.used.Add(-n) }

// force reserves n bytes that are there already.
func (b *budget) force(n int64) { b.used.Add(n) }

type itemKind int

const (
	itemRequest itemKind = iota
	itemPiece
	itemResponse
)

// item is one thing for the recorder to write down.
type item struct {
	kind itemKind
	c    *capture
	at   time.Time
	head []byte
	body []byte
	// first is the beginning of a request that may not be kept.
	first []byte
	// offset is where body begins, for what came in pieces before.
	offset int64
	// total counts the bytes that passed, kept or not.
	total  int64
	end    spec.BodyEnd
	reason string
	// over says that the body was too large to keep.
	over bool
	// lost says why the exchange is left out, "" when it is not.
	lost string
	// assumed is what an import does not know of a response.
	assumed []string
}

// queue hands items from many goroutines to one. What it holds is bounded by
// the budget, in which every item was reserved.
type queue struct {
	mu    sync.Mutex
	items []item
	ready chan struct{}
}

func newQueue() *queue { return &queue{ready: make(chan struct{}, 1)} }

// put adds items; it never waits.
func (q *queue) put(items ...item) {
	if len(items) == 0 {
		return
	}
	q.mu.Lock()
	q.items = append(q.items, items...)
	q.mu.Unlock()
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// takeAll gives what is there and takes an empty slice for what is to come.
func (q *queue) takeAll(spare []item) []item {
	q.mu.Lock()
	defer q.mu.Unlock()
	items := q.items
	q.items = spare[:0]
	return items
}

// bufferPool keeps buffers by size, from 4 KiB to 1 MiB in powers of two.
type bufferPool struct{ pools [9]sync.Pool }

var buffers bufferPool

const smallestBuffer = 12 // 1 << 12

// get returns an empty buffer with room for n bytes.
func (p *bufferPool) get(n int) []byte {
	class := max(bits.Len(uint(max(n, 1)-1)), smallestBuffer) - smallestBuffer
	if class >= len(p.pools) {
		return make([]byte, 0, n)
	}
	if b, ok := p.pools[class].Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return make([]byte, 0, 1<<(class+smallestBuffer))
}

// put takes a buffer back, whose bytes nobody may hold any more.
func (p *bufferPool) put(b []byte) {
	class := bits.Len(uint(cap(b))) - 1 - smallestBuffer
	if class < 0 || class >= len(p.pools) || cap(b) != 1<<(class+smallestBuffer) {
		return
	}
	p.pools[class].Put(&b)
}
