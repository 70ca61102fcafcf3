package serve

import (
	"cmp"
	"sync"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// Config says how recordings are served. The zero Config is good.
type Config struct {
	// Secrets, when there are any, are those one of which each request is to be
	// signed with (D10). That is checked and told, and decides nothing.
	// SignatureHeader is the header, [spec.SignatureHeader] when empty.
	Secrets         [][]byte
	SignatureHeader string
	// Pace lets the parts of a streamed answer come as far apart as they did; else
	// they come at once.
	Pace bool
	// MaxBody bounds the body of a request, 32 MiB when 0.
	MaxBody int64
	// Log, when set, takes a line on each request that is not answered as recorded.
	Log func(line string)
	// Now is the clock, and Wait waits for a time or until stop is closed; nil are
	// those of the machine.
	Now  func() time.Time
	Wait func(d time.Duration, stop <-chan struct{})
}

// Server answers requests from recordings. Make one with [New], give it the
// recordings with [Server.Load], and then serve it as an HTTP handler, which is
// safe for concurrent use.
type Server struct {
	cfg Config
	// reading bounds how many bodies are read at once, and so the memory.
	reading chan struct{}

	mu       sync.Mutex
	files    []string
	sessions []*session
	byID     map[string]*session
	raw      []*recorded
	total    int
	held     int
	lives    map[string]*live
	report   findings
	// left counts the exchanges that nobody asked for.
	left   int
	done   chan struct{}
	finish sync.Once
	// told counts the bytes of requests that are remembered.
	told int
}

// maxReading is how many bodies are read at once.
const maxReading = 16

// New returns a Server that has no recordings.
func New(cfg Config) *Server {
	cfg.SignatureHeader = cmp.Or(cfg.SignatureHeader, spec.SignatureHeader)
	cfg.MaxBody = cmp.Or(cfg.MaxBody, 32<<20)
	if cfg.Log == nil {
		cfg.Log = func(string) {}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Wait == nil {
		cfg.Wait = func(d time.Duration, stop <-chan struct{}) {
			t := time.NewTimer(d)
			defer t.Stop()
			select {
			case <-t.C:
			case <-stop:
			}
		}
	}
	return &Server{
		cfg: cfg, reading: make(chan struct{}, maxReading), byID: map[string]*session{}, lives: map[string]*live{},
		done: make(chan struct{}),
	}
}

// Done is closed when everything that is recorded was asked for.
func (s *Server) Done() <-chan struct{} { return s.done }

// use counts an exchange that was asked for.
func (s *Server) use(x *recorded) {
	if x.used++; x.used > 1 {
		return
	}
	if s.left--; s.left == 0 {
		s.finish.Do(func() { close(s.done) })
	}
}

// everything is what is recorded, in its order.
func (s *Server) everything() (all []*recorded) {
	for _, c := range s.sessions {
		all = append(all, c.all...)
	}
	return append(all, s.raw...)
}
