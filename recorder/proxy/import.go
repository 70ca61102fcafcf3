package proxy

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/logged"
	"github.com/hallmarkdev/hallmark/spec"
)

// Imported says what [Import] wrote.
type Imported struct {
	// Exchanges counts those that were written, Loose those among them that are
	// no decision of a session; Files are their recordings.
	Exchanges, Loose, Files int
	// Lacks counts the exchanges of which the source lacks a thing, by that.
	Lacks map[string]int
}

// LacksText names what is missing for a person, in order of the names; "" when
// nothing is.
func (i Imported) LacksText() string {
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(i.Lacks)) {
		parts = append(parts, fmt.Sprintf("%s of %d", what, i.Lacks[what]))
	}
	return strings.Join(parts, ", ")
}

// flushImported is how many exchanges are written at once.
const flushImported = 64

// unknownStart is when an exchange is taken to be of which nobody knows; each
// one is a millisecond later than the one before.
var unknownStart = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)

// Import writes exchanges that others logged into recordings, as a proxy would
// have: one file a root session, secrets replaced, packed, with an index. Each
// file is marked as imported and says what its source lacks. Of cfg, To,
// Dir, Redact, MadeBy, OnlyAgents and Log count; Dir is made. The exchanges must
// be in the order in which they were sent. An error among them ends the import
// with it; what came before it is written.
func Import(cfg Config, exchanges iter.Seq2[logged.Exchange, error]) (Imported, error) {
	done := Imported{Lacks: map[string]int{}}
	var now atomic.Int64
	cfg.defaults()
	cfg.imported = true
	cfg.Now = func() time.Time { return time.Unix(0, now.Load()).UTC() }
	// A log tells all of a session in one go: nothing is closed before its end.
	const never = 100 * 365 * 24 * time.Hour
	cfg.CloseAfter, cfg.RotateAge = never, never
	m := newMetrics()
	r, err := prepareRecording(cfg, m)
	if err != nil {
		return done, err
	}
	var fault error
	last := unknownStart
	for x, err := range exchanges {
		if err != nil {
			fault = err
			break
		}
		at := x.At
		if at.IsZero() {
			at = last.Add(time.Millisecond)
		}
		last = at
		now.Store(max(now.Load(), at.Add(x.Took).UnixNano()))
		for _, what := range x.Lacks {
			done.Lacks[what]++
		}
		e := r.importOne(x, at)
		if e == nil {
			continue
		}
		done.Exchanges++
		if e.alias == "" {
			done.Loose++
		}
		if done.Exchanges%flushImported == 0 || r.budget.used.Load() > r.budget.limit {
			r.s.flush()
		}
	}
	r.s.rest(true)
	r.closer.stop(never)
	_ = r.lock.Close()
	entries, err := os.ReadDir(cfg.Dir)
	for _, e := range entries {
		if recorder.IsRecordingName(e.Name()) {
			done.Files++
		}
	}
	return done, errors.Join(fault, r.failed, err)
}

// importOne hands one exchange to the scribe, and says after it what its source
// lacks, unless its file has said so. It is nil when the exchange is not wanted.
func (r *recording) importOne(x logged.Exchange, at time.Time) *entry {
	c := &capture{rec: r, started: at}
	ask := item{kind: itemRequest, c: c, at: at, head: requestText(x), body: x.Request, total: int64(len(x.Request)), end: spec.EndWhole}
	told := item{
		kind: itemResponse, c: c, at: at.Add(x.Took), body: x.Answer, total: int64(len(x.Answer)),
		end: cmp.Or(x.End, spec.EndWhole), reason: x.Reason, assumed: x.Assumed(),
	}
	if x.End != spec.EndReset && x.End != spec.EndTimeout {
		told.head = responseText(x)
		_, rest := firstLine(told.head)
		f, err := parseFraming(rest)
		c.stream = err == nil && f.eventStream
	}
	for _, it := range []*item{&ask, &told} {
		r.budget.force(int64(len(it.body)))
		r.handle(it)
	}
	if c.entry != nil {
		r.s.lacks(c.entry.root, told.at, x.Lacks)
	}
	return c.entry
}

// lacks writes what a source lacks, once a file.
func (s *scribe) lacks(r *root, at time.Time, what []string) {
	what = slices.DeleteFunc(slices.Clone(what), func(w string) bool { return slices.Contains(r.lacked, w) })
	if len(what) == 0 {
		return
	}
	r.lacked = append(r.lacked, what...)
	s.write(r, at, "", &spec.GapEvent{Reason: "imported: the source lacks " + strings.Join(what, ", ")})
}

func requestText(x logged.Exchange) []byte {
	target := strings.ReplaceAll(cmp.Or(x.Target, "/"), " ", "%20")
	return headText(fmt.Sprintf("%s %s %s", cmp.Or(x.Method, "POST"), target, protoOf(x.Proto)), x.Headers)
}

func responseText(x logged.Exchange) []byte {
	headers := x.AnswerHeaders
	if headers == nil && looksStream(x.Answer) {
		// How an answer is read depends on its type; nobody kept it.
		headers = [][2]string{{"content-type", "text/event-stream"}}
	}
	return headText(fmt.Sprintf("HTTP/1.1 %d", x.Status), headers)
}

// looksStream reports whether a body begins like an event stream.
func looksStream(b []byte) bool {
	for _, begin := range []string{"event:", "data:", "id:", "retry:", ":"} {
		if bytes.HasPrefix(b, []byte(begin)) {
			return true
		}
	}
	return false
}

// protoOf is a version as a head spells it.
func protoOf(s string) string {
	if strings.ContainsAny(s, " \r\n") || s == "" {
		return "HTTP/1.1"
	}
	return s
}

// headText writes a head; what would end a line ends nothing.
func headText(first string, headers [][2]string) []byte {
	plain := strings.NewReplacer("\r", " ", "\n", " ")
	var b bytes.Buffer
	b.WriteString(plain.Replace(first) + "\r\n")
	for _, h := range headers {
		b.WriteString(plain.Replace(strings.ReplaceAll(h[0], ":", "")) + ": " + plain.Replace(h[1]) + "\r\n")
	}
	b.WriteString("\r\n")
	return b.Bytes()
}
