package replay

import (
	"bufio"
	"bytes"
	"errors"
	"iter"
	"sync"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, recorder.ReadSize) }}

// exchangesOf gives the exchanges of a file one by one, and events, when set, all
// its events, which run ahead of them. With skip, lines are left out. A capture
// that is being written is taken as far as it goes. The error is that of each;
// fault is that of reading.
func exchangesOf(file string, skip func(spec.EventKind, []byte) bool, events func(spec.Event), fault *error, each func(*spec.Exchange) error) error {
	f, err := recorder.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	// A reader takes a buffer that is there.
	buffer := buffers.Get().(*bufio.Reader)
	buffer.Reset(f)
	defer func() {
		buffer.Reset(nil)
		buffers.Put(buffer)
	}()
	in := recorder.NewReader(buffer)
	in.Skip(skip)
	read := func(yield func(spec.Event) bool) {
		var source spec.Source
		for e, err := range in.All() {
			if h, ok := e.Data.(*spec.HeaderEvent); ok {
				source = h.Source
				// Outcomes are not waited for: they are skipped.
				c := *h
				c.Evidence = nil
				e.Data = &c
			}
			if _, cut := errors.AsType[*recorder.CutError](err); cut && source == spec.SourceCapture {
				return
			}
			if err != nil {
				*fault = err
				return
			}
			if events != nil {
				events(e)
			}
			if !yield(e) {
				return
			}
		}
	}
	for x := range spec.Exchanges(iter.Seq[spec.Event](read)) {
		if err := each(x); err != nil {
			return err
		}
	}
	return nil
}

// callsNothing tells by the line of a request that the request is whole and calls
// nothing, and of which session it is. It is false where only reading it would
// tell.
func callsNothing(line []byte) (session string, plain bool) {
	for _, word := range []string{"execute", `\u`, `,"end":"`, `,"broken":"`, `,"pieces":`, `,"base64":"`, `"ahead":`, `"body":""`} {
		if bytes.Contains(line, []byte(word)) {
			return "", false
		}
	}
	_, rest, ok := bytes.Cut(line[:min(len(line), 200)], []byte(`,"k":"request","s":"`))
	name, _, ended := bytes.Cut(rest, []byte{'"'})
	return string(name), ok && ended && bytes.IndexByte(name, '\\') < 0
}

// withoutEngine skips what Hallmark's own engine wrote of itself, such as what a
// model was asked.
func withoutEngine(kind spec.EventKind, _ []byte) bool {
	switch kind {
	case spec.KindSession, spec.KindRequest, spec.KindPiece, spec.KindResponse, spec.KindDisturb, spec.KindGap, spec.KindWorker:
		return false
	}
	return true
}

// answersAside skips what no plan needs: all but requests, and what says whether
// they were deliveries.
func answersAside(kind spec.EventKind, line []byte) bool {
	switch kind {
	case spec.KindRequest, spec.KindDisturb:
		return false
	case spec.KindPiece:
		return bytes.Contains(line, []byte(`"of":"response"`)) && !bytes.Contains(line, []byte(`"of":"request"`))
	case spec.KindResponse:
		return !bytes.Contains(line, []byte(`"`+spec.EndStale+`"`))
	}
	return true
}
