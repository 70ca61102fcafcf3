package judge_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/judge"
)

// tape builds the events of a recording.
type tape struct {
	events []spec.Event
	d      int
	agent  string
	// sign is how requests are signed, one of [spec.SignatureKinds]; "" where
	// the run has no secret. ahead marks them as copies.
	sign  string
	ahead bool
	// adds is what requests hold beyond the protocol.
	adds string
}

// allEvidence is that of a recording of our own.
var allEvidence = []spec.Evidence{spec.EvidenceExchange, spec.EvidenceSession, spec.EvidenceEngine, spec.EvidenceProvoked}

func newTape() *tape {
	return newTapeWith(&spec.HeaderEvent{Source: spec.SourceTest, Evidence: allEvidence})
}

func newTapeWith(h *spec.HeaderEvent) *tape {
	t := &tape{agent: `{"model":"m","llm":"main","tools":[{"name":"get_weather","input":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]}`}
	if h != nil {
		t.add("", h)
	}
	return t
}

// declares says in the header what the worker does with bad arguments.
func (t *tape) declares(policies map[string]string) *tape {
	t.events[0].Data.(*spec.HeaderEvent).Worker.BadArguments = policies
	return t
}

// signed says in the header that the run signs, and from now on how.
func (t *tape) signed(kind string) *tape {
	scheme := "hmac-sha256"
	t.events[0].Data.(*spec.HeaderEvent).Signing = &scheme
	t.sign = kind
	return t
}

func (t *tape) add(session string, d spec.EventData) *tape {
	t.events = append(t.events, spec.Event{N: int64(len(t.events) + 1), Session: session, Data: d})
	return t
}

// member is one member of a request, as JSON text.
type member struct{ name, value string }

// ask adds a request; more replaces members of the usual one.
func (t *tape) ask(session, trigger, given string) string {
	t.d++
	d := fmt.Sprintf("d%d", t.d)
	kind, _ := jsonv.Get(jsontext.Value(trigger), "/type")
	name, _ := jsonv.Text(kind)
	agent := t.agent
	if spec.TriggerType(name) == spec.OnSessionStart {
		agent = "null"
	}
	members := []member{
		{"session_id", `"s-` + session + `"`}, {"decision_id", `"` + d + `"`}, {"agent_id", `"agent"`},
		{"identity", `{"visibility":"shared","metadata":{}}`}, {"trigger", trigger},
		{"proposed", `{"messages":[],"actions":[],"state":null}`}, {"state", "null"}, {"agent", agent},
		{"calls", "[]"}, {"pending_calls", "0"}, {"messages", "[]"}, {"message_tree", `{"nodes":[]}`},
		{"ancestry", "[]"}, {"attempts", "0"}, {"deadline", `"2026-08-28T12:00:20.000Z"`}, {"turn_id", "null"},
	}
	if given != "" {
		extra, err := jsonv.Members(jsontext.Value(given))
		if err != nil {
			panic(err)
		}
		for _, m := range extra {
			for i := range members {
				if members[i].name == m.Name {
					members[i].value = string(m.Value)
				}
			}
		}
	}
	var b strings.Builder
	for i, m := range members {
		fmt.Fprintf(&b, "%c%q:%s", "{,"[min(i, 1)], m.name, m.value)
	}
	b.WriteByte('}')
	request := &spec.RequestEvent{
		D: d, Trigger: spec.TriggerType(name), Method: "POST", Target: "/", Now: "2026-08-28T12:00:00.000Z",
		Body: spec.BodyOf([]byte(b.String())), Signature: t.sign, Ahead: t.ahead,
	}
	switch t.sign {
	case "", spec.SignatureValid:
	case spec.SignatureAbsent:
		request.Broken = spec.BrokenSignature(t.sign)
	default:
		request.Signature, request.Broken = spec.SignatureWrong, spec.BrokenSignature(t.sign)
	}
	if t.adds != "" {
		request.Broken = spec.BrokenAdds(t.adds)
	}
	t.add(session, request)
	return d
}

// raw adds a request outside the protocol, named "raw".
func (t *tape) raw(session, method string) *tape {
	return t.add(session, &spec.RequestEvent{D: "raw", Method: method, Target: "/", Broken: spec.BrokenRaw("")})
}

// reply adds the response that an example's answer stands for.
func (t *tape) reply(session, d, answer string) *tape {
	r := &spec.ResponseEvent{D: d, Status: 200, End: spec.EndWhole}
	switch {
	case strings.HasPrefix(answer, "HTTP/"):
		head, err := http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), nil)
		if err != nil {
			panic(err)
		}
		body, err := io.ReadAll(head.Body)
		if err != nil {
			panic(err)
		}
		r.Status = head.StatusCode
		for _, name := range []string{"Content-Type", "Content-Encoding", "Location", "Keep-Alive"} {
			if v := head.Header.Get(name); v != "" {
				r.Headers = append(r.Headers, [2]string{name, v})
			}
		}
		r.Body = spec.BodyOf(body)
	case strings.HasPrefix(answer, "("):
		end, known := wordsOf[answer]
		if !known {
			panic("no meaning for " + answer)
		}
		r.Status, r.End, r.Reason = end.Status, end.End, end.Reason
	default:
		r.Headers = [][2]string{{"content-type", "application/json"}}
		r.Body = spec.BodyOf([]byte(answer))
	}
	if b, err := r.Body.Bytes(); err == nil {
		r.Bytes = int64(len(b))
	}
	return t.add(session, r)
}

// wordsOf says what the words of examples are on the wire.
var wordsOf = map[string]spec.ResponseEvent{
	"(the connection closes before a response head)": {End: spec.EndReset, Reason: spec.ReasonClosed},
	"(no answer before the deadline)":                {End: spec.EndTimeout, Reason: "deadline passed"},
	"(a body larger than the bound)":                 {Status: 200, End: spec.EndOverLimit, Reason: "body over the limit"},
}

// overdue says that the engine gave a delivery up after so many ms.
func (t *tape) overdue(session, d string, after int64) *tape {
	t.add(session, &spec.OutcomeEvent{D: d, As: spec.OutcomeFailed, Class: "retryable", Code: spec.CodeDeadlineExceeded})
	t.events[len(t.events)-1].T = after
	return t
}

// exchange adds a request and its answer.
func (t *tape) exchange(session, trigger, given, answer string) *tape {
	return t.reply(session, t.ask(session, trigger, given), answer)
}

// settles adds what somebody sends to the settle endpoint, with its answer.
func (t *tape) settles(session, from, body string, status int, reply string) *tape {
	return t.add(session, &spec.InputEvent{From: from, Body: spec.BodyOf([]byte(body)), Status: status, Reply: reply})
}

// done ends the recording as a case ends that has run through.
func (t *tape) done() *tape { return t.add("", &spec.CloseEvent{Why: spec.CloseScriptDone}) }

func (t *tape) verdict() judge.Verdict {
	j := judge.New(judge.Options{})
	for _, e := range t.events {
		j.Add(e)
	}
	return j.Verdict()
}

// of is the observation of one requirement.
func (t *tape) of(id string) spec.Observation {
	o, ok := t.verdict().Of(id)
	if !ok {
		panic("the registry has no " + id)
	}
	return o
}

// broken lists what was found but for advice, which tests that show something
// else with a tool of few words would meet at every turn.
func broken(v judge.Verdict) []string { return found(v, false) }

// advised lists the advice that was not followed.
func advised(v judge.Verdict) []string { return found(v, true) }

func found(v judge.Verdict, advice bool) []string {
	var ids []string
	for _, o := range v.Observations {
		r, _ := spec.LookupRequirement(o.Requirement)
		if len(o.Findings) > 0 && (r.Level == spec.Advice) == advice {
			ids = append(ids, o.Requirement)
		}
	}
	return ids
}

// The usual triggers and answers of these tests.
const (
	onStart   = `{"type":"session.start"}`
	onExecute = `{"type":"tool.execute","id":"c1","name":"get_weather","arguments":"{\"city\":\"Oslo\"}","input":{"status":"valid","value":{"city":"Oslo"}},"attempt":0}`
	onUnknown = `{"type":"tool.execute","id":"c2","name":"get_whether","arguments":"{}","input":{"status":"valid","value":{}},"attempt":0}`
	onTurnEnd = `{"type":"turn.finished","turn_id":"t1","cost":"0","usage":{"input":1,"output":1,"uncached_input":1,"cache_read":0,"cache_write":0,"total":2}}`

	sunny     = `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"Sunny."}]}}]}`
	refused   = `{"actions":[{"type":"tool.error","error":"there is no such tool"}]}`
	unknown   = `{"proposed":{"actions":[{"type":"tool.error","id":"c2","error":"unknown tool: get_whether","retryable":false}]}}`
	withAgent = `{"proposed":{"agent":{"model":"m","llm":"main"}}}`
	config    = `{"agent":{"model":"m","tools":[{"name":"get_weather","input":{"type":"object"}}]}}`
)
