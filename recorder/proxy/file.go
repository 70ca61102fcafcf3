package proxy

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/hallmarkdev/hallmark/recorder"
)

// openFile opens a file for appending, readable to its owner only.
func openFile(name string) (io.WriteCloser, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
}

// file is one recording under way. Lines go to memory and from there to the
// kernel, so a disk that is full for a while leaves no torn line: what did not
// fit is written later.
type file struct {
	path    string
	w       *recorder.Writer
	started time.Time
	// at is the time of the event that is being written.
	at time.Duration
	// buf is what the kernel does not have yet, size what it and the kernel
	// have together.
	buf  []byte
	size int64
	out  io.WriteCloser
	// turn says when the file was last flushed, to find the least recently used.
	turn uint64
	// ended says that the closing line is written.
	ended bool
	// stuck says that the kernel did not take the last flush.
	stuck bool
	// listed says that the file is among those to flush.
	listed bool
	b      *budget
}

func newPart(dir, name string, started time.Time, b *budget) *file {
	f := &file{path: filepath.Join(dir, name), started: started, b: b}
	f.w = recorder.NewWriter(f, func() time.Duration { return f.at })
	return f
}

// Write takes a line into memory. It never fails.
func (f *file) Write(line []byte) (int, error) {
	f.buf = append(f.buf, line...)
	f.size += int64(len(line))
	f.b.force(int64(len(line)))
	return len(line), nil
}

// dirty reports whether something waits for the kernel.
func (f *file) dirty() bool { return len(f.buf) > 0 }

// flush gives the kernel what waits. What it does not take stays.
func (f *file) flush(open func(string) (io.WriteCloser, error)) error {
	if len(f.buf) == 0 {
		return nil
	}
	if f.out == nil {
		out, err := open(f.path)
		if err != nil {
			return err
		}
		f.out = out
	}
	n, err := f.out.Write(f.buf)
	n = max(0, min(n, len(f.buf)))
	f.b.release(int64(n))
	if n == len(f.buf) {
		f.buf = f.buf[:0]
		if cap(f.buf) > 4*flushSize {
			f.buf = nil
		}
		return err
	}
	f.buf = f.buf[:copy(f.buf, f.buf[n:])]
	if err == nil {
		err = io.ErrShortWrite
	}
	// A file that refuses is opened anew next time, which mends some faults.
	return errors.Join(err, f.release())
}

// release closes the file for now; it is opened again for appending.
func (f *file) release() error {
	if f.out == nil {
		return nil
	}
	err := f.out.Close()
	f.out = nil
	return err
}
