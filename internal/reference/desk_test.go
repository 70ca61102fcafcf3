package reference_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/spec"
)

// deskKey is the API key of the tape's settle endpoint.
const deskKey = "studio-key"

// engine is the tape as the engine that the worker settles at: it keeps which
// attempt of which call is open, and records what comes.
func (p *tape) engine() reference.Engine {
	return reference.Engine{URL: "http://engine.example", Key: deskKey, Client: &http.Client{Transport: p}}
}

// openAt says which attempt of a call is open from now on; none for -1.
func (p *tape) openAt(session, call string, attempt int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.attempts == nil {
		p.attempts = map[[2]string]int{}
	}
	p.attempts[[2]string{session, call}] = attempt
}

// RoundTrip takes a settle, and answers as the endpoint does (F4, wire 11).
func (p *tape) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	event := &spec.InputEvent{From: "worker", Body: spec.BodyOf(body)}
	session := ""
	if strings.HasSuffix(r.URL.Path, "/workers/submit") {
		session, event.Decision, event.Status = p.takesAnswer(body)
	} else {
		session = strings.Split(r.URL.Path, "/")[4]
		event.Status, event.Reply = p.takes(session, r.Header.Get("Authorization"), body)
	}
	p.lines++
	p.judge.Add(spec.Event{N: p.lines, Session: session, Data: event})
	status := event.Status
	return &http.Response{StatusCode: status, Body: io.NopCloser(bytes.NewReader(nil)), Request: r}, nil
}

// takesAnswer takes a submitted answer, which settles the call that is open.
func (p *tape) takesAnswer(body []byte) (session, decision string, status int) {
	s, fault := spec.ParseSubmission(body)
	if fault != nil {
		for _, at := range []struct {
			name string
			to   *string
		}{{"/session_id", &session}, {"/decision_id", &decision}} {
			v, _ := jsonv.Get(body, at.name)
			*at.to, _ = jsonv.Text(v)
		}
		return session, decision, 422
	}
	if spec.ResolveSubmission(s.Decision) != nil {
		return s.SessionID, s.DecisionID, 400
	}
	return s.SessionID, s.DecisionID, 200
}

func (p *tape) takes(session, authorization string, body []byte) (status int, text string) {
	member := func(name string) (jsontext.Value, bool) { return jsonv.Get(body, "/"+name) }
	kind, _ := member("type")
	id, _ := member("id")
	call, _ := jsonv.Text(id)
	key := [2]string{session, call}
	attempt, known := p.attempts[key]
	named, says := member("attempt")
	_, retryable := member("retryable")
	switch {
	case authorization != "Bearer "+deskKey:
		return 401, "unauthorized"
	case string(kind) == `"tool.error"` && !retryable:
		return 422, "tool.error must state error and retryable"
	case string(kind) != `"tool.error"` && string(kind) != `"tool.result"`:
		return 422, "not a settle"
	case !known:
		return 404, "effect not found"
	case attempt < 0:
		return 409, "effect is not pending"
	case says && string(named) != fmt.Sprint(attempt):
		return 409, "effect attempt mismatch"
	}
	p.attempts[key] = -1
	return 200, ""
}

// attempt delivers one attempt of a call.
func (p *tape) attempt(t *talk, c toolCall, n int) spec.Answer {
	p.openAt(t.session, c.id, n)
	r := t.executing(c, valid(c.arguments), false)
	asked := r.Trigger.(spec.ToolExecuteTrigger)
	asked.Attempt = uint32(n)
	r.Trigger = asked
	return t.send(r)
}

// playLater goes through what only calls that are let go bring about: an attempt
// that is given up while the work goes on, and two sessions that wait at once.
func (p *tape) playLater() {
	fire := toolCall{"c1", "fire_kiln", `{"kiln":"east","cone":"6"}`}
	t := p.talk("tried-again")
	t.says("Fire it.")
	t.replies("", fire)
	p.attempt(t, fire, 0)
	a := p.attempt(t, fire, 1)
	t.finishes(fire, 0, p.ended(t, fire, a))

	t = p.talk("both")
	first, second := toolCall{"c1", fire.tool, fire.arguments}, toolCall{"c2", "mix_glaze", `{"glaze":"celadon","grams":3000}`}
	t.says("Fire it, and mix some.")
	t.replies("", first, second)
	t.open = []spec.Call{open(second)}
	p.attempt(t, first, 0)
	t.open = []spec.Call{open(first)}
	p.attempt(t, second, 0)
	t.open = nil
	time.Sleep(time.Second) // of the bubble's time
	t.finishes(first, 1, p.outcomeOf(t, first))
	t.finishes(second, 0, p.outcomeOf(t, second))

	mine, theirs := p.talk("mine"), p.talk("theirs")
	for _, t := range []*talk{mine, theirs} {
		t.says("Fire it.")
		t.replies("", toolCall{t.session, fire.tool, fire.arguments})
	}
	first, second = toolCall{"mine", fire.tool, fire.arguments}, toolCall{"theirs", fire.tool, fire.arguments}
	p.attempt(mine, first, 0)
	p.attempt(theirs, second, 0)
	time.Sleep(time.Second) // of the bubble's time
	mine.finishes(first, 0, p.outcomeOf(mine, first))
	theirs.finishes(second, 0, p.outcomeOf(theirs, second))
}

// ended waits for the end of a call that was answered, and says how it ended.
func (p *tape) ended(t *talk, c toolCall, a spec.Answer) *spec.ErrorInfo {
	if d, failure := spec.ReadAnswer(a, false); failure != nil || len(d.Actions) > 0 {
		return nil
	}
	time.Sleep(time.Second) // of the bubble's time
	return p.outcomeOf(t, c)
}

// outcomeOf is how a call ends that was let go: well if it was settled, else at
// its deadline.
func (p *tape) outcomeOf(t *talk, c toolCall) *spec.ErrorInfo {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.attempts[[2]string{t.session, c.id}] < 0 {
		return nil
	}
	return &spec.ErrorInfo{Message: "deadline exceeded", Code: spec.CodeDeadlineExceeded}
}
