package simulator

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/spec"
)

// Endpoint is the part of an engine that an asynchronous worker calls: it
// settles calls and takes answers to decisions (I2, wire 11). It knows every
// session whose case was given it by [Settings], as long as that runs. Serve it
// at the root of an address that the worker can reach. It is safe for
// concurrent use, and several runs may share it.
type Endpoint struct {
	key [sha256.Size]byte
	// open says that there is a key at all: without one nobody may call.
	open bool
	// reading bounds how many bodies are read at once.
	reading chan struct{}

	mu       sync.Mutex
	sessions map[string]*receiver
}

// receiver takes what arrives for one session.
type receiver struct {
	take func(ctx context.Context, a arrival) (status int, text string)
}

// The bounds of what an endpoint reads.
const (
	// MaxSettleBytes bounds one body. Written as a JSON string, in which a byte
	// may take six, it still fits into one line of a recording.
	MaxSettleBytes = 5 << 20
	// maxReading is how many bodies are read at once.
	maxReading = 64
)

// NewEndpoint returns an endpoint whose callers present key as the bearer of
// their Authorization header. With an empty key every call is refused.
func NewEndpoint(key string) *Endpoint {
	return &Endpoint{
		key: sha256.Sum256([]byte(key)), open: key != "",
		reading: make(chan struct{}, maxReading), sessions: map[string]*receiver{},
	}
}

// The paths of an endpoint (wire 11).
const (
	submitPath   = "/api/machine/workers/submit"
	settlePrefix = "/api/machine/sessions/"
	settleSuffix = "/calls/settle"
	settlePath   = settlePrefix + "{session_id}" + settleSuffix
)

// arrival is one call of the endpoint, for the session that it is about.
type arrival struct {
	// body is what was sent, nil when it could not be read.
	body []byte
	// call and decision are those that the body names, "" for none.
	call, decision string
	// event is what the engine is to take; nil when it was refused before,
	// with status and text.
	event  engine.Event
	status int
	text   string
}

func (a *arrival) refuse(status int, text string) {
	if a.status == 0 {
		a.status, a.text, a.event = status, text, nil
	}
}

// ServeHTTP takes one call (wire 11). What it answers: 200 {"ok":true}, or a
// failure body {"ok":false,"error":TEXT} with 400 for a body that is no JSON or
// breaks a rule, 401 for a wrong key, 403 for an effect that the caller may not
// settle, 404 for an unknown session or effect, 409 for an effect that is not
// pending or is on another attempt, 422 for a body that is not what the endpoint
// takes; 405, 408 and 413 for what is no call at all. A call that names a
// session which runs is recorded there, also when it is refused.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	session, submit, known := route(r.URL)
	switch {
	case !known:
		answer(w, http.StatusNotFound, "no such endpoint: "+settlePath+" settles a call, "+submitPath+" answers a decision")
		return
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		answer(w, http.StatusMethodNotAllowed, "method not allowed: use POST")
		return
	}
	var a arrival
	body, status, text := e.read(w, r)
	if a.body = body; status != 0 {
		a.refuse(status, text)
	}
	if !e.allows(r) {
		a.refuse(http.StatusUnauthorized, "missing or wrong API key")
	}
	if submit {
		session = a.readSubmission()
	} else {
		a.readSettle()
	}
	to := e.receiver(session)
	if to == nil {
		a.refuse(http.StatusNotFound, sessionNotFound)
		answer(w, a.status, a.text)
		return
	}
	status, text = to.take(r.Context(), a)
	answer(w, status, text)
}

// sessionNotFound is the text for a session that does not run, noSubmission begins
// that for a body which submits nothing.
const (
	sessionNotFound = "session not found"
	noSubmission    = "the body is no answer to a decision"
)

// route says which call a path is. Ids are unescaped; a path is never cleaned,
// since a redirect would be no answer of an engine's.
func route(u *url.URL) (session string, submit, known bool) {
	path := u.EscapedPath()
	if path == submitPath {
		return "", true, true
	}
	id, begins := strings.CutPrefix(path, settlePrefix)
	id, ends := strings.CutSuffix(id, settleSuffix)
	session, err := url.PathUnescape(id)
	known = begins && ends && id != "" && !strings.Contains(id, "/") && err == nil
	return session, false, known
}

// allows compares the credential in constant time.
func (e *Endpoint) allows(r *http.Request) bool {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(key)))
	same := subtle.ConstantTimeCompare(sum[:], e.key[:]) == 1
	return same && e.open && strings.EqualFold(scheme, "Bearer")
}

// readSettle reads the body of the settle endpoint.
func (a *arrival) readSettle() {
	a.call = a.member("id")
	if a.status != 0 {
		return
	}
	if err := jsonv.Valid(a.body, jsonv.MaxDepth); err != nil {
		a.refuse(http.StatusBadRequest, "the body is not JSON: "+err.Error())
		return
	}
	action, fault := spec.ParseSettle(a.body)
	if fault != nil {
		a.refuse(http.StatusUnprocessableEntity, "the body settles nothing: "+fault.Error())
		return
	}
	a.event = engine.Settle{Action: action}
}

// readSubmission reads the body of the worker-submit endpoint and returns the
// session that it names.
func (a *arrival) readSubmission() (session string) {
	session, a.decision = a.member("session_id"), a.member("decision_id")
	if a.status != 0 {
		return session
	}
	if err := jsonv.Valid(a.body, jsonv.MaxDepth); err != nil {
		a.refuse(http.StatusBadRequest, "the body is not JSON: "+err.Error())
		return session
	}
	s, fault := spec.ParseSubmission(a.body)
	if fault != nil {
		a.refuse(http.StatusUnprocessableEntity, noSubmission+": "+fault.Error())
		return session
	}
	a.event = engine.Submit{Decision: s.DecisionID, Answer: s.Decision}
	return s.SessionID
}

// member is a text member of the body, "" when there is none.
func (a *arrival) member(name string) string {
	if a.body == nil || jsonv.Valid(a.body, jsonv.MaxDepth) != nil {
		return ""
	}
	v, _ := jsonv.Get(a.body, "/"+name)
	text, _ := jsonv.Text(v)
	return text
}

// add makes a session known under its id until remove is called. Of two runs
// with one seed at one time the later one gets what arrives.
func (e *Endpoint) add(session string, to *receiver) (remove func()) {
	if e == nil {
		return func() {}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sessions[session] = to
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.sessions[session] == to {
			delete(e.sessions, session)
		}
	}
}

func (e *Endpoint) receiver(session string) *receiver {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sessions[session]
}
