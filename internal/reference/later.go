package reference

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// Engine is where a worker settles the calls that it has let go (I2). With the
// zero value it lets none go: every tool then answers at once.
type Engine struct {
	// URL is the engine's base address; Key is the API key that it takes.
	URL, Key string
	// Client sends the settles; nil means one that gives up after ten seconds.
	Client *http.Client
}

// The pauses of the studio. They are what keeps its work in order, and no more:
// nothing that it says depends on them.
const (
	// rest is how long a session has been quiet when a piece of its work ends.
	rest = 2 * time.Millisecond
	// patience is how long the next piece waits for the answer to the settle
	// before it. An engine may hold that one back until it has the other.
	patience = 30 * time.Millisecond
)

// job is one call that was let go: its work, which ends with its settle.
type job struct {
	// asked is the key of what asked for it, as the journal has it.
	asked         string
	session, tool string
	// number is that of the request at which it began.
	number int64
	// action settles the call.
	action jsontext.Value
	// refused says that the engine did not take the settle.
	refused atomic.Bool
	// beside says that a call of another tool that takes time was open when it
	// began.
	beside bool
}

// bench holds the jobs of one session that have not ended. They end one by one
// in the order in which they began, each while the session is quiet: so equal
// sessions go in the same order, though the work runs side by side.
type bench struct {
	mu   sync.Mutex
	jobs []*job
	// asked counts the requests that are being answered.
	asked int
	// due ends the next job; nil while nothing is to come.
	due *time.Timer
	end func(*job)
}

// enter and leave stand around a request of the session.
func (b *bench) enter() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	b.stop()
}

func (b *bench) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked--
	b.wait(rest)
}

func (b *bench) add(j *job) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.jobs = append(b.jobs, j)
}

func (b *bench) stop() {
	if b.due != nil {
		b.due.Stop()
		b.due = nil
	}
}

// wait lets the next job end after a pause, unless a request comes before.
func (b *bench) wait(pause time.Duration) {
	if b.stop(); b.asked > 0 || len(b.jobs) == 0 {
		return
	}
	b.due = time.AfterFunc(pause, b.next)
}

func (b *bench) next() {
	b.mu.Lock()
	if b.asked > 0 || len(b.jobs) == 0 {
		b.mu.Unlock()
		return
	}
	j := b.jobs[0]
	b.jobs = b.jobs[1:]
	b.wait(patience)
	b.mu.Unlock()
	b.end(j)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wait(rest)
}

// bench is that of a session.
func (w *worker) bench(session string) *bench {
	return w.benches.once(fingerprint(session), func() *bench { return &bench{end: w.end} })
}

// endsLater reports whether a call is let go: its tool takes time, it can run,
// and there is an engine to tell.
func (w *worker) endsLater(a *asked) bool {
	t, ok := find(w.tools, a.text("name"))
	return ok && t.later && w.options.Engine.URL != "" && a.status() == spec.InputValid && a.decision != ""
}

// letGo answers with the empty decision (I1) and begins the work, once however
// often the decision comes (D5). Where the engine did not take the settle, a
// later delivery gets the answer at once.
func (w *worker) letGo(a *asked) jsontext.Value {
	j := w.jobs.once(keyOf(a), func() *job {
		key := keyOf(a)
		j := &job{asked: hex.EncodeToString(key[:]), session: a.session, tool: a.text("name"), number: w.requests.Load(), action: settling(a, encode(w.run(a))), beside: w.isBeside(a)}
		w.begin(j)
		return j
	})
	if j.refused.Load() {
		return answering(a, j.action)
	}
	return answering(a)
}

// isBeside reports whether the request lists a call of another tool that takes
// time.
func (w *worker) isBeside(a *asked) bool {
	return slices.ContainsFunc(a.list("/calls"), func(call jsontext.Value) bool {
		name, _ := textAt(call, "/name")
		t, ok := find(w.tools, name)
		return ok && t.later && name != a.text("name")
	})
}

// begin begins the work of a call. It is written down before the call is let
// go, so that it is not lost whenever the worker goes down.
func (w *worker) begin(j *job) {
	w.options.Journal.begin(entry{Asked: j.asked, Session: j.session, Tool: j.tool, Action: j.action})
	w.goOn(j)
}

func (w *worker) goOn(j *job) {
	w.holding.add(j)
	w.bench(j.session).add(j)
}

// resume goes on with the work that an earlier worker with the same journal had
// under way when it went down.
func (w *worker) resume() {
	for _, e := range w.options.Journal.entries() {
		key, err := hex.DecodeString(e.Asked)
		if err != nil || len(key) != sha256.Size || w.loses(e) {
			w.options.Journal.end(e.Asked)
			continue
		}
		b := w.bench(e.Session)
		b.enter()
		w.goOn(w.jobs.once([sha256.Size]byte(key), func() *job {
			return &job{asked: e.Asked, session: e.Session, tool: e.Tool, action: e.Action}
		}))
		b.leave()
	}
}

func (w *worker) loses(e entry) bool {
	return slices.ContainsFunc(w.defects, func(d defect) bool { return d.loses != nil && d.loses(e) })
}

// end sends the settle of a job.
func (w *worker) end(j *job) {
	defer w.holding.remove(j)
	if w.life.Err() != nil {
		return
	}
	sends := []sending{w.settle(j)}
	for _, d := range w.defects {
		if d.settle != nil && d.ending(j) {
			sends = d.settle(w, j)
			break
		}
	}
	taken := true
	for _, s := range sends {
		if s.retry == taken {
			continue
		}
		taken = w.send(s)
	}
	j.refused.Store(!taken)
	if w.life.Err() == nil {
		w.options.Journal.end(j.asked)
	}
}

// settle is the right settle of a job.
func (w *worker) settle(j *job) sending {
	body := j.action
	if kind, _ := textAt(body, "/type"); kind == string(spec.DoToolError) {
		// Outside a decision the engine does not fill it in (wire 11).
		if _, said := jsonv.Get(body, "/retryable"); !said {
			body = with(body, "retryable", jsontext.Value("false"))
		}
	}
	return sending{session: j.session, key: w.options.Engine.Key, body: body}
}

// sending is one settle on its way to the engine.
type sending struct {
	session, key string
	body         jsontext.Value
	// stubborn says that a refusal is not taken for an answer, retry that it is
	// sent only where the one before was refused; all others only where not.
	stubborn, retry bool
}

// tries is how often a settle is sent that gets no answer, or one that says
// that the engine is in trouble.
const tries = 3

// send sends a settle and reports whether the engine took it. What it refuses is
// not sent again: the call has ended, or was never ours.
func (w *worker) send(s sending) bool {
	for n := range tries {
		status := w.post(s)
		switch {
		case status/100 == 2:
			return true
		case status/100 == 4 && !s.stubborn, w.life.Err() != nil:
			return false
		}
		if n+1 < tries && !s.stubborn {
			time.Sleep(patience)
		}
	}
	return false
}

// post sends a settle once; 0 is the status of no answer.
func (w *worker) post(s sending) int {
	return w.postTo("/api/machine/sessions/"+url.PathEscape(s.session)+"/calls/settle", s.key, s.body)
}

// postTo sends a body to a path of the engine.
func (w *worker) postTo(path, key string, body []byte) int {
	e := w.options.Engine
	r, err := http.NewRequestWithContext(w.life, http.MethodPost, strings.TrimSuffix(e.URL, "/")+path, bytes.NewReader(body))
	if err != nil {
		return 0
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+key)
	answer, err := e.Client.Do(r)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<20))
	return answer.StatusCode
}
