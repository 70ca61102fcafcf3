package reference

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/suggest"
	"github.com/hallmarkdev/hallmark/spec"
)

// decide returns the right answer. Two things are the worker's own: which
// tools a session has, and what a call of one answers. Everything else is the
// engine's proposal, byte for byte, triggers of a later protocol included
// (D14).
func (w *worker) decide(a *asked) []byte {
	switch a.kind {
	case spec.OnSessionStart:
		return w.start(a)
	case spec.OnToolExecute:
		// A proposal that holds an action is the engine's refusal of a name
		// or of arguments (E9). It says what to change, so it is taken. It is
		// not remembered: a redelivery brings a new one (D5).
		if len(a.actions()) == 0 {
			if question, ok := w.asksFirst(a); ok {
				return answering(a, question)
			}
			if w.endsLater(a) {
				return w.letGo(a)
			}
			return w.execute(a)
		}
	case spec.OnInterruptResumed:
		if answer, ok := w.resumed(a); ok {
			return answer
		}
	}
	return a.proposed
}

// start answers session.start in both forms (A3): the config that the engine
// proposes, or one of the worker's own, with the studio's tools added. A tool
// that the proposed config declares keeps its own declaration.
func (w *worker) start(a *asked) []byte {
	if id, _ := textAt(a.body, "/agent_id"); id == glazier {
		return w.startsGlazier(a)
	}
	return w.startsStudio(a)
}

// startsStudio is the answer of the studio's own agent.
func (w *worker) startsStudio(a *asked) []byte {
	agent, ok := jsonv.Get(a.proposed, "/agent")
	if !ok || jsonv.Kind(agent) != '{' {
		agent = jsontext.Value(`{"model":"studio","llm":"main","system":"You help the members of a small pottery studio. Look glazes and kilns up with the tools; never guess a temperature."}`)
	}
	declared, _ := jsonv.Get(agent, "/tools")
	tools, _ := jsonv.Elements(declared)
	taken := map[string]bool{}
	for _, t := range tools {
		name, _ := textAt(t, "/name")
		taken[name] = true
	}
	for _, t := range w.tools {
		if !taken[t.Name] {
			tools = append(tools, encode(t.AgentTool))
		}
	}
	return with(a.proposed, "agent", withSubagents(with(agent, "tools", array(tools...))))
}

// execute answers a call that the engine proposes nothing for. What is
// remembered is the answer of the tool to this very decision and call: equal
// arguments under another id are another call (field report 085).
func (w *worker) execute(a *asked) []byte {
	action := w.answers.once(keyOf(a), func() []byte { return settling(a, encode(w.run(a))) })
	answer := answering(a, action)
	if kind, _ := textAt(action, "/type"); a.text("name") == countedTool && kind == string(spec.DoToolResult) {
		w.remembers(a).Add(1)
		if state, ok := countLookup(a); ok {
			answer = with(answer, "state", state)
		}
	}
	return answer
}

// keyOf is what makes a delivery one of the same call.
func keyOf(a *asked) [32]byte {
	attempt, _ := jsonv.Get(a.trigger, "/attempt")
	return fingerprint(a.session, a.decision, a.text("id"), string(attempt), a.text("name"), a.text("arguments"))
}

// answering is a decision with these actions, the empty one where there are
// none.
func answering(a *asked, actions ...jsontext.Value) jsontext.Value {
	answer := jsontext.Value("{}")
	if len(actions) > 0 {
		answer = with(answer, "actions", array(actions...))
	}
	// In a session that a channel opened, the proposal carries presentation
	// beside nothing else; it is the engine's and goes back (wire 3).
	if channels, ok := jsonv.Get(a.proposed, "/channels"); ok && jsonv.Kind(channels) == '{' {
		answer = with(answer, "channels", channels)
	}
	return answer
}

// settling names the call and the attempt that an action settles, as spelled
// in the trigger: both are opaque (F1, gap 1).
func settling(a *asked, action jsontext.Value) jsontext.Value {
	if id, ok := jsonv.Get(a.trigger, "/id"); ok && jsonv.Kind(id) == '"' {
		action = with(action, "id", id)
	}
	if attempt, ok := jsonv.Get(a.trigger, "/attempt"); ok && jsonv.Kind(attempt) == '0' {
		action = with(action, "attempt", attempt)
	}
	return action
}

// run runs the tool of a call, or says why not.
func (w *worker) run(a *asked) spec.Action {
	name := a.text("name")
	t, ok := find(w.tools, name)
	if !ok {
		return refusal(w.unknown(name))
	}
	input, ok := jsonv.Get(a.trigger, "/input/value")
	if a.status() != spec.InputValid || !ok || jsonv.Kind(input) != '{' {
		return refusal(t.Name + " was not run: send its arguments as one JSON object that fits its schema")
	}
	if w.options.Ran != nil {
		w.options.Ran(Run{Session: a.session, Call: a.text("id"), Tool: name, Arguments: a.text("arguments")})
	}
	return t.run(&call{input: input, tries: w.tries(a)})
}

// unknown is the text for a name that nobody declared: short, with the nearest
// name and no catalogue (field reports 043, 044, 046).
func (w *worker) unknown(name string) string {
	var known []string
	for _, t := range w.tools {
		known = append(known, t.Name)
	}
	text := "there is no tool " + quoted(name) + " in this studio"
	if near, ok := suggest.Nearest(name, known); ok {
		text += "; did you mean " + near + "?"
	}
	return text
}

// tries is how often this call was tried before, whatever the engine counts
// from (gap 1).
func (w *worker) tries(a *asked) uint64 {
	raw, _ := jsonv.Get(a.trigger, "/attempt")
	attempt := whole(raw, 0)
	first := w.first.once(fingerprint(a.session, a.text("id"), a.text("name"), a.text("arguments")), func() uint64 { return attempt })
	if attempt < first {
		return 0
	}
	return attempt - first
}

// fingerprint is the key of a memory. Lengths stand before the parts, so that
// no two lists of parts read the same.
func fingerprint(parts ...string) [32]byte {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		_, _ = h.Write(n[:])
		_, _ = h.Write([]byte(p))
	}
	return [32]byte(h.Sum(nil))
}
