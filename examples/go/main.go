// Command go is a tool-call worker for a small public observatory, with nothing but the standard library.
//
//	go run . [PORT]      PORT=4444 go run .      WORKER_SECRET=… go run .
//
// An agent engine POSTs a decision request before each step of an agent's turn. "trigger" says what happened,
// "proposed" is what the engine would do next. This worker decides two things itself: which agent and tools a session
// has (session.start), and what a tool call answers (tool.execute). Everywhere else it returns "proposed".
package main

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"
)

const (
	maxBody    = 16 << 20
	remembered = 1000 // how many answers, and how many first attempts, are kept
)

// An object is a JSON object whose values are left as the bytes that came. A struct would lose what it has no field
// for, would take "NAME" for "name", and a float64 would round large integers.
type object = map[string]json.RawMessage

// A worker answers decision requests. It may be asked by many connections at once.
type worker struct {
	secret string
	tools  []tool

	mu            sync.Mutex // guards what follows; held while a tool runs, since these tools are quick
	answers       memory[json.RawMessage]
	firstAttempts memory[int]
}

var errBadRequest = errors.New("not a decision request")

// decide takes the bytes of a decision request and gives the bytes of the decision.
func (w *worker) decide(body []byte) ([]byte, error) {
	var request object
	if !utf8.Valid(body) || json.Unmarshal(body, &request) != nil {
		return nil, fmt.Errorf("%w: the body is no JSON object in UTF-8", errBadRequest)
	}
	var trigger, draft object
	if json.Unmarshal(request["trigger"], &trigger) != nil {
		return nil, fmt.Errorf("%w: the body has no trigger", errBadRequest)
	}
	kind, ok := text(trigger["type"])
	if !ok {
		return nil, fmt.Errorf("%w: trigger.type is not a string", errBadRequest)
	}
	proposed := request["proposed"]
	if proposed == nil || string(proposed) == "null" {
		proposed = json.RawMessage("{}")
	}
	if json.Unmarshal(proposed, &draft) != nil {
		return nil, fmt.Errorf("%w: proposed is not an object", errBadRequest)
	}

	var actions []json.RawMessage
	_ = json.Unmarshal(draft["actions"], &actions) // absent or null: none
	switch {
	case kind == "session.start":
		return w.startSession(draft)
	case kind == "tool.execute" && len(actions) == 0:
		return w.executeTool(request, trigger, draft)
	default:
		return proposed, nil // the very bytes that came in, so nothing in them can be damaged
	}
}

// startSession takes the agent that the engine proposes, or else brings its own, and adds the tools. A tool that the
// proposed agent declares already stays as it is: a name may be declared once only.
func (w *worker) startSession(draft object) ([]byte, error) {
	var agent object
	if err := json.Unmarshal(draft["agent"], &agent); err != nil || agent == nil {
		agent = object{
			"model":  quote("observatory-model"),
			"llm":    quote("main"),
			"system": quote("You help visitors of a small public observatory. Use the tools for every fact about the sky."),
		}
	}
	var tools []json.RawMessage
	if raw := agent["tools"]; raw != nil {
		if err := json.Unmarshal(raw, &tools); err != nil {
			return nil, fmt.Errorf("%w: agent.tools is not a list", errBadRequest)
		}
	}
	taken := map[string]bool{}
	for _, raw := range tools {
		var declared object
		_ = json.Unmarshal(raw, &declared)
		name, _ := text(declared["name"])
		taken[name] = true
	}
	for _, own := range w.tools {
		if !taken[own.name] {
			tools = append(tools, json.RawMessage(own.declaration))
		}
	}
	var err error
	if agent["tools"], err = json.Marshal(tools); err != nil {
		return nil, err
	}
	if draft["agent"], err = json.Marshal(agent); err != nil {
		return nil, err
	}
	return json.Marshal(draft)
}

// executeTool answers a call. An engine that heard no answer sends the decision again. The same decision must not act
// twice, and must read the same, so what a tool answered is kept. Only that: a returned "proposed" has to be the one of
// the newest delivery.
func (w *worker) executeTool(request, trigger, draft object) ([]byte, error) {
	key := fingerprint(request["session_id"], request["decision_id"],
		trigger["id"], trigger["name"], trigger["attempt"], trigger["arguments"])
	w.mu.Lock()
	defer w.mu.Unlock()
	action, ok := w.answers.get(key)
	if !ok {
		var err error
		if action, err = json.Marshal(w.settle(request, trigger)); err != nil {
			return nil, err
		}
		w.answers.put(key, action)
	}
	draft["actions"] = json.RawMessage("[" + string(action) + "]")
	return json.Marshal(draft)
}

// settle runs one call and always comes back with its one result or error.
func (w *worker) settle(request, trigger object) (action map[string]any) {
	name, _ := text(trigger["name"])
	action = map[string]any{}
	if _, ok := text(trigger["id"]); ok {
		action["id"] = trigger["id"]
	}
	refuse := func(no refusal) {
		action["type"], action["error"], action["retryable"] = "tool.error", no.text, no.retryable
		if no.code != "" {
			action["code"] = no.code
		}
	}
	defer func() {
		if fault := recover(); fault != nil {
			log.Printf("%s: %v", name, fault) // for us; the model is told no more than it can use
			refuse(refusal{text: name + " failed because of a fault in the worker; the arguments are not to blame"})
		}
	}()

	result, err := w.run(name, request, trigger)
	var no refusal
	switch {
	case err == nil:
		action["type"], action["result"] = "tool.result", result
	case errors.As(err, &no):
		refuse(no)
	default:
		panic(err)
	}
	return action
}

func (w *worker) run(name string, request, trigger object) (toolResult, error) {
	var names []string
	for _, t := range w.tools {
		if names = append(names, t.name); t.name != name {
			continue
		}
		// The value was parsed and checked by the engine; "arguments" is raw text.
		var input, value object
		_ = json.Unmarshal(trigger["input"], &input)
		status, _ := text(input["status"])
		if status != "valid" || json.Unmarshal(input["value"], &value) != nil || value == nil {
			why, _ := text(input["error"])
			if why != "" {
				why = " (" + short(why, 300) + ")"
			}
			return toolResult{}, refusal{text: name + " was not run, its arguments are not usable" + why +
				"; send one JSON object that fits its input schema"}
		}
		attempt, _ := strconv.Atoi(string(trigger["attempt"]))
		return t.run(value, &call{w, fingerprint(request["session_id"], request["turn_id"], trigger["id"]), attempt})
	}
	return toolResult{}, refusal{text: fmt.Sprintf(`no tool named "%s"; the tools are %s`, short(name, 40), strings.Join(names, ", "))}
}

// A call is what a tool may know about the call besides its arguments.
type call struct {
	worker  *worker
	key     string
	attempt int
}

// attemptsSoFar counts from the first attempt seen: whether that is numbered 0 or 1 is up to the engine.
func (c *call) attemptsSoFar() int {
	first, ok := c.worker.firstAttempts.get(c.key)
	if !ok || c.attempt < first {
		first = c.attempt
		c.worker.firstAttempts.put(c.key, first)
	}
	return c.attempt - first + 1
}

// forgetAttempts is for a call that is over.
func (c *call) forgetAttempts() { c.worker.firstAttempts.remove(c.key) }

// A memory keeps the newest entries and forgets the oldest.
type memory[V any] struct {
	values map[string]V
	order  []string
}

func (m *memory[V]) get(key string) (V, bool) {
	value, ok := m.values[key]
	return value, ok
}

func (m *memory[V]) put(key string, value V) {
	if m.values == nil {
		m.values = map[string]V{}
	}
	if _, known := m.values[key]; !known {
		m.order = append(m.order, key)
	}
	m.values[key] = value
	if len(m.order) > remembered {
		m.remove(m.order[0])
	}
}

func (m *memory[V]) remove(key string) {
	delete(m.values, key)
	m.order = slices.DeleteFunc(m.order, func(other string) bool { return other == key })
}

// fingerprint is a short stand-in for values that can be long.
func fingerprint(values ...json.RawMessage) string {
	whole, _ := json.Marshal(values)
	sum := sha256.Sum256(whole)
	return hex.EncodeToString(sum[:])
}

// text reads a JSON string; anything else, null included, is no text.
func text(raw json.RawMessage) (string, bool) {
	var s *string
	if json.Unmarshal(raw, &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

func quote(s string) json.RawMessage {
	raw, _ := json.Marshal(s)
	return raw
}

// short cuts a text that came from outside.
func short(s string, length int) string {
	if runes := []rune(s); len(runes) > length {
		return string(runes[:length])
	}
	return s
}

// ServeHTTP answers 200 to every decision request that it understands, a failing tool included: to an engine, any other
// status is a failed delivery, and most of them end the turn.
func (w *worker) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	status, body := w.handle(response, request)
	response.Header().Set("Content-Type", "application/json")
	response.Header().Set("Content-Length", strconv.Itoa(len(body)))
	response.WriteHeader(status)
	_, _ = response.Write(body) // fails only when the client has gone away
}

func (w *worker) handle(response http.ResponseWriter, request *http.Request) (int, []byte) {
	fault := func(status int, words string) (int, []byte) {
		body, _ := json.Marshal(map[string]string{"error": words})
		return status, body
	}
	if request.URL.Path != "/" {
		return fault(http.StatusNotFound, "decision requests go to /")
	}
	if request.Method != http.MethodPost {
		response.Header().Set("Allow", http.MethodPost)
		return fault(http.StatusMethodNotAllowed, "decision requests are sent by POST")
	}
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBody))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return fault(http.StatusRequestEntityTooLarge, "the body is larger than 16 MB")
	}
	if err != nil {
		return fault(http.StatusBadRequest, "the body ended early")
	}
	if w.secret != "" {
		mac := hmac.New(sha256.New, []byte(w.secret))
		mac.Write(body)
		want := "sha256=" + hex.EncodeToString(mac.Sum(nil))
		if !hmac.Equal([]byte(want), []byte(request.Header.Get("X-Substructure-Signature"))) {
			return fault(http.StatusUnauthorized, "the signature does not fit the body")
		}
	}
	decision, err := w.decide(body)
	switch {
	case errors.Is(err, errBadRequest):
		return fault(http.StatusBadRequest, err.Error())
	case err != nil:
		log.Print(err)
		return fault(http.StatusInternalServerError, "fault in the worker")
	}
	return http.StatusOK, decision
}

func main() {
	port := os.Getenv("PORT")
	if port == "" && len(os.Args) > 1 {
		port = os.Args[1]
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+cmp.Or(port, "4444"))
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{
		Handler:           &worker{secret: os.Getenv("WORKER_SECRET"), tools: observatory()},
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       75 * time.Second, // an engine keeps its connections for a while
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Fatal(err)
		}
	}()
	fmt.Printf("listening on http://%s\n", listener.Addr())

	<-ctx.Done()
	patience, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = server.Shutdown(patience) // connections still busy after that are cut
}
