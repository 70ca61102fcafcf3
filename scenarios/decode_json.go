package scenarios

import "github.com/go-json-experiment/json/jsontext"

// json reads a value of any kind, numbers as spelled and keys in order.
func (d *decoder) json(n *node) jsontext.Value {
	var value []byte
	value = d.appendJSON(value, n)
	return value
}

// jsonObject reads an object; an open reference is kept as a text.
func (d *decoder) jsonObject(n *node) jsontext.Value { return d.jsonOf(n, kindObject, "an object") }

// jsonList reads a list; an open reference is kept as a text.
func (d *decoder) jsonList(n *node) jsontext.Value { return d.jsonOf(n, kindList, "a list") }

func (d *decoder) jsonOf(n *node, kind nodeKind, what string) jsontext.Value {
	n, ok := d.want(n, kind, what)
	if !ok && !d.open(n) {
		return nil
	}
	return d.json(n)
}

func (d *decoder) appendJSON(to []byte, n *node) []byte {
	n = d.value(n)
	switch n.kind {
	case kindNothing:
		d.problem(n.pos, `write null, or "" for an empty text`, "a value is missing")
		return append(to, "null"...)
	case kindList:
		to = append(to, '[')
		for i, item := range n.items {
			if i > 0 {
				to = append(to, ',')
			}
			to = d.appendJSON(to, item)
		}
		return append(to, ']')
	case kindObject:
		d.repeated(n)
		to = append(to, '{')
		for i, item := range n.items {
			if i > 0 {
				to = append(to, ',')
			}
			to = appendQuoted(to, n.keys[i].name)
			to = append(to, ':')
			to = d.appendJSON(to, item)
		}
		return append(to, '}')
	case kindText:
		d.cut(n)
		return appendQuoted(to, n.text)
	default:
		return append(to, n.text...)
	}
}

// appendJSON writes a value that holds no references.
func appendJSON(to []byte, n *node) []byte {
	plain := decoder{literal: true}
	return plain.appendJSON(to, n)
}

func appendQuoted(to []byte, text string) []byte {
	// Nodes hold valid UTF-8 only, so that quoting cannot fail.
	to, _ = jsontext.AppendQuote(to, text)
	return to
}
