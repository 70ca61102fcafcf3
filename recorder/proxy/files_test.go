package proxy_test

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/proxy"
	"github.com/hallmarkdev/hallmark/spec"
)

// echoWorker answers every request with what the body of answer says.
func echoWorker(answer func(body string) (int, string)) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		status, text := answer(string(body))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	DeferCleanup(s.Close)
	return s.URL
}

func fine(string) (int, string) { return 200, "{}" }

// send posts a body through the proxy and returns the answer.
func (r *rig) send(body string) string {
	GinkgoHelper()
	resp, err := http.Post("http://"+r.addr, "application/json", strings.NewReader(body))
	Expect(err).NotTo(HaveOccurred())
	text, err := io.ReadAll(resp.Body)
	Expect(err).NotTo(HaveOccurred())
	Expect(resp.Body.Close()).To(Succeed())
	return string(text)
}

// child is a decision of a session below another.
func child(session, id, ancestry string) string {
	return strings.Replace(decision(session, id, "session.start", ""), `"ancestry":[]`, `"ancestry":[`+ancestry+`]`, 1)
}

// clock is the time of a proxy, moved by hand.
type clock struct{ offset atomic.Int64 }

func (c *clock) now() time.Time          { return time.Now().Add(time.Duration(c.offset.Load())) }
func (c *clock) pass(d time.Duration)    { c.offset.Add(int64(d)) }
func (r *rig) recorded() func() []string { return func() []string { return r.files() } }

var _ = Describe("the files", func() {
	It("hold a root session with its descendants, and what is no decision apart", func() {
		r := front(echoWorker(fine), nil)
		r.send(decision("root", "d1", "session.start", ""))
		r.send(child("kid", "d2", `"root"`))
		r.send(child("grandkid", "d3", `"root","kid"`))
		r.send(decision("root", "d1", "session.start", ""))
		r.send(decision("other", "d4", "tool.execute", `,"id":"c1","name":"t","arguments":"{}","input":{"status":"valid","value":{}},"attempt":1`))
		resp, err := http.Get("http://" + r.addr + "/health?x=1")
		Expect(err).NotTo(HaveOccurred())
		Expect(resp.Body.Close()).To(Succeed())
		r.send("not JSON")
		events := r.events()
		Expect(r.files()).To(HaveLen(3))

		sessions := of[*spec.SessionEvent](events)
		Expect(sessions).To(HaveLen(4))
		parents := map[string]string{}
		for _, d := range sessions {
			parents[d.SessionID] = d.Parent
		}
		Expect(parents).To(Equal(map[string]string{"root": "", "kid": "s1", "grandkid": "s2", "other": ""}))
		for _, d := range sessions {
			want := "new"
			if d.SessionID == "other" {
				want = "joined"
			}
			Expect(d.Origin).To(Equal(want))
		}
		var loose []string
		for _, x := range exchanges(events) {
			if x.Session == "" {
				loose = append(loose, x.D+" "+x.Request.Method+" "+x.Request.Target)
			}
		}
		Expect(loose).To(Equal([]string{"d1 GET /health?x=1", "d2 POST /"}))
		var deliveries []int
		for _, d := range of[*spec.RequestEvent](events) {
			if d.Decision == "d1" {
				deliveries = append(deliveries, d.Delivery)
			}
			if d.Trigger == "tool.execute" {
				Expect([]any{d.Call, d.Try}).To(Equal([]any{"c1", 2}))
			}
		}
		Expect(deliveries).To(Equal([]int{1, 2}))
		for _, h := range of[*spec.HeaderEvent](events) {
			Expect(h.Source).To(Equal(spec.SourceCapture))
			Expect(h.Evidence).To(Equal([]spec.Evidence{spec.EvidenceExchange, spec.EvidenceSession}))
		}
	})

	It("are compressed when closed, readable to their owner only, and listed in the index", func() {
		r := front(echoWorker(func(string) (int, string) { return 418, "{}" }), nil)
		body := strings.Replace(decision("a/b c", "d1", "tool.execute", `,"id":"c1","name":"find_part","arguments":"{}","attempt":0`), `"turn_id":null`, `"turn_id":"turn-7"`, 1)
		req, err := http.NewRequest("POST", "http://"+r.addr, strings.NewReader(body))
		Expect(err).NotTo(HaveOccurred())
		req.Header.Set("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		resp, err := http.DefaultClient.Do(req)
		Expect(err).NotTo(HaveOccurred())
		Expect(resp.Body.Close()).To(Succeed())
		r.stop()
		names := r.files()
		Expect(names).To(HaveLen(1))
		Expect(names[0]).To(MatchRegexp(`/\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{16}-abc\.jsonl\.zst$`))
		info, err := os.Stat(names[0])
		Expect(err).NotTo(HaveOccurred())
		Expect(info.Mode().Perm()).To(BeEquivalentTo(0o600))
		text, err := os.ReadFile(filepath.Join(r.dir, recorder.IndexName))
		Expect(err).NotTo(HaveOccurred())
		line, err := recorder.ReadIndexLine(text)
		Expect(err).NotTo(HaveOccurred())
		Expect(line.File).To(Equal(filepath.Base(names[0])))
		Expect(line.Sessions).To(Equal([]string{"a/b c"}))
		Expect(line.Turns).To(Equal([]string{"turn-7"}))
		Expect(line.Tools).To(Equal([]string{"find_part"}))
		Expect(line.Traces).To(Equal([]string{"0af7651916cd43dd8448eb211c80319c"}))
		Expect(line.Statuses).To(Equal(map[string]int64{"418": 1}))
		Expect(line.Exchanges).To(BeEquivalentTo(1))
		Expect(line.Why).To(Equal("the proxy was stopped"))
	})

	It("are rotated, and the next part says what it continues", func() {
		r := front(echoWorker(fine), func(c *proxy.Config) { c.RotateSize = 1; c.Flush = time.Millisecond })
		for i := range 3 {
			r.send(decision("s", "d"+itoa(i), "client.action", ""))
			// The part is closed once it is over the size.
			Eventually(r.recorded()).WithTimeout(10 * time.Second).Should(And(HaveLen(i+1), HaveEach(HaveSuffix(".zst"))))
		}
		events := r.events()
		headers := of[*spec.HeaderEvent](events)
		Expect(headers).To(HaveLen(3))
		slices.SortFunc(headers, func(a, b *spec.HeaderEvent) int { return cmp.Compare(len(a.Continues), len(b.Continues)) })
		Expect(headers[0].Continues).To(BeEmpty())
		Expect(headers[1].Continues).To(Equal(headers[0].ID + ".jsonl"))
		Expect(headers[2].ID).To(Equal(headers[0].ID + "-003"))
		Expect(headers[2].Continues).To(Equal(headers[0].ID + "-002.jsonl"))
		var names []string
		for _, x := range exchanges(events) {
			names = append(names, x.Session+"/"+x.D)
		}
		Expect(names).To(ConsistOf([]string{"s1/d1", "s1/d2", "s1/d3"}), "a part goes on with the names of the one before")
	})

	It("are closed when their session is quiet, and at most so many are open", func() {
		var wall clock
		opened := map[string]int{}
		var mu sync.Mutex
		open := 0
		most := 0
		r := front(echoWorker(fine), func(c *proxy.Config) {
			c.MaxOpen, c.Now, c.Flush = 4, wall.now, time.Millisecond
			c.Open = func(name string) (io.WriteCloser, error) {
				f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
				mu.Lock()
				defer mu.Unlock()
				opened[name]++
				open++
				most = max(most, open)
				return closeHook{f, func() {
					mu.Lock()
					defer mu.Unlock()
					open--
				}}, err
			}
		})
		for round := range 3 {
			for i := range 20 {
				r.send(decision("s"+itoa(i), "d"+itoa(round), "client.action", ""))
			}
		}
		Eventually(r.Summary).WithTimeout(10 * time.Second).Should(Equal("recorded 60 of 60 requests"))
		Eventually(func() int {
			wall.pass(time.Hour)
			n := 0
			for _, name := range r.files() {
				if strings.HasSuffix(name, ".zst") {
					n++
				}
			}
			return n
		}).WithTimeout(20 * time.Second).Should(Equal(20))
		events := r.events()
		Expect(exchanges(events)).To(HaveLen(60))
		mu.Lock()
		defer mu.Unlock()
		Expect(most).To(BeNumerically("<=", 4))
		again := 0
		for _, n := range opened {
			if n > 1 {
				again++
			}
		}
		Expect(again).To(BeNumerically(">", 0))
	})

	It("of a process that was killed are mended at the next start", func() {
		r := front(echoWorker(fine), nil)
		r.send(decision("s", "d1", "session.start", ""))
		r.stop()
		whole := read(r.files()[0])
		again := filepath.Join(GinkgoT().TempDir(), "again")
		Expect(os.MkdirAll(again, 0o700)).To(Succeed())
		put := func(name string, text []byte) {
			Expect(os.WriteFile(filepath.Join(again, name), text, 0o600)).To(Succeed())
		}
		put("20260101T000000.000Z-a.jsonl", whole[:len(whole)-10])
		put("20260101T000000.000Z-b.jsonl", nil)
		put("20260101T000000.000Z-c.jsonl", []byte("no recording\n"))
		put("20260101T000000.000Z-d.jsonl", whole)
		put("20260101T000000.000Z-e.jsonl.zst.tmp", whole)
		put("20260101T000000.000Z-f.jsonl", whole)
		put("20260101T000000.000Z-f.jsonl.zst", whole)
		next := front("http://127.0.0.1:1", func(c *proxy.Config) { c.Dir = again })
		Eventually(next.recorded()).WithTimeout(10 * time.Second).Should(HaveLen(3))
		Eventually(next.recorded()).Should(HaveEach(HaveSuffix(".zst")))
		closes := of[*spec.CloseEvent](next.events())
		Expect(closes[0].Why).To(HavePrefix("recovered: cut after line "))
		Expect(closes[1].Why).To(Equal("the proxy was stopped"))
		left, err := os.ReadDir(again)
		Expect(err).NotTo(HaveOccurred())
		var names []string
		for _, e := range left {
			names = append(names, e.Name())
		}
		Expect(names).To(ConsistOf(".hallmark.lock", recorder.IndexName, "20260101T000000.000Z-a.jsonl.zst", "20260101T000000.000Z-c.jsonl.damaged",
			"20260101T000000.000Z-d.jsonl.zst", "20260101T000000.000Z-f.jsonl.zst"))
	})

	It("are deleted oldest first beyond the bounds of the folder, and leave the index", func() {
		r := front(echoWorker(fine), func(c *proxy.Config) { c.MaxSize = 3000; c.CloseAfter = time.Millisecond; c.Flush = time.Millisecond })
		for i := range 8 {
			r.send(decision("s"+itoa(i), "d", "client.action", `,"name":"`+strings.Repeat("x", 100)+`"`))
			Eventually(func() bool {
				text, _ := os.ReadFile(filepath.Join(r.dir, recorder.IndexName))
				return bytes.Contains(text, []byte(`"s`+itoa(i)+`"`))
			}).WithTimeout(10 * time.Second).Should(BeTrue())
		}
		r.stop()
		var total int64
		for _, name := range r.files() {
			info, err := os.Stat(name)
			Expect(err).NotTo(HaveOccurred())
			total += info.Size()
		}
		Expect(total).To(BeNumerically("<=", 3000))
		Expect(r.files()).NotTo(BeEmpty())
		text, err := os.ReadFile(filepath.Join(r.dir, recorder.IndexName))
		Expect(err).NotTo(HaveOccurred())
		Expect(bytes.Count(text, []byte("\n"))).To(Equal(len(r.files())))
		Expect(string(text)).To(ContainSubstring(`"s7"`))
		Expect(string(text)).NotTo(ContainSubstring(`"s0"`))
	})

	It("belong to one proxy at a time", func() {
		r := front(echoWorker(fine), nil)
		_, err := proxy.New(proxy.Config{Dir: r.dir, Redact: policy(recorder.PolicyConfig{})})
		Expect(errors.Is(err, proxy.ErrInUse)).To(BeTrue())
	})
})

type closeHook struct {
	io.WriteCloser
	closed func()
}

func (c closeHook) Close() error {
	c.closed()
	return c.WriteCloser.Close()
}

var _ = Describe("a choice", func() {
	failing := func(body string) (int, string) {
		switch {
		case strings.Contains(body, "breaks"):
			return 500, "{}"
		case strings.Contains(body, "errs"):
			return 200, `{"actions":[{"type":"tool.error","error":"no"}]}`
		case strings.Contains(body, "flags"):
			return 200, `{"actions":[{"type":"tool.result","result":{"content":[],"isError":true}}]}`
		}
		return 200, "{}"
	}
	sessions := func(r *rig) []string {
		var ids []string
		for _, d := range of[*spec.SessionEvent](r.events()) {
			ids = append(ids, d.SessionID)
		}
		return ids
	}

	It("of a sample goes by the root session, and failures are kept all the same", func() {
		r := front(echoWorker(failing), func(c *proxy.Config) {
			c.Sample = 1_000_000
			c.Keep = proxy.Keep{Failures: true, FailedTools: true}
		})
		for _, s := range []string{"calm", "breaks", "errs", "flags"} {
			r.send(decision(s, "d1", "client.action", ""))
			r.send(decision(s, "d2", "client.action", ""))
		}
		r.send(child("kid", "d3", `"calm"`))
		Expect(sessions(r)).To(ConsistOf("breaks", "errs", "flags"))
		Expect(r.Summary()).To(Equal("recorded 6 of 9 requests"))
		some := front(echoWorker(fine), func(c *proxy.Config) { c.Sample = 4 })
		for i := range 200 {
			some.send(decision("s"+itoa(i), "d", "client.action", ""))
		}
		Expect(len(sessions(some))).To(And(BeNumerically(">", 20), BeNumerically("<", 90)))
	})

	It("of agents records theirs only", func() {
		r := front(echoWorker(fine), func(c *proxy.Config) { c.OnlyAgents = []string{"desk"} })
		r.send(decision("a", "d1", "client.action", ""))
		r.send(strings.Replace(decision("b", "d1", "client.action", ""), `"agent"`, `"desk"`, 1))
		Expect(sessions(r)).To(Equal([]string{"b"}))
	})
})
