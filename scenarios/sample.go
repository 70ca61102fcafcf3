package scenarios

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// sampleOK is the kind of sample that can be made up; the others are told.
const sampleOK = "ok"

// sample is the outcome of looking for arguments of one kind for one tool.
type sample struct {
	arguments jsontext.Value
	// missing is the reason when there are none.
	missing string
}

// sampler finds sample arguments and remembers them, since scenarios ask for
// the same few again and again.
type sampler struct {
	given map[string]map[string]jsontext.Value
	found map[[2]string]sample
}

// find returns arguments of the kind for the tool: given ones, else for kind
// ok the values that the schema names, else made ones (R11).
func (s *sampler) find(tool spec.AgentTool, kind string) sample {
	key := [2]string{tool.Name, kind}
	if known, ok := s.found[key]; ok {
		return known
	}
	result := s.look(tool, kind)
	if s.found == nil {
		s.found = map[[2]string]sample{}
	}
	s.found[key] = result
	return result
}

func (s *sampler) look(tool spec.AgentTool, kind string) sample {
	if arguments, ok := s.given[tool.Name][kind]; ok {
		if arguments.Kind() != '{' {
			return sample{missing: fmt.Sprintf("tools.%s.samples: the sample %q is no object", tool.Name, kind)}
		}
		return sample{arguments: arguments}
	}
	if kind != sampleOK {
		return sample{missing: fmt.Sprintf("no call of %s is known that is %s; give one call that does: tools.%s.samples",
			tool.Name, kind, tool.Name)}
	}
	arguments, refusal := makeArguments(tool.Input)
	if refusal != nil {
		return sample{missing: fmt.Sprintf("arguments for %s could not be made: its input schema could not be satisfied %s; give one call that works: tools.%s.samples",
			tool.Name, refusal.place(), tool.Name)}
	}
	return sample{arguments: arguments}
}

func (r *refused) place() string {
	if r.pointer == "" {
		return "(" + r.reason + ")"
	}
	return "at " + r.pointer + " (" + r.reason + ")"
}

// tries are the ways of making a value, from the most to the least telling
// one. The first whose value validates is taken.
var tries = []maker{
	{told: true, words: true},
	{told: true},
	{words: true},
	{},
	{choice: 1},
	{choice: 2},
	{choice: 3},
}

// makeArguments makes an arguments object for an input schema. Without a
// schema it is empty (E7). The refusal is that of the first try.
func makeArguments(input jsontext.Value) (jsontext.Value, *refused) {
	if len(input) == 0 || input.Kind() == 'n' {
		return jsontext.Value("{}"), nil
	}
	if len(input) > maxFileBytes || jsonDepth(input) > maxDepth {
		return nil, &refused{"", "the schema is too big or too deep to read"}
	}
	root, err := fromJSON(input, Pos{})
	if err != nil {
		return nil, &refused{"", "the schema is no JSON or too big to read"}
	}
	check, err := compileSchema(input)
	if err != nil {
		// The engine leaves such a tool unchecked (E1, step 4).
		return jsontext.Value("{}"), nil
	}
	var first *refused
	for _, try := range tries {
		try.root, try.left = root, maxMade
		value, refusal := try.value(root, "", 0)
		if refusal == nil {
			refusal = check(value)
		}
		if refusal == nil {
			return value, nil
		}
		if first == nil {
			first = refusal
		}
	}
	return nil, first
}
