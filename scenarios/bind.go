package scenarios

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/arguments"
	"github.com/hallmarkdev/hallmark/internal/suggest"
	"github.com/hallmarkdev/hallmark/spec"
)

// Binding is one label of needs bound to a declared tool.
type Binding struct {
	// Label is "tool" for needs.tool.
	Label string
	Tool  spec.AgentTool
	// SampleKind is the kind of sample asked for; Sample its arguments, an
	// object. Both are empty when the scenario asks for none.
	SampleKind string
	Sample     jsontext.Value
	// Each is set when the scenario runs once per fitting tool.
	Each bool
}

// binder finds the tools for the needs of one document.
type binder struct {
	planner *planner
	doc     *Document
	labels  []ToolNeed
	// fitting are the candidates of each label, in declared order.
	fitting [][]Binding
	// steps bounds the search: needs that contradict each other end it.
	steps int
}

const maxBindSteps = 100_000

// handlerSubagent is the handler of a need that a subagent serves: `$tool` is then
// the name under which it is offered (L1).
const handlerSubagent = "subagent"

// bind returns every assignment of tools that the scenario runs with, or the
// reason why there is none. A label with each gives one per fitting tool, any
// other takes the first tool that fits, in declared order, such that the
// labels after it find another tool each.
func (p *planner) bind(doc *Document, needs Needs) (assignments [][]Binding, reason string) {
	b := &binder{planner: p, doc: doc, labels: needs.Tools}
	if needs.Tool != nil {
		b.labels = append([]ToolNeed{*needs.Tool}, needs.Tools...)
	}
	for _, need := range b.labels {
		fitting, reason := b.candidates(need)
		if reason != "" {
			return nil, reason
		}
		b.fitting = append(b.fitting, fitting)
	}
	assignments = b.assign(nil)
	if len(assignments) == 0 {
		return nil, fmt.Sprintf("needs %d different tools, and the worker does not declare that many that fit", len(b.labels))
	}
	return assignments, ""
}

func (b *binder) assign(taken []Binding) [][]Binding {
	b.steps++
	i := len(taken)
	if i == len(b.labels) {
		return [][]Binding{append([]Binding(nil), taken...)}
	}
	var all [][]Binding
	for _, candidate := range b.fitting[i] {
		if isTaken(taken, candidate.Tool.Name) || b.steps > maxBindSteps {
			continue
		}
		found := b.assign(append(taken, candidate))
		if !b.labels[i].Each && len(found) > 0 {
			return found
		}
		all = append(all, found...)
	}
	return all
}

func isTaken(taken []Binding, tool string) bool {
	for _, binding := range taken {
		if binding.Tool.Name == tool {
			return true
		}
	}
	return false
}

// candidates are the tools that fit one need, or the reason why none does.
func (b *binder) candidates(need ToolNeed) ([]Binding, string) {
	tools := b.planner.tools
	if need.Handler == handlerSubagent {
		tools = b.planner.subagents
	}
	switch {
	case len(tools) > 0:
	case need.Handler == handlerSubagent:
		return nil, "the worker declares no subagent"
	default:
		return nil, "the worker declares no tool"
	}
	kind := need.Sample
	if kind == "" && usesSample(b.doc.root, need.Label) {
		kind = sampleOK
	}
	var fitting []Binding
	withoutConsent, withoutSample, unseen := "", "", ""
	for _, tool := range tools {
		if !b.planner.fits(tool, need) {
			continue
		}
		if b.planner.tooLong(tool) {
			unseen = printable(tool.Name)
			continue
		}
		if allowed := b.planner.options.Allowed; allowed != nil && !allowed(tool.Name) {
			withoutConsent = tool.Name
			continue
		}
		binding := Binding{Label: need.Label, Tool: tool, Each: need.Each, SampleKind: kind}
		if kind != "" {
			found := b.planner.samples.find(tool, kind)
			if found.missing != "" {
				if withoutSample == "" {
					withoutSample = found.missing
				}
				continue
			}
			binding.Sample = found.arguments
		}
		fitting = append(fitting, binding)
	}
	switch {
	case len(fitting) > 0:
		return fitting, ""
	case withoutSample != "":
		return nil, withoutSample
	case withoutConsent != "":
		return nil, fmt.Sprintf("needs a tool such as %s, which may not be called", withoutConsent)
	case unseen != "":
		return nil, fmt.Sprintf("needs a tool such as %s, whose name has more than %d characters: no model is shown it", unseen, maxShownName)
	default:
		return nil, b.planner.noFit(need)
	}
}

// usesSample says whether the document speaks of $label.sample.
func usesSample(n *node, label string) bool {
	for _, item := range n.items {
		if usesSample(item, label) {
			return true
		}
	}
	if n.kind != kindText || !strings.Contains(n.text, "$") {
		return false
	}
	if ref, ok := whole(n.text); ok {
		return ref.name == label && ref.part == "sample"
	}
	return strings.Contains(n.text, "${"+label+".sample}")
}

func (p *planner) fits(tool spec.AgentTool, need ToolNeed) bool {
	if need.Name != "" && tool.Name != need.Name {
		return false
	}
	if need.Handler != "" && need.Handler != handlerSubagent && string(tool.RunsOn()) != need.Handler {
		return false
	}
	if need.Output != nil && *need.Output != declares(tool.Output) {
		return false
	}
	if need.Deferred != nil && *need.Deferred != p.declared.Agent.Defers(tool) {
		return false
	}
	switch need.Input {
	case "none":
		return !declares(tool.Input)
	case "object":
		return declares(tool.Input)
	case "required":
		return len(arguments.Required(tool.Input)) > 0
	default:
		return true
	}
}

// declares says whether a schema is there: absent and null both mean none.
func declares(schema jsontext.Value) bool { return len(schema) > 0 && schema.Kind() != 'n' }

// noFit says what no declared tool offers.
func (p *planner) noFit(need ToolNeed) string {
	if need.Name != "" {
		names := make([]string, len(p.tools))
		for i, tool := range p.tools {
			names[i] = tool.Name
			if tool.Name == need.Name {
				return fmt.Sprintf("needs %s to be a tool that %s", need.Name, strings.Join(need.demands(), " and "))
			}
		}
		reason := fmt.Sprintf("the worker declares no tool %q", need.Name)
		if near, ok := suggest.Nearest(need.Name, names); ok {
			reason += fmt.Sprintf(" (it declares %q)", near)
		}
		return reason
	}
	return "needs a tool that " + strings.Join(need.demands(), " and ") + ", and the worker declares none"
}

// demands are the words for what a need asks for besides a name.
func (need ToolNeed) demands() []string {
	var all []string
	if need.Handler == handlerSubagent {
		all = append(all, "is a subagent")
	} else if need.Handler != "" {
		all = append(all, "runs on the "+need.Handler)
	}
	say := func(wanted *bool, yes, no string) {
		switch {
		case wanted == nil:
		case *wanted:
			all = append(all, yes)
		default:
			all = append(all, no)
		}
	}
	say(need.Output, "declares an output schema", "declares no output schema")
	switch need.Input {
	case "none":
		all = append(all, "declares no input schema")
	case "object":
		all = append(all, "declares an input schema")
	case "required":
		all = append(all, "requires an argument")
	}
	say(need.Deferred, "is deferred", "is not deferred")
	return all
}
