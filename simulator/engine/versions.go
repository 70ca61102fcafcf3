package engine

// versions keeps one value per node of the tree: the newest that was written
// while that node was the head. A branch sees the newest on its path, else the
// one written before any message (O3, A4).
type versions[T any] struct {
	byNode  map[string]T
	root    T
	current T
}

func newVersions[T any]() versions[T] { return versions[T]{byNode: map[string]T{}} }

// set writes v at head.
func (v *versions[T]) set(head string, value T) {
	if head == "" {
		v.root = value
	} else {
		v.byNode[head] = value
	}
	v.current = value
}

// follow finds the value in force again after the active path has changed.
func (v *versions[T]) follow(t *tree) {
	for i := len(t.path) - 1; i >= 0; i-- {
		if value, ok := v.byNode[t.path[i].ID]; ok {
			v.current = value
			return
		}
	}
	v.current = v.root
}
