package scenarios

import (
	"cmp"
	"slices"
)

// HasCompany reports whether several sessions of c are under way at once:
// copies of it, or sessions that its steps name. Those of subagents are no
// company: they belong to the session that calls them.
func (c Case) HasCompany() bool {
	children := ChildSessions(c.Steps)
	return len(c.Copies) > 0 || slices.ContainsFunc(c.Steps, func(s Step) bool {
		return s.rootSession(children) != c.Steps[0].rootSession(children)
	})
}

// Apart returns c with nothing beside it, for the run that tells whether a
// failure came from company (R18): without copies, and one session after the
// other, each with its steps in their order. It depends on c alone.
func (c Case) Apart() Case {
	c.Copies = nil
	if len(c.Steps) == 0 {
		return c
	}
	order := map[string]int{}
	children := ChildSessions(c.Steps)
	for _, s := range c.Steps {
		if _, known := order[s.rootSession(children)]; !known {
			order[s.rootSession(children)] = len(order)
		}
	}
	c.Steps = slices.Clone(c.Steps)
	slices.SortStableFunc(c.Steps, func(a, b Step) int {
		return cmp.Compare(order[a.rootSession(children)], order[b.rootSession(children)])
	})
	return c
}
