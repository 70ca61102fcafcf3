package scenarios

import (
	"cmp"
	"slices"
)

// HasCompany reports whether several sessions of c are under way at once:
// copies of it, or sessions that its steps name.
func (c Case) HasCompany() bool {
	return len(c.Copies) > 0 ||
		slices.ContainsFunc(c.Steps, func(s Step) bool { return s.Session != c.Steps[0].Session })
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
	for _, s := range c.Steps {
		if _, known := order[s.Session]; !known {
			order[s.Session] = len(order)
		}
	}
	c.Steps = slices.Clone(c.Steps)
	slices.SortStableFunc(c.Steps, func(a, b Step) int { return cmp.Compare(order[a.Session], order[b.Session]) })
	return c
}
