package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// read turns a file into nodes (R14). The node is nil when the text could not
// be read at all; problems may be found either way.
func read(file string, text []byte) (root *node, problems, warnings Problems) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if problem := unreadable(file, text); problem != nil {
		return nil, Problems{*problem}, nil
	}
	if root, ok := readJSON(file, text); ok {
		return root, nil, nil
	}
	problems, cuts := prescan(file, string(text))
	reader := yamlReader{file: file, cuts: cuts, deep: len(problems)}
	root = reader.read(text, len(problems) > 0)
	return root, append(problems, reader.problems...), reader.warnings
}

// unreadable reports what makes a file no text of a sane size.
func unreadable(file string, text []byte) *Problem {
	if len(text) > maxFileBytes {
		return &Problem{
			Pos:     Pos{File: file},
			Message: fmt.Sprintf("the file has %d bytes, at most %d are read", len(text), maxFileBytes),
			Hint:    "write big texts as {repeat: TEXT, times: N}",
		}
	}
	start := Pos{File: file, Line: 1, Column: 1}
	for offset := 0; offset < len(text); {
		r, size := utf8.DecodeRune(text[offset:])
		if r == utf8.RuneError && size == 1 {
			return &Problem{
				Pos:     start.advance(string(text[:offset])),
				Message: fmt.Sprintf("byte 0x%02x is not UTF-8", text[offset]),
				Hint:    "save the file as UTF-8",
			}
		}
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f {
			return &Problem{
				Pos:     start.advance(string(text[:offset])),
				Message: fmt.Sprintf("control character U+%04X in the text", r),
				Hint:    fmt.Sprintf(`write it as "\x%02x" between double quotes`, r),
			}
		}
		offset += size
	}
	return nil
}

// yamlReader is the one place that meets yaml.v3.
type yamlReader struct {
	file  string
	cuts  map[Pos]bool
	nodes int
	// deep counts the reports of nesting: the first one says it all, and it
	// may be the scan's.
	deep               int
	problems, warnings Problems
}

// read returns the one document of text. A syntax error is left out when
// explained says that the scan before has found its cause.
func (r *yamlReader) read(text []byte, explained bool) (root *node) {
	var document, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	err := decodeYAML(decoder, &document)
	switch {
	case errors.Is(err, io.EOF):
		r.problem(Pos{File: r.file, Line: 1, Column: 1}, "the file is empty",
			"begin with `scenario: TITLE` and `steps:`")
		return nil
	case err != nil:
		if !explained {
			r.syntax(err)
		}
		return nil
	}
	if err := decodeYAML(decoder, &second); !errors.Is(err, io.EOF) {
		r.problem(r.secondDocument(text, second), "a second document begins here, one file holds one scenario",
			"write the second scenario into a file of its own")
	}
	if len(document.Content) != 1 {
		return nil
	}
	return r.node(document.Content[0], 1)
}

// decodeYAML shields from a panic in the YAML library: foreign bytes must give
// an error whatever they are.
func decodeYAML(decoder *yaml.Decoder, into *yaml.Node) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("yaml: %v", fault)
		}
	}()
	return decoder.Decode(into)
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)

// syntax reports an error of the YAML parser. It knows a line at best, and the
// line may be the one before or after.
func (r *yamlReader) syntax(err error) {
	message := strings.ReplaceAll(err.Error(), "\n", " ")
	pos := Pos{File: r.file}
	if found := yamlLine.FindStringSubmatch(message); found != nil {
		pos.Line, _ = strconv.Atoi(found[1])
		message = message[len(found[0]):]
	}
	hint := "look at this line and the ones around it: quotes, brackets, the space after a colon"
	if strings.Contains(message, "mapping values are not allowed") {
		hint = "quote the text: \": \" begins a value"
	}
	r.problem(pos, "not YAML: "+message, hint)
}

// secondDocument finds the line of the marker that ends the first document.
func (r *yamlReader) secondDocument(text []byte, second yaml.Node) Pos {
	content := false
	for i, line := range strings.Split(string(text), "\n") {
		marker := strings.HasPrefix(line, "---") || strings.HasPrefix(line, "...")
		if marker && content {
			return Pos{File: r.file, Line: i + 1, Column: 1}
		}
		trimmed := strings.TrimSpace(line)
		content = content || trimmed != "" && trimmed[0] != '#' && trimmed[0] != '%' && !marker
	}
	return Pos{File: r.file, Line: second.Line, Column: second.Column}
}

func (r *yamlReader) problem(pos Pos, message, hint string) {
	r.problems = append(r.problems, Problem{pos, message, hint})
}

// node converts one YAML node and everything below it.
func (r *yamlReader) node(y *yaml.Node, depth int) *node {
	pos := Pos{r.file, y.Line, y.Column}
	r.nodes++
	if r.nodes == maxNodes+1 {
		r.problem(pos, fmt.Sprintf("the file holds more than %d values", maxNodes), "split the scenario")
	}
	if r.nodes > maxNodes {
		return &node{pos: pos, kind: kindNull, broken: true}
	}
	if depth > maxDepth {
		if r.deep++; r.deep == 1 {
			r.problem(pos, fmt.Sprintf(deepMessage, maxDepth), deepHint)
		}
		return &node{pos: pos, kind: kindNull, broken: true}
	}
	r.forbidden(y, pos)
	n := &node{pos: pos}
	switch y.Kind {
	case yaml.MappingNode:
		n.kind = kindObject
		for i := 0; i+1 < len(y.Content); i += 2 {
			key, item := r.key(y.Content[i]), r.node(y.Content[i+1], depth+1)
			if key.name != mergeKey || y.Content[i].Style != 0 {
				n.keys, n.items = append(n.keys, key), append(n.items, item)
			}
		}
	case yaml.SequenceNode:
		n.kind = kindList
		for _, item := range y.Content {
			n.items = append(n.items, r.node(item, depth+1))
		}
	case yaml.ScalarNode:
		r.scalar(n, y)
	default:
		n.kind, n.broken = kindNull, true
	}
	return n
}

// forbidden reports anchors, aliases and tags: they are not needed, and with
// them a small file can stand for a huge one.
func (r *yamlReader) forbidden(y *yaml.Node, pos Pos) {
	switch {
	case y.Kind == yaml.AliasNode:
		r.problem(pos, "alias *"+y.Value+" is not allowed", "write the value out; for a text that starts with *, quote it")
	case y.Anchor != "":
		r.problem(pos, "anchor &"+y.Anchor+" is not allowed", "write the value out; for a text that starts with &, quote it")
	}
	if y.Style&yaml.TaggedStyle != 0 {
		r.problem(pos, "tag "+y.Tag+" is not allowed", "leave it out; for a text that starts with !, quote it")
	}
}

const mergeKey = "<<"

func (r *yamlReader) key(y *yaml.Node) nodeKey {
	pos := Pos{r.file, y.Line, y.Column}
	r.forbidden(y, pos)
	switch {
	case y.Kind != yaml.ScalarNode:
		r.problem(pos, "a key must be text", "quote the text if it begins with a bracket")
	case y.Style == 0 && y.Value == mergeKey:
		r.problem(pos, "merge << is not allowed", "write the keys out")
	}
	return nodeKey{y.Value, pos}
}

// scalar gives plain scalars their kind by rule 4 and warns where YAML would
// have seen another.
func (r *yamlReader) scalar(n *node, y *yaml.Node) {
	n.kind, n.text = kindText, y.Value
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if y.Style&quoted != 0 {
		return
	}
	n.kind = scalarKind(y.Value)
	if n.kind != kindText {
		return
	}
	n.cut = r.cuts[n.pos]
	if y.Style&yaml.TaggedStyle == 0 && y.Kind == yaml.ScalarNode && y.ShortTag() != "!!str" {
		r.warnings = append(r.warnings, Problem{n.pos,
			fmt.Sprintf("%s is text here, YAML elsewhere reads %s", y.Value, yamlTypes[y.ShortTag()]),
			`quote it: "` + y.Value + `"`})
	}
}

var yamlTypes = map[string]string{
	"!!int": "a number", "!!float": "a number", "!!bool": "true or false",
	"!!null": "null", "!!timestamp": "a date", "!!binary": "bytes", "!!merge": "a merge",
}
