package scenarios

// node is one value of a scenario file, read and not yet understood. YAML and
// JSON give the same nodes. A node is never changed once the file is read.
type node struct {
	pos  Pos
	kind nodeKind
	// text is the value of a text, or the spelling of a number or word.
	text string
	// plain marks a text that stood without quotes, cut one that a comment
	// follows on its line.
	plain, cut bool
	// keys and items run side by side in an object; a list has items only.
	keys  []nodeKey
	items []*node
	// final marks a value whose references are resolved already.
	final bool
}

type nodeKey struct {
	name string
	pos  Pos
}

type nodeKind int

const (
	kindText nodeKind = iota
	kindNumber
	kindBool
	kindNull
	kindNothing // a key without a value
	kindList
	kindObject
)
