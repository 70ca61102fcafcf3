package certify

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// tape holds the recording of one case while it is made: in memory, to be
// judged, and on disk when all cases are recorded. It is used by one goroutine
// at a time.
type tape struct {
	clock   simulator.Clock
	started time.Time
	events  []spec.Event
	// redact takes secrets out before anything is kept or judged (R9).
	redact *recorder.Redaction
	// folder is where files go, "" to keep none yet.
	folder string
	out    *file
	err    error
	// judged is what the judge says of it, nil before.
	judged *Judged
}

func newTape(clock simulator.Clock, folder string, redact *recorder.Redactor) *tape {
	return &tape{clock: clock, started: clock.Now(), folder: folder, redact: redact.Begin()}
}

// Event takes one event of a driver.
func (t *tape) Event(e spec.Event) {
	for _, part := range t.redact.Redact(e) {
		part.W = t.clock.Now().Sub(t.started).Microseconds()
		t.keep(part)
	}
}

// keep takes an event without secrets.
func (t *tape) keep(e spec.Event) {
	t.events = append(t.events, e)
	if t.folder == "" || t.err != nil {
		return
	}
	// The file's name needs the session, which comes right after the header.
	if t.out != nil {
		t.err = t.out.write(e)
	} else if _, ok := e.Data.(*spec.SessionEvent); ok {
		t.err = t.save(t.folder)
	}
}

// Close ends the recording. The sums of its last line are the file's own; the
// events in memory hold the reason alone, which is all that a judge reads.
func (t *tape) Close(r simulator.Result) {
	last := spec.Event{T: r.T, W: t.clock.Now().Sub(t.started).Microseconds(), Data: &spec.CloseEvent{Why: r.Why}}
	for _, part := range t.redact.Redact(last) {
		if _, ok := part.Data.(*spec.CloseEvent); ok {
			last = part
			break
		}
		t.keep(part)
	}
	t.events = append(t.events, last)
	switch {
	case t.folder == "" || t.err != nil:
	case t.out != nil:
		t.err = t.out.write(last)
	default:
		t.err = t.save(t.folder)
	}
}

// save writes the events held so far to a new file of folder; if they end with
// a close, the file is whole afterwards, else the events to come follow.
func (t *tape) save(folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	out, err := createFile(folder, t.started, t.sessionID())
	if err != nil {
		return err
	}
	t.out = out
	for _, e := range t.events {
		if err := out.write(e); err != nil {
			return err
		}
	}
	return nil
}

// name is the path of the file, "" when there is none.
func (t *tape) name() string {
	if t.out == nil {
		return ""
	}
	return t.out.path
}

// sessionID names the file: the first session, or the case where none began.
func (t *tape) sessionID() string {
	id := ""
	for _, e := range t.events {
		switch d := e.Data.(type) {
		case *spec.SessionEvent:
			return d.SessionID
		case *spec.HeaderEvent:
			id = d.ID
		}
	}
	return id
}

// file is a recording on disk. The measured time of each line is that of its
// event, whenever it is written. A writer puts a line down in one call, so a
// case that is cut off leaves what was recorded of it.
type file struct {
	path string
	f    *os.File
	w    *recorder.Writer
	at   time.Duration
}

func createFile(folder string, started time.Time, session string) (*file, error) {
	name := recorder.FileName(started, session)
	for i := 1; ; i++ {
		path := filepath.Join(folder, name)
		if i > 1 {
			path = strings.TrimSuffix(path, ".jsonl") + fmt.Sprintf("-%d.jsonl", i)
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && i < 10_000 {
			continue
		}
		if err != nil {
			return nil, err
		}
		out := &file{path: path, f: f}
		out.w = recorder.NewWriter(f, func() time.Duration { return out.at })
		return out, nil
	}
}

// write puts e down; a close also closes the file.
func (o *file) write(e spec.Event) error {
	o.at = time.Duration(e.W) * time.Microsecond
	err := error(nil)
	if c, ok := e.Data.(*spec.CloseEvent); ok {
		err = o.w.Close(c.Why, e.T)
		if closed := o.f.Close(); err == nil {
			err = closed
		}
	} else {
		err = o.w.Write(e)
	}
	if err != nil {
		return fmt.Errorf("record %s: %w", o.path, err)
	}
	return nil
}
