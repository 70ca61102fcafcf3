package replay_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/spec"
)

// likeCaptured is what a proxy would have captured of a recording, but for the
// exchanges that lost names.
func likeCaptured(events []spec.Event, lost func(session, d string) bool) (kept []spec.Event) {
	for i, e := range events {
		switch d := e.Data.(type) {
		case *spec.HeaderEvent:
			c := *d
			c.Source, c.Case, c.Engine, c.Seed = spec.SourceCapture, nil, nil, 0
			c.Evidence = []spec.Evidence{spec.EvidenceExchange, spec.EvidenceSession}
			e.Data = &c
		case *spec.RequestEvent, *spec.ResponseEvent, *spec.PieceEvent:
			if lost(e.Session, exchangeOf(e)) {
				continue
			}
		case *spec.SessionEvent:
		default:
			if i != len(events)-1 {
				continue
			}
		}
		kept = append(kept, e)
	}
	return kept
}

func nothing(string, string) bool { return false }

// someOf loses one exchange in four.
func someOf(seed uint64) func(session, d string) bool {
	random := rand.New(rand.NewPCG(seed, 4))
	gone := map[string]bool{}
	return func(session, d string) bool {
		key := session + "/" + d
		if _, known := gone[key]; !known {
			gone[key] = random.IntN(4) == 0
		}
		return gone[key]
	}
}

// beginning loses the first n exchanges.
func beginning(n int) func(session, d string) bool {
	seen := map[string]bool{}
	return func(session, d string) bool {
		if key := session + "/" + d; len(seen) < n || seen[key] {
			seen[key] = true
			return true
		}
		return false
	}
}

// interleaved is one capture of two engines: what they asked came by turns.
func interleaved(one, two []spec.Event) []spec.Event {
	mixed, last := []spec.Event{one[0]}, one[len(one)-1]
	one, two = one[1:len(one)-1], two[1:len(two)-1]
	for len(one) > 0 || len(two) > 0 {
		if len(one) > 0 {
			mixed, one = append(mixed, one[0]), one[1:]
		}
		if len(two) > 0 {
			e := two[0]
			e.Session = "other " + e.Session
			mixed, two = append(mixed, e), two[1:]
		}
	}
	return append(mixed, last)
}

// redacted is a recording with secrets replaced.
func redacted(events []spec.Event, c recorder.PolicyConfig) []spec.Event {
	GinkgoHelper()
	c.Key = []byte("the key of the tests")
	policy, err := recorder.NewPolicy(c)
	Expect(err).NotTo(HaveOccurred())
	text := written(events)
	var out bytes.Buffer
	_, err = policy.Rewrite(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }, &out)
	Expect(err).NotTo(HaveOccurred())
	var all []spec.Event
	for e, err := range recorder.NewReader(&out).All() {
		Expect(err).NotTo(HaveOccurred())
		all = append(all, e)
	}
	return all
}

// namedOnly wants no step that differs, and a known code for each that is
// unexplained.
func namedOnly(s replay.Steps, of string) replay.Steps {
	GinkgoHelper()
	known := names(replay.UnexplainedCodes())
	for _, step := range s.Steps {
		Expect(step.Verdict).To(Equal(replay.StepUnexplained), "%s: %+v", of, step)
		Expect(known).To(ContainElement(step.Code), of)
		Expect(step.Reason).NotTo(BeEmpty(), of)
	}
	return s
}

var _ = Describe("what a capture cannot show", Ordered, func() {
	// captures are recordings of one case of each scenario, of every third unless all
	// are asked for, but of none in which the scenario put something in place that no
	// engine's traffic shows.
	var captures [][]spec.Event
	var ids []string

	BeforeAll(func() {
		seen := map[string]bool{}
		for _, a := range corpusRun() {
			if a.header.Case.Text == "" || a.whole.Requests == 0 || seen[a.header.Case.Scenario] {
				continue
			}
			seen[a.header.Case.Scenario] = true
			if !full && len(seen)%3 != 0 {
				continue
			}
			events := read(a.whole.Recording)
			if slices.ContainsFunc(stepped(events).Steps, func(step replay.Step) bool { return step.Code == replay.CodeGiven }) {
				continue
			}
			captures, ids = append(captures, events), append(ids, a.whole.ID)
		}
		Expect(len(captures)).To(BeNumerically(">", 5))
	})

	It("is no divergence where exchanges are missing", func() {
		whole, holed := 0, 0
		for i, events := range captures {
			whole += namedOnly(stepped(likeCaptured(events, nothing)), ids[i]).Agrees
			for seed := range uint64(3) {
				holed += namedOnly(stepped(likeCaptured(events, someOf(seed))), ids[i]).Agrees
			}
		}
		Expect(holed).To(BeNumerically(">", whole), "three times with a quarter missing")
	})

	It("is no divergence where it begins in the middle", func() {
		for i, events := range captures {
			for n := 1; n < 8; n += 3 {
				namedOnly(stepped(likeCaptured(events, beginning(n))), ids[i])
			}
		}
	})

	It("is no divergence where two engines speak by turns", func() {
		for i := 1; i < len(captures); i += 2 {
			one, two := likeCaptured(captures[i-1], nothing), likeCaptured(captures[i], nothing)
			a, b := stepped(one), stepped(two)
			s := namedOnly(stepped(interleaved(one, two)), ids[i])
			Expect([]int{s.Requests, s.Agrees}).To(Equal([]int{a.Requests + b.Requests, a.Agrees + b.Agrees}), ids[i])
		}
	})

	It("is no divergence where stand-ins stand for secrets", func() {
		agrees, unexplained := 0, 0
		for i, events := range captures {
			s := namedOnly(stepped(redacted(likeCaptured(events, nothing), recorder.PolicyConfig{
				Secrets: []string{"celadon", "Use ", "2026-09-14"}, Keys: []string{"kiln", "question"},
			})), ids[i])
			agrees, unexplained = agrees+s.Agrees, unexplained+s.Unexplained
		}
		Expect(agrees).To(BeNumerically(">", 2*unexplained))
	})
})
