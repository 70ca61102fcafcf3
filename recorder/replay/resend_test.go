package replay_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/memnet"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/renew"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// referenceWorker is the reference worker with faults, in this process.
func referenceWorker(o reference.Options) http.Handler {
	GinkgoHelper()
	h, err := reference.New(o)
	Expect(err).NotTo(HaveOccurred())
	return h
}

// to is the way to a handler in this process.
func to(h http.Handler) simulator.Poster {
	GinkgoHelper()
	network, stop := memnet.Serve(h)
	DeferCleanup(stop)
	t, err := simulator.NewTransport(simulator.TransportConfig{URL: workerURL, Dial: network.Dial})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(t.Close)
	return t
}

// filesIn are the recordings in a folder.
func filesIn(folder string) []string {
	GinkgoHelper()
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	Expect(err).NotTo(HaveOccurred())
	Expect(files).NotTo(BeEmpty())
	return files
}

func resent(files []string, h http.Handler, cfg replay.ResendConfig) replay.Resent {
	GinkgoHelper()
	r, err := replay.Resend(context.Background(), files, to(h), cfg)
	Expect(err).NotTo(HaveOccurred())
	return r
}

// settling are the options of a worker that settles calls later, with somebody
// who takes that.
func settling() reference.Options {
	taken := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) })
	return reference.Options{Engine: reference.Engine{URL: "http://engine.example", Key: endpointKey, Client: &http.Client{Transport: direct{taken}}}}
}

// learnsAlike wants the ids of each request to be found in its text as they are in
// the decoded request.
func learnsAlike(files []string) {
	GinkgoHelper()
	n := 0
	for _, name := range files {
		for x := range spec.Exchanges(slices.Values(read(name))) {
			asked, fault := x.Asked()
			if fault != nil || bytes.Contains(x.RequestBody, []byte("connector")) {
				continue
			}
			one, other := renew.New(renew.Seeded(1, "")), renew.New(renew.Seeded(1, ""))
			one.LearnRequest(asked)
			Expect(other.LearnNext(x.RequestBody)).To(BeTrue())
			Expect(string(other.Renew(x.RequestBody, 0).Body)).To(Equal(string(one.Renew(x.RequestBody, 0).Body)), name)
			n++
		}
	}
	Expect(n).To(BeNumerically(">", 1000))
}

// noted counts what was noted of all sessions, by code.
func noted(r replay.Resent) map[string]int {
	all := map[string]int{}
	for _, s := range r.Sessions {
		for _, n := range s.Notes {
			all[n.Code] += n.Count
		}
	}
	return all
}

// divergences are the divergences of all sessions.
func divergences(r replay.Resent) (all []*replay.Divergence) {
	for _, s := range r.Sessions {
		if s.Divergence != nil {
			all = append(all, s.Divergence)
		}
	}
	return all
}

// answering answers as the worker does, with every body changed.
func answering(worker http.Handler, change func(trigger string, body []byte) (int, []byte)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		in := httptest.NewRecorder()
		worker.ServeHTTP(in, r)
		raw, _ := jsonv.Get(body, "/trigger/type")
		trigger, _ := jsonv.Text(raw)
		status, out := change(trigger, in.Body.Bytes())
		if status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("content-type", in.Header().Get("content-type"))
		w.WriteHeader(status)
		_, _ = w.Write(out)
	})
}

var _ = Describe("a recording, sent to a worker", func() {
	It("has the answers that it had, whatever the scenario", func() {
		files := filesIn(run(nil))
		learnsAlike(files)
		r := resent(files, referenceWorker(settling()), replay.ResendConfig{Jobs: 2})
		for _, d := range divergences(r) {
			Fail(d.String())
		}
		Expect(r.Agree).To(BeNumerically(">", 1000))
		codes := noted(r)
		for code := range codes {
			Expect(code).To(BeElementOf(replay.NoteOutside, replay.NoteLost, replay.NoteRestart, replay.NoteNoAnswer))
		}
		Expect(codes).To(HaveKey(replay.NoteOutside))
		Expect(r.Sent + codes[replay.NoteOutside] + codes[replay.NoteLost]).To(Equal(r.Requests))
	})

	It("agrees as a capture, streams included", func() {
		files := captured(recorder.PolicyConfig{}, running("execute/valid.yaml", "parallel/two-tools.yaml", "session/*", "stream/*", "model/*", "hosted/*"))
		r := resent(files, referenceWorker(reference.Options{}), replay.ResendConfig{Jobs: 2})
		for _, d := range divergences(r) {
			Fail(d.String())
		}
		Expect(r.Agree).To(BeNumerically(">", 150), "%+v", noted(r))
		Expect(r.Agree).To(BeNumerically(">", r.Sent*9/10))
	})

	It("is sent with other ids and with deadlines that are to come, and signed", func() {
		files := filesIn(run(chosen("execute/valid.yaml")))
		known := map[string]bool{}
		for _, name := range files {
			for _, e := range read(name) {
				if q, ok := e.Data.(*spec.RequestEvent); ok {
					known[q.Decision] = true
				}
			}
		}
		var n atomic.Int64
		secret := []byte("the secret of the suite")
		worker := referenceWorker(settling())
		seen := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer GinkgoRecover()
			body, _ := io.ReadAll(r.Body)
			q, fault := spec.ParseRequest(body)
			Expect(fault).To(BeNil())
			Expect(known).NotTo(HaveKey(q.DecisionID))
			Expect(time.Until(q.Deadline.Time)).To(And(BeNumerically(">", 0), BeNumerically("<", 21*time.Second)))
			Expect(r.Header.Get("X-Mine")).To(Equal(spec.Sign(secret, body)))
			Expect(r.Header.Values("X-Tenant")).To(Equal([]string{"acme"}))
			n.Add(1)
			r.Body = io.NopCloser(bytes.NewReader(body))
			worker.ServeHTTP(w, r)
		})
		r := resent(files, seen, replay.ResendConfig{
			Seed: 9, Secret: secret, SignatureHeader: "X-Mine", Headers: [][2]string{{"X-Tenant", "acme"}},
		})
		Expect(divergences(r)).To(BeEmpty())
		Expect(n.Load()).To(BeEquivalentTo(r.Requests))
	})

	It("is sent with the ids that it had where that is wanted", func() {
		files := filesIn(run(chosen("execute/valid.yaml")))
		known := map[string]bool{}
		for _, e := range read(files[len(files)-1]) {
			if q, ok := e.Data.(*spec.RequestEvent); ok {
				known[q.Decision] = true
			}
		}
		worker := referenceWorker(settling())
		seen := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer GinkgoRecover()
			body, _ := io.ReadAll(r.Body)
			q, fault := spec.ParseRequest(body)
			Expect(fault).To(BeNil())
			Expect(known).To(HaveKey(q.DecisionID))
			Expect(q.Deadline.Time).To(BeTemporally(">", time.Now()))
			r.Body = io.NopCloser(bytes.NewReader(body))
			worker.ServeHTTP(w, r)
		})
		r := resent(files[len(files)-1:], seen, replay.ResendConfig{SameIDs: true})
		Expect(divergences(r)).To(BeEmpty())
		Expect(r.Sent).To(Equal(len(known)))
	})

	It("names one sentence that changed, and goes on", func() {
		files := filesIn(run(chosen("execute/valid.yaml")))
		changed := answering(referenceWorker(settling()), func(trigger string, body []byte) (int, []byte) {
			if trigger != "tool.execute" {
				return 200, body
			}
			return 200, bytes.Replace(body, []byte(`"text":"`), []byte(`"text":"Now: `), 1)
		})
		r := resent(files, changed, replay.ResendConfig{})
		all := divergences(r)
		Expect(all).NotTo(BeEmpty())
		for _, d := range all {
			Expect(d.Code).To(Equal(replay.CodeAnswer))
			Expect(d.Pointer).To(Equal("/actions/0/result/content/0/text"))
			Expect(d.Got).To(Equal(`"Now: ` + d.Want[1:]))
			Expect(d.After).To(ContainSubstring("llm.finished"))
			Expect(d.About).To(HavePrefix("tool.execute"))
		}
		Expect(r.Sent).To(Equal(r.Requests), "the engine would have gone on in the same way")
	})

	DescribeTable("names what happens instead of an answer, and sends nothing that would not have come",
		func(status int, body string, code, got string) {
			files := filesIn(run(chosen("execute/valid.yaml")))
			r := resent(files, answering(referenceWorker(settling()), func(trigger string, as []byte) (int, []byte) {
				if trigger == "tool.execute" {
					return status, []byte(body)
				}
				return 200, as
			}), replay.ResendConfig{})
			all := divergences(r)
			Expect(all).NotTo(BeEmpty())
			for _, d := range all {
				Expect(d.Code).To(Equal(code))
				Expect(d.Got).To(ContainSubstring(got))
				Expect(d.Want).To(Equal("200 and a decision"))
			}
			Expect(noted(r)).To(HaveKey(replay.NoteOtherWay))
			Expect(r.Sent).To(BeNumerically("<", r.Requests))
		},
		Entry("a status", 503, `{"error":"down for repair"}`, replay.CodeStatus, "503 Service Unavailable: down for repair"),
		Entry("an empty body", 200, ``, replay.CodeFailure, "decision"),
		Entry("a connection that is cut", 0, ``, replay.CodeMissing, "no answer: reset"),
	)

	It("says that a worker answers where it had not", func() {
		files := filesIn(run(chosen("execute/valid.yaml"), "closes-the-connection"))
		r := resent(files, referenceWorker(settling()), replay.ResendConfig{})
		Expect(divergences(r)).NotTo(BeEmpty())
		for _, d := range divergences(r) {
			Expect(d.Code).To(Equal(replay.CodeExtra))
			Expect(d.Want).To(HavePrefix("no answer: reset"))
			Expect(d.Got).To(Equal("200 and a decision"))
		}
	})

})
