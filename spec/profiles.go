package spec

import "slices"

// beyondCore are the areas that the profile core leaves out.
var beyondCore = []string{"output", "model", "stream", "sessions", "restart", "disturbed", "async", "interrupt", "subagent", "deferred"}

// ProfileNames lists the profiles that a worker may claim, smallest first.
func ProfileNames() []string { return []string{"core", "full"} }

// Profile returns the ids of the requirements that a profile names, in the
// order of the registry, and whether it exists: core is every must but those
// on output schemas, on hosted models and streams, on sessions side by side, on
// restarts, on disturbed runs, on calls that are settled later, on turns that wait
// for a person, on subagents and on tools that are deferred, which need more than a
// worker with one tool and a run without flags; full is every must and should.
func Profile(name string) ([]string, bool) {
	var in func(Requirement) bool
	switch name {
	case "core":
		in = func(q Requirement) bool { return q.Level == Must && !slices.Contains(beyondCore, q.Area()) }
	case "full":
		in = func(q Requirement) bool { return q.Level != Advice }
	default:
		return nil, false
	}
	var ids []string
	for _, q := range Requirements() {
		if in(q) {
			ids = append(ids, q.ID)
		}
	}
	return ids, true
}
