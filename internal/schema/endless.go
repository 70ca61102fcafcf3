package schema

import "github.com/santhosh-tekuri/jsonschema/v6"

// endless reports whether every check against a schema comes back to where it
// began without having looked at a part of the value: by references and allOf
// alone, which each check follows. What such a schema takes is up to nobody, so
// it does not build.
func endless(root *jsonschema.Schema) bool {
	done := map[*jsonschema.Schema]bool{}
	var loops func(n *jsonschema.Schema) bool
	loops = func(n *jsonschema.Schema) bool {
		if n == nil {
			return false
		}
		if over, seen := done[n]; seen {
			return !over
		}
		done[n] = false
		if loops(n.Ref) {
			return true
		}
		for _, part := range n.AllOf {
			if loops(part) {
				return true
			}
		}
		done[n] = true
		return false
	}
	return loops(root)
}
