package spec

import "slices"

// areas lists the parts of the registry in the order in which reports show
// them: from the wire up to the meaning of a whole turn.
var areas = []struct {
	name string
	list func() []Requirement
}{
	{"delivery", deliveryRequirements},
	{"response", responseRequirements},
	{"start", startRequirements},
	{"declare", declareRequirements},
	{"execute", executeRequirements},
	{"result", resultRequirements},
	{"output", outputRequirements},
	{"finished", finishedRequirements},
	{"calls", callsRequirements},
	{"deferred", deferredRequirements},
	{"turn", turnRequirements},
	{"model", modelRequirements},
	{"stream", streamRequirements},
	{"retry", retryRequirements},
	{"restart", restartRequirements},
	{"disturbed", disturbedRequirements},
	{"async", asyncRequirements},
	{"agent", agentRequirements},
	{"client", clientRequirements},
	{"interrupt", interruptRequirements},
	{"subagent", subagentRequirements},
	{"state", stateRequirements},
	{"sessions", sessionsRequirements},
	{"signature", signatureRequirements},
	{"robustness", robustnessRequirements},
	{"advice", adviceRequirements},
}

var (
	registry = buildRegistry()
	byID     = indexRegistry(registry)
)

// firstRegistry is the version of the registry that began it.
const firstRegistry = "2026-11/1"

// secondRegistry brought what a decision that is delivered again shows, and
// what a worker declares of itself.
const secondRegistry = "2026-11/2"

// thirdRegistry brought the rest of the protocol that workers meet: answers that
// come later, hosted models and streams, signatures, restarts.
const thirdRegistry = "2026-11/3"

// fourthRegistry brought deferred tools, subagents, interrupts, turns that fail,
// and what a worker has to live through.
const fourthRegistry = "2026-12/1"

func buildRegistry() []Requirement {
	var all []Requirement
	for _, a := range areas {
		for _, r := range a.list() {
			r.Binds = "worker"
			r.Since = ProtocolVersion
			if r.Added == "" {
				r.Added = firstRegistry
			}
			all = append(all, r)
		}
	}
	return all
}

func indexRegistry(all []Requirement) map[string]int {
	index := make(map[string]int, len(all))
	for i, r := range all {
		index[r.ID] = i
	}
	return index
}

// Requirements returns every requirement, by area and then as listed. The
// order and the ids are stable. The slice is the caller's own; the sources in
// it are shared and only to be read. Safe for concurrent use.
func Requirements() []Requirement { return slices.Clone(registry) }

// LookupRequirement returns the requirement of that exact id, and whether
// there is one. Safe for concurrent use.
func LookupRequirement(id string) (Requirement, bool) {
	i, ok := byID[id]
	if !ok {
		return Requirement{}, false
	}
	return registry[i], true
}

// Areas returns the areas of the registry in its order: the parts of the ids
// before the first dot. Safe for concurrent use.
func Areas() []string {
	names := make([]string, len(areas))
	for i, a := range areas {
		names[i] = a.name
	}
	return names
}
