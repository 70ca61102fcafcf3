package scenarios

import (
	"strconv"
	"strings"
)

// Bounds of what recipes may write: one text, and all texts of one case.
const (
	maxTextBytes = 32 << 20
	maxCaseBytes = 256 << 20
)

// spend takes size bytes from what the case's texts may grow by.
func (d *decoder) spend(pos Pos, size int) bool {
	if d.scope == nil || d.scope.budget == nil {
		return true
	}
	before := *d.scope.budget
	*d.scope.budget -= size
	if before >= 0 && *d.scope.budget < 0 {
		d.problem(pos, "repeat less", "the texts of this case exceed %d MiB", maxCaseBytes>>20)
	}
	return *d.scope.budget >= 0
}

// textRecipe reads a Text: text, {repeat, times}, or a list of these. With a
// scope it is written out.
func (d *decoder) textRecipe(n *node) *Text {
	n = d.value(n)
	text := &Text{Pos: n.pos}
	if d.scope == nil {
		text.Parts = d.textParts(n)
		return text
	}
	var out strings.Builder
	d.writeText(&out, n)
	text.Parts = []TextPart{{Plain: out.String()}}
	return text
}

// textParts reads a Text as it is written.
func (d *decoder) textParts(n *node) []TextPart {
	switch n.kind {
	case kindList:
		var all []TextPart
		for _, item := range n.items {
			all = append(all, d.textParts(item)...)
		}
		return all
	case kindObject:
		repeat, times := d.repeat(n)
		if repeat == nil {
			return nil
		}
		part := TextPart{Repeat: d.text(repeat), Times: times}
		if len(part.Repeat)*times > maxTextBytes {
			d.tooLong(n.pos)
			return nil
		}
		return []TextPart{part}
	default:
		return []TextPart{{Plain: d.text(n)}}
	}
}

// writeText writes a Text out, bounded.
func (d *decoder) writeText(out *strings.Builder, n *node) {
	n = d.value(n)
	switch n.kind {
	case kindList:
		for _, item := range n.items {
			d.writeText(out, item)
		}
	case kindObject:
		repeat, times := d.repeat(n)
		if repeat == nil {
			return
		}
		d.writeRepeat(out, repeat, times)
	default:
		d.put(out, n.pos, d.text(n))
	}
}

// writeRepeat writes the text times times, with $n counting from 1.
func (d *decoder) writeRepeat(out *strings.Builder, repeat *node, times int) {
	between, counts := d.aroundCounter(repeat)
	if !counts {
		text := between[0]
		if len(text)*times > maxTextBytes {
			d.tooLong(repeat.pos)
			return
		}
		d.put(out, repeat.pos, strings.Repeat(text, times))
		return
	}
	var one []byte
	for n := 1; n <= times; n++ {
		one = append(one[:0], between[0]...)
		for _, text := range between[1:] {
			one = strconv.AppendInt(one, int64(n), 10)
			one = append(one, text...)
		}
		if !d.put(out, repeat.pos, string(one)) {
			return
		}
	}
}

// aroundCounter resolves a text but for the counter n, and returns the parts
// between its places. Without a counter there is one part.
func (d *decoder) aroundCounter(n *node) (between []string, counts bool) {
	if n.final || n.kind != kindText {
		return []string{d.text(n)}, false
	}
	d.cut(n)
	if ref, ok := whole(n.text); ok {
		if ref == counter {
			return []string{"", ""}, true
		}
		return []string{d.text(n)}, false
	}
	all, err := pieces(n.text)
	if err != nil {
		return []string{d.text(n)}, false
	}
	var text strings.Builder
	for _, piece := range all {
		switch {
		case piece.ref == nil:
			text.WriteString(piece.plain)
		case *piece.ref == counter:
			between = append(between, text.String())
			text.Reset()
		default:
			text.WriteString(d.inserted(n.pos, *piece.ref))
		}
	}
	between = append(between, text.String())
	return between, len(between) > 1
}

// counter is the reference $n inside a repeat.
var counter = reference{name: "n"}

// put adds to a text and says whether there was room.
func (d *decoder) put(out *strings.Builder, pos Pos, text string) bool {
	if out.Len()+len(text) > maxTextBytes {
		d.tooLong(pos)
		return false
	}
	if !d.spend(pos, len(text)) {
		return false
	}
	out.WriteString(text)
	return true
}

func (d *decoder) tooLong(pos Pos) {
	d.problem(pos, "repeat less", "the text exceeds %d MiB", maxTextBytes>>20)
}

// repeat reads the object of a recipe. The node is nil when it is none.
func (d *decoder) repeat(n *node) (repeat *node, times int) {
	count := 0
	_, has := d.object(n, "a text recipe",
		field{"repeat", func(n *node) { repeat = n }},
		field{"times", func(n *node) {
			if value := d.integer(n, 0, maxTextBytes); value != nil {
				count = *value
			}
		}},
	)
	if has != nil && !(has["repeat"] && has["times"]) {
		d.problem(n.pos, "write {repeat: TEXT, times: N}", "a text recipe wants repeat and times")
		return nil, 0
	}
	return repeat, count
}

// isRecipe says whether a value of a case is a text recipe.
func isRecipe(n *node) bool {
	return n.kind == kindObject && len(n.keys) == 2 && n.member("repeat") != nil && n.member("times") != nil
}

// String returns the text written out, references as they are. It is meant for
// the texts of planned cases, which have no recipes left.
func (t *Text) String() string {
	if t == nil {
		return ""
	}
	if len(t.Parts) == 1 && t.Parts[0].Times == 0 {
		return t.Parts[0].Plain
	}
	var out strings.Builder
	for _, part := range t.Parts {
		out.WriteString(part.Plain)
		out.WriteString(strings.Repeat(part.Repeat, part.Times))
	}
	return out.String()
}
