package simulator

import (
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// scenarioOf plans the case of a recording again, as it was driven.
func scenarioOf(t *tape) (scenarios.Case, error) {
	c, err := scenarios.Reopen(t.header)
	if err != nil {
		return c, err
	}
	if t.header.Case.Alone {
		c = c.Apart()
	}
	t.forbid(&c)
	return c, nil
}

// forbid takes away the twins that were not made because of what the run was
// allowed to call.
func (t *tape) forbid(c *scenarios.Case) {
	var origins []string
	for _, alias := range t.order {
		if s, ok := t.tracks[alias].events[0].Data.(*spec.SessionEvent); ok && s.Twin != "" && s.Parent == "" {
			origins = append(origins, s.Origin)
		}
	}
	c.Twins = slices.Clone(c.Twins)
	for i := range c.Twins {
		twin := &c.Twins[i]
		if len(origins) == 0 {
			return
		}
		n := 1
		if why, not := strings.CutPrefix(origins[0], spec.NotMade); not {
			twin.NotMade, twin.Steps = why, nil
		} else {
			n = len(sessionLabels(twin.Steps))
		}
		origins = origins[min(n, len(origins)):]
	}
}
