package workertest_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing/fstest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/workertest"
)

// check runs Check, which must not err.
func check(target workertest.Target, cfg workertest.Config) *reports.Report {
	GinkgoHelper()
	r, err := workertest.Check(context.Background(), target, cfg)
	Expect(err).NotTo(HaveOccurred())
	return r
}

// refused runs Check, which must give an error and no report.
func refused(target workertest.Target, cfg workertest.Config) string {
	GinkgoHelper()
	r, err := workertest.Check(context.Background(), target, cfg)
	Expect(err).To(HaveOccurred())
	Expect(r).To(BeNil())
	return err.Error()
}

func troubled(r *reports.Report) []string {
	ids := []string{}
	for _, q := range r.Requirements {
		switch q.Status {
		case spec.StatusPass, spec.StatusNotObserved, spec.StatusNotApplicable:
		default:
			ids = append(ids, q.ID)
		}
	}
	return ids
}

func caseIDs(r *reports.Report) []string {
	ids := []string{}
	for _, c := range r.Cases {
		ids = append(ids, c.ID)
	}
	return ids
}

// talk is a scenario of a user's own.
const talk = `scenario: A plain talk
steps:
  - user: Hello.
  - model: Hello to you.
finally:
  - turn: completed
`

// asked keeps the bodies that a handler is asked with.
type asked struct {
	mu     sync.Mutex
	bodies []string
	heads  []http.Header
}

func (a *asked) before(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(err)
		}
		a.mu.Lock()
		a.bodies = append(a.bodies, string(body))
		a.heads = append(a.heads, r.Header.Clone())
		a.mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		h.ServeHTTP(w, r)
	})
}

var _ = Describe("Check", func() {
	It("finds nothing wrong with the reference worker, by the whole corpus", func() {
		r := check(workertest.Handler(studio()), workertest.Config{})
		Expect(troubled(r)).To(BeEmpty())
		Expect(r.Exit).To(Equal(reports.ExitGood))
		Expect(r.Summary.Cases.Pass).To(BeNumerically(">", 100))
		Expect(r.Worker.Seed).To(BeEquivalentTo(1))
		Expect(r.Worker.URL).To(BeEmpty())
		for _, c := range r.Cases {
			Expect(c.Repeat).To(BeEmpty(), "no command reaches a handler in memory")
			Expect(c.Recording).To(BeEmpty())
		}
	})

	DescribeTable("turns red by what a fault breaks, and errs not",
		func(fault string, broken ...string) {
			r := check(workertest.Handler(studio(fault)), workertest.Config{Run: []string{"execute/*", "session/*"}})
			Expect(troubled(r)).To(ConsistOf(broken))
			Expect(r.Exit).To(Equal(reports.ExitFailed))
		},
		Entry(nil, "settles-twice", "execute.settles-once"),
		Entry(nil, "no-config", "start.yields-a-config"),
	)

	It("calls a factory once for each use", func() {
		var made atomic.Int64
		target := workertest.Factory(func() http.Handler {
			made.Add(1)
			return studio()
		})
		for range 2 {
			check(target, workertest.Config{Run: []string{"session/two-turns.yaml"}})
		}
		Expect(made.Load()).To(BeEquivalentTo(2))
	})

	It("makes another worker where a case restarts it", func() {
		var made atomic.Int64
		r := check(workertest.Factory(func() http.Handler {
			made.Add(1)
			return studio()
		}), workertest.Config{Run: []string{"restart/*"}})
		Expect(troubled(r)).To(BeEmpty())
		Expect(r.Summary.Cases.NotApplicable).To(Equal(1), "the case of a worker that lets calls go")
		Expect(made.Load()).To(BeEquivalentTo(4), "one, and one for each case that restarts it")
		r = check(workertest.Factory(func() http.Handler { return studio("forgets-over-a-restart") }), workertest.Config{Run: []string{"restart/*"}})
		Expect(troubled(r)).To(ConsistOf("restart.keeps-going"))
	})

	It("disturbs what it is told to, or what the file says", func() {
		cfg := workertest.Config{Run: []string{"session/two-turns.yaml"}, Disturb: []string{"late", "lose-answer"}}
		r := check(workertest.Handler(studio()), cfg)
		Expect(troubled(r)).To(BeEmpty())
		Expect(r.Cases).To(HaveLen(5))
		cfg.Run = []string{"execute/valid.yaml"}
		r = check(workertest.Handler(studio("notes-being-asked-again")), cfg)
		Expect(troubled(r)).To(ConsistOf("disturbed.ends-the-same"))
		cfg.Disturb = []string{"lat"}
		_, err := workertest.Check(context.Background(), workertest.Handler(studio()), cfg)
		Expect(err).To(MatchError(And(ContainSubstring("Config.Disturb"), ContainSubstring(`did you mean "late"?`))))
		file := filepath.Join(GinkgoT().TempDir(), "hallmark.yaml")
		Expect(os.WriteFile(file, []byte("disturb: slow\n"), 0o666)).To(Succeed())
		r = check(workertest.Handler(studio()), workertest.Config{Run: []string{"session/two-turns.yaml"}, File: file})
		Expect(r.Cases).To(HaveLen(4))
	})

	It("applies no restart to one handler", func() {
		r := check(workertest.Handler(studio()), workertest.Config{Run: []string{"restart/*"}})
		Expect(r.Summary.Cases.NotApplicable).To(Equal(4))
	})

	It("starts a command, which declares and is called like any other, and stops it", func() {
		self, err := os.Executable()
		Expect(err).NotTo(HaveOccurred())
		target := workertest.Command(self, asWorker, "{port}", "settles-twice")
		r := check(target, workertest.Config{Run: []string{"execute/valid.yaml"}})
		Expect(troubled(r)).To(ConsistOf("execute.settles-once"))
		Expect(r.Worker.Start).To(ContainSubstring(asWorker + " '{port}' settles-twice"))
		_, err = workertest.Send(context.Background(), workertest.URL(r.Worker.URL), start())
		Expect(err).To(MatchError(ContainSubstring("cannot be reached")), "it is stopped")
	})

	It("offers no command line that cannot work: none reads the scenarios of a file system", func() {
		self, err := os.Executable()
		Expect(err).NotTo(HaveOccurred())
		target := workertest.Command(self, asWorker, "{port}")
		cfg := workertest.Config{Run: []string{"session/two-turns.yaml"}}
		Expect(check(target, cfg).Cases[1].Repeat).To(HavePrefix("hallmark test --start "))
		cfg.Scenarios = fstest.MapFS{"talk.yaml": {Data: []byte(talk)}}
		cfg.Run = []string{"talk.yaml"}
		Expect(check(target, cfg).Cases[1].Repeat).To(BeEmpty())
	})

	It("tells why a command is no worker, in the process's own words", func() {
		self, err := os.Executable()
		Expect(err).NotTo(HaveOccurred())
		text := refused(workertest.Command(self, asWorker, "{port}", "no-such-fault"), workertest.Config{})
		Expect(text).To(And(ContainSubstring("it ended before it was ready"), ContainSubstring("no worker:"), ContainSubstring("hint: ")))
		Expect(text).NotTo(ContainSubstring("--"), "no flag of the command line")
	})

	It("errs when nobody is there", func() {
		r, err := workertest.Check(context.Background(), workertest.URL("http://127.0.0.1:1/"), workertest.Config{})
		Expect(err).To(MatchError(ContainSubstring("cannot be reached: ")))
		Expect(r.Exit).To(Equal(reports.ExitUnreachable))
	})

	It("adds scenarios of a file system, and runs them alone if wanted", func() {
		cfg := workertest.Config{
			Scenarios: fstest.MapFS{"deep/talk.yaml": {Data: []byte(talk)}}, WithoutCorpus: true,
		}
		r := check(workertest.Handler(studio()), cfg)
		Expect(caseIDs(r)).To(Equal([]string{"discovery#default", "deep/talk.yaml#default"}))
		cfg.WithoutCorpus, cfg.Run = false, []string{"deep/*", "session/two-turns.yaml"}
		Expect(check(workertest.Handler(studio()), cfg).Cases).To(HaveLen(3))
	})

	It("gives scenarios their variables", func() {
		cfg := workertest.Config{
			Scenarios:     fstest.MapFS{"a.yaml": {Data: []byte(strings.Replace(talk, "Hello.", `"Hello, ${var.who}."`, 1))}},
			WithoutCorpus: true, Vars: map[string]string{"who": "Ada"},
		}
		var a asked
		check(workertest.Handler(a.before(studio())), cfg)
		Expect(a.bodies).To(ContainElement(ContainSubstring("Hello, Ada.")))
	})

	It("sends the same ids for the same seed, and others for another", func() {
		ids := func(seed uint64) string {
			var a asked
			r := check(workertest.Handler(a.before(studio())), workertest.Config{Run: []string{"session/two-turns.yaml"}, Seed: seed, Jobs: 1})
			Expect(r.Worker.Seed).To(Equal(max(seed, 1)))
			all := []string{}
			for _, body := range a.bodies {
				req, fault := spec.ParseRequest([]byte(body))
				Expect(fault).To(BeNil())
				all = append(all, req.DecisionID)
			}
			return strings.Join(all, " ")
		}
		Expect(ids(0)).To(Equal(ids(1)))
		Expect(ids(2)).NotTo(Equal(ids(1)))
	})

	It("adds headers in one order, and names its agent", func() {
		var a asked
		check(workertest.Handler(a.before(studio())), workertest.Config{
			Run: []string{"session/two-turns.yaml"}, AgentID: "billing",
			Header: http.Header{"X-Two": {"b", "c"}, "X-One": {"a"}},
		})
		Expect(a.bodies).To(HaveEach(ContainSubstring(`"agent_id":"billing"`)))
		for _, h := range a.heads {
			Expect(h["X-Two"]).To(Equal([]string{"b", "c"}))
			Expect(h.Get("X-One")).To(Equal("a"))
		}
	})

	It("records every case if wanted", func() {
		cfg := workertest.Config{Run: []string{"session/two-turns.yaml"}, Record: GinkgoT().TempDir()}
		r := check(workertest.Handler(studio()), cfg)
		files, err := filepath.Glob(filepath.Join(cfg.Record, "*.jsonl"))
		Expect(err).NotTo(HaveOccurred())
		Expect(files).To(HaveLen(len(r.Cases)))
		for _, c := range r.Cases {
			Expect(c.Recording).To(BeElementOf(files))
		}
	})

	It("can be used by many at once", func() {
		target := workertest.Handler(studio())
		var all sync.WaitGroup
		got := make([]*reports.Report, 8)
		for i := range got {
			all.Go(func() {
				defer GinkgoRecover()
				got[i] = check(target, workertest.Config{Run: []string{"execute/valid.yaml"}, Seed: uint64(i) + 1})
			})
		}
		all.Wait()
		for _, r := range got {
			Expect(r.Exit).To(Equal(reports.ExitGood), "%v", troubled(r))
		}
	})

	It("ends early when its context does, and says that the report is partial", func() {
		ctx, cancel := context.WithCancel(context.Background())
		var seen atomic.Int64
		h := studio()
		stopping := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if seen.Add(1) == 20 {
				cancel()
			}
			h.ServeHTTP(w, r)
		})
		r, err := workertest.Check(ctx, workertest.Handler(stopping), workertest.Config{Jobs: 1})
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Ended).To(ContainSubstring("were not run"))
		Expect(r.Exit).To(Equal(reports.ExitUsage))
	})

	It("never calls tools that are out of bounds", func() {
		var a asked
		r := check(workertest.Handler(a.before(studio())), workertest.Config{Run: []string{"execute/*"}, OnlyTools: []string{"list_kilns"}})
		for _, tool := range r.Worker.Tools {
			Expect(tool.Calls > 0).To(Equal(tool.Name == "list_kilns"), tool.Name)
		}
	})

	It("errs when every tool is out of bounds: nothing about calls was tested", func() {
		r := check(workertest.Handler(studio()), workertest.Config{Run: []string{"session/two-turns.yaml"}})
		var names []string
		for _, tool := range r.Worker.Tools {
			names = append(names, tool.Name)
		}
		_, err := workertest.Check(context.Background(), workertest.Handler(studio()),
			workertest.Config{Run: []string{"session/two-turns.yaml"}, SkipTools: names})
		Expect(err).To(MatchError(ContainSubstring("none of the worker's tools may be called")))
	})
})
