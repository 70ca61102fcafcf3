package schema

import (
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// MaxSteps bounds the work of one check. A step is about one visit of a
// subschema to a value. References can make that number exponential in the
// depth of the value.
const MaxSteps = 200_000

// run is the state of one check.
type run struct {
	// steps are those that are left.
	steps int
	// matching is the time that patterns have taken.
	matching time.Duration
}

// newRun returns the state for a value of so many nodes.
func newRun(nodes int) *run {
	return &run{steps: MaxSteps + 50*nodes}
}

// stopped ends a check by panic; why becomes its only violation.
type stopped struct{ why string }

// charge takes n steps. Nothing is counted while a schema is built.
func (r *run) charge(n int) {
	if r == nil {
		return
	}
	if r.steps -= n; r.steps < 0 {
		panic(stopped{"the value takes too many steps to check against the schema"})
	}
}

// collector finds every node that the library compiles.
type collector struct{ found []*jsonschema.Schema }

func (c *collector) vocabulary() *jsonschema.Vocabulary {
	return &jsonschema.Vocabulary{
		URL: "unfetched://vocabulary/nodes",
		Compile: func(ctx *jsonschema.CompilerContext, _ map[string]any) (jsonschema.SchemaExt, error) {
			// The empty path is the node itself.
			c.found = append(c.found, ctx.Enqueue(nil))
			return nil, nil
		},
	}
}

// cost says what a visit to a node costs: base, and each for each member or
// item of the value.
type cost struct{ base, each int }

func (c cost) of(v any) int {
	switch v := v.(type) {
	case map[string]any:
		return c.base + c.each*len(v)
	case []any:
		return c.base + c.each*len(v)
	}
	return c.base
}

// meter makes every node that can be reached from roots charge the run before
// it looks at its children. The library looks at a node's type, const and enum
// before that, so the parent pays for those.
func (s *Schema) meter(roots []*jsonschema.Schema, f facts) {
	seen := map[*jsonschema.Schema]bool{}
	var nodes []*jsonschema.Schema
	for todo := roots; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n == nil || seen[n] {
			continue
		}
		seen[n] = true
		nodes = append(nodes, n)
		here, below := children(n)
		todo = append(append(todo, here...), below...)
	}
	heights := heights{len(nodes), map[*jsonschema.Schema]int{}}
	for _, n := range nodes {
		s.hook(n, costOf(n, heights.of(n), f))
	}
}

func costOf(n *jsonschema.Schema, height int, f facts) cost {
	here, below := children(n)
	// Each visit looks for its own node among those that led here.
	c := cost{base: 1 + height/32 + len(n.Required)/4}
	for _, names := range n.DependentRequired {
		c.base += len(names) / 4
	}
	if f.unevaluated {
		// Each node may then keep a list of what it has not looked at.
		c.each += 1 + len(here)/4
	}
	for _, child := range here {
		c.base += 1 + enumCost(child)
	}
	for _, child := range below {
		c.each += 1 + enumCost(child)
	}
	// Properties are looked up by name: a member meets one of them.
	if most := len(n.Properties); most > 1 {
		c.each = max(1, c.each-most+1)
	}
	return c
}

func enumCost(n *jsonschema.Schema) int {
	if n.Enum == nil {
		return 0
	}
	return len(n.Enum.Values) / 4
}

// hook puts the charge in front of the format check, which runs before all
// children.
func (s *Schema) hook(n *jsonschema.Schema, c cost) {
	inner := n.Format
	outer := &jsonschema.Format{Name: "any"}
	if inner != nil {
		outer.Name = inner.Name
	}
	outer.Validate = func(v any) error {
		s.run.charge(c.of(v))
		if inner == nil {
			return nil
		}
		return inner.Validate(v)
	}
	n.Format = outer
}

// children returns the subschemas that look at the same value, and those that
// look at its members or items.
func children(n *jsonschema.Schema) (here, below []*jsonschema.Schema) {
	h := func(ss ...*jsonschema.Schema) {
		for _, s := range ss {
			if s != nil {
				here = append(here, s)
			}
		}
	}
	b := func(v any) {
		switch v := v.(type) {
		case *jsonschema.Schema:
			if v != nil {
				below = append(below, v)
			}
		case []*jsonschema.Schema:
			below = append(below, v...)
		}
	}
	h(n.Ref, n.RecursiveRef, n.Not, n.If, n.Then, n.Else)
	h(n.AllOf...)
	h(n.AnyOf...)
	h(n.OneOf...)
	if n.DynamicRef != nil {
		h(n.DynamicRef.Ref)
	}
	for _, d := range n.Dependencies {
		if s, ok := d.(*jsonschema.Schema); ok {
			h(s)
		}
	}
	for _, s := range n.DependentSchemas {
		h(s)
	}
	for _, s := range n.Properties {
		b(s)
	}
	for _, s := range n.PatternProperties {
		b(s)
	}
	for _, v := range []any{
		n.AdditionalProperties, n.PropertyNames, n.UnevaluatedProperties,
		n.Items, n.AdditionalItems, n.PrefixItems, n.Items2020, n.Contains, n.UnevaluatedItems,
	} {
		b(v)
	}
	return here, below
}

// heights tells how many references and combinations can lie on top of each
// other below a node, all looking at one value.
type heights struct {
	all  int
	seen map[*jsonschema.Schema]int
}

func (h heights) of(n *jsonschema.Schema) int {
	if v, ok := h.seen[n]; ok {
		return v
	}
	// A node that leads back to itself can be below all others.
	h.seen[n] = h.all
	here, _ := children(n)
	most := 0
	for _, child := range here {
		most = max(most, h.of(child))
	}
	h.seen[n] = min(h.all, most+1)
	return h.seen[n]
}
