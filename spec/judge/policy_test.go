package judge_test

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// malformedAs is a tool.execute with such an argument string.
func malformedAs(arguments string) string {
	return strings.Replace(onBroken, `"{"`, string(jsonv.Quote(arguments)), 1)
}

// proposing is a request whose proposal refuses call c1 in these words.
func proposing(text string) string {
	return `{"proposed":{"actions":[{"type":"tool.error","id":"c1","error":` + string(jsonv.Quote(text)) + `,"retryable":false}]}}`
}

func erring(text string) string {
	return `{"actions":[{"type":"tool.error","error":` + string(jsonv.Quote(text)) + `}]}`
}

var _ = Describe("A declared policy for bad arguments", func() {
	const (
		id  = "execute.keeps-its-policy"
		no  = "invalid tool arguments: city"
		own = "I will not"
	)
	judged := func(policy, trigger, answer string) spec.Status {
		t := newTape().declares(map[string]string{"get_weather": policy})
		return t.exchange("s1", trigger, proposing(no), answer).done().of(id).Status
	}

	DescribeTable("is held to",
		func(policy, trigger, answer string, want spec.Status) {
			Expect(judged(policy, trigger, answer)).To(Equal(want))
		},
		Entry("refuse: the proposed error", "refuse", onInvalid, erring(no), spec.StatusPass),
		Entry("refuse: the proposed error for malformed ones", "refuse", onBroken, erring(no), spec.StatusPass),
		Entry("refuse: a plain result", "refuse", onInvalid, sunny, spec.StatusFail),
		Entry("refuse: a plain result for malformed ones", "refuse", onBroken, sunny, spec.StatusFail),
		Entry("refuse: an error of its own, without a twin", "refuse", onInvalid, erring(own), spec.StatusNotObserved),
		Entry("refuse: a flagged result, without a twin", "refuse", onInvalid, flagged, spec.StatusNotObserved),
		Entry("run: a result", "run", onInvalid, sunny, spec.StatusPass),
		Entry("run: a flagged result", "run", onInvalid, flagged, spec.StatusPass),
		Entry("run: the proposed error", "run", onInvalid, erring(no), spec.StatusFail),
		Entry("run: an error that running may have led to", "run", onInvalid, erring(own), spec.StatusNotObserved),
		Entry("run: malformed ones are free", "run", onBroken, erring(no), spec.StatusNotObserved),
		Entry("repair: a result", "repair", onInvalid, sunny, spec.StatusPass),
		Entry("repair: a result for malformed ones", "repair", onBroken, sunny, spec.StatusPass),
		Entry("repair: an error where nothing can be repaired", "repair", onInvalid, erring(no), spec.StatusNotObserved),
		Entry("repair: an error for half an object", "repair", onBroken, erring(no), spec.StatusNotObserved),
		Entry("repair: an error for a whole object in a fence", "repair", malformedAs("```json\n{\"city\":\"Oslo\"}\n```"), erring(no), spec.StatusFail),
		Entry("repair: an error for one object twice", "repair", malformedAs(`{"city":"Oslo"} {"city":"Oslo"}`), erring(own), spec.StatusFail),
		Entry("repair: an error for two objects", "repair", malformedAs(`{"city":"Oslo"}{"city":"Rome"}`), erring(no), spec.StatusNotObserved),
		Entry("repair: an error for an object that breaks the schema", "repair", malformedAs(`Here: {"town":"Oslo"}`), erring(no), spec.StatusNotObserved),
		Entry("repair: an error for no object", "repair", malformedAs(`["Oslo"]`), erring(no), spec.StatusNotObserved),
		Entry("nothing settled", "refuse", onInvalid, `{}`, spec.StatusNotObserved),
	)

	It("asks for a twin of the same tool, before or after (R11)", func() {
		for _, after := range []bool{false, true} {
			t := newTape().declares(map[string]string{"get_weather": "refuse"})
			if !after {
				t.exchange("s1", onExecute, "", sunny)
			}
			t.exchange("s2", onInvalid, proposing(no), erring(own))
			if after {
				t.exchange("s1", onExecute, "", sunny)
			}
			Expect(t.done().of(id).Status).To(Equal(spec.StatusPass))
		}
		t := newTape().declares(map[string]string{"get_weather": "refuse"}).exchange("s1", onExecute, "", erring(own))
		o := t.exchange("s1", onInvalid, proposing(no), erring(own)).done().of(id)
		Expect(o.Status).To(Equal(spec.StatusNotObserved))
		Expect(o.Reason).To(Equal(`no valid call of "get_weather" ran, so its refusals prove nothing`))
	})

	It("is that of the tool, else that of all", func() {
		t := newTape().declares(map[string]string{"get_weather": "run", spec.AllTools: "refuse"})
		Expect(t.exchange("s1", onInvalid, proposing(no), sunny).done().of(id).Status).To(Equal(spec.StatusPass))
		t = newTape().declares(map[string]string{"get_tides": "run", spec.AllTools: "refuse"})
		Expect(t.exchange("s1", onInvalid, proposing(no), sunny).done().of(id).Status).To(Equal(spec.StatusFail))
		t = newTape().declares(map[string]string{"get_tides": "refuse"})
		Expect(t.exchange("s1", onInvalid, proposing(no), sunny).done().of(id).Status).To(Equal(spec.StatusNotObserved))
	})

	It("says nothing of tools that are not declared, nor of valid arguments", func() {
		t := newTape().declares(map[string]string{spec.AllTools: "run"})
		t.exchange("s1", onUnknown, unknown, erring("unknown tool: get_whether")).exchange("s1", onExecute, "", erring(own))
		Expect(t.done().of(id).Status).To(Equal(spec.StatusNotObserved))
	})

	It("does not apply where nobody has declared one", func() {
		o := newTape().exchange("s1", onInvalid, proposing(no), sunny).done().of(id)
		Expect(o.Status).To(Equal(spec.StatusNotApplicable))
		Expect(o.Reason).To(ContainSubstring("bad_arguments"))
	})

	It("knows objects that no schema speaks of", func() {
		t := newTape().declares(map[string]string{spec.AllTools: "repair"})
		given := strings.Replace(proposing(no), "{", `{"agent":{"model":"m","tools":[{"name":"get_weather"}]},`, 1)
		Expect(jsontext.Value(given).IsValid()).To(BeTrue())
		Expect(t.exchange("s1", malformedAs(`Here: {"town":1}`), given, erring(no)).done().of(id).Status).To(Equal(spec.StatusFail))
	})
})

var _ = Describe("A config that an answer sends later", func() {
	const id = "agent.keeps-its-tools"
	two := `{"agent":{"model":"m","tools":[{"name":"a"},{"name":"b"}]}}`

	DescribeTable("keeps the tools in force or takes them away",
		func(answer string, want spec.Status, got string) {
			o := newTape().exchange("s1", onTurnEnd, two, answer).done().of(id)
			Expect(o.Status).To(Equal(want))
			if got != "" {
				Expect(o.Findings[0].Got).To(Equal(got))
			}
		},
		Entry("no agent", `{}`, spec.StatusPass, ""),
		Entry("all of them, and more", `{"agent":{"model":"m","tools":[{"name":"c"},{"name":"b"},{"name":"a"}]}}`, spec.StatusPass, ""),
		Entry("none", `{"agent":{"model":"m"}}`, spec.StatusWarn, `a config without "a", "b"`),
		Entry("an empty list", `{"agent":{"model":"m","tools":[]}}`, spec.StatusWarn, `a config without "a", "b"`),
		Entry("fewer", `{"agent":{"model":"m","tools":[{"name":"b"}]}}`, spec.StatusWarn, `a config without "a"`),
	)

	It("is not judged at session.start, nor where there are no tools", func() {
		t := newTape().exchange("s1", onStart, two, `{"agent":{"model":"m"}}`)
		t.exchange("s1", onTurnEnd, `{"agent":{"model":"m"}}`, `{"agent":{"model":"n"}}`).exchange("s1", onTurnEnd, `{"agent":null}`, `{}`)
		Expect(t.done().of(id).Count).To(BeZero())
	})
})
