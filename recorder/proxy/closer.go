package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hallmarkdev/hallmark/recorder"
)

// closer turns closed recordings into zstd one by one, keeps the index, and
// keeps the folder within its bounds. It has a goroutine of its own, so that
// one encoder exists at a time and nothing waits for it.
type closer struct {
	cfg *Config
	m   *metrics

	mu    sync.Mutex
	todo  []closing
	ready chan struct{}
	quit  chan struct{}
	done  chan struct{}
	// late says that what is left to do is left to the next start.
	late bool
}

// closing is a recording to close.
type closing struct {
	path string
	// found says that an earlier process left it, in whatever state.
	found bool
}

// tidyEvery is how often the folder is held against its bounds.
const tidyEvery = time.Minute

const temporary = ".tmp"

func newCloser(cfg *Config, m *metrics) (*closer, error) {
	c := &closer{cfg: cfg, m: m, ready: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
	if err := c.find(); err != nil {
		return nil, fmt.Errorf("folder for recordings: %w", err)
	}
	go c.run()
	return c, nil
}

// find looks for what an earlier process left.
func (c *closer) find() error {
	entries, err := os.ReadDir(c.cfg.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(c.cfg.Dir, e.Name())
		switch {
		case strings.HasSuffix(e.Name(), temporary):
			_ = os.Remove(path)
		case recorder.IsRecordingName(e.Name()) && strings.HasSuffix(e.Name(), recorder.PlainSuffix):
			c.todo = append(c.todo, closing{path: path, found: true})
		}
	}
	if len(c.todo) > 0 {
		c.ready <- struct{}{}
	}
	return nil
}

// add takes a recording that is closed.
func (c *closer) add(path string) {
	c.mu.Lock()
	c.todo = append(c.todo, closing{path: path})
	c.mu.Unlock()
	select {
	case c.ready <- struct{}{}:
	default:
	}
}

// next takes the next one.
func (c *closer) next() (closing, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.todo) == 0 || c.late {
		return closing{}, false
	}
	one := c.todo[0]
	c.todo = c.todo[1:]
	return one, true
}

func (c *closer) run() {
	defer close(c.done)
	tick := time.NewTicker(tidyEvery)
	defer tick.Stop()
	for last := false; !last; {
		select {
		case <-c.ready:
		case <-tick.C:
		case <-c.quit:
			last = true
		}
		for one, ok := c.next(); ok; one, ok = c.next() {
			c.guard(one.path, func() error { return c.close(one) })
		}
		c.guard(c.cfg.Dir, c.tidy)
	}
}

// guard does one thing and survives its fault.
func (c *closer) guard(what string, do func() error) {
	defer func() {
		if p := recover(); p != nil {
			c.m.panics.Inc()
			c.cfg.Log(fmt.Sprintf("recording %s: the recorder erred: %v", what, p))
		}
	}()
	if err := do(); err != nil {
		c.cfg.Log(fmt.Sprintf("recording %s: %v; it stays as it is until the next start", what, err))
	}
}

// stop ends the goroutine. It finishes what it can within the time; the rest is
// done at the next start.
func (c *closer) stop(within time.Duration) {
	close(c.quit)
	late := time.AfterFunc(within, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.late = true
	})
	defer late.Stop()
	<-c.done
}

// close mends, indexes and compresses one recording.
func (c *closer) close(one closing) error {
	packed := strings.TrimSuffix(one.path, recorder.PlainSuffix) + recorder.CompressedSuffix
	if one.found {
		if _, err := os.Stat(packed); err == nil {
			// The process ended between naming the one and removing the other.
			return os.Remove(one.path)
		}
		if kept, err := mend(one.path); err != nil || !kept {
			return err
		}
	}
	line, err := summarize(one.path, filepath.Base(packed))
	if err != nil {
		return err
	}
	if err := replace(one.path, packed, recorder.Compress); err != nil {
		return err
	}
	if err := line.Stamp(packed); err != nil {
		return err
	}
	if err := c.index(line); err != nil {
		return err
	}
	c.m.filesClosed.Inc()
	return os.Remove(one.path)
}

// mend recovers a recording that was not closed, in place. It says whether
// there is one: a file that holds no line is removed.
func mend(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	if info.Size() == 0 {
		return false, os.Remove(path)
	}
	var got recorder.Recovered
	err = replace(path, path, func(w io.Writer, r io.Reader) error {
		var err error
		got, err = recorder.Recover(r, w)
		return err
	})
	if err != nil && got.Cause != nil && got.Lines == 0 {
		// Not even the header is there.
		return false, os.Rename(path, path+".damaged")
	}
	return err == nil, err
}

// replace writes a file from another, whole or not at all.
func replace(from, to string, write func(io.Writer, io.Reader) error) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	name := to + temporary
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = write(out, in)
	err = errors.Join(err, out.Close())
	if err == nil {
		err = os.Rename(name, to)
	}
	if err != nil {
		_ = os.Remove(name)
	}
	return err
}

func summarize(path, name string) (recorder.IndexLine, error) {
	f, err := os.Open(path)
	if err != nil {
		return recorder.IndexLine{}, err
	}
	defer func() { _ = f.Close() }()
	return recorder.Summarize(f, name)
}

// index adds a line to the index.
func (c *closer) index(line recorder.IndexLine) error {
	text, err := recorder.MarshalIndexLine(line)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(c.cfg.Dir, recorder.IndexName), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// tidy deletes the oldest closed recordings beyond the bounds of the folder.
func (c *closer) tidy() error {
	if c.cfg.MaxSize <= 0 && c.cfg.MaxAge <= 0 {
		return nil
	}
	// Names begin with the time, so they come oldest first.
	entries, err := os.ReadDir(c.cfg.Dir)
	if err != nil {
		return err
	}
	var total int64
	infos := map[string]fs.FileInfo{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			infos[e.Name()] = info
			total += info.Size()
		}
	}
	gone := map[string]bool{}
	oldest := c.cfg.Now().Add(-c.cfg.MaxAge)
	for _, e := range entries {
		info := infos[e.Name()]
		if info == nil || !strings.HasSuffix(e.Name(), recorder.CompressedSuffix) {
			continue
		}
		old := c.cfg.MaxAge > 0 && info.ModTime().Before(oldest)
		if !old && (c.cfg.MaxSize <= 0 || total <= c.cfg.MaxSize) {
			continue
		}
		if err := os.Remove(filepath.Join(c.cfg.Dir, e.Name())); err != nil {
			return err
		}
		total -= info.Size()
		gone[e.Name()] = true
		c.m.filesDeleted.Inc()
	}
	if len(gone) == 0 {
		return nil
	}
	return c.forget(gone)
}

// forget takes the lines of deleted recordings out of the index.
func (c *closer) forget(gone map[string]bool) error {
	path := filepath.Join(c.cfg.Dir, recorder.IndexName)
	err := replace(path, path, func(w io.Writer, r io.Reader) error {
		text, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		var kept []byte
		for line := range bytes.Lines(text) {
			if l, err := recorder.ReadIndexLine(line); err == nil && gone[l.File] {
				continue
			}
			kept = append(kept, line...)
		}
		_, err = w.Write(kept)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
