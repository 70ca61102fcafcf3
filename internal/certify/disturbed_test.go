package certify_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// rewriting changes the answers to calls of a right worker.
type rewriting struct {
	http.Handler
	answer func(request, answer []byte) []byte
}

type caught struct {
	http.ResponseWriter
	body bytes.Buffer
}

func (c *caught) Write(b []byte) (int, error) { return c.body.Write(b) }

func (h rewriting) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	request, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(request))
	// A streamed answer is not so easily written anew.
	r.Header.Del("Accept")
	c := &caught{ResponseWriter: rw}
	h.Handler.ServeHTTP(c, r)
	answer := c.body.Bytes()
	if bytes.Contains(request, []byte(`"trigger":{"type":"tool.execute"`)) {
		answer = h.answer(request, answer)
	}
	_, _ = rw.Write(answer)
}

var someText = regexp.MustCompile(`"text":"(?:[^"\\]|\\.)*"`)

// saying gives every text result another text.
func saying(text func() string) rewriting {
	return rewriting{referenceWorker(), func(_, answer []byte) []byte {
		return someText.ReplaceAll(answer, []byte(`"text":"`+text()+`"`))
	}}
}

// underTrouble runs a few cases under all disturbances.
func underTrouble(h http.Handler, run ...string) *reports.Report {
	GinkgoHelper()
	c := config()
	c.Run, c.Disturb = run, scenarios.Disturbances()
	return certifyAll(c, h)
}

var _ = Describe("a run with disturbances", func() {
	It("leaves the right worker without a finding, and observes", func() {
		h, err := reference.NewRestartable(reference.Options{Engine: atEndpoint})
		Expect(err).NotTo(HaveOccurred())
		c := config()
		c.Run, c.Disturb, c.Restart = []string{"execute/valid.yaml", "parallel/*", "session/two-turns.yaml", "sessions/*"}, scenarios.Disturbances(), h.Restart
		r := certifyAll(c, h)
		Expect(troubled(r)).To(BeEmpty())
		for _, id := range []string{"disturbed.ends-the-same", "disturbed.reads-the-same", "restart.keeps-going"} {
			Expect(statusOf(r, id)).To(Equal(spec.StatusPass), id)
		}
		ids := map[string]bool{}
		for _, one := range r.Cases {
			ids[one.ID] = true
		}
		const base = "parallel/two-tools.yaml#default"
		for _, of := range append([]string{"", " calm again"}, under()...) {
			Expect(ids).To(HaveKey(base + of))
		}
	})

	DescribeTable("opens no session under the id of another one, as no run beside it",
		func(disturb, dialects []string, one string) {
			c := config()
			c.Run, c.Record = []string{"robustness/many-sessions.yaml", "sessions/*", "parallel/two-tools.yaml"}, GinkgoT().TempDir()
			c.Disturb = disturb
			var err error
			c.Dialects, err = scenarios.ParseDialects(dialects)
			Expect(err).NotTo(HaveOccurred())
			certifyAll(c, referenceWorker())
			files, err := filepath.Glob(filepath.Join(c.Record, "*.jsonl"))
			Expect(err).NotTo(HaveOccurred())
			seen, runs := map[string]string{}, map[string]bool{}
			for _, name := range files {
				run := ""
				for e := range eventsOf(name) {
					switch d := e.Data.(type) {
					case *spec.HeaderEvent:
						run = fmt.Sprintf("%s#%s", d.Case.Scenario, d.Case.Name)
						switch {
						case d.Case.Disturbed != nil:
							run += " under " + d.Case.Disturbed.Do
						case d.Dialect != nil:
							run += fmt.Sprintf(" from %d", d.Dialect.FirstAttempt)
						}
					case *spec.SessionEvent:
						Expect(seen).NotTo(HaveKey(d.SessionID), "%s of %s is one of %s too", e.Session, run, seen[d.SessionID])
						seen[d.SessionID], runs[run] = run, true
					}
				}
			}
			Expect(runs).To(HaveKey(one))
			Expect(len(seen)).To(BeNumerically(">", 2*32))
		},
		Entry("under disturbances", []string{"late", "repeat"}, []string{"default"}, "robustness/many-sessions.yaml#default under late"),
		Entry("in dialects", nil, []string{"default", "first-attempt=1"}, "robustness/many-sessions.yaml#default from 1"),
	)

	It("counts what it calls, and says what is disturbed", func() {
		c := config()
		said := ""
		c.Run, c.Disturb, c.PlanOnly = []string{"execute/valid.yaml", "retry/lost-answer.yaml"}, []string{"late"}, true
		c.Announce = func(line string) { said = line }
		certifyAll(c, referenceWorker())
		Expect(said).To(Equal("will call 9 of 9 tools, 29 times; 9 of 11 cases are run calm twice and once each under late"))
	})

	It("takes a clock, a counter and an id for what they are", func() {
		var n atomic.Int64
		r := underTrouble(saying(func() string {
			k := n.Add(1)
			return fmt.Sprintf("It is 12:%02d:%02d, visitor %d, ticket %016x.", k/60%60, k%60, k, k*7919)
		}), "execute/valid.yaml", "retry/*")
		Expect(troubled(r)).To(BeEmpty())
		Expect(statusOf(r, "disturbed.ends-the-same")).To(Equal(spec.StatusPass))
	})

	It("takes the time in a structured result for what it is, too", func() {
		var n atomic.Int64
		r := underTrouble(rewriting{referenceWorker(), func(_, answer []byte) []byte {
			k := n.Add(1)
			now := fmt.Sprintf(`{\"now\":\"2026-09-14T12:%02d:%02dZ\",\"unix\":%d,\"zone\":\"UTC\"}`, k/60%60, k%60, 1789387200+k)
			return someText.ReplaceAll(answer, []byte(`"text":"`+now+`"`))
		}}, "execute/valid.yaml#default [studio_notice]", "execute/valid.yaml#default [list_kilns]", "session/two-turns.yaml")
		Expect(troubled(r)).To(BeEmpty())
		for _, id := range []string{"disturbed.ends-the-same", "disturbed.reads-the-same"} {
			Expect(statusOf(r, id)).To(Equal(spec.StatusPass), id)
		}
	})

	It("takes words for unsteady that differ in two calm runs", func() {
		var n atomic.Int64
		words := strings.Fields("clay slip glaze kiln wheel bisque cone")
		r := underTrouble(saying(func() string { return words[int(n.Add(1))%len(words)] }), "execute/valid.yaml#default [studio_notice]")
		Expect(statusOf(r, "disturbed.reads-the-same")).To(Equal(spec.StatusPass))
	})

	It("says where a worker is not steady", func() {
		var n atomic.Int64
		c := config()
		c.Run, c.Disturb, c.Record = []string{"execute/valid.yaml#default [studio_notice]"}, []string{"lose-request"}, GinkgoT().TempDir()
		r := certifyAll(c, rewriting{referenceWorker(), func(_, answer []byte) []byte {
			if n.Add(1) == 3 {
				return []byte(`{"actions":[{"type":"tool.error","error":"no"}]}`)
			}
			return answer
		}})
		Expect(troubled(r)).To(BeEmpty())
		Expect(statusOf(r, "disturbed.ends-the-same")).To(Equal(spec.StatusNotObserved))
		for _, q := range r.Requirements {
			if q.ID == "disturbed.ends-the-same" {
				Expect(q.Reason).To(HavePrefix(`the worker is not steady here: s1 /calls/c1/is: "result" in one calm run and "error" in another`))
			}
		}
	})

	DescribeTable("is judged from its files as it was judged at once",
		func(jobs int, status spec.Status, faults ...string) {
			c := config()
			c.Run, c.Jobs, c.Record, c.Disturb = []string{"execute/valid.yaml", "parallel/two-tools.yaml"}, jobs, GinkgoT().TempDir(), scenarios.Disturbances()
			live := certifyAll(c, referenceWorker(faults...))
			Expect(asJSON(*certify.Sum(judgedFrom(c.Record)), true)).To(Equal(asJSON(*live, true)))
			Expect(statusOf(live, "disturbed.ends-the-same")).To(Equal(status))
		},
		Entry("of the reference worker", 1, spec.StatusPass),
		Entry("of one that ends in another state", 1, spec.StatusFail, "notes-being-asked-again"),
		Entry("with several jobs", 4, spec.StatusFail, "notes-being-asked-again"),
		Entry("of one that forgets", 1, spec.StatusPass, "forgets-over-a-restart"),
	)

	It("keeps all runs of a case that failed, so that the files tell it too", func() {
		c := config()
		c.Run, c.Keep, c.Disturb = []string{"execute/valid.yaml"}, GinkgoT().TempDir(), []string{"lose-answer", "slow"}
		live := certifyAll(c, referenceWorker("notes-being-asked-again"))
		kept := certify.Sum(judgedFrom(c.Keep))
		Expect(statusOf(kept, "disturbed.ends-the-same")).To(Equal(spec.StatusFail))
		Expect(len(kept.Cases)).To(BeNumerically("<", len(live.Cases)))
		for _, one := range live.Cases {
			if one.Status == spec.StatusFail {
				Expect(one.Recording).To(BeAnExistingFile())
				Expect(one.ID).To(HaveSuffix(" under lose-answer"))
				Expect(one.Repeat).To(ContainSubstring(" --disturb lose-answer"))
				Expect(one.Repeat).NotTo(ContainSubstring("under lose-answer"))
				Expect(one.Findings[0].Hint).To(MatchRegexp(`^the run was disturbed by lose-answer at s1 tool\.execute of `))
				Expect(one.Findings[0].Pointer).To(HavePrefix("/state"))
			}
		}
	})

	It("knows nothing without the calm runs", func() {
		c := config()
		c.Run, c.Record, c.Disturb = []string{"session/plain-talk.yaml"}, GinkgoT().TempDir(), []string{"repeat"}
		certifyAll(c, referenceWorker())
		judged := slices.DeleteFunc(judgedFrom(c.Record), func(j *certify.Judged) bool { return strings.HasSuffix(j.Case.ID, " calm again") })
		r := certify.Sum(judged)
		Expect(statusOf(r, "disturbed.ends-the-same")).To(Equal(spec.StatusNotObserved))
	})

	It("does not disturb what failed in calm", func() {
		r := underTrouble(referenceWorker("settles-twice"), "execute/valid.yaml#default [list_kilns]")
		Expect(troubled(r)).To(ConsistOf("execute.settles-once"))
		for _, one := range r.Cases {
			if strings.Contains(one.ID, " under ") {
				Expect(one.Status).To(Equal(spec.StatusNotApplicable))
				Expect(one.Reason).To(Equal("the calm run failed"))
			}
		}
	})

	It("disturbs the same places with the same seed, and others with another", func() {
		placesOf := func(seed uint64, jobs int) (places []string) {
			c := config()
			c.Seed, c.Jobs = seed, jobs
			c.Run, c.Record, c.Disturb = []string{"parallel/*", "session/*"}, GinkgoT().TempDir(), []string{"lose-answer"}
			certifyAll(c, referenceWorker())
			for _, name := range filesOf(c.Record) {
				for e := range eventsOf(name) {
					if h, ok := e.Data.(*spec.HeaderEvent); ok && h.Case != nil && h.Case.Disturbed != nil {
						d := h.Case.Disturbed
						places = append(places, fmt.Sprint(h.ID, d.Session, d.Trigger, d.Call, d.Try, d.Nth))
					}
				}
			}
			slices.Sort(places)
			return places
		}
		first := placesOf(7, 1)
		Expect(len(first)).To(BeNumerically(">", 5))
		Expect(placesOf(7, 8)).To(Equal(first))
		Expect(placesOf(8, 1)).NotTo(Equal(first))
	})
})

// under are the endings of the ids of disturbed runs.
func under() (all []string) {
	for _, d := range scenarios.Disturbances() {
		all = append(all, " under "+d)
	}
	return all
}

func filesOf(folder string) []string {
	GinkgoHelper()
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	Expect(err).NotTo(HaveOccurred())
	return files
}

// judgedFrom judges the recordings of a folder, the last first.
func judgedFrom(folder string) (judged []*certify.Judged) {
	GinkgoHelper()
	files := filesOf(folder)
	slices.Reverse(files)
	for _, name := range files {
		j, err := certify.Judge(certify.FromFile(name))
		Expect(err).NotTo(HaveOccurred())
		judged = append(judged, j)
	}
	return judged
}
