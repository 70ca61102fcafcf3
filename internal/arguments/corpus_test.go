package arguments_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/arguments"
	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/schema"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// namedSchema is one schema of the test data.
type namedSchema struct {
	name   string
	schema jsontext.Value
}

func readSchemas(file string) []namedSchema {
	text, err := os.ReadFile(filepath.Join("testdata", "schemas", file))
	if err != nil {
		panic(err)
	}
	members, err := jsonv.Members(text)
	if err != nil {
		panic(fmt.Errorf("%s: %w", file, err))
	}
	var all []namedSchema
	for _, m := range members {
		all = append(all, namedSchema{strings.TrimSuffix(file, ".json") + ": " + m.Name, m.Value})
	}
	return all
}

// wrappers are ways in which one piece stands in the schema of a tool, PIECE.
var wrappers = []struct{ name, form string }{
	{"required", `{"type":"object","properties":{"p":PIECE},"required":["p"]}`},
	{"optional, closed", `{"type":"object","properties":{"p":PIECE},"additionalProperties":false}`},
	{"in a list", `{"type":"object","properties":{"l":{"type":"array","items":PIECE,"minItems":1,"maxItems":4}},"required":["l"]}`},
	{"in an object", `{"type":"object","properties":{"o":{"type":"object","properties":{"p":PIECE,"q":{"type":"string"}},"required":["p"]}},"required":["o"]}`},
	{"by reference", `{"$defs":{"piece":PIECE},"type":"object","properties":{"p":{"$ref":"#/$defs/piece"}},"required":["p"]}`},
	{"in definitions of draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"piece":PIECE},"type":"object","properties":{"p":{"$ref":"#/definitions/piece"}},"required":["p"]}`},
	{"in allOf", `{"type":"object","properties":{"p":{"allOf":[PIECE,true]}},"required":["p"]}`},
	{"or null", `{"type":"object","properties":{"p":{"anyOf":[{"type":"null"},PIECE]}},"required":["p"]}`},
	{"as any member", `{"type":"object","additionalProperties":PIECE,"minProperties":2}`},
	{"behind a condition", `{"type":"object","properties":{"k":{"enum":["yes","no"]}},"required":["k"],"if":{"properties":{"k":{"const":"yes"}}},"then":{"properties":{"p":PIECE},"required":["p"]}}`},
	{"tagged", `{"type":"object","oneOf":[{"properties":{"t":{"const":1},"p":PIECE},"required":["t","p"]},{"properties":{"t":{"const":2}},"required":["t"]}]}`},
	{"two of them", `{"type":"object","properties":{"p":PIECE,"q":PIECE},"required":["p"]}`},
}

// corpus are all schemas of the test data that can be satisfied.
func corpus() []namedSchema {
	var all []namedSchema
	for _, file := range []string{"everyday.json", "nesting.json", "numbers.json", "texts.json", "arrays.json", "objects.json", "combinations.json"} {
		all = append(all, readSchemas(file)...)
	}
	for _, piece := range readSchemas("pieces.json") {
		for _, wrapper := range wrappers {
			all = append(all, namedSchema{piece.name + ", " + wrapper.name,
				jsontext.Value(strings.ReplaceAll(wrapper.form, "PIECE", string(piece.schema)))})
		}
	}
	return all
}

func entries(all []namedSchema) []TableEntry {
	out := make([]TableEntry, len(all))
	for i, one := range all {
		out[i] = Entry(one.name, one.schema)
	}
	return out
}

// expectNamed fails when names repeat, which would make cases that cannot be told
// apart.
func expectNamed(texts []arguments.Text) {
	GinkgoHelper()
	seen, said := map[string]string{}, map[string]string{}
	for _, text := range texts {
		Expect(text.Name).NotTo(BeEmpty())
		Expect(seen).NotTo(HaveKey(text.Name))
		Expect(said).NotTo(HaveKey(text.Arguments), "the same text has two names")
		seen[text.Name], said[text.Arguments] = text.Arguments, text.Name
	}
}

var _ = Describe("texts for real-looking schemas", func() {
	DescribeTable("are of their class", func(raw jsontext.Value) {
		source := arguments.Source{Schema: raw, Tool: "t", Description: "Does it, with 'words'.", Seed: 7, Key: "k"}
		compiled, err := schema.Compile(raw)
		Expect(err).NotTo(HaveOccurred())

		texts, err := arguments.Make(source, arguments.Valid, 25)
		Expect(err).NotTo(HaveOccurred())
		expectNamed(texts)
		for _, text := range texts {
			Expect(text.Arguments).To(HavePrefix("{"))
			Expect(compiled.Validate(jsontext.Value(text.Arguments))).To(BeEmpty(), text.Name+": "+text.Arguments)
		}

		texts, err = arguments.Make(source, arguments.Invalid, 60)
		if err != nil {
			Expect(err).To(Equal(arguments.ErrUnbreakable))
			Expect(texts).To(BeEmpty())
		}
		expectNamed(texts)
		for _, text := range texts {
			Expect(jsonv.Valid([]byte(text.Arguments), jsonv.MaxDepth)).To(BeNil())
			Expect(text.Arguments).To(HavePrefix("{"))
			Expect(compiled.Validate(jsontext.Value(text.Arguments))).NotTo(BeEmpty(), text.Name+": "+text.Arguments)
		}

		texts, err = arguments.Make(source, arguments.Boundary, 60)
		Expect(err).NotTo(HaveOccurred())
		expectNamed(texts)
		for _, text := range texts {
			Expect(toolcall.Classify(text.Arguments, raw).Status).To(Equal(spec.InputValid), text.Name+": "+text.Arguments)
		}

		texts, err = arguments.Make(source, arguments.Malformed, 60)
		Expect(err).NotTo(HaveOccurred())
		Expect(texts).To(HaveLen(60))
		expectNamed(texts)
		for _, text := range texts {
			Expect(toolcall.Classify(text.Arguments, raw).Status).To(Equal(spec.InputMalformed), text.Name+": "+text.Arguments)
		}
	}, entries(corpus()))

	It("are more than a few hundred schemas", func() { Expect(len(corpus())).To(BeNumerically(">", 300)) })
})
