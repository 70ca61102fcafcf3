package workertest_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing/fstest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/workertest"
)

// written puts files into a folder of their own and returns it.
func written(files map[string]string) string {
	GinkgoHelper()
	folder := GinkgoT().TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		Expect(os.MkdirAll(filepath.Dir(path), 0o777)).To(Succeed())
		Expect(os.WriteFile(path, []byte(text), 0o666)).To(Succeed())
	}
	return folder
}

var _ = Describe("Config", func() {
	DescribeTable("refuses what cannot be meant, before a request goes out",
		func(cfg workertest.Config, text string) {
			var a asked
			got := refused(workertest.Handler(a.before(studio())), cfg)
			Expect(got).To(HavePrefix("workertest: "))
			Expect(got).To(ContainSubstring(text))
			Expect(a.bodies).To(BeEmpty())
		},
		Entry(nil, workertest.Config{Jobs: -1}, "Config.Jobs: -1: want 0 or more"),
		Entry(nil, workertest.Config{AllTools: true, OnlyTools: []string{"list_kilns"}}, "Config.AllTools: OnlyTools is set as well"),
		Entry(nil, workertest.Config{WithoutCorpus: true}, "Config.WithoutCorpus: nothing is left to run\n  hint: "),
		Entry(nil, workertest.Config{Header: http.Header{"Content-Length": {"3"}}}, "Config.Header: Content-Length: is the transport's own"),
		Entry(nil, workertest.Config{Header: http.Header{"a b": {"3"}}}, `Config.Header: "a b": is no name of a header`),
		Entry(nil, workertest.Config{Header: http.Header{"X": {"a\r\nY: b"}}}, "Config.Header: X: its value holds a control character"),
		Entry(nil, workertest.Config{Scenarios: fstest.MapFS{}}, "Config.Scenarios: "),
		Entry(nil, workertest.Config{Scenarios: fstest.MapFS{"a.yaml": {Data: []byte("scenario: x\nstepps: []\n")}}}, "a.yaml:2:1: "),
		Entry(nil, workertest.Config{Scenarios: fstest.MapFS{"execute/valid.yaml": {Data: []byte(talk)}}},
			"Config.Scenarios: execute/valid.yaml stands in the built-in corpus too"),
		Entry(nil, workertest.Config{File: "no-such.yaml"}, "Config.File: open no-such.yaml: "),
		Entry(nil, workertest.Config{Baseline: "no-such.yaml"}, "Config.Baseline: open no-such.yaml: "),
	)

	DescribeTable("refuses patterns and names that fit nothing (R10)",
		func(cfg workertest.Config, text string) {
			Expect(refused(workertest.Handler(studio()), cfg)).To(ContainSubstring(text))
		},
		Entry(nil, workertest.Config{Run: []string{"execute/vallid.yaml"}},
			`Config.Run: "execute/vallid.yaml" fits no case`+"\n  hint: did you mean execute/valid.yaml?"),
		Entry(nil, workertest.Config{Skip: []string{"nothing*"}}, `Config.Skip: "nothing*" fits no case`+"\n  hint: a pattern is "),
		Entry(nil, workertest.Config{Skip: []string{"*"}}, "Config.Skip: leaves no case to run"),
		Entry(nil, workertest.Config{OnlyTools: []string{"list_kiln"}}, `tool "list_kiln": the worker does not declare it`+"\n  hint: "),
		Entry(nil, workertest.Config{SkipTools: []string{"list_kiln"}}, `tool "list_kiln": the worker does not declare it`),
	)

	It("refuses targets that are none", func() {
		Expect(refused(workertest.Target{}, workertest.Config{})).To(ContainSubstring("the zero Target\n  hint: "))
		Expect(refused(workertest.Handler(nil), workertest.Config{})).To(ContainSubstring("the handler is nil"))
		Expect(refused(workertest.URL("localhost:4444"), workertest.Config{})).To(ContainSubstring("want http:// or https://\n  hint: "))
	})

	It("skips what a pattern names", func() {
		r := check(workertest.Handler(studio()), workertest.Config{Run: []string{"session/*"}, Skip: []string{"session/two*"}})
		Expect(caseIDs(r)).To(ContainElement(HavePrefix("session/plain-talk.yaml")))
		Expect(caseIDs(r)).NotTo(ContainElement(HavePrefix("session/two-turns.yaml")))
	})

	It("keeps the values of headers out of all that is written", func() {
		const secret = "a-token-of-mine"
		GinkgoT().Setenv("HALLMARK_TEST_TOKEN", "another-token-of-mine")
		folder := written(map[string]string{"hallmark.yaml": "headers: {X-Two: {env: HALLMARK_TEST_TOKEN}, X-Three: plain}\n"})
		cfg := workertest.Config{
			Run: []string{"execute/valid.yaml"}, Header: http.Header{"Authorization": {secret}},
			File: filepath.Join(folder, "hallmark.yaml"), Record: GinkgoT().TempDir(),
		}
		var a asked
		r := check(workertest.Handler(a.before(studio("settles-twice"))), cfg)
		Expect(a.heads[0].Get("Authorization") + a.heads[0].Get("X-Two")).To(Equal(secret + "another-token-of-mine"))
		for _, c := range r.Cases {
			text, err := os.ReadFile(c.Recording)
			Expect(err).NotTo(HaveOccurred())
			Expect(string(text)).NotTo(ContainSubstring("token-of-mine"))
			Expect(string(text)).To(ContainSubstring("hm-red-secret-"))
			Expect(string(text)).To(ContainSubstring("plain"))
		}
	})

	It("resets the worker's world before each case, one by one, and tells when that fails", func() {
		resets := 0
		cfg := workertest.Config{Run: []string{"session/*"}, Reset: func(context.Context) error {
			resets++
			return nil
		}}
		r := check(workertest.Handler(studio()), cfg)
		Expect(resets).To(Equal(r.Summary.Cases.Total()-r.Summary.Cases.NotApplicable-1), "discovery is no case")
		cfg.Reset = func(context.Context) error { return errors.New("no reset") }
		r, err := workertest.Check(context.Background(), workertest.Handler(studio()), cfg)
		Expect(err).To(MatchError(ContainSubstring("no reset")))
		Expect(r).NotTo(BeNil())
		cfg.Jobs = 2
		Expect(refused(workertest.Handler(studio()), cfg)).To(ContainSubstring("Config.Jobs: 2: with Reset cases run one by one"))
	})

	It("judges a worker that misses an impatient bound by a warning", func() {
		slow := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		r := check(workertest.Handler(after(4, studio(), slow)), workertest.Config{Patience: 20 * time.Millisecond})
		for _, q := range r.Requirements {
			if q.ID == "delivery.answers-in-time" {
				Expect(q.Status).To(Equal(spec.StatusWarn))
			}
		}
	})

	Describe("File", func() {
		It("says how to speak to the worker and what to run", func() {
			folder := written(map[string]string{
				"hallmark.yaml": `url: http://192.0.2.1/
worker: {name: the studio, version: "7"}
agent: {id: billing, start: bare}
headers: {X-One: a}
tools:
  book_kiln: {call: never}
scenarios: mine
corpus: false
`,
				"mine/talk.yaml": talk,
			})
			var a asked
			r := check(workertest.Handler(a.before(studio())), workertest.Config{File: filepath.Join(folder, "hallmark.yaml")})
			Expect(caseIDs(r)).To(Equal([]string{"discovery#default", "talk.yaml#default"}))
			Expect(r.Worker.Name + r.Worker.Version).To(Equal("the studio7"))
			Expect(r.Worker.Form).To(Equal("bare"))
			Expect(a.bodies).To(HaveEach(ContainSubstring(`"agent_id":"billing"`)))
			Expect(a.heads[0].Get("X-One")).To(Equal("a"))
		})

		It("gives samples, and bounds calls", func() {
			folder := written(map[string]string{"hallmark.yaml": `tools:
  kiln_temperature: {samples: {ok: {kiln: west}}}
  book_kiln: {call: never}
`})
			var a asked
			r := check(workertest.Handler(a.before(studio())), workertest.Config{
				File: filepath.Join(folder, "hallmark.yaml"), Run: []string{"execute/valid.yaml"},
			})
			Expect(a.bodies).To(ContainElement(ContainSubstring(`"arguments":"{\"kiln\":\"west\"}"`)))
			for _, tool := range r.Worker.Tools {
				Expect(tool.Calls > 0).To(Equal(tool.Name != "book_kiln" && tool.Handler == spec.HandlerWorker), tool.Name)
			}
		})

		It("signs requests with a secret that nothing written holds", func() {
			GinkgoT().Setenv("HALLMARK_TEST_SECRET", "a-secret-of-mine")
			folder := written(map[string]string{"hallmark.yaml": "secret_env: HALLMARK_TEST_SECRET\n"})
			var fromFile, fromConfig asked
			run := []string{"session/plain-talk.yaml"}
			check(workertest.Handler(fromFile.before(studio())), workertest.Config{File: filepath.Join(folder, "hallmark.yaml"), Run: run})
			check(workertest.Handler(fromConfig.before(studio())), workertest.Config{Secret: []byte("another"), Run: run})
			Expect(fromFile.heads[0].Get(simulator.SignatureHeader)).To(Equal(simulator.Sign([]byte("a-secret-of-mine"), []byte(fromFile.bodies[0]))))
			Expect(fromConfig.heads[0].Get(simulator.SignatureHeader)).To(Equal(simulator.Sign([]byte("another"), []byte(fromConfig.bodies[0]))))
			Expect(refused(workertest.Handler(studio()), workertest.Config{File: filepath.Join(written(map[string]string{"hallmark.yaml": "secret_env: HALLMARK_NO_SUCH_VARIABLE\n"}), "hallmark.yaml")})).
				To(ContainSubstring("the secret is to be in HALLMARK_NO_SUCH_VARIABLE, which is not set"))
		})

		It("names the header of signatures, and dialects, or says what is wrong with them", func() {
			var named asked
			run := []string{"session/plain-talk.yaml"}
			r := check(workertest.Handler(named.before(studio())), workertest.Config{
				Secret: []byte("another"), SignatureHeader: "X-Hub-Signature-256", Dialect: []string{"identity=older"}, Run: run,
			})
			Expect(named.heads[0].Get("X-Hub-Signature-256")).To(Equal(simulator.Sign([]byte("another"), []byte(named.bodies[0]))))
			Expect(named.heads[0]).NotTo(HaveKey(simulator.SignatureHeader))
			Expect(string(named.bodies[0])).NotTo(ContainSubstring("visibility"))
			Expect(r.Cases[len(r.Cases)-1].ID).To(Equal("session/plain-talk.yaml#default (identity older)"))
			w := workertest.Handler(studio())
			Expect(refused(w, workertest.Config{SignatureHeader: "X-Other"})).To(ContainSubstring("nothing is signed"))
			Expect(refused(w, workertest.Config{SignatureHeader: "Accept", Secret: []byte("x")})).To(ContainSubstring("an engine writes this header itself"))
			Expect(refused(w, workertest.Config{Dialect: []string{"eech"}})).To(And(ContainSubstring("Dialect"), ContainSubstring("each")))
		})

		It("holds the worker to what it is said to do with bad arguments", func() {
			run := []string{"execute/bad-after-good.yaml"}
			of := func(policy string) spec.Status {
				folder := written(map[string]string{"hallmark.yaml": "bad_arguments: " + policy + "\n"})
				r := check(workertest.Handler(studio()), workertest.Config{File: filepath.Join(folder, "hallmark.yaml"), Run: run})
				for _, q := range r.Requirements {
					if q.ID == "execute.keeps-its-policy" {
						return q.Status
					}
				}
				return ""
			}
			Expect(of("refuse")).To(Equal(spec.StatusPass))
			Expect(of("run")).To(Equal(spec.StatusFail))
		})

		It("loses to the fields of Config", func() {
			folder := written(map[string]string{"hallmark.yaml": "agent: {id: billing}\n"})
			var a asked
			check(workertest.Handler(a.before(studio())), workertest.Config{
				File: filepath.Join(folder, "hallmark.yaml"), AgentID: "support", Run: []string{"session/two-turns.yaml"},
			})
			Expect(a.bodies).To(HaveEach(ContainSubstring(`"agent_id":"support"`)))
		})

		DescribeTable("is refused where it asks for what nothing does",
			func(text, key string) {
				folder := written(map[string]string{"hallmark.yaml": text})
				Expect(refused(workertest.Handler(studio()), workertest.Config{File: filepath.Join(folder, "hallmark.yaml")})).
					To(MatchRegexp(`hallmark\.yaml: ?` + regexp.QuoteMeta(key)))
			},
			Entry(nil, "reset: {run: make reset}\n", "1:8: a test runs no reset of a file\n  hint: set Config.Reset"),
			Entry(nil, "headers: {X: {env: HALLMARK_NO_SUCH_VARIABLE}}\n", "1:11: the header X takes its value from HALLMARK_NO_SUCH_VARIABLE, which is not set"),
			Entry(nil, "headers: {Expect: x}\n", "1:11: Expect: is the transport's own"),
			Entry(nil, "profile: coree\n", `no profile is called "coree"`),
		)

		It("is refused with line and column where it does not read", func() {
			folder := written(map[string]string{"hallmark.yaml": "agent:\n  idd: x\n"})
			Expect(refused(workertest.Handler(studio()), workertest.Config{File: filepath.Join(folder, "hallmark.yaml")})).
				To(ContainSubstring("hallmark.yaml:2:3: "))
		})
	})

	Describe("Baseline and Strict", func() {
		const entry = "registry: \"" + spec.RegistryVersion + "\"\nentries:\n  - requirement: execute.settles-once\n    reason: we know\n"

		It("knows a failure that is known", func() {
			folder := written(map[string]string{"known.yaml": entry})
			cfg := workertest.Config{Run: []string{"execute/valid.yaml"}, Baseline: filepath.Join(folder, "known.yaml")}
			r := check(workertest.Handler(studio("settles-twice")), cfg)
			Expect(r.Exit).To(Equal(reports.ExitGood))
			Expect(r.Summary.Requirements.KnownFailing).To(Equal(1))
		})

		It("fails when a known failure holds, also when the file names the baseline", func() {
			folder := written(map[string]string{"known.yaml": entry, "hallmark.yaml": "baseline: known.yaml\n"})
			r := check(workertest.Handler(studio()), workertest.Config{
				Run: []string{"execute/valid.yaml"}, File: filepath.Join(folder, "hallmark.yaml"),
			})
			Expect(r.Exit).To(Equal(reports.ExitFailed))
			Expect(r.Stale).To(HaveLen(1))
		})

		It("raises warnings, and what a profile claims", func() {
			folder := written(map[string]string{"hallmark.yaml": "profile: full\n"})
			cfg := workertest.Config{Run: []string{"session/two-turns.yaml"}, File: filepath.Join(folder, "hallmark.yaml")}
			Expect(check(workertest.Handler(studio()), cfg).Exit).To(Equal(reports.ExitGood))
			cfg.Strict = true
			r := check(workertest.Handler(studio()), cfg)
			Expect(r.Exit).To(Equal(reports.ExitFailed))
			Expect(troubled(r)).To(ContainElement("execute.settles-once"))
		})
	})
})
