package scenarios_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// matched is an answer with one value of each kind.
const matched = `{"state":{"text":"Größe 12.30*","empty":"","long":"aaaaaaaaaa","number":12.30,"big":9007199254740993,
	"yes":true,"null":null,"list":[1,{"a":1,"b":2},"x",[3,4]],"object":{"a":{"b":[1,2]},"n":null}},"actions":[{"type":"tool.result","result":"x"}]}`

var _ = Describe("matching a value", Ordered, func() {
	var t told
	BeforeAll(func() { t = tell(conversation(says("c1", matched)), puppet{}) })

	DescribeTable("by operator",
		func(place, match string, want bool) {
			t.holds("{trigger: tool.execute, call: c1, answer: {at: {/state/"+place+": "+match+"}}}", "", want)
		},
		Entry("a scalar", "number", "12.3", true),
		Entry("another scalar", "number", "12.31", false),
		Entry("a number is no text", "number", `"12.30"`, false),
		Entry("a number beyond 2^53", "big", "9007199254740993", true),
		Entry("its neighbour", "big", "9007199254740992", false),
		Entry("a list", "list", `[1, {b: 2, a: 1}, x, [3, 4]]`, true),
		Entry("a list in another order", "list", `[{a: 1, b: 2}, 1, x, [3, 4]]`, false),
		Entry("null", "null", "null", true),
		Entry("null is not nothing", "nowhere", "null", false),
		Entry("equals an object", "object", "{equals: {n: null, a: {b: [1, 2]}}}", true),
		Entry("equals no part", "object", "{equals: {a: {b: [1, 2]}}}", false),

		Entry("contains a text", "text", "{contains: 12.30}", true),
		Entry("does not contain a text", "text", "{contains: 12.31}", false),
		Entry("contains an item", "list", "{contains: {b: 2, a: 1}}", true),
		Entry("does not contain an item", "list", "{contains: 2}", false),
		Entry("an object contains nothing", "object", "{contains: a}", false),
		Entry("nothing contains nothing", "nowhere", `{contains: ""}`, false),

		Entry("matches", "text", `{matches: '^Gr..e \d+'}`, true),
		Entry("does not match", "text", `{matches: '^\d'}`, false),
		Entry("matches a number's text", "number", `{matches: '^12\.30$'}`, true),
		Entry("nothing matches", "nowhere", `{matches: '.*'}`, false),

		Entry("like", "text", `{like: "Gr*12.30\\*"}`, true),
		Entry("like in the middle only", "text", `{like: "ö*"}`, false),
		Entry("like a star that is none", "text", `{like: "Gr*12.30"}`, false),
		Entry("nothing is like anything", "nowhere", `{like: "*"}`, false),

		Entry("one of", "yes", "{one_of: [1, true]}", true),
		Entry("none of", "yes", `{one_of: [1, "true"]}`, false),
		Entry("nothing is one of", "nowhere", "{one_of: [null]}", false),

		Entry("not", "text", "{not: {contains: xyz}}", true),
		Entry("not, and it is", "text", "{not: {contains: Gr}}", false),
		Entry("not a value", "number", "{not: 12.3}", false),
		Entry("not absent", "nowhere", "{not: {absent: true}}", false),
		Entry("not absent, and there", "text", "{not: {absent: true}}", true),

		Entry("a part of an object", "object", "{subset: {a: {b: [2]}}}", true),
		Entry("no part of an object", "object", "{subset: {a: {c: 1}}}", false),
		Entry("a part of a list", "list", "{subset: [{a: 1}, [4]]}", true),
		Entry("a part of a list in another order", "list", "{subset: [[4], {a: 1}]}", false),
		Entry("the same item twice", "list", "{subset: [1, 1]}", false),
		Entry("an empty object is no part of a list", "list", "{subset: {}}", false),
		Entry("nothing has parts", "nowhere", "{subset: {}}", false),

		Entry("a schema", "list", "{schema: {type: array, minItems: 4}}", true),
		Entry("a schema that it breaks", "list", "{schema: {type: array, minItems: 5}}", false),
		Entry("nothing fits a schema", "nowhere", "{schema: {}}", false),

		Entry("length in characters", "text", "{length: 12}", true),
		Entry("length in items", "list", "{length: {min: 4, max: 4}}", true),
		Entry("length in members", "object", "{length: {min: 3}}", false),
		Entry("length at most", "long", "{length: {max: 9}}", false),
		Entry("a number has no length", "number", "{length: {min: 0}}", false),

		Entry("under, in bytes", "text", "{under: 14}", true),
		Entry("over", "text", "{under: 13}", false),
		Entry("nothing is under", "nowhere", "{under: 9}", false),

		Entry("type string", "empty", "{type: string}", true),
		Entry("type number", "number", "{type: number}", true),
		Entry("type boolean", "yes", "{type: boolean}", true),
		Entry("type null", "null", "{type: \"null\"}", true),
		Entry("type array", "list", "{type: array}", true),
		Entry("type object", "object", "{type: object}", true),
		Entry("another type", "number", "{type: string}", false),
		Entry("nothing has a type", "nowhere", "{type: object}", false),

		Entry("absent", "nowhere", "{absent: true}", true),
		Entry("null is not absent", "null", "{absent: true}", false),
		Entry("present", "null", "{present: true}", true),
		Entry("not present", "nowhere", "{present: true}", false),

		Entry("all of several", "text", "{contains: 12, length: 12}", true),
		Entry("one of several not", "text", "{contains: 12, length: 11}", false),
	)

	DescribeTable("saying what was got and what is wanted",
		func(place, match, want string) {
			got := t.unmet("{trigger: tool.execute, call: c1, answer: {at: {/state/"+place+": "+match+"}}}", "")
			Expect(got).To(Equal([]string{"steps[1].expect[0] d4 /state/" + place + ": " + want}))
		},
		Entry("a value", "yes", "false", "true | false"),
		Entry("a part", "object", "{subset: {a: {c: 1}}}", `{"a":{"b":[1,2]},"n":null} | {"a":{"c":1}} as a part of it (differs at /a/c)`),
		Entry("not", "number", "{not: {type: number}}", "12.30 | something else than a value of type number"),
		Entry("not absent", "nowhere", "{not: {absent: true}}", "absent | something else than no value"),
		Entry("one of", "yes", "{one_of: [1, a]}", `true | one of 1, "a"`),
		Entry("a length", "list", "{length: {min: 5, max: 6}}", `[1,{"a":1,"b":2},"x",[3,4]] | a length of 5 to 6`),
		Entry("at most", "list", "{length: {max: 3}}", `[1,{"a":1,"b":2},"x",[3,4]] | a length of at most 3`),
		Entry("bytes", "long", "{under: 3}", `"aaaaaaaaaa" | at most 3 bytes`),
	)
})
