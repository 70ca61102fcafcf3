package workertest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/workertest"
)

// press is a worker whose two tools take minutes: it lets each call go, and
// settles it when its work is done.
type press struct {
	url, key string
	client   *http.Client
	// takes is how long each tool takes; one that is not listed never ends.
	takes map[string]time.Duration
	// work is what is under way.
	work sync.WaitGroup
}

const pressConfig = `{"agent":{"model":"m","llm":"main","retry":{"tool":{"run_timeout_secs":900,"total_timeout_secs":1800}},
	"tools":[{"name":"bind"},{"name":"print"}]}}`

// ServeHTTP implements http.Handler.
func (p *press) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	at := func(pointer string) string {
		v, _ := jsonv.Get(body, pointer)
		if text, ok := jsonv.Text(v); ok {
			return text
		}
		return string(v)
	}
	w.Header().Set("Content-Type", "application/json")
	switch at("/trigger/type") {
	case "session.start":
		_, _ = io.WriteString(w, pressConfig)
	case "tool.execute":
		session, call, tool := at("/session_id"), at("/trigger/id"), at("/trigger/name")
		if d, ends := p.takes[tool]; ends {
			p.work.Go(func() {
				time.Sleep(d)
				p.settle(session, call, tool)
			})
		}
		_, _ = io.WriteString(w, "{}")
	default:
		_, _ = io.WriteString(w, at("/proposed"))
	}
}

func (p *press) settle(session, call, tool string) {
	text := fmt.Sprintf(`{"type":"tool.result","id":%q,"result":{"content":[{"type":"text","text":"%s is done"}]}}`, call, tool)
	req, _ := http.NewRequest(http.MethodPost, p.url+"/api/machine/sessions/"+session+"/calls/settle", strings.NewReader(text))
	req.Header.Set("Authorization", "Bearer "+p.key)
	resp, err := p.client.Do(req)
	if err == nil {
		_ = resp.Body.Close()
	}
}

const outOfOrder = `
scenario: A book is bound before the next is printed
needs: {features: [settle]}
limits: {real: 1h}
steps:
  - user: Bind the one, print the other.
  - model: {calls: [{as: print, tool: print, arguments: {}}, {as: bind, tool: bind, arguments: {}}]}
    expect:
      - {trigger: tool.execute, call: print, open: 2, answer: pending}
      - {trigger: tool.execute, call: bind, open: 2, answer: pending}
  - await: {settled: [bind, print], within: 12m}
    expect:
      - {trigger: tool.finished, call: bind, ok: true, open: 1, answer: waits}
      - {trigger: tool.finished, call: print, ok: true, open: 0, answer: asks-model}
  - model: Both are done.
finally:
  - turn: completed
  - transcript: [{role: tool, call: bind, text: bind is done}, {role: tool, call: print, text: print is done}]
`

func pressing(engine *workertest.Engine, scenario string) workertest.Config {
	return workertest.Config{
		Engine: engine, WithoutCorpus: true, Jobs: 1,
		Scenarios: fstest.MapFS{"press.yaml": &fstest.MapFile{Data: []byte(scenario)}},
	}
}

func TestEngineInMemory(t *testing.T) {
	t.Run("two tools of four and ten minutes that end out of order cost nothing", func(t *testing.T) {
		inBubble(t, 10*time.Minute, func(t *testing.T, g Gomega) {
			engine := workertest.NewEngine()
			p := &press{url: engine.URL(), key: engine.Key(), client: engine.Client(), takes: map[string]time.Duration{"print": 10 * time.Minute, "bind": 4 * time.Minute}}
			r, err := workertest.Check(t.Context(), workertest.Handler(p), pressing(engine, outOfOrder))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(r.Cases[1].Expectations).To(BeEmpty())
			g.Expect(r.Exit).To(Equal(reports.ExitGood), "%v", troubled(r))
			p.work.Wait()
		})
	})

	t.Run("a tool that never ends is named", func(t *testing.T) {
		inBubble(t, 12*time.Minute, func(t *testing.T, g Gomega) {
			engine := workertest.NewEngine()
			p := &press{url: engine.URL(), key: engine.Key(), client: engine.Client(), takes: map[string]time.Duration{"bind": time.Minute}}
			r, err := workertest.Check(t.Context(), workertest.Handler(p), pressing(engine, strings.Replace(outOfOrder, "real: 1h", "real: 1h, patience: 1ms", 1)))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(r.Exit).To(Equal(reports.ExitFailed))
			g.Expect(r.Cases[1].Expectations[0].Got).To(Equal("the worker did not settle print within 12m0s"))
			p.work.Wait()
		})
	})

	t.Run("without an engine in the Config nothing can be settled", func(t *testing.T) {
		inBubble(t, 0, func(t *testing.T, g Gomega) {
			engine := workertest.NewEngine()
			p := &press{url: engine.URL(), key: engine.Key(), client: engine.Client()}
			r, err := workertest.Check(t.Context(), workertest.Handler(p), pressing(nil, outOfOrder))
			g.Expect(err).To(MatchError(ContainSubstring("nothing was observed")))
			g.Expect(r.Cases[1].Status).To(BeEquivalentTo("not-applicable"))
			g.Expect(r.Cases[1].Reason).To(ContainSubstring("workertest.Config.Engine"))
			resp, err := engine.Client().Post(engine.URL(), "", nil)
			g.Expect(err).To(MatchError(ContainSubstring("no run uses this engine now")))
			g.Expect(resp).To(BeNil())
		})
	})
}

func TestEngineOnASocket(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	engine, err := workertest.ListenEngine("127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	defer engine.Close()
	p := &press{url: engine.URL(), key: engine.Key(), client: engine.Client(), takes: map[string]time.Duration{"print": 0, "bind": 0}}
	server := httptest.NewServer(p)
	defer server.Close()
	cfg := pressing(engine, strings.Replace(outOfOrder, "settled: [bind, print]", "settled: [bind, print], order: listed", 1))
	cfg.Record = t.TempDir()
	r, err := workertest.Check(t.Context(), workertest.URL(server.URL), cfg)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Exit).To(Equal(reports.ExitGood), "%v", troubled(r))
	p.work.Wait()

	_, err = workertest.Check(t.Context(), workertest.URL(server.URL), pressing(workertest.NewEngine(), outOfOrder))
	g.Expect(err).To(MatchError(ContainSubstring("make one with ListenEngine")))
	_, err = workertest.ListenEngine("256.0.0.1:0")
	g.Expect(err).To(MatchError(ContainSubstring("for example 127.0.0.1:0")))
}

func TestAnEngineOfACommand(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	self, err := os.Executable()
	g.Expect(err).NotTo(HaveOccurred())
	cfg := pressing(nil, outOfOrder[:strings.Index(outOfOrder, "    expect:\n      - {trigger: tool.finished, call: bind")]+"  - model: Both are done.\nfinally: [{turn: completed}]\n")
	r, err := workertest.Check(t.Context(), workertest.Command(self, asWorker, "{port}", asPress), cfg)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Exit).To(Equal(reports.ExitGood), "%v", troubled(r))
	g.Expect(r.Cases[1].Exchanges).To(Equal(9))
}
