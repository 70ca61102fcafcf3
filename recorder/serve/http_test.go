package serve_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder/serve"
	"github.com/hallmarkdev/hallmark/spec"
)

// text is the body of an answer.
func text(r *http.Response) string {
	GinkgoHelper()
	b, err := io.ReadAll(r.Body)
	Expect(err).NotTo(HaveOccurred())
	return string(b)
}

var _ = Describe("an answer", func() {
	It("is the recorded one with the ids of now, and of the headers those that an engine reads", func() {
		s := newStory().session("s1").
			ask("s1", decision("then", "s1", "d1", start), ok(`{"state":{"of":"then-s1","by":"then-d1","about then-s1":1}}`)).
			served(serve.Config{})
		r := post(s, decision("now", "x", "d9", start))
		Expect(r.StatusCode).To(Equal(200))
		Expect(r.Header).To(Equal(http.Header{"Content-Type": {"application/json"}, "Content-Length": {"56"}}))
		Expect(text(r)).To(Equal(`{"state":{"of":"now-x","by":"now-d9","about then-s1":1}}`))
		Expect(s.Done()).To(BeClosed())
	})

	It("is given again to a further delivery of its decision", func() {
		s := newStory().session("s1").
			ask("s1", decision("then", "s1", "d1", start), ok(`{}`)).
			ask("s1", decision("then", "s1", "d2", runs("c", "look", 0)), ok(`{"state":1}`)).
			served(serve.Config{})
		post(s, decision("now", "x", "d1", start))
		for range 3 {
			Expect(text(post(s, decision("now", "x", "d2", runs("k", "look", 0))))).To(Equal(`{"state":1}`))
		}
		Expect(s.Report().Again).To(Equal(2))
		Expect(s.Report().UnknownTotal).To(BeZero())
	})

	It("is found by the attempt of its call, whatever attempts are counted from, and by the call", func() {
		s := newStory().session("s1").
			ask("s1", decision("then", "s1", "d1", start), ok(`{}`)).
			ask("s1", decision("then", "s1", "d2", runs("a", "look", 0)), ok(`{"state":"a 1"}`)).
			ask("s1", decision("then", "s1", "d3", runs("b", "find", 0)), ok(`{"state":"b 1"}`)).
			ask("s1", decision("then", "s1", "d4", runs("a", "look", 1)), ok(`{"state":"a 2"}`)).
			served(serve.Config{})
		post(s, decision("now", "x", "d1", start))
		for _, c := range [][3]any{{"d2", runs("kb", "find", 1), "b 1"}, {"d3", runs("ka", "look", 1), "a 1"}, {"d4", runs("ka", "look", 2), "a 2"}} {
			Expect(text(post(s, decision("now", "x", c[0].(string), c[1].(string))))).To(ContainSubstring(c[2].(string)))
		}
		Expect(s.Report().Unused).To(BeEmpty())
	})

	It("is found for sessions that come in another order and begin alike", func() {
		s := newStory().session("s1").session("s2").
			ask("s1", decision("then", "s1", "a1", start), ok(`{}`)).
			ask("s2", decision("then", "s2", "b1", start), ok(`{}`)).
			ask("s1", decision("then", "s1", "a2", says("Good day.")), ok(`{"state":"both"}`)).
			ask("s2", decision("then", "s2", "b2", says("Good day.")), ok(`{"state":"both"}`)).
			ask("s1", decision("then", "s1", "a3", says("One.")), ok(`{"state":"one"}`)).
			ask("s2", decision("then", "s2", "b3", says("Two.")), ok(`{"state":["two","then-b2","then-s2"]}`)).
			served(serve.Config{})
		for _, l := range []string{"x", "y"} {
			post(s, decision("now", l, l+"1", start))
			post(s, decision("now", l, l+"2", says("Good day.")))
		}
		Expect(text(post(s, decision("now", "x", "x3", says("Two."))))).To(Equal(`{"state":["two","now-x2","now-x"]}`))
		Expect(text(post(s, decision("now", "y", "y3", says("One."))))).To(Equal(`{"state":"one"}`))
		r := s.Report()
		Expect(r.Drifted).To(BeEmpty())
		Expect(r.Served).To(Equal(6))
		Expect(s.Done()).To(BeClosed())
	})

	It("is that of a session which goes on, for one that goes on in other words", func() {
		s := newStory().session("s1").session("s2").
			ask("s1", decision("then", "s1", "a1", start), ok(`{}`)).
			ask("s2", decision("then", "s2", "b1", start), ok(`{}`)).
			ask("s2", decision("then", "s2", "b2", says("Good day.")), ok(`{"state":"then-s2"}`)).
			served(serve.Config{})
		for _, l := range []string{"x", "y"} {
			post(s, decision("now", l, l+"1", start))
		}
		Expect(text(post(s, decision("now", "y", "y2", says("Hello."))))).To(Equal(`{"state":"now-y"}`))
		r := s.Report()
		Expect(r.Drifted).To(HaveLen(1))
		Expect(r.Drifted[0].Pointer).To(Equal("/trigger/messages/0/content"))
		Expect(r.UnknownTotal + r.UnusedTotal).To(BeZero())
		// The other one has nothing more to say.
		Expect(post(s, decision("now", "x", "x2", says("Hello."))).StatusCode).To(Equal(404))
	})

	It("comes in the parts that it came in, at once or as far apart", func() {
		parts := []string{"event: llm.token.delta\ndata: {\"text\":\"a\"}\n\nevent: decis", "ion.result\ndata: {\"state\":\"then-s1", "\"}\n\n"}
		for _, pace := range []bool{false, true} {
			var waited []time.Duration
			s := newStory().session("s1").
				ask("s1", decision("then", "s1", "d1", start),
					&spec.ResponseEvent{Status: 200, Headers: [][2]string{{"content-type", "text/event-stream"}}, End: spec.EndWhole}, parts...).
				served(serve.Config{Pace: pace, Wait: func(d time.Duration, _ <-chan struct{}) { waited = append(waited, d) }})
			w := &flushed{ResponseRecorder: httptest.NewRecorder()}
			s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(decision("now", "longer-than-it-was", "d1", start))))
			Expect(w.parts).To(Equal([]string{
				"event: llm.token.delta\ndata: {\"text\":\"a\"}\n\nevent: decis", "ion.result\ndata: {\"state\":\"now-longer-than-it-was\"", "}\n\n",
			}))
			if pace {
				Expect(waited).To(Equal([]time.Duration{250 * time.Millisecond, 250 * time.Millisecond}))
			} else {
				Expect(waited).To(BeEmpty())
			}
		}
	})

	It("moves when an interrupt expires to now", func() {
		s := newStory().session("s1").
			ask("s1", decision("then", "s1", "d1", start), ok(`{"actions":[{"type":"interrupt","reason":"r","payload":{"expiresAt":"2026-08-28T12:10:00.00Z"}}]}`)).
			served(serve.Config{Now: func() time.Time { return time.Date(2026, 9, 1, 12, 0, 1, 0, time.UTC) }})
		Expect(text(post(s, decision("now", "x", "d1", start)))).To(ContainSubstring(`"expiresAt":"2026-09-01T12:10:01.00Z"`))
	})

	It("leads nowhere else, and says so", func() {
		s := newStory().session("s1").
			ask("s1", decision("then", "s1", "d1", start), &spec.ResponseEvent{
				Status: 307, Headers: [][2]string{{"Location", "https://worker.example.com/"}}, Body: spec.BodyOf([]byte{}), End: spec.EndWhole,
			}).served(serve.Config{})
		r := post(s, decision("now", "x", "d1", start))
		Expect(r.StatusCode).To(Equal(307))
		Expect(r.Header).NotTo(HaveKey("Location"))
		Expect(s.Report().Notes).To(HaveLen(1))
		Expect(s.Report().Notes[0].Code).To(Equal(serve.NoteRedirect))
	})

	DescribeTable("that is not whole is an error of the class that it was",
		func(answer *spec.ResponseEvent, status int, lost bool) {
			s := newStory().session("s1").ask("s1", decision("then", "s1", "d1", start), answer).served(serve.Config{})
			r := post(s, decision("now", "x", "d1", start))
			Expect(r.StatusCode).To(Equal(status))
			Expect(text(r)).To(HavePrefix(`{"error":"hallmark replay --serve: the answer to session.start is not served, since `))
			rep := s.Report()
			Expect(rep.NotServed).To(HaveLen(1))
			Expect(rep.NotServed[0].Code).To(Equal(serve.CodeNotServed))
			Expect(rep.Lost == 1).To(Equal(lost))
			Expect(rep.Served).To(BeZero())
			Expect(s.Done()).To(BeClosed())
		},
		Entry("cut", &spec.ResponseEvent{Status: 200, Body: spec.BodyOf([]byte(`{"sta`)), End: spec.EndCut}, 503, false),
		Entry("late", &spec.ResponseEvent{End: spec.EndTimeout, Reason: "20s"}, 503, false),
		Entry("closed", &spec.ResponseEvent{End: spec.EndReset, Reason: spec.ReasonClosed}, 410, false),
		Entry("left out", &spec.ResponseEvent{Status: 200, End: spec.EndOmitted, Reason: "the disk was full"}, 410, true),
		Entry("over a limit", &spec.ResponseEvent{Status: 200, End: spec.EndOverLimit}, 410, true),
		Entry("none", nil, 410, false),
	)

	It("of another class is served as it was", func() {
		s := newStory().session("s1").ask("s1", decision("then", "s1", "d1", start), &spec.ResponseEvent{
			Status: 500, Headers: [][2]string{{"content-type", "text/html"}}, Body: spec.BodyOf([]byte("<p>no")), End: spec.EndWhole,
		}).served(serve.Config{})
		r := post(s, decision("now", "x", "d1", start))
		Expect(r.StatusCode).To(Equal(500))
		Expect(text(r)).To(Equal("<p>no"))
	})
})

// flushed keeps what was written between flushes.
type flushed struct {
	*httptest.ResponseRecorder
	parts []string
	seen  int
}

func (f *flushed) Flush() {
	f.parts = append(f.parts, f.Body.String()[f.seen:])
	f.seen = f.Body.Len()
}

// FlushError is what a response controller looks for.
func (f *flushed) FlushError() error {
	f.Flush()
	return nil
}

func (f *flushed) SetWriteDeadline(time.Time) error { return nil }

var _ = Describe("a request that was not recorded", func() {
	var lines []string
	var s *serve.Server
	BeforeEach(func() {
		lines = nil
		s = newStory().session("s1").
			ask("s1", decision("then", "s1", "d1", start), ok(`{}`)).
			ask("s1", decision("then", "s1", "d2", runs("c", "look", 0)), ok(`{}`)).
			served(serve.Config{Log: func(line string) { lines = append(lines, line) }, MaxBody: 4096, Secrets: [][]byte{[]byte("one"), []byte("two")}})
	})

	It("gets an error that an engine shows, and is told with the closest one", func() {
		post(s, decision("now", "x", "d1", start))
		r := post(s, decision("now", "x", "d2", runs("k", "burn", 0)))
		Expect(r.StatusCode).To(Equal(404))
		Expect(r.Header.Get("Content-Type")).To(Equal("application/json"))
		Expect(text(r)).To(HavePrefix(`{"error":"hallmark replay --serve: no recorded answer to tool.execute burn`))
		rep := s.Report()
		Expect(rep.UnknownTotal).To(Equal(1))
		f := rep.Unknown[0]
		Expect(f.Recording).To(Equal("story.jsonl"))
		Expect([]any{f.Code, f.Session, f.Exchange, f.Pointer, f.Got, f.Want}).To(Equal([]any{serve.CodeUnknown, "s1", "d2", "/trigger/name", `"burn"`, `"look"`}))
		Expect(f.LiveSession).To(Equal("now-x"))
		Expect(lines).To(HaveLen(1))
		Expect(rep.Unused).To(HaveLen(1))
		Expect(rep.String()).To(ContainSubstring("differs at /trigger/name\n  got  \"burn\"\n  want \"look\"\n"))
	})

	It("is no session, agent, request or way that is recorded", func() {
		post(s, decision("now", "x", "d1", start))
		for want, ask := range map[string]func() *http.Response{
			`every recorded session of agent \"desk\" is taken`: func() *http.Response { return post(s, decision("now", "y", "d1", start)) },
			`of agent \"other\", of which no session is recorded`: func() *http.Response {
				return post(s, strings.Replace(decision("now", "z", "d1", start), `"desk"`, `"other"`, 1))
			},
			`it is no decision request: `: func() *http.Response { return post(s, `{"a":1}`) },
			`its body is over 4096 bytes`: func() *http.Response { return post(s, strings.Repeat("x", 5000)) },
			`GET is no way to ask for a decision`: func() *http.Response {
				w := httptest.NewRecorder()
				s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
				return w.Result()
			},
		} {
			r := ask()
			Expect(r.StatusCode).To(Equal(404), want)
			Expect(text(r)).To(And(ContainSubstring(want), MatchRegexp(`no recorded answer(: | to session\.start)`)))
		}
		Expect(s.Report().UnknownTotal).To(Equal(5))
	})

	It("counts as one that came, also where its body did not", func() {
		Expect(post(s, strings.Repeat("x", 5000)).StatusCode).To(Equal(404))
		Expect(s.Report().Requests).To(Equal(1))
	})

	It("is told apart from one that only says something else", func() {
		post(s, decision("now", "x", "d1", strings.Replace(start, "}", `,"later":1}`, 1)))
		rep := s.Report()
		Expect(rep.UnknownTotal).To(BeZero())
		Expect(rep.Drifted).To(HaveLen(1))
		Expect(rep.Drifted[0].Pointer).To(Equal("/trigger/later"))
		Expect(rep.Drifted[0].Code).To(Equal(serve.CodeDrift))
	})

	It("has its signature checked", func() {
		body := decision("now", "x", "d1", start)
		post(s, body)
		post(s, body, spec.SignatureHeader, spec.Sign([]byte("two"), []byte(body)))
		post(s, body, spec.SignatureHeader, "sha256=00")
		Expect(*s.Report().Signatures).To(Equal(serve.Signatures{Valid: 1, Wrong: 1, Absent: 1}))
	})
})

var _ = Describe("a recording", func() {
	It("that was redacted, has a hole or a worker that called the engine, says so", func() {
		st := newStory().session("s1")
		st.write("s1", &spec.InputEvent{From: "worker", Call: "c9", Status: 200})
		st.write("", &spec.GapEvent{Lost: 2, Reason: "the disk was full"})
		var codes []string
		answer := ok(`{"state":"hm-red-key-aaaaaaaa"}`)
		answer.Redacted = 1
		notes := st.ask("s1", decision("then", "s1", "d1", start), answer).served(serve.Config{}).Report().Notes
		for _, n := range notes {
			codes = append(codes, n.Code)
		}
		Expect(codes).To(Equal([]string{serve.NoteSettled, serve.NoteGap, serve.NoteRedacted}))
		Expect(notes[0].Text).To(Equal("line 3: the worker of then called the engine by itself for c9; that is not done here"))
		Expect(notes[2].Text).To(Equal("stand-ins for secrets are in 0 of its requests, which may differ there, and in 1 of its answers"))
	})

	It("that is cut is not served", func() {
		st := newStory().session("s1").ask("s1", decision("then", "s1", "d1", start), ok(`{}`))
		Expect(serve.New(serve.Config{}).Load("cut.jsonl", strings.NewReader(st.out.String()))).To(MatchError(ContainSubstring("no closing line")))
	})
})

var _ = Describe("The codes", func() {
	// A name that goes or changes here breaks the programs that read summaries.
	It("are these", func() {
		var all []string
		for _, c := range append(serve.Codes(), serve.NoteCodes()...) {
			Expect(c.Text).NotTo(BeEmpty())
			all = append(all, c.Name)
		}
		Expect(all).To(Equal([]string{
			"unknown-request", "drift", "not-served", "unused", "redacted", "gap", "settled-by-itself", "unpacked", "redirect",
		}))
	})
})

var _ = Describe("Serve", func() {
	It("answers over HTTP until it is told to stop, and ends what is under way", func() {
		s := newStory().session("s1").ask("s1", decision("then", "s1", "d1", start), ok(`{"state":1}`)).served(serve.Config{})
		l, err := net.Listen("tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(ctx, l) }()
		r, err := http.Post("http://"+l.Addr().String(), "application/json", strings.NewReader(decision("now", "x", "d1", start)))
		Expect(err).NotTo(HaveOccurred())
		Expect(text(r)).To(Equal(`{"state":1}`))
		Expect(r.Body.Close()).To(Succeed())
		stop()
		Eventually(ended).Should(Receive(BeNil()))
	})
})
