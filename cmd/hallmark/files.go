package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// recordingFiles are the files named, and the recordings in the folders named,
// in the order of their paths.
func recordingFiles(args []string) ([]string, error) {
	var names []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case os.IsNotExist(err):
			return nil, usage("open %s: no such file or folder", arg)
		case err != nil:
			return nil, failedIO(err)
		case !info.IsDir():
			names = append(names, arg)
			continue
		}
		found, err := filesBelow(arg)
		if err != nil {
			return nil, failedIO(err)
		}
		if len(found) == 0 {
			return nil, usage("%s holds no recordings", arg).hinted("recordings end in .jsonl; record with: hallmark test --record " + reports.Quote(arg) + " URL")
		}
		names = append(names, found...)
	}
	return names, nil
}

func filesBelow(folder string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && (d.Type().IsRegular() || d.Type()&fs.ModeSymlink != 0) && recorder.IsRecordingName(d.Name()) {
			names = append(names, path)
		}
		return err
	})
	// A proxy that is compressing a recording has both for a moment.
	has := map[string]bool{}
	for _, name := range names {
		has[name] = true
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		plain, ok := strings.CutSuffix(name, recorder.PlainSuffix)
		return ok && has[plain+recorder.CompressedSuffix]
	})
	sort.Strings(names)
	return names, err
}

// openFile opens a recording, plain or compressed.
func openFile(name string) (io.ReadCloser, error) {
	f, err := recorder.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, usage("open %s: no such file", name)
	}
	if err != nil {
		return nil, failedIO(err)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		_ = f.Close()
		return nil, usage("%s is a folder", name).hinted("name a recording in it; hallmark recording list " + reports.Quote(name) + " shows them")
	}
	return f, nil
}

// readError is an error of reading a recording: exit 4, with its hint.
func readError(name string, err error) error {
	if err == nil {
		return nil
	}
	e := failedIO(fmt.Errorf("read %s: %w", name, err))
	var hinter interface{ Hint() string }
	if errors.As(err, &hinter) {
		return e.hinted(hinter.Hint())
	}
	return e
}

// unread gathers the recordings that could not be read to their end, while the
// others are gone on with.
type unread struct {
	io      streams
	n, read int
}

// try reads one recording and keeps what is wrong with it. It is said at once,
// between the results, since there may be thousands to come. The error is one
// that no other recording would spare.
func (u *unread) try(name string, read func(io.Reader) error) error {
	f, err := openFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	u.read++
	err = read(f)
	if !damaged(err) {
		return readError(name, err)
	}
	u.n++
	report(u.io.err, readError(name, err))
	return nil
}

// done is exit 4 when one was not read to its end.
func (u *unread) done() error {
	if u.n == 0 {
		return nil
	}
	return failedIO(fmt.Errorf("%d of %s could not be read to the end", u.n, counted(u.read, "recording"))).
		hinted("hallmark recording verify names every place")
}

// damaged reports whether an error is about the recording and not about
// reading or writing as such.
func damaged(err error) bool {
	_, harmed := errors.AsType[*recorder.DamageError](err)
	_, packed := errors.AsType[*recorder.PackedError](err)
	return harmed || packed || isCut(err)
}

func isCut(err error) bool {
	_, cut := errors.AsType[*recorder.CutError](err)
	return cut
}

// open reports whether err says no more than that a capture is being written:
// it has no closing line yet, and is taken as far as it goes.
func open(source spec.Source, err error) bool {
	return isCut(err) && source == spec.SourceCapture
}

// eventsOf gives the events of a recording, a capture that is being written as
// far as it goes, and keeps the error that ends them.
func eventsOf(r io.Reader, fault *error) iter.Seq2[spec.Event, error] {
	return func(yield func(spec.Event, error) bool) {
		var source spec.Source
		for e, err := range recorder.NewReader(r).All() {
			if h, ok := e.Data.(*spec.HeaderEvent); ok {
				source = h.Source
			}
			if open(source, err) {
				return
			}
			*fault = err
			if !yield(e, err) {
				return
			}
		}
	}
}
