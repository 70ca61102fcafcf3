package reports_test

import (
	"bytes"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// divergence is one at an exchange.
func divergence(code, exchange string) reports.Divergence {
	return reports.Divergence{
		Code: code, Text: "what " + code + " means", Session: "s1", Exchange: exchange, Line: 9, About: "tool.execute of call_1",
		In: "body", Pointer: "/a", Got: "1 of \x1b" + exchange, Want: "2", Rules: "G6", After: "s1/d1",
	}
}

// playedAgain is a recording of which n requests came out again.
func playedAgain(id string, n int, diverged ...reports.Divergence) reports.Result {
	c := reports.Case{
		ID: id, Status: spec.StatusPass, Exchanges: n + len(diverged), Recording: "rec/" + id + ".jsonl", MadeBy: "1.2.3",
		Repeat:      "hallmark replay rec/" + id + ".jsonl",
		Replay:      &reports.Replay{How: reports.PlayedWhole, Requests: n + len(diverged), Reproduced: n},
		Divergences: diverged,
	}
	if len(diverged) > 0 {
		c.Status = spec.StatusFail
	}
	return reports.Result{Case: c}
}

// stepped is a capture of which n steps agree, and those of why are unexplained.
func stepped(id string, n int, why ...string) reports.Result {
	c := reports.Case{
		ID: id, Status: spec.StatusPass, Recording: "cap/" + id + ".jsonl", MadeBy: "1.2.3",
		Replay: &reports.Replay{How: reports.PlayedSteps, Requests: n + len(why) + 1, Agree: n, Unexplained: len(why)},
	}
	if n == 0 {
		c.Status, c.Reason = spec.StatusNotObserved, "nothing can be seen"
	}
	for i, reason := range why {
		c.Unexplained = append(c.Unexplained, reports.Divergence{
			Code: "gap", Text: "something is missing", Session: "s1", Exchange: fmt.Sprintf("d%d", i+2), Reason: reason, Assumed: []string{"the plugin"},
		})
	}
	return reports.Result{Case: c}
}

func unread(id string) reports.Result {
	return reports.Result{Case: reports.Case{ID: id, Status: spec.StatusError, Reason: "recording line 5: no sum"}, Unreadable: true}
}

func sumPlayed(ended string, results ...reports.Result) *reports.Report {
	return reports.Build(reports.Report{Played: true, Ended: ended, MadeBy: spec.MadeBy{Hallmark: "1.2.3", Registry: "2026-11/1"}}, nil, results)
}

// everyPlayed has each kind of thing that a replay may say.
func everyPlayed() *reports.Report {
	old := playedAgain("b", 0, divergence("event", "d2"), divergence("event", "d2"), divergence("kind", "d3"), divergence("request", "d4"), divergence("request", "d5"))
	old.Case.MadeBy = "1.1.0"
	return sumPlayed("",
		playedAgain("a", 4), old, stepped("c", 3, "hidden", "hidden"), stepped("d", 0, "seen\nby none"), unread("e\x1b"))
}

var _ = Describe("The report of a replay", func() {
	It("tells what diverged, what does not read and what could not be told", func() {
		golden("played.golden", text(everyPlayed(), reports.TextOptions{}))
		golden("played-all.golden", text(everyPlayed(), reports.TextOptions{All: true}))
	})

	It("lets nothing of a recording reach the terminal as a control", func() {
		Expect(text(everyPlayed(), reports.TextOptions{All: true})).NotTo(ContainSubstring("\x1b"))
	})

	It("keeps a thousand divergences short, and says how much it left out", func() {
		var results []reports.Result
		for i := range 1000 {
			results = append(results, playedAgain(fmt.Sprint(i), 1, divergence("request", "d2")))
		}
		got := text(sumPlayed("", results...), reports.TextOptions{})
		Expect(len(bytes.Split([]byte(got), []byte("\n")))).To(BeNumerically("<", 80))
		Expect(got).To(ContainSubstring("… and 995 more recordings that diverged; --all shows them"))
	})

	It("fits the schema", func() {
		for _, r := range []*reports.Report{everyPlayed(), sumPlayed("")} {
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON(r)))
			Expect(err).NotTo(HaveOccurred())
			Expect(reportSchema().Validate(doc)).To(Succeed())
		}
	})

	It("sums up by the way in which recordings were played", func() {
		Expect(everyPlayed().Summary.Replay).To(Equal([]reports.Replay{
			{How: reports.PlayedWhole, Recordings: 2, Diverged: 1, Requests: 9, Reproduced: 4},
			{How: reports.PlayedSteps, Recordings: 2, Untold: 1, Requests: 8, Agree: 3, Unexplained: 3},
		}))
	})

	It("gives JUnit a test a recording, of a name of its own", func() {
		r := sumPlayed("", playedAgain("a", 1), playedAgain("b", 0, divergence("request", "d2")), playedAgain("b", 1), stepped("d", 0, "why"), unread("e"))
		r.Cases[2].Recording = "rec/again.jsonl"
		suites := readJUnit(r)
		Expect(suites.TestSuites).To(HaveLen(2))
		all := suites.TestSuites[0]
		Expect([]int{all.Tests, all.Failures, all.Skipped, all.Errors}).To(Equal([]int{5, 1, 1, 1}))
		Expect(all.TestCases[1].Name).To(Equal("b in rec/b.jsonl"))
		Expect(all.TestCases[1].Failure.Message).To(Equal("what request means"))
		Expect(all.TestCases[1].Failure.Description).To(ContainSubstring("at: body /a"))
		Expect(all.TestCases[2].Name).To(Equal("b in rec/again.jsonl"))
		Expect(all.TestCases[4].Error.Message).To(ContainSubstring("no sum"))
		Expect(readJUnit(sumPlayed("")).TestSuites[1].TestCases[0].Error.Message).To(Equal("the recordings hold no request that could be told"))
	})

	gone := reports.Result{Case: reports.Case{ID: "gone", Status: spec.StatusNotObserved}, Unreachable: true}
	erred := reports.Result{Case: reports.Case{ID: "erred", Status: spec.StatusError}}
	DescribeTable("asks for the exit code of R10, and says why",
		func(want int, verdict, ended string, results ...reports.Result) {
			r := sumPlayed(ended, results...)
			Expect(r.Exit).To(Equal(want))
			Expect(text(r, reports.TextOptions{})).To(HaveSuffix("\n" + verdict + "\n"))
		},
		Entry("all the same", 0, "good: nothing diverged", "", playedAgain("a", 1), stepped("b", 1)),
		Entry("one of which nothing can be told beside others", 0, "good: nothing diverged", "", playedAgain("a", 1), stepped("b", 0, "why")),
		Entry("one diverged", 1, "failed: 1 recording diverged", "", playedAgain("a", 1), playedAgain("b", 1, divergence("request", "d2"))),
		Entry("one diverged beside a damaged one", 1, "failed: 1 recording diverged", "", unread("a"), playedAgain("b", 1, divergence("request", "d2"))),
		Entry("one diverged, and the replay was stopped", 1, "failed: 1 recording diverged", "stopped", playedAgain("b", 1, divergence("request", "d2"))),
		Entry("a damaged one", 4, "partial: nothing diverged in what could be read", "", unread("a"), playedAgain("b", 1)),
		Entry("a damaged one beside an error of the harness", 5, "error: the harness erred; this says nothing about the recordings", "", unread("a"), erred),
		Entry("the worker is not there", 3, "unreachable: the worker could not be reached or started", "", playedAgain("a", 1), gone),
		Entry("nothing can be told", 2, "nothing replayed: the recordings hold no request that could be told", "", stepped("b", 0, "why")),
		Entry("nothing there", 2, "nothing replayed: the recordings hold no request that could be told", ""),
		Entry("stopped", 2, "not finished: the replay ended before every recording had its turn", "stopped", playedAgain("a", 1)),
	)
})
