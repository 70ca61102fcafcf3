package proxy

import (
	"crypto/tls"
	"io"
	"time"

	"github.com/hallmarkdev/hallmark/recorder"
)

// Config says where the traffic goes and how it is recorded. To and Dir are
// needed; the zero value of everything else is the default that its comment
// names.
type Config struct {
	// To is where the worker is.
	To Address
	// TLS is used for a worker behind https; nil takes the system's roots.
	TLS *tls.Config
	// RewriteHost sends the worker its own host in the Host header, for workers
	// that are told apart by it. It is the one change to what passes; the
	// recording holds what the client sent.
	RewriteHost bool

	// Dir is the folder for recordings. It is made if it is missing, readable
	// to its owner only, and used by one proxy at a time.
	Dir string
	// Queue bounds the bytes that wait between the traffic and the disk.
	// Default 64 MiB.
	Queue int64
	// MaxBody bounds a recorded body; a larger one passes and is recorded by
	// its size only. Default 64 MiB.
	MaxBody int64
	// Sample records one root session in so many, chosen by a hash of its id;
	// 0 and 1 record all. Keep says what is recorded all the same: from such an
	// exchange on, its session is recorded as one that was joined.
	Sample int
	Keep   Keep
	// OnlyAgents records the sessions of these agents only; empty means all.
	OnlyAgents []string
	// MaxOpen bounds the open files. Default 256.
	MaxOpen int
	// RotateSize and RotateAge bound one file of a session. Default 64 MiB and
	// 24 h.
	RotateSize int64
	RotateAge  time.Duration
	// CloseAfter is how long a session is quiet before its file is closed.
	// Default 10 min.
	CloseAfter time.Duration
	// MaxSize and MaxAge bound the folder: the oldest closed recordings beyond
	// them are deleted. 0 is no bound.
	MaxSize int64
	MaxAge  time.Duration
	// Flush is how long a line may wait before it is with the kernel. Default
	// 100 ms; the format allows 250.
	Flush time.Duration

	// Redact says what is kept out of the files (R9). It must not be nil.
	Redact *recorder.Policy
	// SigningSecrets are the keys by which requests may be signed; with one, a
	// recording says of each request whether its signature held. Redact should
	// know them too.
	SigningSecrets [][]byte
	// SignatureHeader is the header that carries the signature, in any case,
	// [spec.SignatureHeader] when empty. Redact should keep its values out.
	SignatureHeader string
	// MadeBy names the versions that the header states.
	MadeBy MadeBy
	// Log takes one line for each thing that goes wrong on the recording side,
	// without a line feed; nil takes none. It must not block.
	Log func(line string)

	// Open opens a file for appending, and makes it if it is missing; nil is
	// the operating system. Tests put a bad disk here.
	Open func(name string) (io.WriteCloser, error)
	// Now is the clock, [time.Now] when nil. Bounds of connections are in real
	// time whatever it says.
	Now func() time.Time

	// imported says that nothing passes: exchanges come from a log.
	imported bool
}

func (c *Config) defaults() {
	positive(&c.Queue, 64<<20)
	positive(&c.MaxBody, 64<<20)
	positive(&c.MaxOpen, 256)
	positive(&c.RotateSize, 64<<20)
	positive(&c.RotateAge, 24*time.Hour)
	positive(&c.CloseAfter, 10*time.Minute)
	positive(&c.Flush, 100*time.Millisecond)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Open == nil {
		c.Open = openFile
	}
	if c.Log == nil {
		c.Log = func(string) {}
	}
}

func positive[T int | int64 | time.Duration](p *T, v T) {
	if *p <= 0 {
		*p = v
	}
}
