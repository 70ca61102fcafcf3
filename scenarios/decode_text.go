package scenarios

import "strings"

// Bounds of what recipes may write: one text, and all texts of one case.
const (
	maxTextBytes = 32 << 20
	maxCaseBytes = 256 << 20
	// A repeated text with a reference is resolved anew each time.
	maxCountedRepeats = 1_000_000
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

func (d *decoder) writeRepeat(out *strings.Builder, repeat *node, times int) {
	if !strings.Contains(repeat.text, "$") || repeat.final {
		text := d.text(repeat)
		if len(text)*times > maxTextBytes {
			d.tooLong(repeat.pos)
			return
		}
		d.put(out, repeat.pos, strings.Repeat(text, times))
		return
	}
	if times > maxCountedRepeats {
		d.problem(repeat.pos, "leave the reference out", "a text with a reference is repeated at most %d times", maxCountedRepeats)
		return
	}
	outer := d.scope
	defer func() { d.scope = outer }()
	before := len(d.problems)
	for n := 1; n <= times && len(d.problems) == before; n++ {
		d.scope = outer.with(n)
		if !d.put(out, repeat.pos, d.text(repeat)) {
			return
		}
	}
}

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
