package proxy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// root finds or makes the state of a root session; "" is what has none.
func (s *scribe) root(id string) *root {
	r := s.roots[id]
	if r == nil {
		r = &root{id: id, scope: s.cfg.Redact.Scope(), sessions: map[string]*session{}}
		s.roots[id] = r
	}
	return r
}

// forget drops a root of which nothing is recorded.
func (s *scribe) forget(r *root) {
	if r.file == nil && r.parts == 0 && r.open == 0 && r.missing.n == 0 {
		s.drop(r)
	}
}

// write puts an event into the file of a root, which it opens if need be. Of an
// event that would hold a secret the frame is written, without what it holds.
func (s *scribe) write(r *root, at time.Time, alias string, data spec.EventData) {
	f := s.part(r, at)
	err := s.put(f, at, alias, data)
	if err == nil {
		return
	}
	if errors.Is(err, recorder.ErrWithheld) {
		s.m.withheld.Inc()
		if data = recorder.Withheld(data); data == nil || s.put(f, at, alias, data) == nil {
			return
		}
	}
	s.cfg.Log("recording " + f.path + ": " + err.Error())
	s.m.lose("event refused", 1)
}

func (s *scribe) put(f *file, at time.Time, alias string, data spec.EventData) error {
	f.at = max(f.at, at.Sub(f.started))
	err := f.w.Write(spec.Event{Session: alias, T: max(0, at.Sub(f.started).Milliseconds()), Data: data})
	s.list(f)
	if len(f.buf) > flushSize && !f.stuck {
		s.r.disk(s.flushFile(f))
	}
	return err
}

// flushSize is how much waits for the kernel before it is given at once.
const flushSize = 1 << 20

// list puts a file on the list of those to flush.
func (s *scribe) list(f *file) {
	if !f.listed && f.dirty() {
		f.listed = true
		s.dirty = append(s.dirty, f)
	}
}

// part gives the part of a root that is written, a new one if there is none.
func (s *scribe) part(r *root, at time.Time) *file {
	if r.file != nil {
		return r.file
	}
	if r.base == "" {
		r.base = strings.TrimSuffix(recorder.FileName(at, r.id), ".jsonl")
	}
	r.parts++
	name := r.base + ".jsonl"
	if r.parts > 1 {
		name = fmt.Sprintf("%s-%03d.jsonl", r.base, r.parts)
	}
	f := newPart(s.cfg.Dir, name, at, &s.r.budget)
	r.file = f
	for _, x := range r.sessions {
		x.said = false
	}
	header := &spec.HeaderEvent{
		Format: spec.RecordingFormat, Version: spec.RecordingVersion, Source: spec.SourceCapture,
		ID: strings.TrimSuffix(name, ".jsonl"), MadeBy: s.cfg.MadeBy, Started: spec.At(at).String(), Clock: "live",
		Worker:    spec.WorkerHeader{URL: s.cfg.To.String()},
		Redaction: s.cfg.Redact.Header(),
		Evidence:  []spec.Evidence{spec.EvidenceExchange, spec.EvidenceSession},
		Continues: r.last,
	}
	if s.cfg.imported {
		header.Source = spec.SourceImport
		if s.cfg.To == (Address{}) {
			header.Worker.URL = ""
		}
	}
	if s.cfg.signs() {
		scheme := "hmac-sha256"
		header.Signing = &scheme
	}
	if err := s.put(f, at, "", header); err != nil {
		s.cfg.Log("recording " + f.path + ": " + err.Error())
	}
	f.w.Check(func(line []byte) error {
		if r.scope.Leaks(line) {
			return recorder.ErrWithheld
		}
		return nil
	})
	r.last = name
	return f
}

// rest is what is done after each batch: losses are said, files flushed,
// rotated and closed.
func (s *scribe) rest(stopping bool) {
	now := s.cfg.Now()
	losses := s.r.losses()
	for _, id := range sortedKeys(losses) {
		s.miss(id, losses[id])
	}
	if stopping || now.Sub(s.swept) >= sweepEvery {
		s.swept = now
		s.sweep(now, stopping)
	}
	s.flush()
	if stopping {
		s.abandon()
	}
}

// sweepEvery is how often all sessions are looked through.
const sweepEvery = 500 * time.Millisecond

// sweep says what was lost, and ends files that are quiet, large or old.
func (s *scribe) sweep(now time.Time, stopping bool) {
	for _, r := range sortedRoots(s.roots) {
		s.say(r, now)
		switch {
		case r.file == nil:
			if now.Sub(r.used) > s.cfg.CloseAfter && r.open == 0 {
				s.drop(r)
			}
		case stopping:
			why := "the proxy was stopped"
			if s.cfg.imported {
				why = "the log ended"
			}
			s.end(r, now, why)
		case r.open > 0:
		case now.Sub(r.used) > s.cfg.CloseAfter:
			s.end(r, now, "quiet")
			s.drop(r)
		case r.file.size >= s.cfg.RotateSize || now.Sub(r.file.started) >= s.cfg.RotateAge:
			s.end(r, now, "rotated")
		}
	}
}

// miss files a loss under its root; what belongs to none is said among the
// exchanges without a session.
func (s *scribe) miss(session string, l missing) {
	r := s.bySession[session]
	if r == nil {
		if session != "" {
			// The session was never seen: its file begins with what it lacks.
			r = s.root(session)
		} else {
			r = s.root("")
		}
	}
	r.missing.add(l)
}

// say writes the gap of a root, unless its file cannot be written now.
func (s *scribe) say(r *root, now time.Time) {
	if r.missing.n == 0 || r.file != nil && r.file.stuck {
		return
	}
	s.write(r, now, "", &spec.GapEvent{Lost: r.missing.n, Bytes: r.missing.bytes, Reason: r.missing.reason})
	r.missing = missing{}
	r.used = now
}

// end writes the closing line of the part that is written.
func (s *scribe) end(r *root, now time.Time, why string) {
	f := r.file
	f.at = max(f.at, now.Sub(f.started))
	if err := f.w.Close(why, now.Sub(f.started).Milliseconds()); err != nil {
		s.cfg.Log("recording " + f.path + ": " + err.Error())
	}
	f.ended = true
	s.list(f)
	r.file = nil
}

// drop forgets a root.
func (s *scribe) drop(r *root) {
	for id := range r.sessions {
		if s.bySession[id] == r {
			delete(s.bySession, id)
		}
	}
	delete(s.roots, r.id)
}

// flush gives the kernel what waits, file by file.
func (s *scribe) flush() {
	if len(s.dirty) == 0 {
		return
	}
	left := s.dirty[:0]
	var fault error
	for _, f := range s.dirty {
		err := s.flushFile(f)
		if err != nil {
			fault = err
		}
		if f.dirty() {
			left = append(left, f)
			continue
		}
		f.listed = false
		if f.ended {
			_ = f.release()
			s.closed(f.path)
		}
	}
	clear(s.dirty[len(left):])
	s.dirty = left
	s.r.disk(fault)
	s.open = slices.DeleteFunc(s.open, func(f *file) bool { return f.out == nil })
	s.m.openFiles.Set(float64(len(s.open)))
}

// flushFile gives the kernel what waits of one file.
func (s *scribe) flushFile(f *file) error {
	if !f.dirty() {
		return nil
	}
	if f.out == nil {
		s.makeRoom()
		s.open = append(s.open, f)
	}
	err := f.flush(s.cfg.Open)
	s.turn++
	f.turn, f.stuck = s.turn, f.dirty()
	return err
}

// makeRoom closes the least recently used file, if as many are open as may be.
func (s *scribe) makeRoom() {
	if len(s.open) < s.cfg.MaxOpen {
		return
	}
	s.open = slices.DeleteFunc(s.open, func(f *file) bool { return f.out == nil })
	if len(s.open) < s.cfg.MaxOpen {
		return
	}
	oldest := 0
	for i, f := range s.open {
		if f.turn < s.open[oldest].turn {
			oldest = i
		}
	}
	_ = s.open[oldest].release()
	s.open = slices.Delete(s.open, oldest, oldest+1)
}

// abandon gives up what the disk would not take when the proxy stops.
func (s *scribe) abandon() {
	for _, f := range s.dirty {
		s.r.fail(fmt.Errorf("write %s: %d bytes were not written", f.path, len(f.buf)))
	}
	for _, f := range s.open {
		_ = f.release()
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func sortedRoots(m map[string]*root) []*root {
	out := make([]*root, 0, len(m))
	for _, k := range sortedKeys(m) {
		out = append(out, m[k])
	}
	return out
}
