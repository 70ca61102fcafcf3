package scenarios

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// Header returns what a recording must keep of c so that [Reopen] gives the
// same case again: the text, the tools it was bound to and the values it was
// given. options are those of the plan. The caller adds labels, ordinal and
// where the file came from.
func (c *Case) Header(options PlanOptions) *spec.CaseHeader {
	h := &spec.CaseHeader{
		Scenario: c.Doc.Name, Name: c.Name, Text: string(c.Doc.Source),
		Bound: map[string]string{}, Labels: map[string]string{}, Vars: options.Vars, Features: options.Features,
		Control: c.Variant.Control, Disturbed: c.Variant.Disturbed,
	}
	for _, b := range c.Bound {
		h.Bound[b.Label] = b.Tool.Name
		c.declare(h, b.Tool)
		if b.Sample != nil {
			keepSample(h, b.Label, b.Sample)
		}
	}
	for _, from := range c.made {
		c.declare(h, from.tool)
		if from.given != nil {
			keepSample(h, ofTool+from.tool.Name, from.given)
		}
	}
	return h
}

// declare keeps what a case calls: a tool, or the subagents where it is one.
func (c *Case) declare(h *spec.CaseHeader, tool spec.AgentTool) {
	if h.Declared == nil {
		h.Declared = &spec.AgentConfig{}
	}
	if slices.Contains(c.called, tool.Name) {
		h.Declared.Subagents, h.Declared.SubagentTools = c.agents.Subagents, c.agents.SubagentTools
		return
	}
	if _, twice := h.Declared.Tool(tool.Name); !twice {
		h.Declared.Tools = append(h.Declared.Tools, tool)
	}
}

func keepSample(h *spec.CaseHeader, key string, args jsontext.Value) {
	if h.Samples == nil {
		h.Samples = map[string]jsontext.Value{}
	}
	h.Samples[key] = args
}

// ofTool begins the key of a sample that is no label's but a tool's own. No
// label has such a form.
const ofTool = "tool:"

// Reopen plans the case of a recording's header again, from the header alone.
// The error says what does not read; a recording of a later Hallmark may hold
// constructs that this one does not know.
func Reopen(h *spec.HeaderEvent) (Case, error) {
	if h.Case == nil {
		return Case{}, fmt.Errorf("the header names no case")
	}
	doc, err := reopened.parse(h.Case.Scenario, h.Case.Text)
	if err != nil {
		return Case{}, err
	}
	options := PlanOptions{Vars: h.Case.Vars, Features: h.Case.Features, Samples: samplesOf(doc, h.Case), Seed: h.Seed,
		only: h.ID, from: map[string]jsontext.Value{}}
	for key, given := range h.Case.Samples {
		if tool, ok := strings.CutPrefix(key, ofTool); ok {
			options.from[tool] = given
		}
	}
	if d := h.Dialect; d != nil {
		options.Dialects = []Dialect{DialectOf(*d)}
	}
	cases, err := Plan([]*Document{doc}, Declared{Agent: h.Case.Declared}, options)
	for _, c := range cases {
		if v := variantOf(h.Case); v != (Variant{}) {
			c = c.Vary(v)
		}
		if c.ID == h.ID {
			return c, nil
		}
	}
	if err != nil {
		return Case{}, err
	}
	return Case{}, fmt.Errorf("its scenario has no case %q", h.ID)
}

// samplesOf gives the recorded samples back under the tools and kinds that the
// document asks for.
func samplesOf(doc *Document, h *spec.CaseHeader) map[string]map[string]jsontext.Value {
	samples := map[string]map[string]jsontext.Value{}
	give := func(tool, kind string, args jsontext.Value) {
		if samples[tool] == nil {
			samples[tool] = map[string]jsontext.Value{}
		}
		samples[tool][kind] = args
	}
	put := func(label, kind string) {
		// A sample that is used without being asked for is one that works.
		if args, ok := h.Samples[label]; ok {
			give(h.Bound[label], cmp.Or(kind, sampleOK), args)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(h.Samples)) {
		if tool, ok := strings.CutPrefix(key, ofTool); ok {
			give(tool, sampleOK, h.Samples[key])
		}
	}
	if doc.Needs.Tool != nil {
		put(doc.Needs.Tool.Label, doc.Needs.Tool.Sample)
	}
	for _, need := range doc.Needs.Tools {
		put(need.Label, need.Sample)
	}
	return samples
}
