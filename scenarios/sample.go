package scenarios

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/arguments"
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
	if given, ok := s.given[tool.Name][kind]; ok {
		if given.Kind() != '{' {
			return sample{missing: fmt.Sprintf("tools.%s.samples: the sample %q is no object", tool.Name, kind)}
		}
		return sample{arguments: given}
	}
	if kind != sampleOK {
		return sample{missing: fmt.Sprintf("no call of %s is known that is %s; give one call that does: tools.%s.samples",
			tool.Name, kind, tool.Name)}
	}
	source := arguments.Source{Schema: tool.Input, Tool: tool.Name, Description: tool.Description}
	texts, err := arguments.Make(source, arguments.Valid, 1)
	if err != nil {
		return sample{missing: fmt.Sprintf("arguments for %s could not be made: its input schema %v; give one call that works: tools.%s.samples",
			tool.Name, err, tool.Name)}
	}
	return sample{arguments: jsontext.Value(texts[0].Arguments)}
}
