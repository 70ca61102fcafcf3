package recorder_test

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// askedWith is a tool.execute request with these arguments and this input.
func askedWith(arguments, input string) []byte {
	return []byte(`{"session_id":"s","decision_id":"x","agent_id":"a","identity":{"visibility":"shared","metadata":{}},` +
		`"trigger":{"type":"tool.execute","id":"c1","name":"edit","arguments":` + arguments + `,"input":` + input + `,"attempt":0},` +
		`"proposed":{"messages":[],"actions":[],"state":null},"state":null,"agent":null,"calls":[],"pending_calls":0,"messages":[],` +
		`"message_tree":{"nodes":[]},"ancestry":[],"attempts":0,"deadline":null,"turn_id":null}`)
}

// recorded writes one exchange, reads it and gives its bodies back.
func recorded(asked, answered []byte) (sent, got []byte) {
	GinkgoHelper()
	var out bytes.Buffer
	w := recorder.NewWriter(&out, func() time.Duration { return 0 })
	for _, e := range []spec.Event{header(), request("d1", asked), response("d1", answered)} {
		Expect(w.Write(e)).To(Succeed())
	}
	Expect(w.Close(spec.CloseScriptDone, 0)).To(Succeed())
	rep, err := recorder.Verify(bytes.NewReader(out.Bytes()), "x")
	Expect(err).NotTo(HaveOccurred())
	Expect(rep.State).To(Equal(recorder.StateWhole))
	for x := range spec.Exchanges(func(yield func(spec.Event) bool) {
		for e, err := range recorder.NewReader(&out).All() {
			Expect(err).NotTo(HaveOccurred())
			if !yield(e) {
				return
			}
		}
	}) {
		sent, got = x.RequestBody, x.ResponseBody
	}
	return sent, got
}

// What recorders were seen to lose, and this one does not.
var _ = Describe("failures seen in public", func() {
	It("field-report:004: keeps the arguments as they were sent, and tells them beside what was read", func() {
		for _, c := range []struct{ arguments, input, want string }{
			{`{"edits":[{"old":"a"`, `{"status":"malformed","error":"EOF"}`, `· arguments of c1: sent "{"edits":[{"old":"a"", read as nothing (malformed: EOF)`},
			{``, `{"status":"valid","value":{}}`, `· arguments of c1: sent "", read as {}`},
			{` `, `{"status":"invalid","value":{},"error":"\"old\" is required"}`, `· arguments of c1: sent " ", read as {} (invalid: "old" is required)`},
			{`{"a":1}{"a":2}`, `{"status":"malformed","error":"trailing characters"}`, `· arguments of c1: sent "{"a":1}{"a":2}", read as nothing (malformed: trailing characters)`},
		} {
			asked := askedWith(string(jsonv.Quote(c.arguments)), c.input)
			sent, _ := recorded(asked, []byte(`{}`))
			Expect(sent).To(Equal(asked))
			Expect(shown(recorder.ShowOptions{}, request("d1", asked), response("d1", []byte(`{}`)))).To(ContainSubstring(c.want))
		}
		plain := askedWith(`"{}"`, `{"status":"valid","value":{}}`)
		Expect(shown(recorder.ShowOptions{}, request("d1", plain), response("d1", []byte(`{}`)))).NotTo(ContainSubstring("read as"), "the model sent {}")
	})

	It("field-report:031: keeps every digit, and sees the last one change", func() {
		asked := askedWith(`"{\"id\":2512292042121000001}"`, `{"status":"valid","value":{"id":2512292042121000001}}`)
		answered := []byte(`{"actions":[{"type":"tool.result","result":{"structuredContent":{"id":2512292042121000001,"one":1.0,"small":0.1e-999999999,"big":1e1000000000}}}]}`)
		sent, got := recorded(asked, answered)
		Expect(sent).To(Equal(asked))
		Expect(got).To(Equal(answered))
		one := []spec.Event{header(), request("d1", asked), response("d1", answered)}
		other := []spec.Event{header(), request("d1", asked), response("d1", bytes.Replace(answered, []byte("0001,"), []byte("0002,"), 1))}
		c := diff(sequence(one), sequence(other))
		Expect(c.First).NotTo(BeNil(), "to a float the two are one number")
		Expect(c.First.Pointer).To(Equal("/actions/0/result/structuredContent/id"))
		Expect(diff(sequence(one), sequence(one)).First).To(BeNil())
	})

	It("field-report:035: keeps half a character as the escape that it is", func() {
		asked := askedWith(`"{\"t\":\"x\\ud835y\"}"`, `{"status":"valid","value":{"t":"x\ud835y"}}`)
		answered := []byte(`{"actions":[{"type":"tool.result","result":"x\ud835y\udf78"}]}`)
		sent, got := recorded(asked, answered)
		Expect(sent).To(Equal(asked))
		Expect(got).To(Equal(answered))
		Expect(string(got)).NotTo(ContainSubstring(string(utf8.RuneError)))
	})

	It("field-report:040: keeps characters whole that a piece of a large body ends in", func() {
		for shift := range 4 {
			text := strings.Repeat("x", shift) + strings.Repeat("🌍", recorder.PieceSize/2)
			_, got := recorded([]byte(`{}`), []byte(text))
			Expect(bytes.Equal(got, []byte(text))).To(BeTrue(), "shifted by %d", shift)
		}
	})

	It("field-report:077: keeps a result of twelve megabytes whole", func() {
		answered := []byte(`{"actions":[{"type":"tool.result","result":"` + strings.Repeat("0123456789abcdef", 12<<16) + `"}]}`)
		_, got := recorded([]byte(`{}`), answered)
		Expect(bytes.Equal(got, answered)).To(BeTrue())
	})

	It("field-report:082: tells two answers apart that are the same texts under each other's ids", func() {
		asked := askedWith(`"{}"`, `{"status":"valid","value":{}}`)
		answer := func(first, second string) []spec.Event {
			return []spec.Event{header(), request("d1", asked), response("d1", []byte(
				`{"actions":[{"type":"tool.result","id":"c1","result":"`+first+`"},{"type":"tool.result","id":"c2","result":"`+second+`"}]}`))}
		}
		Expect(diff(sequence(answer("A", "B")), sequence(answer("A", "B"))).First).To(BeNil())
		c := diff(sequence(answer("A", "B")), sequence(answer("B", "A")))
		Expect(c.First).NotTo(BeNil())
		Expect(c.First.Pointer).To(Equal("/actions/0/result"))
	})

	It("field-report:100: says of a body that is not whole that it is not, and why", func() {
		for _, end := range []spec.BodyEnd{spec.EndCut, spec.EndClientGone, spec.EndReset, spec.EndOverLimit, spec.EndTimeout} {
			e := response("d1", []byte(`{}`)) // what came is an answer by itself
			e.Data.(*spec.ResponseEvent).End, e.Data.(*spec.ResponseEvent).Reason = end, "the reason"
			Expect(shown(recorder.ShowOptions{}, ask("d1"), e)).To(And(ContainSubstring(string(end)), ContainSubstring("the reason")), string(end))
			x := &spec.Exchange{}
			for one := range spec.Exchanges(func(yield func(spec.Event) bool) { _ = yield(ask("d1")) && yield(e) }) {
				x = one
			}
			_, failure := x.Decided()
			Expect(failure).NotTo(BeNil(), "%s is taken for a whole answer", end)
		}
	})
})
