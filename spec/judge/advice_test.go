package judge_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// failingWith is an answer with one tool.error, flaggedWith a flagged result and
// succeedingWith a plain one.
func failingWith(text string) string {
	return `{"actions":[{"type":"tool.error","error":` + string(jsonv.Quote(text)) + `}]}`
}

func flaggedWith(text string) string {
	return `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":` + string(jsonv.Quote(text)) + `}],"isError":true}}]}`
}

func succeedingWith(text string) string {
	return `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":` + string(jsonv.Quote(text)) + `}]}}]}`
}

// adviceOn is the advice that one answer to a call earns.
func adviceOn(answer string) []string {
	return advised(newTape().exchange("s1", onExecute, "", answer).done().verdict())
}

var _ = Describe("Advice", func() {
	DescribeTable("on the text of a failure",
		func(text string, ids ...string) {
			want := []string{}
			for _, id := range ids {
				want = append(want, "advice."+id)
			}
			Expect(adviceOn(failingWith(text))).To(ConsistOf(want))
			Expect(adviceOn(flaggedWith(text))).To(ConsistOf(want))
		},
		Entry("a good one", "no kiln of this name: send east, west or raku"),
		Entry("Python", "Traceback (most recent call last):\n  File \"weather.py\", line 3", "error-text-without-stack-trace"),
		Entry("JavaScript", "TypeError: x is not a function\n    at run (weather.js:10:5)", "error-text-without-stack-trace"),
		Entry("Java", "failed\n\tat dev.weather.Desk.run(Desk.java:31)", "error-text-without-stack-trace"),
		Entry("Go", "panic: nil map\n\ngoroutine 7 [running]:\nmain.run(0x0)", "error-text-without-stack-trace"),
		Entry("Rust", "thread 'main' panicked at src/main.rs:4:5", "error-text-without-stack-trace"),
		Entry("Ruby", "desk.rb:12:in `run': undefined method", "error-text-without-stack-trace"),
		Entry("PHP", "Uncaught Exception\n#0 desk.php(12): run()", "error-text-without-stack-trace"),
		Entry(".NET", "Object reference not set\n   at Desk.Run() in Desk.cs:line 12", "error-text-without-stack-trace"),
		Entry("Elixir", "(weather 0.1.0) lib/weather/desk.ex:12: Weather.Desk.run/1", "error-text-without-stack-trace"),
		Entry("Perl", "Died at desk.pl line 12.", "error-text-without-stack-trace"),
		Entry("a path", "ENOENT: no such file, open '/srv/weather/oslo.json'", "error-text-without-paths"),
		Entry("a path of Windows", `cannot open C:\weather\oslo.json`, "error-text-without-paths"),
		Entry("an address is no path", "see https://weather.example/home/help for the names"),
		Entry("a URL with a password", "cannot reach postgres://weather:tide42@db/weather", "error-text-without-secrets"),
		Entry("a key", "401 for key sk-live-abcdefghijklmnop1234", "error-text-without-secrets"),
		Entry("a token of a request", "request had Authorization: Bearer abcdef0123456789abcdef", "error-text-without-secrets"),
		Entry("a password", "login failed: password=tide42harbour", "error-text-without-secrets"),
		Entry("what stands for a secret", "401 for key hm-red-bearer-zq2b3cxy", "error-text-without-secrets"),
		Entry("the word alone", "password: required and missing"),
		Entry("a long one", strings.Repeat("no such city. ", 200), "error-text-is-short"),
		Entry("a shrug", "Internal Server Error", "error-text-says-what-happened"),
		Entry("another", "Error: something went wrong!", "error-text-says-what-happened"),
		Entry("a printed object", "the desk said [object Object]", "results-are-printed-values"),
	)

	DescribeTable("on the text of a result",
		func(text string, ids ...string) {
			want := []string{}
			for _, id := range ids {
				want = append(want, "advice."+id)
			}
			Expect(adviceOn(succeedingWith(text))).To(ConsistOf(want))
		},
		Entry("a good one", "Sunny in Oslo."),
		Entry("words about errors", "Error rates fell by half last week."),
		Entry("failed, as a value", "failed: 3, passed: 12"),
		Entry("an error", "Error: no such city", "failure-is-not-a-success"),
		Entry("an exception", "ValueError: no such city", "failure-is-not-a-success"),
		Entry("an error as JSON", `{"error":"no such city"}`, "failure-is-not-a-success"),
		Entry("no success", `{"success": false, "reason": "no such city"}`, "failure-is-not-a-success"),
		Entry("a status", `{"status":"error","reason":"no such city"}`, "failure-is-not-a-success"),
		Entry("a good status", `{"status":"sunny"}`),
		Entry("an object", "[object Object]", "results-are-printed-values"),
		Entry("undefined", "undefined", "results-are-printed-values"),
		Entry("None", "None", "results-are-printed-values"),
		Entry("an object of Python", "<weather.Reading object at 0x7f3a2c1b>", "results-are-printed-values"),
		Entry("an object of Java", "dev.weather.Reading@1a2b3c4d", "results-are-printed-values"),
		Entry("a promise", "Promise { <pending> }", "results-are-printed-values"),
		Entry("a huge one", strings.Repeat("sunny ", 50_000), "results-fit-a-conversation"),
		Entry("a large one", strings.Repeat("sunny ", 20_000)),
	)

	It("says nothing of what the model itself sent", func() {
		call := `{"type":"tool.execute","id":"c1","name":"read","arguments":"{\"path\":\"/etc/motd\",\"key\":\"sk-live-abcdefghijklmnop1234\"}","input":{"status":"valid","value":{"path":"/etc/motd"}},"attempt":0}`
		v := newTape().exchange("s1", call, "", failingWith("there is no file /etc/motd, and sk-live-abcdefghijklmnop1234 is no key of ours")).done().verdict()
		Expect(advised(v)).To(BeEmpty())
		call = `{"type":"tool.execute","id":"c1","name":"read","arguments":"{\"path\":\"C:\\\\tmp\\\\n\"}","input":{"status":"valid","value":{"path":"C:\\tmp\\n"}},"attempt":0}`
		v = newTape().exchange("s1", call, "", failingWith(`there is no file C:\tmp\n here`)).done().verdict()
		Expect(advised(v)).To(BeEmpty())
	})

	It("says nothing of the engine's own words", func() {
		long := strings.Repeat("a", 5000)
		v := newTape().exchange("s1", onExecute, `{"proposed":`+failingWith("unknown tool: "+long)+`}`, failingWith("unknown tool: "+long)).done().verdict()
		Expect(advised(v)).To(BeEmpty())
	})

	It("never shows the secret that it found", func() {
		o := newTape().exchange("s1", onExecute, "", failingWith("cannot reach postgres://weather:tide42@db/weather")).of("advice.error-text-without-secrets")
		Expect(o.Findings).To(HaveLen(1))
		Expect(fmt.Sprint(o.Findings)).NotTo(ContainSubstring("tide42"))
	})

	It("counts a picture without words, and one with", func() {
		picture := `{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}`
		Expect(adviceOn(`{"actions":[{"type":"tool.result","content":[` + picture + `]}]}`)).To(ConsistOf("advice.results-have-words"))
		Expect(adviceOn(`{"actions":[{"type":"tool.result","content":[{"type":"text","text":"A map."},` + picture + `]}]}`)).To(BeEmpty())
	})

	DescribeTable("on what is declared",
		func(tools string, ids ...string) {
			want := []string{}
			for _, id := range ids {
				want = append(want, "advice."+id)
			}
			v := newTape().exchange("s1", onStart, withAgent, `{"agent":{"model":"m","tools":[`+tools+`]}}`).done().verdict()
			Expect(advised(v)).To(ConsistOf(want))
		},
		Entry("a good tool", `{"name":"a","description":"Finds a berth.","input":{"type":"object","properties":{"length":{"type":"integer","description":"in metres"}}}}`),
		Entry("no description", `{"name":"find_berth"}`, "tools-are-described"),
		Entry("the name again", `{"name":"find_berth","description":"Find berth."}`, "tools-are-described"),
		Entry("a bare parameter", `{"name":"a","description":"Finds a berth.","input":{"type":"object","properties":{"length":{"type":"integer"}}}}`, "parameters-are-described"),
		Entry("values to choose from", `{"name":"a","description":"Finds a berth.","input":{"type":"object","properties":{"side":{"enum":["north","south"]}}}}`),
		Entry("any parameter at all", `{"name":"a","description":"Finds a berth.","input":{"type":"object","properties":{"side":true}}}`),
		Entry("a bare pattern", `{"name":"a","description":"Finds a berth.","input":{"type":"object","properties":{"day":{"type":"string","format":"date"}}}}`, "formats-are-said"),
		Entry("a pattern with an example", `{"name":"a","description":"Finds a berth.","input":{"type":"object","properties":{"day":{"type":"string","format":"date","examples":["2026-09-14"]}}}}`),
		Entry("twins", `{"name":"a","description":"Finds a berth."},{"name":"b","description":"Finds a berth"}`, "tools-can-be-told-apart"),
		Entry("names alike", `{"name":"find_berth","description":"Finds a free one."},{"name":"findBerth","description":"Finds one by number."}`, "tools-can-be-told-apart"),
		Entry("forty tools", describedTools(40, "")),
		Entry("sixty tools", describedTools(60, ""), "many-tools-are-deferred"),
		Entry("sixty tools, most deferred", describedTools(60, `,"defer":true`)),
	)

	It("names a connection that was closed while idle, and judges nothing else by it", func() {
		t := newTape()
		d := t.ask("s1", onExecute, "")
		t.add("s1", &spec.ResponseEvent{D: d, End: spec.EndStale})
		v := t.exchange("s1", onExecute, "", sunny).done().verdict()
		Expect(advised(v)).To(ConsistOf("advice.keep-alive-outlives-idle"))
		Expect(broken(v)).To(BeEmpty())
	})

	It("does not take a crash for a connection that was closed while idle", func() {
		t := newTape()
		d := t.ask("s1", onExecute, "")
		t.add("s1", &spec.ResponseEvent{D: d, End: spec.EndStale})
		v := t.exchange("s1", onExecute, "", "(the connection closes before a response head)").done().verdict()
		Expect(advised(v)).To(BeEmpty())
		Expect(broken(v)).To(ConsistOf("delivery.answers-whole"))
	})
})

// describedTools are n tools with a description each.
func describedTools(n int, more string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`{"name":"route_%d","description":"Calls route %d."%s}`, i, i, more)
	}
	return strings.Join(all, ",")
}

// A refusal that quotes the bad call whole teaches it to the model
// (field-report:019), and what is no object at all fills the prompt
// (field-report:008).
var _ = Describe("Advice on a refusal that repeats the call", func() {
	const id = "advice.error-text-does-not-repeat-the-call"
	nested := strings.NewReplacer(`"arguments":"{"`, `"arguments":"{\"arguments\":{\"city\":\"Oslo\"},\"x\":1}"`, `"malformed","error":"EOF"`, `"invalid","value":{"arguments":{"city":"Oslo"},"x":1}`).Replace(onBroken)
	list := malformedAs(`["` + strings.Repeat("a.txt ", 20) + `"]`)
	DescribeTable("looks for the arguments in the text",
		func(trigger, text string, want spec.Status) {
			Expect(newTape().exchange("s1", trigger, "", erring(text)).done().of(id).Status).To(Equal(want))
		},
		Entry("the expected shape", nested, `send {"city": "Oslo"}`, spec.StatusPass),
		Entry("the whole call", nested, `not understood: {"arguments":{"city":"Oslo"},"x":1}`, spec.StatusWarn),
		Entry("the whole call in quotes", nested, `not understood: "{\"arguments\":{\"city\":\"Oslo\"},\"x\":1}"`, spec.StatusWarn),
		Entry("a beginning of it", list, `want an object, got ["a.txt a.txt a.…`, spec.StatusPass),
		Entry("too much of it", list, `want an object, got ["`+strings.Repeat("a.txt ", 15)+`…`, spec.StatusWarn),
		Entry("arguments that are short", onBroken, `want an object, got {`, spec.StatusNotObserved),
		Entry("arguments that are right", onExecute, `no such city in {"city":"Oslo"}`, spec.StatusNotObserved),
	)

	It("leaves the engine's own words to the engine", func() {
		text := "invalid tool arguments: " + `{"arguments":{"city":"Oslo"},"x":1}`
		Expect(newTape().exchange("s1", nested, proposing(text), erring(text)).done().of(id).Status).To(Equal(spec.StatusPass))
	})
})
