package proxy

import (
	"bytes"
	"sync"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// body is one body as it passes: how much there was, and a copy while there is
// room for one. It belongs to the goroutine that reads the message.
type body struct {
	c     *capture
	total int64
	buf   []byte
	// hint is how long it will be, as far as that counts.
	hint int
	// given is how much of it has gone into the queue.
	given int64
	// over says that the copy was given up because the body is too large.
	over bool
	// first is the beginning of a body that is not kept, to tell its session.
	first []byte
}

// firstBytes is enough of a request to find its session_id, which comes first.
const firstBytes = 256

// expect notes how long a body will be. Room is made when it comes, since a
// length is easily announced.
func (b *body) expect(n int64) { b.hint = int(min(n, largestFirst)) }

// largestFirst bounds the room that is made for a body at its first bytes.
const largestFirst = 256 << 10

// add takes a copy of the next bytes. A nil body takes none.
func (b *body) add(p []byte) {
	if b == nil || len(p) == 0 {
		return
	}
	b.total += int64(len(p))
	if b.total == int64(len(p)) && b == &b.c.req {
		b.first = append(b.first, p[:min(len(p), firstBytes)]...)
	}
	switch {
	case b.over || b.c.lost():
		return
	case b.total > b.c.rec.cfg.MaxBody:
		b.over = true
		b.free()
		return
	case !b.c.reserve(int64(len(p))):
		b.free()
		return
	}
	if len(b.buf)+len(p) > cap(b.buf) {
		grown := buffers.get(max(2*cap(b.buf), len(b.buf)+len(p), b.hint))
		grown = append(grown, b.buf...)
		buffers.put(b.buf)
		b.buf = grown
	}
	b.buf = append(b.buf, p...)
}

// free drops the copy.
func (b *body) free() {
	b.c.rec.budget.release(int64(len(b.buf)))
	buffers.put(b.buf)
	b.buf = nil
}

// capture is what is kept of one exchange. The request's part belongs to the
// goroutine that reads requests, the response's part to the other, until each
// is given into the queue.
type capture struct {
	rec     *recording
	started time.Time
	reused  bool
	reqHead []byte
	req     body

	// base is what the exchange itself holds of the queue's room.
	base int64

	respHead []byte
	resp     body
	stream   bool
	spoilt   string

	// entry is the recorder's own.
	entry *entry

	mu sync.Mutex
	// why says why the exchange is not recorded, "" when it is.
	why string
	// skipped says that nothing of it goes into the queue.
	skipped bool
	// asked and told say that the request and the end of the response went into
	// the queue; waiting is what waits for the request.
	asked, told bool
	waiting     []item
}

// lost reports whether the exchange is left out.
func (c *capture) lost() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why != ""
}

// reserve takes room in the queue; if there is none, the exchange is left out.
func (c *capture) reserve(n int64) bool {
	if c.rec.budget.take(n) {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.why == "" {
		c.why = "queue full"
	}
	return false
}

// endRequest ends the request's part, whatever state it is in.
func (c *capture) endRequest(end spec.BodyEnd, reason string) {
	c.give(item{kind: itemRequest, c: c, at: c.started, body: c.req.taken(), total: c.req.total, end: end, reason: reason, over: c.req.over})
}

// answered keeps the head of the response.
func (c *capture) answered(raw []byte, stream bool) {
	c.stream = stream
	if !c.lost() && c.reserve(int64(len(raw))) {
		c.base += int64(len(raw))
		c.respHead = bytes.Clone(raw)
	}
}

// piece gives what came of a stream into the queue.
func (c *capture) piece() {
	if c.resp.over || c.lost() {
		return
	}
	at, b := c.resp.given, c.resp.taken()
	c.resp.given += int64(len(b))
	c.give(item{kind: itemPiece, c: c, at: c.rec.cfg.Now(), body: b, offset: at})
}

// spoil says that the body cannot be whole.
func (c *capture) spoil(why string) { c.spoilt = why }

// endResponse ends the exchange. The first call counts.
func (c *capture) endResponse(end spec.BodyEnd, reason string) {
	if end == spec.EndWhole && c.spoilt != "" {
		end, reason = spec.EndCut, c.spoilt
	}
	c.give(item{
		kind: itemResponse, c: c, at: c.rec.cfg.Now(), head: c.respHead, body: c.resp.taken(), offset: c.resp.given, total: c.resp.total,
		end: end, reason: reason, over: c.resp.over,
	})
}

// taken hands the copy over.
func (b *body) taken() []byte {
	p := b.buf
	b.buf = nil
	return p
}

// give puts an item into the queue: the request first, whichever side is done
// first, and each once. Of an exchange that is left out from the beginning
// nothing is put there, only counted.
func (c *capture) give(it item) {
	c.mu.Lock()
	defer c.mu.Unlock()
	it.lost = c.why
	switch it.kind {
	case itemRequest:
		if c.asked {
			return
		}
		c.asked, c.skipped = true, c.why != ""
		it.head = c.reqHead
		it.first = c.req.first
	case itemResponse:
		if c.told {
			return
		}
		c.told = true
	}
	switch {
	case !c.asked:
		c.waiting = append(c.waiting, it)
		return
	case !c.skipped:
		c.rec.queue.put(it)
		c.rec.queue.put(c.waiting...)
	default:
		c.drop(it)
		for _, w := range c.waiting {
			c.drop(w)
		}
	}
	c.waiting = nil
}

// drop settles an item of an exchange that is left out, and counts it at its
// end.
func (c *capture) drop(it item) {
	c.rec.settle(&it)
	if it.kind == itemResponse {
		c.rec.lose(sessionOf(c.req.first), missing{n: 1, bytes: c.req.total + it.total, reason: c.why})
	}
}

// sessionOf finds the session in the beginning of a request, "" when it is not
// there.
func sessionOf(first []byte) string {
	const key = `{"session_id":"`
	rest, ok := bytes.CutPrefix(first, []byte(key))
	id, _, closed := bytes.Cut(rest, []byte(`"`))
	if !ok || !closed || bytes.IndexByte(id, '\\') >= 0 {
		return ""
	}
	return string(id)
}
