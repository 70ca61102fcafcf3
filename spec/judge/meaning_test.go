package judge_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

func result(raw string) string {
	return `{"actions":[{"type":"tool.result","result":` + raw + `}]}`
}

func block(raw string) string { return result(`{"content":[` + raw + `]}`) }

var _ = Describe("A failure", func() {
	It("H9: has no field that says when to try again", func() {
		answer := `{"actions":[{"type":"tool.error","error":"the desk is busy","retryable":true,"retry_after_secs":30}]}`
		v := newTape().exchange("s1", onExecute, "", answer).done().verdict()
		Expect(broken(v)).To(ConsistOf("response.has-no-unknown-keys"))
	})
})

var _ = Describe("A result", func() {
	const (
		blocks   = "result.blocks-are-valid"
		envelope = "result.is-a-tool-result"
		explicit = "result.is-explicit"
		base64   = "result.bytes-are-base64"
		says     = "result.says-something"
		nested   = "result.no-nested-envelope"
	)
	DescribeTable("has one name for what is wrong with it",
		func(answer string, want ...string) {
			Expect(broken(newTape().exchange("s1", onExecute, "", answer).done().verdict())).To(ConsistOf(want))
		},
		Entry("bare text", result(`"sunny"`), explicit),
		Entry("bare empty text", result(`""`), explicit),
		Entry("bare number", result(`21`), explicit),
		Entry("bare array", result(`[1,2]`), explicit),
		Entry("an array that an engine reads by position", result(`[[{"type":"text","text":"x"}]]`), explicit),
		Entry("an object of the tool's own", result(`{"path":"a","content":"text"}`), explicit),
		Entry("an object of the tool's own with a list", result(`{"page":1,"content":[{"title":"x"}]}`), explicit),
		Entry("null", result(`null`), says),
		Entry("empty object", result(`{}`), explicit),
		Entry("no blocks", result(`{"content":[]}`), envelope),
		Entry("only a flag", result(`{"isError":true}`), envelope),
		Entry("content as text", result(`{"content":"sunny"}`), envelope),
		Entry("null content", result(`{"content":null}`), envelope),
		Entry("null flag", result(`{"content":[{"type":"text","text":"x"}],"isError":null}`), envelope),
		Entry("snake case", result(`{"content":[{"type":"text","text":"x"}],"structured_content":1}`), envelope),
		Entry("extra key beside blocks", result(`{"content":[{"type":"text","text":"x"}],"_meta":{}}`), envelope),
		Entry("text block without text", block(`{"type":"text"}`), blocks),
		Entry("unknown block", block(`{"type":"image_url","url":"x"}`), blocks),
		Entry("plain text in the list", block(`"sunny"`), blocks),
		Entry("a bad block and an extra key", result(`{"content":[{"type":"text"}],"isError":true,"x":1}`), blocks),
		Entry("annotations in a block", block(`{"type":"text","text":"x","annotations":{}}`)),
		Entry("blank text", block(`{"type":"text","text":" "}`), says),
		Entry("an empty list on the action", `{"actions":[{"type":"tool.result","content":[]}]}`, says),
		Entry("structured only", result(`{"structuredContent":{"x":1}}`)),
		Entry("structured on the action", `{"actions":[{"type":"tool.result","structured_content":{"x":1}}]}`),
		Entry("a link only", block(`{"type":"resource_link","uri":"https://example.test/a"}`)),
		Entry("bytes only", block(`{"type":"image","data":"AAAA","mimeType":"image/png"}`)),
		Entry("a resource with text", block(`{"type":"resource","resource":{"uri":"f://a","text":"x"}}`)),
		Entry("a resource with nothing", block(`{"type":"resource","resource":{"uri":"f://a"}}`), says),
		Entry("a link for bytes", block(`{"type":"image","data":"https://example.test/a.png","mimeType":"image/png"}`), base64),
		Entry("URL-safe letters", block(`{"type":"audio","data":"_-8=","mimeType":"audio/mpeg"}`), base64),
		Entry("wrong padding", block(`{"type":"audio","data":"AA=","mimeType":"audio/mpeg"}`), base64),
		Entry("no padding", block(`{"type":"audio","data":"AA","mimeType":"audio/mpeg"}`), base64),
		Entry("a line break", block(`{"type":"audio","data":"QUJD\nREVG","mimeType":"audio/mpeg"}`), base64),
		Entry("loose last bits", block(`{"type":"audio","data":"AB==","mimeType":"audio/mpeg"}`), base64),
		Entry("no base64 at all", block(`{"type":"audio","data":"a*b!","mimeType":"audio/mpeg"}`), base64),
		Entry("a resource's bytes", block(`{"type":"resource","resource":{"uri":"f://a","blob":"_w=="}}`), base64),
		Entry("bytes on the action", `{"actions":[{"type":"tool.result","content":[{"type":"image","data":"data:x;base64,AAAA","mimeType":"image/png"}]}]}`, base64),
		Entry("a nested envelope", block(`{"type":"text","text":"{\"content\":[{\"type\":\"text\",\"text\":\"x\"}],\"isError\":true}"}`), nested),
		Entry("JSON in a text block", block(`{"type":"text","text":"{\"content\":\"x\"}"}`)),
		Entry("blank error", `{"actions":[{"type":"tool.error","error":"\u00a0"}]}`, "result.error-has-text"),
		Entry("result null beside content", `{"actions":[{"type":"tool.result","result":null,"content":[{"type":"text","text":"x"}]}]}`),
		Entry("both forms", `{"actions":[{"type":"tool.result","result":"x","content":[]}]}`, "result.one-form"),
	)

	DescribeTable("says what to do about its bytes",
		func(data, hint string) {
			o := newTape().exchange("s1", onExecute, "", block(`{"type":"image","data":"`+data+`","mimeType":"image/png"}`)).done().of(base64)
			Expect(o.Findings[0].Hint).To(ContainSubstring(hint))
			Expect(o.Findings[0].Pointer).To(Equal("/actions/0/result/content/0/data"))
		},
		Entry("data URI", "data:image/png;base64,AAAA", "remove the prefix"),
		Entry("link", "https://example.test/a.png", "resource_link"),
		Entry("alphabet", "_w==", "+ and /"),
		Entry("padding", "AA=", "pad with ="),
		Entry("line break", `AAAA\nAAAA`, "one line"),
		Entry("no base64", "a*b!", "encode the bytes"),
	)
})

var _ = Describe("A result of a tool with an output schema", func() {
	const agent = `{"agent":{"model":"m","tools":[{"name":"get_weather","output":{"type":"integer"}}]}}`
	DescribeTable("is held against it as the engine does",
		func(answer string, want ...string) {
			Expect(broken(newTape().exchange("s1", onExecute, agent, answer).done().verdict())).To(ConsistOf(want))
		},
		Entry("text that is a number", block(`{"type":"text","text":"21"}`)),
		Entry("text that is a string", block(`{"type":"text","text":"\"21\""}`), "output.matches-schema"),
		Entry("prose", block(`{"type":"text","text":"sunny"}`), "output.matches-schema"),
		Entry("a bare number", result(`21`), "result.is-explicit"),
		Entry("a flagged result", result(`{"content":[{"type":"text","text":"no"}],"isError":true}`), "output.failure-keeps-its-reason"),
		Entry("a flag on the action", `{"actions":[{"type":"tool.result","is_error":true,"content":[{"type":"text","text":"no"}]}]}`, "output.failure-keeps-its-reason"),
		Entry("a flagged result that fits", result(`{"content":[],"structuredContent":3,"isError":true}`)),
		Entry("a form that does not read has that name", result(`{"content":[{"type":"text"}]}`), "result.blocks-are-valid"),
	)

	It("does not apply where no tool declares one", func() {
		o := newTape().exchange("s1", onExecute, "", sunny).done().of("output.matches-schema")
		Expect(o.Status).To(Equal(spec.StatusNotApplicable))
		Expect(o.Reason).To(Equal("the worker declares no tool with an output schema"))
	})

	It("is not held against a schema that does not build", func() {
		given := `{"agent":{"model":"m","tools":[{"name":"get_weather","output":{"type":"int"}}]}}`
		Expect(broken(newTape().exchange("s1", onExecute, given, sunny).done().verdict())).To(BeEmpty())
	})
})

var _ = Describe("Declared tools", func() {
	const (
		compile  = "declare.schemas-compile"
		objects  = "declare.input-takes-objects"
		defaults = "declare.defaults-fit"
	)
	DescribeTable("are judged by their schemas",
		func(tool, pointer string, want ...string) {
			v := newTape().exchange("s1", onStart, "", `{"agent":{"model":"m","tools":[{"name":"a",`+tool+`}]}}`).done().verdict()
			Expect(broken(v)).To(ConsistOf(want))
			for _, id := range want {
				o, _ := v.Of(id)
				Expect(o.Findings[0].Pointer).To(Equal(pointer))
			}
		},
		Entry("false", `"input":false`, "/agent/tools/0/input", objects),
		Entry("true", `"input":true`, ""),
		Entry("nothing", `"input":{}`, ""),
		Entry("an array", `"input":{"type":"array"}`, "/agent/tools/0/input/type", objects),
		Entry("several types", `"input":{"type":["object","null"]}`, ""),
		Entry("several types without object", `"input":{"type":["string","null"]}`, "/agent/tools/0/input/type", objects),
		Entry("required keys", `"input":{"type":"object","required":["x"]}`, ""),
		Entry("a choice of objects", `"input":{"anyOf":[{"type":"object","required":["a"]},{"type":"object","required":["b"]}]}`, ""),
		Entry("a choice without objects", `"input":{"anyOf":[{"type":"string"},{"type":"null"}]}`, "/agent/tools/0/input/anyOf", objects),
		Entry("a choice of references", `"input":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"string"}],"$defs":{"a":{"type":"object","required":["x"]}}}`, ""),
		Entry("an enum of objects", `"input":{"enum":[{"a":1}]}`, ""),
		Entry("an enum without objects", `"input":{"enum":["a"]}`, "/agent/tools/0/input/enum", objects),
		Entry("a text behind a reference", `"input":{"$ref":"#/$defs/s","$defs":{"s":{"type":"string"}}}`, "/agent/tools/0/input/$defs/s/type", objects),
		Entry("a text among several schemas", `"input":{"allOf":[{},{"type":"string"}]}`, "/agent/tools/0/input/allOf/1/type", objects),
		Entry("a kind that depends", `"input":{"if":{"maxProperties":0},"then":{"type":"string"}}`, ""),
		Entry("an exclusion", `"input":{"not":{"maxProperties":0}}`, ""),
		Entry("a choice with one object", `"input":{"anyOf":[{"type":"string"},{"type":"object","minProperties":1}]}`, ""),
		Entry("an exclusion of everything", `"input":{"type":"object","not":{}}`, "/agent/tools/0/input/not", objects),
		Entry("an exclusion of everything, spelt true", `"input":{"not":true}`, "/agent/tools/0/input/not", objects),
		Entry("an exclusion of all objects", `"input":{"allOf":[{"not":{"type":"object"}}]}`, "/agent/tools/0/input/allOf/0/not", objects),
		Entry("an exclusion that depends", `"input":{"if":{"maxProperties":0},"then":{"not":{}}}`, ""),
		Entry("an exclusion of no object", `"input":{"not":{"type":"string"}}`, ""),
		Entry("false among several schemas", `"input":{"allOf":[{},false]}`, "/agent/tools/0/input/allOf/1", objects),
		Entry("false for some objects", `"input":{"if":{"maxProperties":0},"then":false}`, ""),
		Entry("a parameter that must be there and cannot", `"input":{"properties":{"x":false},"required":["y","x"]}`, "/agent/tools/0/input/required", objects),
		Entry("a parameter that may be one of nothing", `"input":{"properties":{"x":{"enum":[]}},"required":["x"]}`, "/agent/tools/0/input/required", objects),
		Entry("a parameter that cannot be there and need not", `"input":{"properties":{"x":false,"y":{}},"required":["y"]}`, ""),
		Entry("a parameter whose exclusion an older dialect does not see", `"input":{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"x":{"$ref":"#/definitions/s","not":{}}},"required":["x"],"definitions":{"s":{"type":"string"}}}`, ""),
		Entry("no value at all", `"input":{"enum":[]}`, "/agent/tools/0/input/enum", objects),
		Entry("an object that is a text too", `"input":{"allOf":[{"type":"string"},{"type":"object"}]}`, "/agent/tools/0/input/allOf/0/type", objects),
		Entry("a schema in a string", `"input":"{\"type\":\"object\"}"`, "/agent/tools/0/input", compile),
		Entry("a number for a schema", `"input":5`, "/agent/tools/0/input", compile),
		Entry("a const", `"input":{"const":5}`, "/agent/tools/0/input/const", objects),
		Entry("an output of any type", `"output":{"type":"string"}`, ""),
		Entry("a type that is none", `"output":{"type":"int"}`, "/agent/tools/0/output", compile),
		Entry("a remote reference", `"input":{"$ref":"https://example.test/s.json"}`, "/agent/tools/0/input", compile),
		Entry("a file", `"input":{"$ref":"file:///etc/passwd"}`, "/agent/tools/0/input", compile),
		Entry("a local reference", `"input":{"type":"object","properties":{"p":{"$ref":"#/$defs/p"}},"$defs":{"p":{"type":"string"}}}`, ""),
		Entry("a default behind a reference", `"input":{"type":"object","properties":{"p":{"$ref":"#/$defs/p","default":5}},"$defs":{"p":{"type":"string"}}}`, "/agent/tools/0/input/properties/p/default", defaults),
		Entry("an enum value", `"input":{"type":"object","properties":{"p":{"type":"string","enum":["a",1]}}}`, "/agent/tools/0/input/properties/p/enum/1", defaults),
		Entry("an example deep inside", `"input":{"type":"object","properties":{"p":{"type":"array","items":{"type":"integer","examples":[1,"x"]}}}}`, "/agent/tools/0/input/properties/p/items/examples/1", defaults),
		Entry("a const of another type", `"output":{"anyOf":[{"type":"string","const":1}]}`, "/agent/tools/0/output/anyOf/0/const", defaults),
		Entry("a property called default", `"input":{"type":"object","properties":{"default":{"type":"string"}}}`, ""),
	)

	It("names each tool whose name is not acceptable", func() {
		o := newTape().exchange("s1", onStart, "", `{"agent":{"model":"m","tools":[{"name":"ok"},{"name":"a.b"},{"name":""}]}}`).done().of("declare.tool-names-acceptable")
		Expect(o.Count).To(Equal(3))
		Expect(o.Findings).To(HaveLen(2))
		Expect(o.Findings[1].Pointer).To(Equal("/agent/tools/2/name"))
	})

	It("count once where two have one name", func() {
		o := newTape().exchange("s1", onStart, "", `{"agent":{"model":"m","tools":[{"name":"a"},{"name":"b"},{"name":"a"}]}}`).done().of("declare.tool-names-unique")
		Expect(o.Count).To(Equal(1))
		Expect(o.Findings[0].Pointer).To(Equal("/agent/tools/2/name"))
		Expect(o.Findings[0].Got).To(ContainSubstring("first at /agent/tools/0"))
	})

	It("have no handler to judge where there are none", func() {
		v := newTape().exchange("s1", onTurnEnd, "", `{"agent":{"model":"m"}}`).done().verdict()
		o, _ := v.Of("declare.handler-is-worker-or-client")
		Expect(o.Count).To(BeZero())
	})

	It("do not apply to a worker that declares none", func() {
		v := newTape().exchange("s1", onStart, "", `{"agent":{"model":"m"}}`).done().verdict()
		for _, id := range []string{"declare.tool-names-unique", "declare.defaults-fit", "execute.settles"} {
			o, _ := v.Of(id)
			Expect(o.Status).To(Equal(spec.StatusNotApplicable), id)
			Expect(o.Reason).To(Equal("the worker declares no tools"))
		}
	})
})

var _ = Describe("Unknown keys", func() {
	const id = "response.has-no-unknown-keys"
	DescribeTable("are found wherever the protocol is closed",
		func(answer string, pointers ...string) {
			o := newTape().exchange("s1", onTurnEnd, calls, answer).done().of(id)
			var got []string
			for _, f := range o.Findings {
				got = append(got, f.Pointer)
			}
			Expect(len(got)).To(Equal(len(pointers)))
			for i := range got {
				Expect(got[i]).To(Equal(pointers[i]))
			}
		},
		Entry("at the top", `{"actions":[],"thinking":1}`, "/thinking"),
		Entry("in an action", `{"actions":[{"type":"done","output":1}]}`, "/actions/0/output"),
		Entry("in a message and its calls", `{"messages":[{"role":"user","author":"x","tool_calls":[{"id":"c","type":"function","index":0,"function":{"name":"f","arguments":"","kind":1}}]}]}`,
			"/messages/0/author", "/messages/0/tool_calls/0/index", "/messages/0/tool_calls/0/function/kind"),
		Entry("in a config", `{"agent":{"model":"m","sub_agents":[],"tools":[{"name":"a","parameters":{}}]}}`, "/agent/sub_agents", "/agent/tools/0/parameters"),
		Entry("not in free values", `{"state":{"x":1},"actions":[{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"x","annotations":{}}]}}]}`),
		Entry("not in schemas", `{"agent":{"model":"m","tools":[{"name":"a","input":{"type":"object","x-order":1}}]}}`),
		Entry("not in a policy", `{"actions":[{"type":"llm.call","llm":"main","retry":{"max_attempts":3}}]}`),
	)

	It("are hinted at with the near word", func() {
		o := newTape().exchange("s1", onTurnEnd, "", `{"actions":[],"sate":1}`).done().of(id)
		Expect(o.Findings[0].Hint).To(Equal(`did you mean "state"?`))
	})

	It("may be echoed from what the engine proposed", func() {
		o := newTape().exchange("s1", onTurnEnd, `{"proposed":{"actions":[{"type":"done","later":1}]}}`, `{"actions":[{"type":"done","later":1}]}`).done().of(id)
		Expect(o.Status).To(Equal(spec.StatusPass))
	})
})

var _ = Describe("A hostile schema", func() {
	It("with thousands of values and large definitions is looked at within a bound", func() {
		var b strings.Builder
		b.WriteString(`{"type":"object","$defs":{"big":{"enum":[`)
		for i := range 4000 {
			fmt.Fprintf(&b, `%d,`, i)
		}
		b.WriteString(`0]}},"properties":{`)
		for i := range 600 {
			fmt.Fprintf(&b, `"p%d":{"$ref":"#/$defs/big","default":"x"},`, i)
		}
		b.WriteString(`"q":{"type":"string"}}}`)
		v := newTape().exchange("s1", onStart, "", `{"agent":{"model":"m","tools":[{"name":"a","input":`+b.String()+`}]}}`).done().verdict()
		o, _ := v.Of("declare.defaults-fit")
		Expect(len(o.Findings)).To(And(BeNumerically(">", 0), BeNumerically("<", 100)))
	})
})
