package scenarios

import (
	"fmt"

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
	}
	for _, b := range c.Bound {
		h.Bound[b.Label] = b.Tool.Name
		if h.Declared == nil {
			h.Declared = &spec.AgentConfig{}
		}
		if _, twice := h.Declared.Tool(b.Tool.Name); !twice {
			h.Declared.Tools = append(h.Declared.Tools, b.Tool)
		}
		if b.Sample != nil {
			if h.Samples == nil {
				h.Samples = map[string]jsontext.Value{}
			}
			h.Samples[b.Label] = b.Sample
		}
	}
	return h
}

// Reopen plans the case of a recording's header again, from the header alone.
// The error says what does not read; a recording of a later Hallmark may hold
// constructs that this one does not know.
func Reopen(h *spec.HeaderEvent) (Case, error) {
	if h.Case == nil {
		return Case{}, fmt.Errorf("the header names no case")
	}
	doc, err := Parse(h.Case.Scenario, []byte(h.Case.Text))
	if err != nil {
		return Case{}, err
	}
	options := PlanOptions{Vars: h.Case.Vars, Features: h.Case.Features, Samples: samplesOf(doc, h.Case)}
	if d := h.Dialect; d != nil {
		options.Dialects = []Dialect{{FirstAttempt: int(d.FirstAttempt), EmptyProposed: d.EmptyProposed, FailedCall: d.FailedCall}}
	}
	cases, err := Plan([]*Document{doc}, Declared{Agent: h.Case.Declared}, options)
	for _, c := range cases {
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
	put := func(label, kind string) {
		if args, ok := h.Samples[label]; ok && kind != "" {
			tool := h.Bound[label]
			if samples[tool] == nil {
				samples[tool] = map[string]jsontext.Value{}
			}
			samples[tool][kind] = args
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
