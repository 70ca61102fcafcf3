// Package minimize makes a scenario that fails as small as it can be while it
// fails for the same reason: delta debugging over the tree of the scenario. It is
// pure but for the test that it is given, and does the same for the same answers,
// so that one which was interrupted goes on from what it has learned.
package minimize

// ddmin gives the smallest list that it finds among those that come of taking
// items out of n, while fails holds of the items that are left (Zeller's
// algorithm). fails is not asked of the whole list, and gets indices in order.
// The result is 1-minimal: no single item of it can be left out.
func ddmin(n int, fails func(kept []int) bool) []int {
	kept := make([]int, n)
	for i := range kept {
		kept[i] = i
	}
	if n == 0 || fails(nil) {
		return nil
	}
	for parts := 2; len(kept) > 1; {
		reduced := false
		for i := range parts {
			from, to := i*len(kept)/parts, (i+1)*len(kept)/parts
			rest := make([]int, 0, len(kept)-(to-from))
			rest = append(append(rest, kept[:from]...), kept[to:]...)
			if from == to || len(rest) == 0 || !fails(rest) {
				continue
			}
			kept, parts, reduced = rest, max(parts-1, 2), true
			break
		}
		switch {
		case reduced:
		case parts >= len(kept):
			return kept
		default:
			parts = min(2*parts, len(kept))
		}
	}
	return kept
}
