package workertest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// heard is a test that keeps what it is told. A fatal one goes on, so what
// comes after it must return.
type heard struct {
	name                       string
	ctx                        context.Context
	folder                     string
	deadline                   time.Time
	flags                      map[string]string
	logs, errors, skips, fatal []string
	subs                       []*heard
}

func newHeard() *heard {
	return &heard{name: "TestStudio", ctx: context.Background(), folder: GinkgoT().TempDir()}
}

func (h *heard) flag(name string) string     { return h.flags[name] }
func (h *heard) Helper()                     {}
func (h *heard) Name() string                { return h.name }
func (h *heard) Context() context.Context    { return h.ctx }
func (h *heard) Deadline() (time.Time, bool) { return h.deadline, !h.deadline.IsZero() }
func (h *heard) ArtifactDir() string         { return h.folder }
func (h *heard) Logf(format string, args ...any) {
	h.logs = append(h.logs, fmt.Sprintf(format, args...))
}
func (h *heard) Errorf(format string, args ...any) {
	h.errors = append(h.errors, fmt.Sprintf(format, args...))
}
func (h *heard) Skipf(format string, args ...any) {
	h.skips = append(h.skips, fmt.Sprintf(format, args...))
}
func (h *heard) Fatalf(format string, args ...any) {
	h.fatal = append(h.fatal, fmt.Sprintf(format, args...))
}

func (h *heard) sub(name string, f func(tester)) {
	if p, err := newPicker(h.flags["test.run"], h.flags["test.skip"]); err != nil || !p.wants(h.name, name) {
		return
	}
	one := &heard{name: h.name + "/" + testName(name), ctx: h.ctx, folder: h.folder}
	h.subs = append(h.subs, one)
	f(one)
}

// at is the subtest of a case.
func (h *heard) at(id string) *heard {
	GinkgoHelper()
	for _, one := range h.subs {
		if one.name == h.name+"/"+id {
			return one
		}
	}
	Fail("there is no subtest " + id)
	return nil
}

func (h *heard) names() []string {
	var names []string
	for _, one := range h.subs {
		names = append(names, one.name)
	}
	return names
}

func studio(faults ...string) Target {
	GinkgoHelper()
	h, err := reference.New(reference.Options{Faults: faults})
	Expect(err).NotTo(HaveOccurred())
	return Handler(h)
}

func ran(target Target, cfg Config) *heard {
	h := newHeard()
	runCases(h, target, cfg, nil)
	return h
}

// foreign is a worker that is not on loopback and not ours.
type foreign struct{ memory }

func (f foreign) open(ctx context.Context, o opening) (*worker, error) {
	w, err := f.memory.open(ctx, o)
	if err == nil {
		w.ours, w.header = false, spec.WorkerHeader{URL: "http://worker.example/"}
	}
	return w, err
}

const mine = `scenario: A call of mine, of which much is expected!
about: It expects what nobody does.
steps:
  - user: Hello.
  - model: {calls: [{as: c1, tool: list_kilns, arguments: {}}]}
    expect:
      - {trigger: tool.execute, call: c1, answer: {is: error}}
finally:
  - turn: completed
`

var _ = Describe("Run", func() {
	It("has one subtest a case and says nothing of what holds", func() {
		h := ran(studio(), Config{Run: []string{"session/*"}})
		Expect(h.names()).To(ContainElements(
			"TestStudio/session/plain-talk.yaml#default", "TestStudio/session/two-turns.yaml#default"))
		Expect(h.names()).NotTo(ContainElement(ContainSubstring("discovery")))
		Expect(h.errors).To(BeEmpty())
		Expect(h.fatal).To(BeEmpty())
		for _, one := range h.subs {
			Expect(one.errors).To(BeEmpty(), one.name)
			Expect(one.skips).To(BeEmpty(), one.name)
		}
	})

	It("tells of a requirement all that is known, once", func() {
		one := ran(studio("settles-twice"), Config{Run: []string{"execute/valid.yaml"}, Seed: 7}).at("execute/valid.yaml#default_[list_kilns]")
		Expect(one.errors).To(HaveLen(2))
		Expect(one.errors[1]).To(HavePrefix("steps[1].expect[0] (line "), "the scenario expects what the requirement wants")
		text := one.errors[0]
		q, _ := spec.LookupRequirement("execute.settles-once")
		Expect(text).To(HavePrefix("execute.settles-once (must) does not hold\n" + q.Text + "\n  where  s1/d"))
		for _, field := range []string{"where", "got", "want", "file", "repeat", "seed"} {
			Expect(text).To(MatchRegexp(`\n  `+field+` +\S`), field)
		}
		Expect(text).To(HaveSuffix("\n  repeat go test -run '^TestStudio$/^execute$/^valid\\.yaml#default_\\[list_kilns\\]$'\n  seed   7"))
		Expect(text).NotTo(ContainSubstring("curl"), "nobody reaches a handler in memory")
	})

	It("shows the first places of a requirement and counts the rest", func() {
		var found []reports.Finding
		for range maxPlaces + 2 {
			found = append(found, reports.Finding{Status: spec.StatusFail, Finding: spec.Finding{Requirement: "execute.settles-once", Got: "two\nlines\x1b"}})
		}
		text := (&teller{}).requirement(newHeard(), &reports.Case{}, found)
		Expect(strings.Count(text, "\n  got    two\n         lines\\x1b")).To(Equal(maxPlaces))
		Expect(text).To(ContainSubstring("\n  … and 2 more\n"))
	})

	It("keeps the recordings of failed cases and names them", func() {
		h := ran(studio("settles-twice"), Config{Run: []string{"execute/valid.yaml", "session/two-turns.yaml"}})
		files, err := filepath.Glob(filepath.Join(h.folder, "*.jsonl"))
		Expect(err).NotTo(HaveOccurred())
		Expect(files).NotTo(BeEmpty())
		text := h.at("execute/valid.yaml#default_[list_kilns]").errors[0]
		file, _, ok := strings.Cut(text[strings.Index(text, "\n  file   ")+len("\n  file   "):], " (until the test ends; go test -artifacts keeps it)\n")
		Expect(ok).To(BeTrue(), text)
		Expect(file).To(BeElementOf(files))
		recorded, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(recorded)).NotTo(ContainSubstring("session/two-turns"))
		record := GinkgoT().TempDir()
		text = ran(studio("settles-twice"), Config{Run: []string{"execute/valid.yaml"}, Record: record}).
			at("execute/valid.yaml#default_[list_kilns]").errors[0]
		Expect(text).To(MatchRegexp(`\n  file   ` + record + `\S+\n`))
	})

	It("skips what does not apply and what was not observed, with the reason", func() {
		h := ran(studio(), Config{Scenarios: fstest.MapFS{
			"other.yaml": {Data: []byte(strings.Replace(mine, "steps:", "needs: {tool: {name: no_such_tool}}\nsteps:", 1))},
		}, WithoutCorpus: true, Skip: []string{"nothing-*"}})
		Expect(h.fatal).To(ConsistOf(ContainSubstring("Config.Skip")))
		h = ran(studio(), Config{Scenarios: fstest.MapFS{
			"other.yaml": {Data: []byte(strings.Replace(mine, "steps:", "needs: {tool: {name: no_such_tool}}\nsteps:", 1))},
		}, WithoutCorpus: true})
		Expect(h.at("other.yaml#default").skips).To(ConsistOf(MatchRegexp("^not applicable: .*no_such_tool")))
	})

	It("logs a warning and fails nothing", func() {
		h := ran(studio("echoes-proposed"), Config{Run: []string{"session/two-turns.yaml"}})
		Expect(h.at("discovery#default").logs).To(ConsistOf(HavePrefix("warning: start.works-in-either-form (should) does not hold\n")))
		Expect(h.at("discovery#default").errors).To(BeEmpty())
		Expect(h.errors).To(BeEmpty())
		h = ran(studio("echoes-proposed"), Config{Run: []string{"session/two-turns.yaml"}, Strict: true})
		Expect(h.at("discovery#default").errors).To(HaveLen(1))
	})

	It("skips known failures, and fails on those that hold by now", func() {
		known := filepath.Join(GinkgoT().TempDir(), "known.yaml")
		text := "registry: \"" + spec.RegistryVersion + "\"\nentries:\n  - {requirement: execute.settles-once, reason: ticket 7}\n"
		Expect(os.WriteFile(known, []byte(text), 0o666)).To(Succeed())
		cfg := Config{Run: []string{"execute/valid.yaml"}, Baseline: known}
		h := ran(studio("settles-twice"), cfg)
		one := h.at("execute/valid.yaml#default_[list_kilns]")
		Expect(h.errors).To(BeEmpty())
		Expect(one.errors).To(BeEmpty())
		Expect(one.logs).To(ConsistOf(HavePrefix("known failing: execute.settles-once"), HavePrefix("known failing: steps[1]")))
		Expect(one.skips).To(ConsistOf(HavePrefix("known failing")))
		Expect(ran(studio(), cfg).errors).To(ConsistOf(HavePrefix(known + ":3: execute.settles-once: holds now\n  hint   ")))
	})

	It("fails on what a claimed profile names and no case observed, when strict", func() {
		file := filepath.Join(GinkgoT().TempDir(), "hallmark.yaml")
		Expect(os.WriteFile(file, []byte("profile: full\n"), 0o666)).To(Succeed())
		h := ran(studio(), Config{Run: []string{"session/two-turns.yaml"}, File: file, Strict: true})
		Expect(h.errors).To(ContainElement(HavePrefix("execute.settles-once (must) is not shown to hold: claimed, and not observed: ")))
	})

	It("logs the warnings of a file", func() {
		file := filepath.Join(GinkgoT().TempDir(), "hallmark.yaml")
		Expect(os.WriteFile(file, []byte("agent: {id: 2026-05-14}\n"), 0o666)).To(Succeed())
		Expect(ran(studio(), Config{Run: []string{"session/two-turns.yaml"}, File: file}).logs).
			To(ConsistOf(HavePrefix("warning: " + file + ":1:")))
	})

	It("tells of a process that ended by itself", func() {
		self, err := os.Executable()
		Expect(err).NotTo(HaveOccurred())
		h := ran(Command(self, "be-a-worker", "{port}", "dies"), Config{Run: []string{"session/*", "execute/valid.yaml", "parallel/*"}, Jobs: 1})
		Expect(h.logs).To(ContainElement(HavePrefix("the worker's process ended by itself: exit status ")))
		var errors []string
		for _, one := range h.subs {
			errors = append(errors, one.errors...)
		}
		Expect(errors).To(ContainElement(HavePrefix("delivery.answers-whole (must) does not hold\n")))
	})

	It("fails as a whole when nothing can be told", func() {
		Expect(ran(URL("http://127.0.0.1:1/"), Config{}).errors).To(ContainElement(ContainSubstring("the worker cannot be reached: ")))
		Expect(ran(studio(), Config{Jobs: -1}).fatal).To(ConsistOf(ContainSubstring("Config.Jobs")))
		h := ran(studio("no-config"), Config{})
		Expect(h.names()).To(Equal([]string{"TestStudio/discovery#default"}))
		Expect(h.at("discovery#default").errors).To(ConsistOf(HavePrefix("start.yields-a-config (must) does not hold\n")))
	})

	It("fails when the run ends early, for example since the test is about to time out", func() {
		h := newHeard()
		h.deadline = time.Now().Add(deadlineGrace + time.Hour)
		ctx, cancel := context.WithCancel(context.Background())
		h.ctx = ctx
		right, err := reference.New(reference.Options{Ran: func(reference.Run) { cancel() }})
		Expect(err).NotTo(HaveOccurred())
		runCases(h, Handler(right), Config{Run: []string{"execute/valid.yaml"}, Jobs: 1}, nil)
		Expect(h.errors).To(ContainElement(MatchRegexp(`^the run ended early: \d+ of \d+ cases were not run: `)))
		Expect(h.at("execute/valid.yaml#default_[list_kilns]").skips).To(ConsistOf(HavePrefix("not observed: ")))
		h.deadline, h.ctx = time.Now(), context.Background()
		runCases(h, studio(), Config{}, nil)
		Expect(h.fatal).To(BeEmpty())
		Expect(len(h.errors)).To(BeNumerically(">", 1))
	})

	It("runs cases one by one where the world is reset between them", func() {
		p, err := Config{Reset: func(context.Context) error { return nil }}.plan(nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(p.Jobs).To(Equal(1))
	})

	It("drives only what go test -run picks", func() {
		var calls []string
		right, err := reference.New(reference.Options{Ran: func(r reference.Run) { calls = append(calls, r.Tool) }})
		Expect(err).NotTo(HaveOccurred())
		h := newHeard()
		h.flags = map[string]string{"test.run": exactly("TestStudio/execute/valid.yaml#default_[list_kilns]")}
		runCases(h, Handler(right), Config{}, nil)
		Expect(calls).To(Equal([]string{"list_kilns"}))
		Expect(h.names()).To(Equal([]string{"TestStudio/execute/valid.yaml#default_[list_kilns]"}))
		Expect(h.errors).To(BeEmpty())
	})

	It("drives nothing that go test -skip names", func() {
		h := newHeard()
		h.flags = map[string]string{"test.skip": "TestStudio/session/two"}
		runCases(h, studio(), Config{Run: []string{"session/*"}}, nil)
		Expect(h.names()).To(ContainElement(ContainSubstring("plain-talk")))
		Expect(h.names()).NotTo(ContainElement(ContainSubstring("two-turns")))
	})

	It("fails when go test -run picks no case, and tells why no session starts even then", func() {
		h := newHeard()
		h.flags = map[string]string{"test.run": "TestStudio/exekute"}
		runCases(h, studio(), Config{}, nil)
		Expect(h.errors).To(ConsistOf("go test -run picks no case of this test"))
		h = newHeard()
		h.flags = map[string]string{"test.run": "TestStudio/execute"}
		runCases(h, studio("no-config"), Config{}, nil)
		Expect(h.errors).To(ConsistOf(HavePrefix("start.yields-a-config (must) does not hold")))
	})

	It("names a recording that outlives the test as it is", func() {
		h := newHeard()
		h.flags = map[string]string{"test.artifacts": "true"}
		runCases(h, studio("settles-twice"), Config{Run: []string{"execute/valid.yaml"}}, nil)
		Expect(h.at("execute/valid.yaml#default_[list_kilns]").errors[0]).To(MatchRegexp(`\n  file   ` + h.folder + `\S+\n`))
	})

	DescribeTable("calls no tool of a worker elsewhere without consent (R3)",
		func(cfg Config, want string) {
			var calls []string
			right, err := reference.New(reference.Options{Ran: func(r reference.Run) { calls = append(calls, r.Tool) }})
			Expect(err).NotTo(HaveOccurred())
			cfg.Run, cfg.Jobs = []string{"execute/valid.yaml"}, 1
			h := ran(newTarget(foreign{memory{make: func() http.Handler { return right }}}), cfg)
			if want == "" {
				Expect(h.fatal).To(BeEmpty())
				Expect(calls).NotTo(BeEmpty())
				return
			}
			Expect(h.fatal).To(ConsistOf(ContainSubstring(want)))
			Expect(calls).To(BeEmpty())
		},
		Entry(nil, Config{}, "no consent to call tools\n  hint: allow it by Config.AllTools, by Config.OnlyTools, or by a tools section in Config.File"),
		Entry(nil, Config{AllTools: true}, ""),
		Entry(nil, Config{OnlyTools: []string{"list_kilns"}}, ""),
	)
})

var _ = Describe("Scenario", func() {
	It("tells each expectation that does not hold, and where it stands", func() {
		h := newHeard()
		runScenario(h, studio(), mine, Config{})
		one := h.at("a-call-of-mine-of-which-much-is-expected#default")
		Expect(h.names()).To(HaveLen(1))
		Expect(one.errors).To(HaveLen(1))
		Expect(one.errors[0]).To(HavePrefix("steps[1].expect[0] (line 7) of the scenario does not hold\n" +
			"A call of mine, of which much is expected!\nIt expects what nobody does.\n  where  s1/d"))
		Expect(one.errors[0]).To(MatchRegexp(`\n  got    .*\n  want   .*(?s).*\n  repeat go test -run '\^TestStudio\$/`))
	})

	It("passes when they hold", func() {
		h := newHeard()
		runScenario(h, studio(), strings.Replace(mine, "{is: error}", "settles", 1), Config{})
		Expect(h.errors).To(BeEmpty())
		Expect(h.subs).To(HaveLen(1))
		Expect(h.subs[0].errors).To(BeEmpty())
	})

	It("tells faults of the text with line and column, and refuses what does not fit", func() {
		h := newHeard()
		runScenario(h, studio(), strings.Replace(mine, "finally", "finaly", 1), Config{})
		Expect(h.fatal).To(ConsistOf(And(ContainSubstring("scenario:8:1: "), ContainSubstring("finally"))))
		h = newHeard()
		runScenario(h, studio(), mine, Config{Scenarios: fstest.MapFS{}})
		Expect(h.fatal).To(ConsistOf(ContainSubstring("Config.Scenarios: Scenario runs the one that it is given")))
		h = newHeard()
		runScenario(h, studio(), mine, Config{Baseline: "x"})
		Expect(h.fatal).To(ConsistOf(ContainSubstring("Config.Baseline: ")))
	})
})
