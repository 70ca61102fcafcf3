package scenarios_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("a document's source", func() {
	It("is the text it was read from, so that a recording can hold the scenario", func() {
		text := []byte(head + steps)
		doc := parse(string(text))
		Expect(string(doc.Source)).To(Equal(string(text)))
		text[0] = '#'
		Expect(string(doc.Source)).To(HavePrefix(head))
	})
})

// handler is a Poster over a handler in memory.
type handler struct{ http.Handler }

// Post implements simulator.Poster.
func (h handler) Post(ctx context.Context, p simulator.Post) simulator.Got {
	p.OnConn("new")
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", bytes.NewReader(p.Body))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return simulator.Got{Proto: "HTTP/1.1", Conn: "new", Answer: spec.Answer{Status: w.Code, Body: w.Body.Bytes(), End: spec.EndWhole}}
}

// recorded gives the header of a case as a reader of its recording finds it.
func recorded(c scenarios.Case, options scenarios.PlanOptions) *spec.HeaderEvent {
	GinkgoHelper()
	dialect := c.Dialect.Spec()
	h := &spec.HeaderEvent{
		Format: spec.RecordingFormat, Version: spec.RecordingVersion, Source: spec.SourceTest, ID: c.ID, Seed: options.Seed,
		Case: c.Header(options), Evidence: []spec.Evidence{spec.EvidenceEngine},
		Dialect: &dialect,
	}
	var file bytes.Buffer
	w := recorder.NewWriter(&file, func() time.Duration { return 0 })
	Expect(w.Write(spec.Event{Data: h})).To(Succeed())
	for e, err := range recorder.NewReader(&file).All() {
		Expect(err).NotTo(HaveOccurred())
		return e.Data.(*spec.HeaderEvent)
	}
	Fail("the recording is empty")
	return nil
}

// reopens wants a case to be the same when it is opened from its recording.
func reopens(c scenarios.Case, options scenarios.PlanOptions) {
	GinkgoHelper()
	again, err := scenarios.Reopen(recorded(c, options))
	Expect(err).NotTo(HaveOccurred(), c.ID)
	Expect(string(again.Doc.Source)).To(Equal(string(c.Doc.Source)))
	again.Doc = c.Doc
	if !reflect.DeepEqual(c, again) { // much faster than to look for a difference
		Fail(c.ID + ": " + cmp.Diff(c, again, cmpopts.IgnoreTypes(&scenarios.Document{})))
	}
}

var _ = Describe("Reopen", func() {
	It("gives every case of the corpus again, as it was planned for the reference worker", func() {
		worker, err := reference.New(reference.Options{})
		Expect(err).NotTo(HaveOccurred())
		found := simulator.Discover(context.Background(), simulator.Settings{Seed: 1, Fixed: true}, simulator.FormAgent, handler{worker}, func(spec.Event) {})
		Expect(found.Declared).NotTo(BeNil())
		docs, err := scenarios.Load(scenarios.Corpus(), ".")
		Expect(err).NotTo(HaveOccurred())
		cases, err := scenarios.Plan(docs, scenarios.Declared{Agent: found.Declared}, scenarios.PlanOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(len(cases)).To(BeNumerically(">", len(docs)))
		for _, c := range cases {
			if c.NotApplicable == "" {
				reopens(c, scenarios.PlanOptions{})
			}
		}
	})

	DescribeTable("gives a case again that depends on more than its text",
		func(text string, options scenarios.PlanOptions, want int) {
			cases := plan(text, options)
			Expect(cases).To(HaveLen(want))
			for _, c := range cases {
				Expect(c.NotApplicable).To(BeEmpty())
				reopens(c, options)
			}
		},
		Entry("cases", head+"cases: [{name: one, word: a}, {name: two, word: b}]\nsteps:\n  - user: $case.word\n", scenarios.PlanOptions{}, 2),
		Entry("varied values", head+"vary: {n: [1, 2, 3], m: [x, y]}\nsteps:\n  - user: \"${case.n} ${case.m}\"\n", scenarios.PlanOptions{}, 6),
		Entry("variables", head+"steps:\n  - user: $var.word\n", scenarios.PlanOptions{Vars: map[string]string{"word": "4.50", "other": "x"}}, 1),
		Entry("features that were claimed", head+"needs: {features: [idempotent]}\n"+steps, scenarios.PlanOptions{Features: []string{"idempotent"}}, 1),
		Entry("a tool that is bound", head+"needs: {tool: {output: true}}\nsteps:\n  - user: \"${tool}\"\n", scenarios.PlanOptions{}, 1),
		Entry("each tool", head+"needs: {tool: {each: true}}\nsteps:\n  - user: \"Use ${tool}: ${tool.description}\"\n", scenarios.PlanOptions{}, 4),
		Entry("several tools", head+"needs: {tools: {a: {}, b: {handler: client}}}\nsteps:\n  - user: \"${a} ${b}\"\n", scenarios.PlanOptions{}, 1),
		Entry("a sample that was given",
			head+"needs: {tool: {name: price, sample: fails}}\nsteps:\n  - user: Go.\n  - model: {calls: [{as: c1, tool: $tool, arguments: $tool.sample}]}\n",
			scenarios.PlanOptions{Samples: map[string]map[string]jsontext.Value{"price": {"fails": jsontext.Value(`{"sku":"none","count":12.30}`)}}}, 1),
		Entry("a sample that was made",
			head+"needs: {tool: {name: price, sample: ok}}\nsteps:\n  - user: Go.\n  - model: {calls: [{as: c1, tool: $tool, arguments: $tool.sample}]}\n",
			scenarios.PlanOptions{}, 1),
		Entry("dialects of the scenario", head+"engine: {dialect: [{first_attempt: 0}, {first_attempt: 1}]}\n"+steps, scenarios.PlanOptions{}, 2),
		Entry("a dialect of the run", head+steps,
			scenarios.PlanOptions{Dialects: []scenarios.Dialect{{FirstAttempt: 1, EmptyProposed: "short", FailedCall: "fail", Identity: "older"}}}, 1),
	)

	DescribeTable("says why it cannot",
		func(change func(*spec.HeaderEvent), want string) {
			h := recorded(plan(head+steps, scenarios.PlanOptions{})[0], scenarios.PlanOptions{})
			change(h)
			_, err := scenarios.Reopen(h)
			Expect(err).To(MatchError(ContainSubstring(want)))
		},
		Entry("no case", func(h *spec.HeaderEvent) { h.Case = nil }, "the header names no case"),
		Entry("a text that does not read", func(h *spec.HeaderEvent) { h.Case.Text = "scenario: A\n" }, "the scenario has no steps"),
		Entry("another case", func(h *spec.HeaderEvent) { h.ID = "b.yaml#other" }, `its scenario has no case "b.yaml#other"`),
	)
})
