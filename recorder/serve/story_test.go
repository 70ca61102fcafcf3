package serve_test

import (
	"bytes"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/serve"
	"github.com/hallmarkdev/hallmark/spec"
)

// story is a recording that is written by hand, one exchange after the other.
type story struct {
	out bytes.Buffer
	w   *recorder.Writer
	n   int
	at  time.Duration
}

func newStory(change ...func(h *spec.HeaderEvent)) *story {
	GinkgoHelper()
	s := &story{}
	s.w = recorder.NewWriter(&s.out, func() time.Duration { return s.at })
	h := &spec.HeaderEvent{
		Format: spec.RecordingFormat, Version: spec.RecordingVersion, Source: spec.SourceCapture, ID: "story",
		Started: "2026-08-28T12:00:00.000Z", Evidence: []spec.Evidence{spec.EvidenceExchange, spec.EvidenceSession},
	}
	for _, f := range change {
		f(h)
	}
	s.write("", h)
	return s
}

func (s *story) write(alias string, data spec.EventData) {
	GinkgoHelper()
	Expect(s.w.Write(spec.Event{Session: alias, Data: data})).To(Succeed())
}

// session introduces s1 and so on, whose ids are then-s1 and so on.
func (s *story) session(alias string) *story {
	GinkgoHelper()
	s.write(alias, &spec.SessionEvent{SessionID: "then-" + alias, AgentID: "desk", Origin: "new"})
	return s
}

// ask writes an exchange.
func (s *story) ask(alias, body string, answer *spec.ResponseEvent, pieces ...string) *story {
	GinkgoHelper()
	s.n++
	d := fmt.Sprintf("d%d", s.n)
	r := &spec.RequestEvent{D: d, Method: "POST", Target: "/", Proto: "HTTP/1.1", Now: "2026-08-28T12:00:00.000Z", Body: spec.BodyOf([]byte(body))}
	if asked, fault := spec.ParseRequest([]byte(body)); fault == nil {
		r.Trigger, r.Decision, r.Call = asked.Trigger.TriggerType(), asked.DecisionID, asked.Trigger.CallID()
	}
	s.write(alias, r)
	at := 0
	for _, p := range pieces {
		s.at += 250 * time.Millisecond
		s.write(alias, &spec.PieceEvent{D: d, Of: "response", Offset: int64(at), Body: spec.BodyOf([]byte(p))})
		at += len(p)
	}
	if answer != nil {
		answer.D, answer.Pieces, answer.Bytes = d, len(pieces), int64(at)
		s.write(alias, answer)
	}
	return s
}

// served closes the recording and serves it.
func (s *story) served(cfg serve.Config) *serve.Server {
	GinkgoHelper()
	Expect(s.w.Close("stopped", 0)).To(Succeed())
	v := serve.New(cfg)
	Expect(v.Load("story.jsonl", bytes.NewReader(s.out.Bytes()))).To(Succeed())
	return v
}

// ok is a whole answer in JSON.
func ok(body string) *spec.ResponseEvent {
	return &spec.ResponseEvent{
		Status: 200, Headers: [][2]string{{"Content-Type", "application/json"}, {"X-Host", "blue"}, {"Content-Length", "9999"}},
		Body: spec.BodyOf([]byte(body)), End: spec.EndWhole,
	}
}

// decision is a request of an engine; of is "then" or "now".
func decision(of, session, id, trigger string) string {
	return fmt.Sprintf(`{"session_id":"%s-%s","decision_id":"%s-%s","agent_id":"desk","identity":{"visibility":"shared","metadata":{}},`+
		`"trigger":%s,"proposed":{"messages":[],"actions":[],"state":null},"state":null,"agent":null,"calls":[],"pending_calls":0,`+
		`"messages":[],"message_tree":{"nodes":[]},"ancestry":[],"attempts":0,"deadline":"2026-08-28T12:00:20.000Z","turn_id":null}`,
		of, session, of, id, trigger)
}

const start = `{"type":"session.start"}`

func says(text string) string {
	return fmt.Sprintf(`{"type":"client.messages","messages":[{"role":"user","content":%q}],"new_from":0,"client":{}}`, text)
}

func runs(call, tool string, attempt int) string {
	return fmt.Sprintf(`{"type":"tool.execute","id":%q,"name":%q,"arguments":"{}","input":{"status":"valid","value":{}},"attempt":%d}`, call, tool, attempt)
}
