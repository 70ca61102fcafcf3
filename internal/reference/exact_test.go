package reference_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/judge"
	"github.com/hallmarkdev/hallmark/spec/provider"
)

// samples are arguments with which each tool of the studio runs.
var samples = [][2]string{
	{"find_glaze", `{"glaze":"celadon"}`},
	{"kiln_temperature", `{"kiln":"east"}`},
	{"book_kiln", `{"kiln":"east","day":"2026-09-14"}`},
	{"glaze_swatch", `{"glaze":"celadon"}`},
	{"studio_notice", `{}`},
	{"list_kilns", `{}`},
	{"fire_kiln", `{"kiln":"east","cone":"6"}`},
	{"mix_glaze", `{"glaze":"celadon","grams":3000}`},
}

// tape plays sessions against a worker and gives every exchange to a judge.
type tape struct {
	post  *simulator.Transport
	agent *spec.AgentConfig
	// bare says that it was given to the bare form of session.start.
	bare bool
	// mu guards what the settles of the worker come to as well.
	mu       sync.Mutex
	judge    *judge.Judge
	lines    int64
	attempts map[[2]string]int
	asked    int
	budget   time.Duration
	// sign is how requests are signed, cut whether they go out in pieces.
	sign string
	cut  bool
	// odd says that it goes through what a worker has to live through, which is
	// large.
	odd bool
	// adds is what requests hold beyond the protocol.
	adds string
}

// studioSecret is what the tape and the worker share.
const studioSecret = "a secret of the kiln"

// signs returns the header of a request, and what is recorded of it.
func (p *tape) signs(body []byte) (header [2]string, event spec.RequestEvent) {
	header = [2]string{simulator.SignatureHeader, simulator.Sign([]byte(studioSecret), body)}
	event.Signature = spec.SignatureValid
	switch p.sign {
	case "":
		return header, event
	case spec.SignatureForged:
		header[1] = simulator.Sign([]byte("another secret"), body)
	case spec.SignatureBareHex:
		header[1] = strings.TrimPrefix(header[1], "sha256=")
	case spec.SignatureAbsent:
		header[0] = "X-Nothing"
	}
	event.Signature, event.Broken, event.Ahead = spec.SignatureWrong, spec.BrokenSignature(p.sign), true
	return header, event
}

// forging sends whatever f sends badly signed.
func (p *tape) forging(kind string, f func()) {
	p.sign = kind
	f()
	p.sign = ""
}

func (p *tape) add(session string, d spec.EventData) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines++
	p.judge.Add(spec.Event{N: p.lines, Session: session, Data: d})
}

// send delivers a request on a connection of its own and records both ways.
func (p *tape) send(r spec.DecisionRequest) spec.Answer {
	p.asked++
	d := fmt.Sprintf("d%d", p.asked)
	deadline := spec.At(time.Now().Add(p.budget))
	r.Deadline = &deadline
	body, err := spec.Marshal(r)
	if err != nil {
		panic(err)
	}
	more := spec.RequestEvent{}
	body = p.withMore(body, &more)
	header, event := p.signs(body)
	if more.Broken != "" {
		event.Broken, event.Ahead = more.Broken, more.Ahead
	}
	if p.sign == spec.SignatureChangedBody {
		body = bytes.Replace(body, []byte(`"metadata":{`), []byte(`"metadata":{"hallmark":"changed"`), 1)
	}
	event.D, event.Trigger, event.Call, event.Method, event.Target = d, r.Trigger.TriggerType(), r.Trigger.CallID(), "POST", "/"
	event.Now, event.Body = spec.At(time.Now()).String(), spec.BodyOf(body)
	p.add(r.SessionID, &event)
	ctx, cancel := context.WithTimeout(context.Background(), p.budget)
	defer cancel()
	a := p.post.Post(ctx, simulator.Post{Body: body, Headers: [][2]string{{"Content-Type", "application/json"}, {"Accept", "text/event-stream, application/json"}, header}, Fresh: true, Cut: p.cut}).Answer
	p.add(r.SessionID, &spec.ResponseEvent{
		D: d, Status: a.Status, Headers: a.Headers, Body: spec.BodyOf(a.Body), Bytes: int64(len(a.Body)), End: a.End, Reason: a.Reason,
	})
	return a
}

// raw sends a body as it is and returns that of the answer.
func (p *tape) raw(body string) []byte {
	ctx, cancel := context.WithTimeout(context.Background(), p.budget)
	defer cancel()
	return p.post.Post(ctx, simulator.Post{Body: []byte(body), Headers: [][2]string{{"Content-Type", "application/json"}}, Fresh: true}).Answer.Body
}

func (p *tape) talk(session string) *talk {
	return &talk{session: session, agent: p.agent, send: p.send}
}

// run lets a call run to its end. A call that is answered and not settled
// passes its deadline, as it does at an engine.
func (p *tape) run(t *talk, c toolCall, in spec.ToolInput, undeclared bool, rest int) {
	p.openAt(t.session, c.id, 0)
	t.finishes(c, rest, p.ended(t, c, t.send(t.executing(c, in, undeclared))))
}

// play goes through every moment that the corpus of scenarios brings about.
func (p *tape) play() {
	for i, bare := range []bool{false, true} {
		a := p.talk(fmt.Sprintf("start-%d", i)).starts(bare)
		if d, failure := spec.ReadAnswer(a, false); failure == nil && d.Agent != nil && p.agent == nil {
			p.agent, p.bare = d.Agent, bare
		}
	}
	if p.agent == nil {
		// No form works, so nothing else is run (R2).
		return
	}
	if len(p.agent.Tools) > 0 {
		p.playTools()
	}
	p.playForgeries()
	p.playDialects()
	p.playHosted()
	if p.odd && len(p.agent.Tools) > 0 {
		p.playOrdeals()
	}
	t := p.talk("talk")
	for _, text := range []string{"Hello.", "Still there?", "Good evening."} {
		t.says(text)
		t.replies("Yes.")
		t.ends()
	}
}

// playHosted asks the worker's own model in each form: for words, and twice for a
// call, whose id stands in the conversation the second time.
func (p *tape) playHosted() {
	for _, form := range spec.HostedForms() {
		t := p.talk("hosted-" + form)
		ask := func(model, text string) {
			body, err := provider.Request(spec.FormatOf(form), question(model, said(spec.RoleUser, text)))
			if err != nil {
				panic(err)
			}
			id := fmt.Sprintf("m%d", t.made)
			asked := spec.LlmExecuteTrigger{ID: id, Request: body, Format: spec.FormatOf(form), Stream: true}
			d, failure := spec.ReadAnswerTo(asked, p.send(t.request(asked, spec.Decision{})))
			if failure != nil || len(d.Actions) == 0 {
				return
			}
			result, ok := d.Actions[0].(spec.LlmResultAction)
			if !ok {
				return
			}
			if r, fault := spec.ParseResponseAs(asked.Format, result.Response); fault == nil {
				t.record(spec.Message{ID: id, Role: spec.RoleAssistant, ToolCalls: r.ToolCalls})
			}
		}
		ask("m", "Hello.")
		ask("m", "Use list_kilns.")
		ask("m", "Use list_kilns.")
		ask("no-such-model", "Hello.")
	}
}

// playForgeries forges copies ahead of requests, in a session whose twin has no
// such copies, and sends what an encoder would write otherwise.
func (p *tape) playForgeries() {
	odd := p.talk("odd")
	odd.says("a <b> & c")
	p.cut = true
	odd.says("陶芸の窯🏺 is a kiln")
	p.cut = false
	if len(p.agent.Tools) == 0 {
		return
	}
	p.add("twin", &spec.SessionEvent{Twin: "forged"})
	for _, session := range []string{"twin", "forged"} {
		t := p.talk(session)
		c := toolCall{"c1", samples[0][0], samples[0][1]}
		ask := t.executing(c, valid(c.arguments), false)
		end := t.request(spec.ToolFinishedTrigger{ID: c.id, OK: true, Name: c.tool, Result: &spec.StoredResult{}},
			spec.Decision{Actions: []spec.Action{asking()}})
		for _, kind := range []string{spec.SignatureForged, spec.SignatureChangedBody, spec.SignatureAbsent, spec.SignatureBareHex} {
			if session == "forged" {
				p.forging(kind, func() { p.send(ask); p.send(end) })
			}
		}
		first := p.ended(t, c, p.send(ask))
		t.finishes(c, 0, first)
	}
}

// playDialects asks in the forms that an engine is free to choose.
func (p *tape) playDialects() {
	t := p.talk("failed")
	t.says("Tell me everything.")
	p.send(t.request(
		spec.LlmFinishedTrigger{ID: "llm-1", Error: &spec.ErrorInfo{Message: "overloaded", Code: spec.CodeProviderError}},
		spec.Decision{Actions: []spec.Action{spec.FailAction{Error: spec.ErrorInfo{Message: "overloaded", Code: spec.CodeProviderError}}}},
	))
	if len(p.agent.Tools) == 0 {
		return
	}
	for i, change := range []func(*spec.DecisionRequest, *spec.ToolExecuteTrigger){
		func(_ *spec.DecisionRequest, t *spec.ToolExecuteTrigger) { t.Attempt = 1 },
		func(r *spec.DecisionRequest, _ *spec.ToolExecuteTrigger) { r.Proposed.Short = true },
		func(r *spec.DecisionRequest, _ *spec.ToolExecuteTrigger) { r.Identity = r.Identity.Older() },
	} {
		t := p.talk(fmt.Sprintf("dialect-%d", i))
		c := toolCall{"c1", samples[0][0], samples[0][1]}
		r := t.executing(c, valid(c.arguments), false)
		asked := r.Trigger.(spec.ToolExecuteTrigger)
		change(&r, &asked)
		r.Trigger = asked
		t.finishes(c, 0, p.ended(t, c, p.send(r)))
	}
}

func (p *tape) playTools() {
	for _, s := range samples {
		t := p.talk("valid-" + s[0])
		c := toolCall{"c1", s[0], s[1]}
		t.says("Use it.")
		t.replies("", c)
		p.run(t, c, valid(s[1]), false, 0)
		t.replies("done")
		t.ends()
	}
	for _, s := range samples {
		t := p.talk("again-" + s[0])
		c := toolCall{"c1", s[0], s[1]}
		t.says("Use it.")
		t.replies("", c)
		p.openAt(t.session, c.id, 0)
		r := t.executing(c, valid(s[1]), false)
		first := t.send(r)
		r.Attempts++
		t.send(r)
		t.finishes(c, 0, p.ended(t, c, first))
	}
	for i, arguments := range []string{"null", `{"cut":"of`, "Here you go: {}"} {
		for _, s := range samples {
			t := p.talk(fmt.Sprintf("malformed-%d-%s", i, s[0]))
			c := toolCall{"c1", s[0], arguments}
			t.says("Use it.")
			t.replies("", c)
			p.run(t, c, malformed(), false, 0)
		}
	}
	for _, name := range []string{"find_glaze", "kiln_temperature", "book_kiln", "glaze_swatch", "fire_kiln", "mix_glaze"} {
		t := p.talk("invalid-" + name)
		c := toolCall{"c1", name, "{}"}
		t.says("Use it.")
		t.replies("", c)
		p.run(t, c, invalid("{}"), false, 0)
	}
	t := p.talk("undeclared")
	known, unknown := toolCall{"c1", samples[0][0], samples[0][1]}, toolCall{"c2", "hallmark_no_such_tool", "{}"}
	t.says("Use both.")
	t.replies("", known)
	p.run(t, known, valid(known.arguments), false, 0)
	t.replies("", unknown)
	p.run(t, unknown, valid("{}"), true, 0)

	t = p.talk("refused again")
	t.says("Use it.")
	for _, id := range []string{"c1", "c2"} {
		again := toolCall{id, samples[0][0], `{"goal": "ship it", "recap": "we have`}
		t.replies("", again)
		p.run(t, again, malformed(), false, 0)
	}

	for _, s := range []struct {
		session string
		call    toolCall
	}{
		{"same id", toolCall{"call_0", "list_kilns", "{}"}},
		{"same id elsewhere", toolCall{"call_0", "hallmark_no_such_tool", "{}"}},
	} {
		t = p.talk(s.session)
		t.says("Use it.")
		t.replies("", s.call)
		p.run(t, s.call, valid("{}"), s.call.tool != "list_kilns", 0)
	}

	t = p.talk("parallel")
	a, b := toolCall{"a", samples[0][0], samples[0][1]}, toolCall{"b", samples[1][0], samples[1][1]}
	t.says("Use both.")
	t.replies("", a, b)
	p.openAt(t.session, a.id, 0)
	p.openAt(t.session, b.id, 0)
	first := t.send(t.executing(a, valid(a.arguments), false))
	second := t.send(t.executing(b, valid(b.arguments), false))
	t.finishes(a, 1, p.ended(t, a, first))
	t.finishes(b, 0, p.ended(t, b, second))
	t.replies("done")
	t.ends()

	p.playLater()
	p.playWaits()
	p.playSubagents()
	p.playClient()
	p.playDeferred()
	p.playBranches()
}

// playClient offers a tool with the user's words, and has a call of the client
// open while the worker runs one of its own.
func (p *tape) playClient() {
	t := p.talk("client")
	t.offer = []spec.AgentTool{{Name: "show_map", Handler: spec.HandlerClient}}
	t.says("Ask me first.")
	asked, own := toolCall{"k1", "ask_member", "{}"}, toolCall{"c1", samples[0][0], samples[0][1]}
	t.replies("", asked, own)
	arguments := "{}"
	t.open = []spec.Call{{ID: "k1", Kind: spec.CallTool, Status: spec.CallPending, Name: "ask_member", Arguments: &arguments, Handler: spec.HandlerClient}}
	p.run(t, own, valid(own.arguments), false, 1)
	t.open = nil
	t.finishes(asked, 0, nil)
	t.replies("done")
	t.ends()
}

// playBranches asks the same in a session that had another branch, and in two
// that had none.
func (p *tape) playBranches() {
	for _, name := range []string{"before", "branched", "after"} {
		t := p.talk(name)
		c := toolCall{"c1", samples[0][0], samples[0][1]}
		t.says("Which glaze?")
		if name == "branched" {
			t.replies("", c)
			p.run(t, c, valid(c.arguments), false, 0)
			t.left, t.path = t.path, nil
			t.says("Which glaze?")
		}
		t.replies("", c)
		p.run(t, c, valid(c.arguments), false, 0)
	}
}

// broken plays everything against a worker with a fault, and returns which
// requirements turned red or warned, and which were not observed.
func broken(t *testing.T, o reference.Options, claims map[string]string, odd bool) (red, unseen []string) {
	o.Secret = []byte(studioSecret)
	p := &tape{judge: judge.New(judge.Options{}), budget: 20 * time.Second, odd: odd}
	o.Engine = p.engine()
	h, err := reference.New(o)
	if err != nil {
		t.Fatal(err)
	}
	post, stop := overPipe(h)
	defer stop()
	p.post = post
	scheme := "hmac-sha256"
	p.add("", &spec.HeaderEvent{Source: spec.SourceTest, Signing: &scheme, Worker: spec.WorkerHeader{BadArguments: claims}, Evidence: []spec.Evidence{
		spec.EvidenceExchange, spec.EvidenceSession, spec.EvidenceEngine, spec.EvidenceProvoked,
	}})
	p.play()
	p.add("", &spec.CloseEvent{Why: spec.CloseScriptDone})
	for _, o := range p.judge.Verdict().Observations {
		switch o.Status {
		case spec.StatusFail, spec.StatusWarn:
			red = append(red, o.Requirement)
		case spec.StatusPass:
		default:
			unseen = append(unseen, o.Requirement)
		}
	}
	slices.Sort(red)
	return red, unseen
}

// isOdd reports whether a requirement is about what a worker lives through.
func isOdd(id string) bool { return strings.HasPrefix(id, "robustness.") }

// A fault must turn red what it names and nothing else. The bubble's clock
// lets a delivery pass its deadline without waiting.
func TestFaultsBreakExactlyWhatTheyName(t *testing.T) {
	t.Parallel()
	for _, f := range reference.Faults() {
		if f.Company || f.Restart || f.Disturb != "" || f.Seed > 0 {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				red, _ := broken(t, reference.Options{Faults: []string{f.Name}, DiesAfter: 4}, f.Claims, slices.ContainsFunc(f.Breaks, isOdd))
				if diff := cmp.Diff(f.Breaks, red); diff != "" {
					t.Errorf("breaks other requirements (-named +broken):\n%s", diff)
				}
			})
		})
	}
}

// The correct worker holds everything, and every requirement has its moment,
// so that a fault which breaks nothing cannot hide behind a moment that never
// came.
func TestCorrectWorkerHoldsEverything(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		red, unseen := broken(t, reference.Options{}, map[string]string{spec.AllTools: spec.ArgumentsRefused}, true)
		if len(red) > 0 {
			t.Errorf("broken: %v", red)
		}
		if want := []string{"restart.keeps-going", "restart.keeps-its-work", "disturbed.ends-the-same", "disturbed.reads-the-same", "sessions.do-not-share"}; !slices.Equal(unseen, want) {
			t.Errorf("not observed: %v", unseen)
		}
	})
}
