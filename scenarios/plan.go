package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// Declared is what a worker said of itself at session.start (R2).
type Declared struct {
	// Agent is the config that it answered with. Nil declares nothing.
	Agent *spec.AgentConfig
}

// PlanOptions say what the declarations cannot.
type PlanOptions struct {
	// Vars are the values of $var, by name. A value that is a JSON number,
	// true, false or null has that type, and is text where text is wanted.
	Vars map[string]string
	// Features are those that hallmark.yaml claims. "subagents" and "deferred"
	// are seen in the declarations as well; [FeatureRestart] and [FeatureSettle]
	// are the run's own, which has them where it can restart the worker and gave
	// it an endpoint. "async" is only ever claimed: what a worker declares does
	// not show whether it settles later.
	Features []string
	// Allowed says whether a tool may be called at all (R3). Nil allows all.
	// Tools that a scenario names outright are the caller's to look after.
	Allowed func(tool string) bool
	// Samples are known arguments, by tool and kind: tools.NAME.samples.
	Samples map[string]map[string]jsontext.Value
	// Dialects are used for scenarios that set none. Empty means the default.
	Dialects []Dialect
	// Seed picks among made arguments that are equally good (R20).
	Seed uint64
	// from, when set, stands for Samples where arguments are made, by tool:
	// a recording keeps those apart from the samples that were used.
	from map[string]jsontext.Value
	// only, when set, is the id of the one case that is wanted: others may be
	// left out.
	only string
	// Reading carries the checks that resolved scenarios go through once more.
	Reading Options
}

// Case is one run: a case of a document, bound to tools, with every reference
// resolved. It is not changed after Plan and may be read by several
// goroutines.
type Case struct {
	// ID is path#case, followed by what else tells runs of the case apart:
	// varied values, the tools of needs with each, a dialect, a form in which
	// the worker hosts the model. It is unique in
	// a plan and does not depend on the other scenarios in it.
	ID string
	// Name is the part of ID between # and what follows: the case's name.
	Name string
	Doc  *Document
	// Bound are the tools, needs.tool first, then in the order written.
	Bound   []Binding
	Dialect Dialect
	// Hosted is the form in which the worker hosts the model, "" where the script
	// answers for it.
	Hosted string
	// Engine has no Dialects and no Hosted left; see Dialect and Hosted.
	Engine  Engine
	Given   Given
	Steps   []Step
	Finally []Check
	Limits  Limits
	// Copies are the second and every further copy of the script, with $copy
	// resolved; the case itself is the first. They run side by side.
	Copies []Case
	// Twins are the script once more with one thing put right each, to be run
	// after the case in sessions of their own (R11).
	Twins []TwinScript
	// Variant says which run of the case it is, where there are several.
	Variant Variant
	// NotApplicable is the reason why the case does not apply to this worker.
	// Steps are then absent.
	NotApplicable string

	// copies and twins are as the document says, made what arguments were made
	// from.
	copies int
	twins  []Twin
	made   []madeFrom
	// scope is what the references of the document name in this case.
	scope *scope
	// agents are the subagents that were declared, where the case calls some, and
	// called the names under which it does.
	agents *spec.AgentConfig
	called []string
}

// Tool returns the tool bound to a label.
func (c *Case) Tool(label string) (Binding, bool) {
	for _, binding := range c.Bound {
		if binding.Label == label {
			return binding, true
		}
	}
	return Binding{}, false
}

// maxCases bounds what one document expands to.
const maxCases = 10_000

// Plan expands documents to cases, in the order given: cases, times what vary
// says, times the tools of needs with each, times the dialects. It is pure:
// the same documents, declarations and options give the same cases, and what
// one document expands to depends on no other (R20).
//
// The error is of type [Problems]: faults that show only when references are
// resolved, such as a number where a text is wanted. The cases of faulty
// documents are left out, all others are returned beside the error.
func Plan(docs []*Document, declared Declared, options PlanOptions) ([]Case, error) {
	p := &planner{declared: declared, options: options, samples: &sampler{given: options.Samples}}
	p.tools = distinct(declared.Agent)
	for _, offer := range declared.Agent.SubagentOffers() {
		p.subagents = append(p.subagents, spec.AgentTool{Name: offer.Name, Description: offer.Description, Input: offer.Input})
	}
	var all []Case
	var problems Problems
	for _, doc := range docs {
		cases, found := p.document(doc)
		if len(found) > 0 {
			problems = append(problems, found...)
			continue
		}
		all = append(all, cases...)
	}
	return all, problems.err()
}

type planner struct {
	declared Declared
	options  PlanOptions
	// tools are the declared tools, the first of each name.
	tools []spec.AgentTool
	// subagents are the tools by which the declared subagents are offered.
	subagents []spec.AgentTool
	samples   *sampler
}

// tool returns what is called by a name: a declared tool, or an offered subagent.
func (p *planner) tool(name string) (spec.AgentTool, bool) {
	if tool, declared := p.declared.Agent.Tool(name); declared {
		return tool, true
	}
	for _, offer := range p.subagents {
		if offer.Name == name {
			return offer, true
		}
	}
	return spec.AgentTool{}, false
}

func distinct(agent *spec.AgentConfig) []spec.AgentTool {
	if agent == nil {
		return nil
	}
	seen := make(map[string]bool, len(agent.Tools))
	var tools []spec.AgentTool
	for _, tool := range agent.Tools {
		if !seen[tool.Name] {
			seen[tool.Name] = true
			tools = append(tools, tool)
		}
	}
	return tools
}

// document plans one document.
func (p *planner) document(doc *Document) ([]Case, Problems) {
	if doc.root == nil {
		return nil, Problems{{Pos: doc.Pos, Message: "the document was not made by Parse"}}
	}
	needs, problems := p.needs(doc)
	if len(problems) > 0 {
		return nil, problems
	}
	reason := p.missingFeature(doc, needs)
	assignments := [][]Binding{nil}
	if reason == "" && (needs.Tool != nil || len(needs.Tools) > 0) {
		assignments, reason = p.bind(doc, needs)
	}
	if reason != "" {
		return p.unplanned(doc, Case{NotApplicable: reason}), nil
	}
	x := &expander{planner: p, doc: doc, ids: map[string]int{}}
	x.run(assignments)
	return x.cases, x.problems
}

// unplanned gives one case per entry, without steps, that says why.
func (p *planner) unplanned(doc *Document, like Case) []Case {
	var all []Case
	for _, entry := range doc.Cases {
		like.Doc, like.Name = doc, printable(entry.Name)
		like.ID = doc.Name + "#" + like.Name
		all = append(all, like)
	}
	return all
}

// needs reads the needs with variables resolved.
func (p *planner) needs(doc *Document) (Needs, Problems) {
	n := doc.root.member("needs")
	if n == nil {
		return doc.Needs, nil
	}
	d := &decoder{options: p.options.Reading, scope: &scope{names: []scopeName{p.variables()}}}
	needs := d.needs(n)
	return needs, d.problems.sorted()
}

// missingFeature is the reason why a needed feature is not there.
func (p *planner) missingFeature(doc *Document, needs Needs) string {
	if restartsWorker(doc.Steps) && !slices.Contains(p.options.Features, FeatureRestart) {
		return cannotRestart
	}
	for _, feature := range needs.Features {
		if slices.Contains(p.options.Features, feature) || p.seen(feature) {
			continue
		}
		switch feature {
		case "deferred":
			if own := ownPair(p.declared.Agent); own != "" {
				return "needs the engine's " + own + ", and the worker declares a tool of that name"
			}
		case FeatureRestart:
			return cannotRestart
		case FeatureSettle:
			return nowhereToSettle
		case FeatureSecret:
			return missingSecret
		}
		return fmt.Sprintf("needs the feature %s, which the worker does not declare; if it has it, say so: features: [%s]",
			feature, feature)
	}
	return ""
}

// seen says whether the declarations show a feature.
func (p *planner) seen(feature string) bool {
	agent := p.declared.Agent
	if agent == nil {
		return false
	}
	switch feature {
	case "subagents":
		return len(agent.Subagents) > 0
	case "deferred":
		if ownPair(agent) != "" {
			return false
		}
		for _, tool := range p.tools {
			if agent.Defers(tool) {
				return true
			}
		}
	}
	return false
}

// printable makes a name fit for one line of output: a worker may declare
// anything as the name of a tool.
func printable(name string) string {
	const longest = 120
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 {
			return '�'
		}
		return r
	}, name)
	if runes := []rune(clean); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return clean
}
