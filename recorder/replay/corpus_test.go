package replay_test

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// again is what came of one recording that was played again at once.
type again struct {
	header *spec.HeaderEvent
	whole  replay.Report
	steps  replay.Steps
	err    error
}

// playedAtOnce plays every recording of a folder from end to end, some at a time,
// and with steps step by step too.
func playedAtOnce(folder string, steps bool) []again {
	GinkgoHelper()
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	Expect(err).NotTo(HaveOccurred())
	Expect(files).NotTo(BeEmpty())
	out := make([]again, len(files))
	next := make(chan int)
	var players sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		players.Go(func() {
			for i := range next {
				// Every third will do step by step: each scenario has several cases.
				out[i] = playAgain(files[i], steps && (full || i%3 == 0))
			}
		})
	}
	for i := range files {
		next <- i
	}
	close(next)
	players.Wait()
	return out
}

func playAgain(name string, steps bool) (a again) {
	f, err := os.Open(name)
	if err != nil {
		return again{err: err}
	}
	defer f.Close()
	first, err := recorder.NewReader(f).Next()
	if err != nil {
		return again{err: err}
	}
	a.header = first.Data.(*spec.HeaderEvent)
	if a.whole, a.err = replay.File(context.Background(), name); a.err != nil || !steps {
		return a
	}
	a.steps, a.err = replay.StepFile(context.Background(), name)
	return a
}

// missesNothing wants every request of every recording again, and no step that
// differs. It returns how many requests there were in each scenario and dialect.
func missesNothing(all []again) map[string]map[string]int {
	GinkgoHelper()
	seen := map[string]map[string]int{}
	for _, a := range all {
		Expect(a.err).NotTo(HaveOccurred(), a.whole.Recording)
		if a.whole.Divergence != nil {
			text, _ := os.ReadFile(a.whole.Recording)
			Fail(a.whole.ID + ": " + a.whole.Divergence.String() + "\n" + string(text[max(0, len(text)-4000):]))
		}
		Expect(a.whole.Reproduced).To(Equal(a.whole.Requests), a.whole.ID)
		none(a.steps, a.whole.ID)
		scenario, dialect := a.header.Case.Scenario, scenarios.DialectWord(*a.header.Dialect)
		if seen[scenario] == nil {
			seen[scenario] = map[string]int{}
		}
		seen[scenario][dialect] += a.whole.Requests
	}
	return seen
}

// oneEach gives one case of each scenario that ran: its scenario, and the pattern
// that fits it in whatever dialect.
func oneEach(all []again) (scenarios, patterns []string) {
	for _, a := range all {
		if a.whole.Requests > 0 && a.header.Case.Text != "" && !slices.Contains(scenarios, a.header.Case.Scenario) {
			scenarios = append(scenarios, a.header.Case.Scenario)
			patterns = append(patterns, certify.EscapePattern(a.whole.ID)+"*")
		}
	}
	return scenarios, patterns
}

// full asks for the whole product: every scenario in all dialects, and under all
// disturbances, which takes minutes. Without it each scenario meets some of them,
// and each of them some scenarios of every kind.
var full = os.Getenv("HALLMARK_REPLAY") == "full"

// turns deals the scenarios that ran out to n settings: each to its turn and to the
// one opposite, and the first of each folder to all.
func turns(ran []again, n int) [][]string {
	scenarios, patterns := oneEach(ran)
	dealt := make([][]string, n)
	folder := ""
	for i, name := range scenarios {
		first := path.Dir(name) != folder
		folder = path.Dir(name)
		for k := range n {
			if full || first || k == i%n || k == n-1-i%n {
				dealt[k] = append(dealt[k], patterns[i])
			}
		}
	}
	return dealt
}

// signed lets the scenarios about signatures apply.
func signed(c *certify.Config) { c.Secret = []byte("a secret of the kiln") }

// sampled are the scenarios that stand for all under the race detector: sessions
// and calls side by side, streams, what comes late, and what is lost.
func sampled(c *certify.Config) {
	if underRace {
		c.Run = []string{
			"execute/valid.yaml", "parallel/*", "async/eight.yaml", "async/two-sessions.yaml", "sessions/*", "stream/*",
			"retry/lost-answer.yaml", "restart/*", "subagent/*",
		}
	}
}

// corpusRun is a run of every scenario in the default dialect, made once for all
// specs that read it, and played again at once.
func corpusRun() []again {
	GinkgoHelper()
	if corpus == nil {
		folder, err := os.MkdirTemp("", "hallmark-replay-")
		Expect(err).NotTo(HaveOccurred())
		corpusFolder = folder
		corpus = playedAtOnce(run(func(c *certify.Config) {
			c.Record = folder
			signed(c)
			sampled(c)
		}), true)
	}
	return corpus
}

var (
	corpus       []again
	corpusFolder string
)

var _ = AfterSuite(func() {
	if corpusFolder != "" {
		Expect(os.RemoveAll(corpusFolder)).To(Succeed())
	}
})

var _ = Describe("a run, recorded and played again at once", Ordered, func() {
	var calm []again

	BeforeAll(func() { calm = corpusRun() })

	It("misses no request of any scenario, and step by step none differs", func() {
		seen := missesNothing(calm)
		agrees, unexplained := 0, 0
		for _, a := range calm {
			agrees, unexplained = agrees+a.steps.Agrees, unexplained+a.steps.Unexplained
		}
		Expect(agrees).To(BeNumerically(">", 0))
		if underRace {
			// The sample is of what is hard to explain.
			return
		}
		Expect(unexplained).To(BeNumerically("<", agrees/20))
		docs, err := scenarios.Load(scenarios.Corpus(), ".")
		Expect(err).NotTo(HaveOccurred())
		for _, d := range docs {
			Expect(seen).To(HaveKey(d.Name))
			Expect(seen[d.Name]).NotTo(HaveEach(BeZero()), "%s was played, and holds no request", d.Name)
		}
	})

	It("does so in all sixteen dialects", func() {
		all, err := scenarios.ParseDialects([]string{"all"})
		Expect(err).NotTo(HaveOccurred())
		Expect(all).To(HaveLen(16))
		// The n-th from the front and the n-th from the back have nothing in common.
		dealt := turns(calm, len(all))
		seen := map[string]int{}
		for i, dialect := range all {
			if underRace && i != 0 && i != len(all)-1 {
				continue
			}
			for scenario, of := range missesNothing(playedAtOnce(run(func(c *certify.Config) {
				signed(c)
				c.Run, c.Dialects = dealt[i], []scenarios.Dialect{dialect}
				if underRace {
					_, c.Run = oneEach(calm)
				}
			}), false)) {
				// One may say itself in what it differs from the default.
				for _, n := range of {
					seen[scenario] += n
				}
			}
			Expect(seen).NotTo(BeEmpty(), dialect.Word())
		}
		names, _ := oneEach(calm)
		for _, name := range names {
			Expect(seen[name]).To(BeNumerically(">", 0), name)
		}
	})

	It("does so under every disturbance", func() {
		all := scenarios.Disturbances()
		dealt := turns(calm, len(all))
		for i, disturbance := range all {
			played := playedAtOnce(run(func(c *certify.Config) {
				signed(c)
				c.Run, c.Disturb = dealt[i], []string{disturbance}
				if underRace {
					c.Run = []string{"parallel/*", "async/eight.yaml", "async/two-sessions.yaml"}
				}
			}), false)
			missesNothing(played)
			done := 0
			for _, a := range played {
				if a.header.Case.Disturbed != nil && a.whole.Requests > 0 {
					done++
				}
			}
			Expect(done).To(BeNumerically(">", 5), disturbance)
		}
	})
})

var _ = Describe("twenty runs of one story", func() {
	It("are one run, each played again too", func() {
		runs := 20
		if underRace {
			runs = 3
		}
		asked := map[string][]string{}
		for range runs {
			for _, a := range playedAtOnce(run(func(c *certify.Config) {
				c.Run = []string{
					"execute/valid.yaml*[find_glaze]*", "parallel/two-tools.yaml", "async/out-of-order.yaml", "sessions/two-at-once.yaml",
					"stream/*", "hosted/uses-a-tool.yaml", "retry/lost-answer.yaml",
				}
				c.Fixed, c.At = true, time.Date(2026, 8, 28, 12, 0, 0, 0, time.UTC)
			}), false) {
				Expect(a.err).NotTo(HaveOccurred())
				Expect(a.whole.Divergence).To(BeNil(), "%s: %v", a.whole.ID, a.whole.Divergence)
				asked[a.whole.ID] = append(asked[a.whole.ID], a.whole.Asked)
			}
		}
		Expect(len(asked)).To(BeNumerically(">", 10))
		for id, all := range asked {
			Expect(all).To(HaveLen(runs), id)
			Expect(all).To(HaveEach(all[0]), id)
			Expect(strings.Trim(all[0], "0123456789abcdef")).To(BeEmpty(), id)
		}
	})
})
