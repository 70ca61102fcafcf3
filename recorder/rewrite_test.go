package recorder_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// rewritten is the copy of a recording without secrets, and what was done.
func rewritten(file []byte, c recorder.PolicyConfig) ([]byte, recorder.Rewritten) {
	GinkgoHelper()
	c.Key = []byte("k")
	p, err := recorder.NewPolicy(c)
	Expect(err).NotTo(HaveOccurred())
	var out bytes.Buffer
	done, err := p.Rewrite(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(file)), nil }, &out)
	Expect(err).NotTo(HaveOccurred())
	rep := verify(out.Bytes())
	Expect(rep.Faults).To(BeEmpty())
	return out.Bytes(), done
}

var _ = Describe("Rewrite", func() {
	const known, named = "canary-known-77aa", "canary-named-88bb"

	It("leaves a recording without secrets as it was, but for its header", func() {
		out, done := rewritten(example(), recorder.PolicyConfig{})
		Expect(done).To(Equal(recorder.Rewritten{}))
		got, err := read(out)
		Expect(err).NotTo(HaveOccurred())
		want, err := read(example())
		Expect(err).NotTo(HaveOccurred())
		// Pieces of a stream end with its frames, so there may be fewer.
		kept := func(events []spec.Event) (all []spec.EventData) {
			for _, e := range events[1 : len(events)-1] {
				_, piece := e.Data.(*spec.PieceEvent)
				if r, ok := e.Data.(*spec.ResponseEvent); !piece && (!ok || r.Pieces == 0) {
					all = append(all, e.Data)
				}
			}
			return all
		}
		Expect(kept(got)).To(Equal(kept(want)))
		Expect(got[len(got)-1].Data).To(HaveField("Asked", want[41].Data.(*spec.CloseEvent).Asked))
		bodies := func(events []spec.Event) (all []string) {
			for x := range spec.Exchanges(slices.Values(events)) {
				all = append(all, string(x.RequestBody), string(x.ResponseBody))
			}
			return all
		}
		Expect(bodies(got)).To(Equal(bodies(want)))
		Expect(got[0].Data.(*spec.HeaderEvent).Redaction.Policy).To(HavePrefix("sha256:"))
	})

	It("replaces secrets in every event, also where they stood before they betrayed themselves", func() {
		info := &spec.ErrorInfo{Message: "not " + named, Detail: jsontext.Value(`{"password":"` + named + `"}`)}
		h := header()
		h.Data.(*spec.HeaderEvent).Case = &spec.CaseHeader{
			Text: "user: say " + known + " and " + named, Vars: map[string]string{"api_key": named, "n": known},
			Samples:  map[string]jsontext.Value{"c1": jsontext.Value(`{"password":"` + named + `"}`)},
			Declared: &spec.AgentConfig{Model: "m", System: known},
		}
		h.Data.(*spec.HeaderEvent).Worker = spec.WorkerHeader{URL: "http://u:" + named + "@h/", Start: "run --token=" + named, Args: []string{known}}
		secret := spec.BodyOf([]byte(`{"password":"` + named + `","t":"` + known + `"}`))
		gz := zip(`{"state":{"password":"` + named + `"}}`)
		file := record([]spec.Event{
			h,
			{Session: "s1", Data: &spec.SessionEvent{SessionID: "s", AgentID: "a", Origin: "new", Identity: &spec.Identity{Visibility: "shared", Metadata: map[string]string{"token": named}}}},
			{Session: "s1", Data: &spec.InputEvent{From: "client", Body: secret, Reply: known}},
			{Session: "s1", Data: &spec.AskEvent{Call: "l", To: "script", Body: secret}},
			{Session: "s1", Data: &spec.ReplyEvent{Call: "l", From: "script", Body: secret, Error: info}},
			{Session: "s1", Data: &spec.RequestEvent{D: "d1", Method: "POST", Target: "/?key=" + known, Headers: [][2]string{{"Authorization", "Bearer " + named}}, Body: secret}},
			{Session: "s1", Data: &spec.ResponseEvent{D: "d1", Status: 200, End: spec.EndWhole, Headers: [][2]string{{"Content-Encoding", "gzip"}}, Body: spec.BodyOf(gz), Bytes: int64(len(gz))}},
			{Session: "s1", Data: &spec.OutcomeEvent{D: "d1", As: spec.OutcomeFailed, Reason: known, Settled: []spec.Settled{{Call: "c", Reason: known}}}},
			{Session: "s1", Data: &spec.TurnEvent{TurnID: "t", Event: spec.TurnFailed, Data: jsontext.Value(`{"token":"` + named + `"}`), Error: info}},
			{Data: &spec.WorkerEvent{Event: "exited", Stderr: known, Exit: known}},
			{Data: &spec.GapEvent{Lost: 1, Reason: known}},
			{Data: &spec.UnknownEvent{Kind: "omen", Raw: jsontext.Value(`{"password":"` + named + `"}`)}},
			{Data: &spec.CloseEvent{Why: "because of " + known}},
		})
		out, done := rewritten(file, recorder.PolicyConfig{Secrets: []string{known}})
		for _, canary := range []string{known, named} {
			Expect(string(file)).To(ContainSubstring(canary))
			Expect(string(out)).NotTo(ContainSubstring(canary))
		}
		Expect(done.Withheld).To(BeZero())
		Expect(done.Replaced).To(BeNumerically(">", 20))
		events, err := read(out)
		Expect(err).NotTo(HaveOccurred())
		r := events[6].Data.(*spec.ResponseEvent)
		Expect(r.Was).To(Equal("gzip"))
		body, _ := r.Body.Bytes()
		Expect(string(body)).To(HavePrefix(`{"state":{"password":"hm-red-key-`))
		Expect(r.Bytes).To(Equal(int64(len(body))))
		x := &spec.Exchange{Response: r, ResponseBody: body}
		Expect(x.Answer().Body).To(HavePrefix("\x1f\x8b"), "an engine reads what the worker sent")

		By("and once more changes nothing")
		again, done := rewritten(out, recorder.PolicyConfig{Secrets: []string{known}})
		Expect(done.Replaced).To(BeZero())
		Expect(len(lines(again))).To(Equal(len(lines(out))))
	})

	It("finds a secret that pieces cut apart, in a stream and in a large body", func() {
		large := []byte(`{"a":"` + strings.Repeat("x", recorder.PieceSize-10) + known + `"}`)
		stream := "event: x\ndata: {\"t\":\"" + known + "\"}\n\nevent: y\ndata: {}\n\n"
		events := []spec.Event{header(), {Session: "s1", Data: &spec.RequestEvent{D: "d1", Method: "POST", Body: spec.BodyOf(large), Headers: [][2]string{}}}}
		for i, cut := range [][2]int{{0, 30}, {30, 45}, {45, len(stream)}} {
			events = append(events, spec.Event{Session: "s1", W: int64(i), Data: &spec.PieceEvent{D: "d1", Of: "response", Offset: int64(cut[0]), Body: spec.BodyOf([]byte(stream[cut[0]:cut[1]]))}})
		}
		events = append(events,
			spec.Event{Session: "s1", W: 9, Data: &spec.ResponseEvent{D: "d1", Status: 200, Headers: [][2]string{{"Content-Type", "text/event-stream"}}, Pieces: 3, Bytes: int64(len(stream)), End: spec.EndWhole}},
			spec.Event{W: 9, Data: &spec.CloseEvent{Why: "done"}})
		out, done := rewritten(record(events), recorder.PolicyConfig{Secrets: []string{known}})
		Expect(done.Replaced).To(Equal(2))
		Expect(string(out)).NotTo(ContainSubstring("canary"))
		got, err := read(out)
		Expect(err).NotTo(HaveOccurred())
		var x *spec.Exchange
		for one := range spec.Exchanges(slices.Values(got)) {
			x = one
		}
		Expect(x.Damage).To(BeEmpty())
		Expect(string(x.RequestBody)).To(HaveSuffix(`"}`))
		Expect(string(x.ResponseBody)).To(MatchRegexp(`^event: x\ndata: \{"t":"hm-red-secret-[^"]*"\}\n\nevent: y\ndata: \{\}\n\n$`))
	})

	It("keeps the frame of what would slip through, and the index true", func() {
		events, err := read(example())
		Expect(err).NotTo(HaveOccurred())
		out, done := rewritten(record(events), recorder.PolicyConfig{Pointers: []string{"/decision_id"}})
		Expect(done.Replaced).To(Equal(8))
		Expect(string(out)).To(ContainSubstring(`"decision":"hm-red-key-`))
		events[18].Data.(*spec.RequestEvent).Conn = known
		out, done = rewritten(record(events), recorder.PolicyConfig{Secrets: []string{known}})
		Expect(done.Withheld).To(Equal(1))
		Expect(string(out)).NotTo(ContainSubstring(known))
	})

	It("refuses what does not read", func() {
		p, err := recorder.NewPolicy(recorder.PolicyConfig{Key: []byte("k")})
		Expect(err).NotTo(HaveOccurred())
		_, err = p.Rewrite(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(example()[:9000])), nil }, io.Discard)
		Expect(err).To(MatchError(ContainSubstring("recording is cut")))
	})
})

func zip(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return b.Bytes()
}
