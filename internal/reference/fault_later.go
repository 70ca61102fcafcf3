package reference

import (
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// laterDefects break what becomes of a call that was let go (I1 to I5, F4,
// F12, H10).
func laterDefects() []defect {
	return slices.Concat(settleDefects(), lateResultDefects(), submitDefects())
}

func settleDefects() []defect {
	const (
		once    = "async.settles-once"
		through = "async.settles-through-endpoint"
		call    = "async.settles-the-asked-call"
	)
	return []defect{
		{
			// One that lost all its work would let every case wait for it.
			Fault:  laterFault("forgets-its-work", "Keeps the work of a session in one variable, so that a mixing makes it forget a firing.", "execute.settles"),
			ending: func(j *job) bool { return j.beside && j.tool == firing },
			settle: func(*worker, *job) []sending { return nil },
		},
		spoilt("settles-later-twice", "Settles a call that it let go two times.", once,
			func(w *worker, j *job) []sending { return []sending{w.settle(j), w.settle(j)} }),
		{
			Fault:  laterFault("settles-now-and-later", "Answers with the result of a call, and settles it at the engine as well.", once),
			at:     lettingGo,
			answer: func(x *exchange) []byte { return answering(x.asked, x.jobAsked().action) },
		},
		{
			Fault:  laterFault("starts-again", "Begins the work of a call anew when its decision comes again.", once),
			at:     lettingGoAgain,
			answer: (*exchange).startAgain,
		},
		spoilt("settles-later-under-a-made-up-id", "Settles a call that it let go under an id of its own, and only then under the right one.", call,
			func(w *worker, j *job) []sending { return w.settling(j, "id", `"job_1"`, w.afterAll(j)) }),
		{
			Fault: Fault{
				Name: "mixes-sessions-up", Text: "Settles a call at the session of another that it works for at the same time.",
				Breaks: []string{"sessions.do-not-share"}, Company: true, Later: true,
			},
			ending: ending(firing),
			settle: (*worker).mixUp,
		},
		spoilt("settles-later-the-wrong-attempt", "Settles a call that it let go as an attempt that nobody asked for, and only then as the right one.", "async.settles-the-asked-attempt",
			func(w *worker, j *job) []sending {
				asked, _ := jsonv.Get(j.action, "/attempt")
				return w.settling(j, "attempt", strconv.FormatUint(whole(asked, 0)+7, 10), w.afterAll(j))
			}),
		spoilt("leaves-the-attempt-out", "Does not say which attempt of a call its settle is of.", "async.names-the-attempt",
			func(w *worker, j *job) []sending { return w.settling(j, "attempt", "") }),
		spoilt("has-a-wrong-key", "Settles with an API key that the engine does not know, and only then with the right one.", through,
			func(w *worker, j *job) []sending {
				s := w.settle(j)
				s.key = "another key"
				return []sending{s, w.afterAll(j)}
			}),
		spoilt("does-not-say-retryable", "Settles with an error that does not say whether it may be tried again, and only then as it should.", through,
			func(w *worker, j *job) []sending {
				s := w.settle(j)
				s.body = with(with(with(s.body, "type", jsontext.Value(`"tool.error"`)), "result", nil), "retryable", nil)
				s.body = with(s.body, "error", jsontext.Value(`"the kiln went out"`))
				return []sending{s, w.afterAll(j)}
			}),
		spoilt("sends-a-decision-to-the-settle-endpoint", "Settles with a whole decision in place of the settle, and only then as it should.", through,
			func(w *worker, j *job) []sending {
				s := w.settle(j)
				s.body = with(jsontext.Value("{}"), "actions", array(s.body))
				return []sending{s, w.afterAll(j)}
			}),
		spoilt("takes-no-refusal", "Sends a settle again and again that the engine refuses.", "async.gives-up-when-refused",
			func(w *worker, j *job) []sending {
				s := w.settle(j)
				s.stubborn = true
				return []sending{s}
			}),
	}
}

// lateResultDefects break what a settle holds, which is judged as in an answer.
func lateResultDefects() []defect {
	sends := func(name, text, breaks, tool, result string) defect {
		d := spoilt(name, text, breaks, func(w *worker, j *job) []sending { return w.settling(j, "result", result) })
		d.ending = ending(tool)
		return d
	}
	return []defect{
		sends("bare-result-later", "Settles a call that it let go with what the tool returned as it is.", "result.is-explicit",
			firing, `{"cone":"6"}`),
		sends("envelope-in-text-later", "Settles with a whole result in a text block.", "result.no-nested-envelope",
			firing, `{"content":[{"type":"text","text":"{\"content\":[{\"type\":\"text\",\"text\":\"fired\"}]}"}]}`),
		sends("unknown-block-later", "Settles with a block of a kind that does not exist.", "result.blocks-are-valid",
			firing, `{"content":[{"type":"text","text":"Fired."},{"type":"video","data":"AAAA","mimeType":"video/mp4"}]}`),
		sends("breaks-output-later", "Settles with a structured value that the output schema refuses.", "output.matches-schema",
			mixing, `{"content":[{"type":"text","text":"two buckets"}],"structuredContent":{"glaze":"celadon","grams":3000,"buckets":"two"}}`),
		sends("flagged-against-output-later", "Settles with a flagged result that the output schema refuses.", "output.failure-keeps-its-reason",
			mixing, `{"content":[{"type":"text","text":"the sieve broke"}],"isError":true}`),
		spoilt("blank-error-later", "Settles with an error of white space.", "result.error-has-text",
			func(w *worker, j *job) []sending {
				s := w.settle(j)
				s.body = with(with(with(s.body, "type", jsontext.Value(`"tool.error"`)), "result", nil), "retryable", jsontext.Value("false"))
				s.body = with(s.body, "error", jsontext.Value(`" "`))
				return []sending{s}
			}),
	}
}

func laterFault(name, text, breaks string) Fault {
	f := named(name, text, breaks)
	f.Later = true
	return f
}

// spoilt is a fault in the settle of a firing.
func spoilt(name, text, breaks string, settle func(*worker, *job) []sending) defect {
	return defect{Fault: laterFault(name, text, breaks), ending: ending(firing), settle: settle}
}

func ending(tool string) func(*job) bool {
	return func(j *job) bool { return j.tool == tool }
}

// afterAll is the right settle, sent once another was refused: so no run waits
// for a call that stays open.
func (w *worker) afterAll(j *job) sending {
	s := w.settle(j)
	s.retry = true
	return s
}

// settling is the right settle but for one member, and what is sent after it; an
// empty value leaves the member out.
func (w *worker) settling(j *job, name, value string, after ...sending) []sending {
	s := w.settle(j)
	var v jsontext.Value
	if value != "" {
		v = jsontext.Value(value)
	}
	s.body = with(s.body, name, v)
	return append([]sending{s}, after...)
}

// lettingGo picks firings that are let go, lettingGoAgain their later deliveries.
func lettingGo(x *exchange) bool {
	return running(firing)(x) && x.worker.endsLater(x.asked)
}

func lettingGoAgain(x *exchange) bool {
	return x.delivery > 1 && lettingGo(x)
}

// jobAsked is the job of the asked call, which has begun.
func (x *exchange) jobAsked() *job {
	return x.worker.jobs.once(keyOf(x.asked), func() *job { return &job{} })
}

// startAgain begins the work once more and lets the call go as before.
func (x *exchange) startAgain() []byte {
	first := x.jobAsked()
	x.worker.begin(&job{session: first.session, tool: first.tool, number: x.number, action: first.action})
	return x.answer
}

// holding keeps the jobs that have not ended, for the fault that mixes their
// sessions up.
type holding struct {
	mu   sync.Mutex
	jobs []*job
}

func (h *holding) add(j *job) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.jobs = append(h.jobs, j)
}

func (h *holding) remove(j *job) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.jobs = slices.DeleteFunc(h.jobs, func(k *job) bool { return k == j })
}

// beside is the session of another job that began within a few requests, so
// that it cannot be one that nobody waits for any more; "" for none.
func (h *holding) beside(j *job) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, k := range h.jobs {
		if k.session != j.session && max(k.number, j.number)-min(k.number, j.number) < 4 {
			return k.session
		}
	}
	return ""
}

// mixUp waits a little for another session to have work, and settles there.
func (w *worker) mixUp(j *job) []sending {
	s := w.settle(j)
	for range 20 {
		if other := w.holding.beside(j); other != "" {
			s.session = other
			return []sending{s, w.afterAll(j)}
		}
		time.Sleep(rest)
	}
	return []sending{s}
}
