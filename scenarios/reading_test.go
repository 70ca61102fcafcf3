package scenarios_test

import (
	"strings"
	"testing/fstest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/scenarios"
)

func parse(text string) *scenarios.Document {
	doc, err := scenarios.Parse("a.yaml", []byte(text))
	ExpectWithOffset(1, err).NotTo(HaveOccurred())
	return doc
}

// arguments reads YAML as the arguments of a call and returns them as JSON.
func arguments(yaml string) string {
	doc := parse(head + "steps:\n  - model:\n      calls:\n        - as: c1\n          tool: x\n          arguments: " + yaml + "\n")
	return string(doc.Steps[0].Model.Calls[0].Arguments)
}

var _ = Describe("reading a scenario", func() {
	DescribeTable("keeps values as they are written",
		func(yaml, want string) { Expect(arguments(yaml)).To(Equal(want)) },
		Entry("a number with its zeros", "{a: 12.30}", `{"a":12.30}`),
		Entry("a number beyond 2^53", "{a: 9007199254740993}", `{"a":9007199254740993}`),
		Entry("an exponent", "{a: 1E+2, b: -0}", `{"a":1E+2,"b":-0}`),
		Entry("words of JSON", "{a: true, b: false, c: null}", `{"a":true,"b":false,"c":null}`),
		Entry("the order of keys", "{z: 1, a: 2, m: 3}", `{"z":1,"a":2,"m":3}`),
		Entry("quoted digits as text", `{a: "0007"}`, `{"a":"0007"}`),
		Entry("a month as text", "{a: 2026-03}", `{"a":"2026-03"}`),
		Entry("what only YAML takes for a number", "{a: 0x1F, b: 1_000, c: 007, d: .5, e: +1}",
			`{"a":"0x1F","b":"1_000","c":"007","d":".5","e":"+1"}`),
		Entry("what only YAML takes for a word", "{a: yes, b: True, c: ~, d: Null}",
			`{"a":"yes","b":"True","c":"~","d":"Null"}`),
		Entry("an empty text", `{a: "", b: ''}`, `{"a":"","b":""}`),
		Entry("text that HTML minds", `{a: "<b>&"}`, `{"a":"<b>&"}`),
		Entry("a block of text", "\n            a: |\n              one # two\n              three", `{"a":"one # two\nthree\n"}`),
	)

	It("warns where YAML elsewhere reads another type", func() {
		doc := parse(head + "steps:\n  - model: {calls: [{as: c1, tool: x, arguments: {on: 2026-05-14, ok: True}}]}\n")
		Expect(doc.Warnings.Error()).To(Equal(lines(
			`a.yaml:3:55: 2026-05-14 is text here, YAML elsewhere reads a date`,
			`  hint: quote it: "2026-05-14"`,
			`a.yaml:3:71: True is text here, YAML elsewhere reads true or false`,
			`  hint: quote it: "True"`)))
	})

	It("reads JSON, escapes of pairs included", func() {
		doc := parse(`{"scenario": "A \ud83c\udf78", "steps": [` + "\n" + `  {"user": "a # b"}]}`)
		Expect(doc.Title).To(Equal("A 🍸"))
		Expect(doc.Steps[0].User.Text.String()).To(Equal("a # b"))
		Expect(doc.Steps[0].Position().String()).To(Equal("a.yaml:2:3"))
	})

	It("warns of a reference without brackets in the middle of a text", func() {
		doc := parse(head + "needs: {tool: {}}\ncases: [{name: a, x: y}]\nsteps:\n  - user: Use $tool with $case.x, $5 or $$tool.\n")
		Expect(doc.Warnings.Error()).To(Equal(lines(
			"a.yaml:5:11: $tool inside a text stands for itself",
			"  hint: write ${tool} for its value, or $$tool",
			"a.yaml:5:11: $case.x inside a text stands for itself",
			"  hint: write ${case.x} for its value, or $$case.x")))
	})

	It("skips a byte order mark and a first document marker", func() {
		Expect(parse("\ufeff# a comment\n---\n" + head + steps).Title).To(Equal("A test"))
	})

	DescribeTable("lets pass what only looks like a fault",
		func(text string) { Expect(fault(text)).To(BeEmpty()) },
		Entry("a tab in a block of text", head+"about: |\n  a\n  \tb\n"+steps),
		Entry("a tab in flow style", head+"tags: [a,\n\tb]\n"+steps),
		Entry("an insertion in a block of text", head+"steps:\n  - user: |\n      {a: $${b}}\n"),
		Entry("an insertion without quotes in block style", head+"needs: {tool: {}}\nsteps:\n  - user: Use ${tool}.\n"),
		Entry("a quotation mark in a text that goes on", head+"about: one\n  \"two\n  three\n"+steps),
		Entry("a backslash in single quotes", head+"steps:\n  - user: '\\d \\ud83c'\n"),
		Entry("a backslash without quotes", head+"steps:\n  - user: C:\\new\n"),
		Entry("a comment behind a word", head+"steps:\n  - user: Go.\n    expect:\n      - trigger: tool.execute # the first\n"),
		Entry("a comment behind a quoted text", head+"steps:\n  - user: \"Go.\" # now\n"),
		Entry("a comment behind a comma", head+"tags: [\n  a, # one\n  b,\n  # two\n  c, d\n]\n"+steps),
		Entry("comments on lines of their own", head+"# a\nsteps:\n  # b\n  - user: Go.\n    # c\n    note: x\n\n  # d\n  - model: done\n# e\n"),
		Entry("a number sign inside a word", head+"steps:\n  - user: order#71204\n"),
		Entry("brackets in a text", head+"steps:\n  - user: a [b} c\n  - model: \"{${copy}\"\n"),
		Entry("a dollar sign in prose", head+"about: $tool and ${zebra\nrefs: [$x]\n"+steps+"    note: $y\n"),
		Entry("a dollar sign that names nothing", head+"steps:\n  - user: It costs $5, US$ or $.\n"),
		Entry("a text quoted with an escaped line break", head+"about: \"a\\\n  b\"\n"+steps),
	)

	It("gives what is left out its default", func() {
		doc := parse(head + "needs: {tool: {}}\nsteps:\n  - await: {settled: []}\n  - send: {}\n  - model: {calls: [{as: c1, tool: x, raw: y}]}\n")
		Expect(doc.Copies).To(Equal(1))
		Expect(doc.Cases).To(HaveLen(1))
		Expect(doc.Cases[0].Name).To(Equal("default"))
		Expect(doc.Engine.SpareReplies).To(Equal(3))
		Expect([]any{doc.Limits.Decisions, doc.Limits.Real, doc.Limits.Patience}).
			To(Equal([]any{200, time.Minute, 5 * time.Second}))
		Expect([]any{doc.Needs.Tool.Handler, doc.Needs.Tool.Input}).To(Equal([]any{"worker", "any"}))
		Expect([]any{doc.Steps[0].Await.Order, doc.Steps[0].Await.Within}).To(Equal([]any{"arrival", 5 * time.Second}))
		Expect([]any{doc.Steps[1].Send.Method, doc.Steps[1].Send.Path}).To(Equal([]any{"POST", "/"}))
		Expect(doc.Steps[2].Model.Calls[0].Via).To(Equal("direct"))
	})

	It("leaves references as they are written", func() {
		doc := parse(head + "needs: {tool: {}}\ncases: [{name: a, raw: x, times: 2, list: [runs]}]\nsteps:\n" +
			"  - model: {calls: [{as: c1, tool: $tool, arguments: $tool.sample}]}\n" +
			"    expect: [{trigger: tool.execute, times: $case.times, answer: $case.list}]\n" +
			"  - user: \"${case.raw}\"\n")
		call := doc.Steps[0].Model.Calls[0]
		Expect(call.Tool.String()).To(Equal("$tool"))
		Expect(string(call.Arguments)).To(Equal(`"$tool.sample"`))
		Expect(doc.Steps[0].Expect[0].Exchange.Times).To(BeNil())
		Expect(doc.Steps[1].User.Text.String()).To(Equal("${case.raw}"))
	})

	It("checks requirement ids against the known ones", func() {
		options := scenarios.Options{Requirements: []string{"execute.settles-once", "execute.answers-malformed"}}
		text := []byte(head + "requirements: [execute.settles-once, execute.setles-once, zebra.x]\n" + steps)
		_, err := scenarios.ParseWith("a.yaml", text, options)
		Expect(err).To(MatchError(lines(
			`a.yaml:2:38: unknown requirement "execute.setles-once"`,
			`  hint: did you mean "execute.settles-once"?`,
			`a.yaml:2:59: unknown requirement "zebra.x"`,
			"  hint: known: execute.settles-once, execute.answers-malformed")))
	})
})

var _ = Describe("loading scenarios", func() {
	good := &fstest.MapFile{Data: []byte(head + steps)}
	bad := &fstest.MapFile{Data: []byte("scenario: 1\n" + steps)}

	It("reads *.yaml at any depth, in the order of paths", func() {
		docs, err := scenarios.Load(fstest.MapFS{
			"s/b.yaml": good, "s/a/z.yaml": good, "s/a.yaml": good, "s/notes.md": bad, "t/c.yaml": bad,
		}, "s")
		Expect(err).NotTo(HaveOccurred())
		var names []string
		for _, doc := range docs {
			names = append(names, doc.Name)
		}
		Expect(names).To(Equal([]string{"a.yaml", "a/z.yaml", "b.yaml"}))
		Expect(docs[1].Position().File).To(Equal("s/a/z.yaml"))
	})

	It("reads a single file", func() {
		docs, err := scenarios.Load(fstest.MapFS{"s/b.yml": good}, "s/b.yml")
		Expect(err).NotTo(HaveOccurred())
		Expect(docs[0].Name).To(Equal("b.yml"))
	})

	DescribeTable("tells what is missing or wrong",
		func(files fstest.MapFS, root string, want ...string) {
			_, err := scenarios.Load(files, root)
			Expect(err).To(MatchError(lines(want...)))
		},
		Entry("no such file, one with a like name", fstest.MapFS{"s/refund.yaml": good}, "s/refnd.yaml",
			"s/refnd.yaml: no such scenario file or folder", "  hint: did you mean s/refund.yaml?"),
		Entry("no such file", fstest.MapFS{"s/refund.yaml": good}, "zebra",
			"zebra: no such scenario file or folder", "  hint: name a folder with *.yaml files, or one file"),
		Entry("a folder without scenarios", fstest.MapFS{"s/notes.md": good}, "s",
			"s: the folder holds no scenario", "  hint: scenario files end in .yaml"),
		Entry("faults in several files", fstest.MapFS{"s/a.yaml": bad, "s/b.yaml": good, "s/c.yaml": bad}, "s",
			"s/a.yaml:1:11: want text, got a number", `  hint: quote it: "1"`,
			"s/c.yaml:1:11: want text, got a number", `  hint: quote it: "1"`),
		Entry("a file that is too big", fstest.MapFS{"a.yaml": {Data: []byte(head + strings.Repeat("#", 1<<20))}}, ".",
			"a.yaml: the file has 1048577 bytes, at most 1048576 are read", "  hint: write big texts as {repeat: TEXT, times: N}"),
	)
})

var _ = Describe("the schema of the language", func() {
	It("is handed out as a copy", func() {
		first := scenarios.Schema()
		first[0] = 'x'
		Expect(scenarios.Schema()[0]).To(Equal(byte('{')))
	})
})
