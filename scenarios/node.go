package scenarios

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of one file. A scenario a person writes is far below each of them.
const (
	maxFileBytes = 1 << 20
	maxDepth     = 100
	maxNodes     = 100_000
)

// node is one value of a scenario file, read and not yet understood. YAML and
// JSON give the same nodes. A node is never changed once the file is read.
type node struct {
	pos  Pos
	kind nodeKind
	// text is the value of a text, or the spelling of a number or word.
	text string
	// cut marks a plain text that a comment follows on its line.
	cut bool
	// keys and items run side by side in an object; a list has items only.
	keys  []nodeKey
	items []*node
	// final marks a value whose references are resolved already.
	final bool
	// broken marks a value that a problem was reported for already.
	broken bool
	// loose marks a value from the command line, which is text wherever text
	// is wanted, whatever it looks like.
	loose bool
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

// String names the kind as error texts do.
func (k nodeKind) String() string {
	switch k {
	case kindText:
		return "text"
	case kindNumber:
		return "a number"
	case kindBool:
		return "true or false"
	case kindNull:
		return "null"
	case kindNothing:
		return "nothing"
	case kindList:
		return "a list"
	default:
		return "an object"
	}
}

// member returns the value of the first key of that name, or nil.
func (n *node) member(name string) *node {
	if n == nil || n.kind != kindObject {
		return nil
	}
	for i, key := range n.keys {
		if key.name == name {
			return n.items[i]
		}
	}
	return nil
}

// scalarKind is the kind of a plain scalar by rule 4 of R14: JSON's numbers
// and words, and text for all else.
func scalarKind(text string) nodeKind {
	switch text {
	case "":
		return kindNothing
	case "null":
		return kindNull
	case "true", "false":
		return kindBool
	}
	if isJSONNumber(text) {
		return kindNumber
	}
	return kindText
}

func isJSONNumber(text string) bool {
	value := jsontext.Value(text)
	if text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return false
	}
	// A value may stand between white space; a number's spelling may not.
	last := text[len(text)-1]
	return last >= '0' && last <= '9' && value.IsValid()
}

// advance returns the place after text, when text begins at p.
func (p Pos) advance(text string) Pos {
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch {
		case r == '\r' && len(text) > 0 && text[0] == '\n':
			// counted with the line feed
		case r == '\n' || r == '\r':
			p.Line++
			p.Column = 1
		default:
			p.Column++
		}
	}
	return p
}
