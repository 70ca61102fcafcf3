package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// MadeBy names the versions that a header states.
type MadeBy = spec.MadeBy

// recording is the recorder's side of a proxy: the queue, and the goroutine
// that writes what comes from it.
type recording struct {
	cfg    Config
	m      *metrics
	budget budget
	queue  *queue
	done   chan struct{}
	// stop ends the goroutine once the queue is empty.
	stop chan struct{}

	mu sync.Mutex
	// lost counts what was not taken, by the session where that is known.
	lost map[string]missing
	// trouble is the last thing that went wrong with the disk, "" when the last
	// write went well.
	trouble string
	failed  error

	once   sync.Once
	s      *scribe
	closer *closer
	lock   *os.File
}

// closeWithin bounds how long a proxy that stops compresses what it recorded.
const closeWithin = 10 * time.Second

// ErrInUse says that another proxy records into the same folder.
var ErrInUse = errors.New("another proxy records into it")

// lockName is the file by which a proxy holds its folder.
const lockName = ".hallmark.lock"

// maxLostSessions bounds the sessions whose losses are told apart.
const maxLostSessions = 1024

func newRecording(cfg Config, m *metrics) (*recording, error) {
	r, err := prepareRecording(cfg, m)
	if err == nil {
		go r.run()
	}
	return r, err
}

// prepareRecording is newRecording without its goroutine: the caller hands items
// over itself.
func prepareRecording(cfg Config, m *metrics) (*recording, error) {
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder for recordings: %w", err)
	}
	r := &recording{
		cfg: cfg, m: m, budget: budget{limit: cfg.Queue}, queue: newQueue(),
		done: make(chan struct{}), stop: make(chan struct{}), lost: map[string]missing{},
	}
	m.watch(r)
	lock, err := lockFolder(cfg.Dir)
	if err != nil {
		return nil, err
	}
	r.lock = lock
	if r.closer, err = newCloser(&r.cfg, m); err != nil {
		_ = lock.Close()
		return nil, err
	}
	r.s = newScribe(r)
	return r, nil
}

// begin starts the capture of an exchange.
func (r *recording) begin(head []byte, reused bool) *capture {
	c := &capture{rec: r, started: r.cfg.Now(), reused: reused}
	c.req.c, c.resp.c = c, c
	if c.reserve(int64(len(head) + captureCost)) {
		c.base = int64(len(head) + captureCost)
		c.reqHead = bytes.Clone(head)
	}
	return c
}

// captureCost is what the queue holds of an exchange beside its bytes.
const captureCost = 1 << 10

// lose counts an exchange that is left out. Its gap is written by the
// recorder's goroutine.
func (r *recording) lose(session string, l missing) {
	r.m.lose(l.reason, l.n)
	r.m.lostBytes.Add(float64(l.bytes))
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.lost[session]; !known && len(r.lost) >= maxLostSessions {
		session = ""
	}
	sum := r.lost[session]
	sum.add(l)
	r.lost[session] = sum
}

// unread counts a connection that was passed on unread.
func (r *recording) unread(why string) {
	r.m.unread.WithLabelValues(why).Inc()
	r.lose("", missing{n: 1, reason: "a connection was passed on unread: " + why})
}

// losses gives what was lost since the last call.
func (r *recording) losses() map[string]missing {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lost) == 0 {
		return nil
	}
	l := r.lost
	r.lost = map[string]missing{}
	return l
}

// disk notes how the last write went.
func (r *recording) disk(err error) {
	r.mu.Lock()
	was := r.trouble
	r.trouble = ""
	if err != nil {
		r.trouble = err.Error()
	}
	now := r.trouble
	r.mu.Unlock()
	if err != nil {
		r.m.writeErrors.Inc()
	}
	if was == "" && now != "" {
		r.cfg.Log("recording: " + now + "; traffic goes on, and it is tried again")
	} else if was != "" && now == "" {
		r.cfg.Log("recording: writing again")
	}
}

// health is the state of the recording in a few words.
func (r *recording) health() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.trouble != "" {
		return "not recording: " + r.trouble
	}
	if r.budget.used.Load() > r.budget.limit/10*9 {
		return "not recording: the queue is full"
	}
	return "recording"
}

// run is the recorder's goroutine.
func (r *recording) run() {
	defer close(r.done)
	tick := time.NewTicker(r.cfg.Flush)
	defer tick.Stop()
	var spare []item
	for {
		stopping := false
		select {
		case <-r.queue.ready:
		case <-tick.C:
		case <-r.stop:
			stopping = true
		}
		items := r.queue.takeAll(spare)
		for i := range items {
			r.handle(&items[i])
			items[i] = item{}
		}
		spare = items
		r.guard("flush", func() { r.s.rest(stopping) })
		if stopping {
			return
		}
	}
}

// handle writes one item; whatever goes wrong costs that item only.
func (r *recording) handle(it *item) {
	defer r.settle(it)
	r.guard("record", func() { r.s.take(it) })
}

// settle gives the memory of an item back.
func (r *recording) settle(it *item) {
	r.budget.release(int64(len(it.body)))
	buffers.put(it.body)
	if it.kind == itemResponse {
		r.budget.release(it.c.base)
	}
}

// guard runs a part of the recorder and survives its panic: a fault here must
// not end the traffic.
func (r *recording) guard(what string, do func()) {
	defer func() {
		if p := recover(); p != nil {
			r.m.panics.Inc()
			r.cfg.Log(fmt.Sprintf("recording: %s: the recorder erred: %v", what, p))
			r.lose("", missing{n: 1, reason: "the recorder erred"})
		}
	}()
	do()
}

// close writes everything that is there, ends every file, and returns the
// error of the last one that could not be written.
func (r *recording) close() error {
	r.once.Do(func() {
		close(r.stop)
		<-r.done
		r.closer.stop(closeWithin)
		_ = r.lock.Close()
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// fail keeps the error that close returns.
func (r *recording) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = errors.Join(r.failed, err)
}
