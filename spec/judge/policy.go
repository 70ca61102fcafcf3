package judge

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

const keepsPolicy = "execute.keeps-its-policy"

func policyChecks() []check {
	return []check{
		{id: keepsPolicy, moment: "no bad arguments were answered in a way that could tell", see: seePolicy, sum: sumPolicies},
	}
}

// policies is what is seen of the tools whose policy for bad arguments is
// declared.
type policies struct {
	// ran are the tools of which a valid call ended in a plain result, the
	// twin of a refusal (R11).
	ran map[string]bool
	// refused counts the refusals by tool that need such a twin.
	refused map[string]int
}

// policyOf is the policy that the worker declares for a tool, "" when it
// declares none: what it says of the tool, else of all.
func (j *Judge) policyOf(tool string) string {
	if j.header == nil {
		return ""
	}
	if p, ok := j.header.Worker.BadArguments[tool]; ok {
		return p
	}
	return j.header.Worker.BadArguments[spec.AllTools]
}

// seePolicy holds what becomes of bad arguments against what the worker
// declares to do with them. Without a declaration all three are free (E8).
func seePolicy(x *exchange) {
	t, ok := x.asked()
	if !ok || x.stopped {
		return
	}
	declared, offered := x.req.Agent.Tool(t.Name)
	proposal, undeclared := x.undeclared()
	policy := x.judge.policyOf(t.Name)
	if !offered || undeclared || policy == "" {
		return
	}
	i := slices.IndexFunc(x.settles(), func(s settle) bool { return s.call == t.ID })
	if i < 0 {
		return
	}
	s := x.settles()[i]
	if t.Input.Status == spec.InputValid {
		if x.plain(s) {
			x.judge.worker.policies.run(t.Name)
		}
		return
	}
	if proposal == "" {
		proposal = x.proposedError(t.ID)
	}
	v := policyView{x: x, s: s, tool: declared, asked: t, asProposed: s.err != nil && proposal != "" && s.err.Error == proposal}
	switch policy {
	case spec.ArgumentsRefused:
		v.refuses()
	case spec.ArgumentsRun:
		v.runs()
	case spec.ArgumentsRepaired:
		v.repairs()
	}
}

// proposedError is the text with which the engine would refuse a call (E9).
func (x *exchange) proposedError(call string) string {
	for _, a := range x.req.Proposed.Actions {
		if e, ok := a.(spec.ToolErrorAction); ok && (e.ID == nil || *e.ID == call) {
			return e.Error
		}
	}
	return ""
}

// policyView is one settle of a call with bad arguments.
type policyView struct {
	x     *exchange
	s     settle
	tool  spec.AgentTool
	asked spec.ToolExecuteTrigger
	// asProposed says that the engine's own refusal came back.
	asProposed bool
}

func (v policyView) broke(got, want string) {
	v.x.broke(keepsPolicy, spec.Finding{
		Pointer: v.s.pointer(""), Got: got + " for " + string(v.asked.Input.Status) + " arguments " + quote(v.asked.Arguments),
		Want: want, Hint: "change the tool, or what bad_arguments in hallmark.yaml says of it",
	})
}

// refuses wants an error or a flagged result. One that is not the engine's own
// proves something only where a valid call of the tool ran (R11).
func (v policyView) refuses() {
	switch {
	case v.x.plain(v.s):
		v.broke("a plain result", "a tool.error or a flagged result: the worker declares that it refuses bad arguments")
	case v.asProposed:
		v.x.held(keepsPolicy)
	default:
		v.x.judge.worker.policies.refuse(v.tool.Name)
	}
}

// runs wants a result, flagged or not, for an object that breaks the schema.
// An error in the tool's own words may be what running it led to, so only the
// engine's refusal handed back proves that it was not run. Malformed arguments
// are no object to run a tool with, so they are free.
func (v policyView) runs() {
	if v.asked.Input.Status != spec.InputInvalid {
		return
	}
	switch {
	case v.s.result != nil:
		v.x.held(keepsPolicy)
	case v.asProposed:
		v.broke("the proposed refusal", "a result: the worker declares that it runs on arguments that break the schema")
	}
}

// repairs wants a result where nobody can doubt what was meant: the text holds
// one whole object, and that fits the schema. Elsewhere there may be nothing to
// repair. A result for arguments that break the schema counts, though running
// them unrepaired looks the same.
func (v policyView) repairs() {
	if v.s.result != nil {
		v.x.held(keepsPolicy)
		return
	}
	if v.asked.Input.Status != spec.InputMalformed {
		return
	}
	object, ok := wholeObject(v.asked.Arguments)
	if !ok || !fits(v.tool.Input, object) {
		return
	}
	v.broke("an error", "a result: the worker declares that it repairs bad arguments, and "+show(object)+" stands in these")
}

// wholeObject finds the one JSON object that a text holds among other things,
// such as words or a fence around it, or the same object again.
func wholeObject(text string) (jsontext.Value, bool) {
	at := strings.IndexByte(text, '{')
	if at < 0 {
		return nil, false
	}
	rest := text[at:]
	d := jsontext.NewDecoder(strings.NewReader(rest))
	object, err := d.ReadValue()
	if err != nil {
		return nil, false
	}
	object = bytes.Clone(object)
	rest = rest[d.InputOffset():]
	for strings.HasPrefix(strings.TrimSpace(rest), string(object)) {
		rest = strings.TrimSpace(rest)[len(object):]
	}
	return object, !strings.ContainsAny(rest, "{[")
}

// fits reports whether an object fits the schema of a tool's input. It fits
// every tool that declares none.
func fits(input, object jsontext.Value) bool {
	if input == nil {
		return true
	}
	compiled, err := schemas.Compile(input)
	if err != nil {
		return false
	}
	return jsonv.Kind(object) == '{' && len(compiled.Validate(object)) == 0
}

func (p *policies) run(tool string) {
	if p.ran == nil {
		p.ran = map[string]bool{}
	}
	p.ran[tool] = true
}

func (p *policies) refuse(tool string) {
	if p.refused == nil {
		p.refused = map[string]int{}
	}
	p.refused[tool]++
}

// sumPolicies gives refusals their weight, tool by tool.
func sumPolicies(j *Judge, l *ledger) {
	p := &j.worker.policies
	for _, tool := range slices.Sorted(maps.Keys(p.refused)) {
		if !p.ran[tool] {
			l.because(keepsPolicy, "no valid call of "+quote(tool)+" ran, so its refusals prove nothing")
			continue
		}
		for range p.refused[tool] {
			l.enter([]note{{id: keepsPolicy}})
		}
	}
}
