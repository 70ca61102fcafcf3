package scenarios

import (
	"math"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/arguments"
)

// The limits of a case that sets none.
const (
	defaultDecisions    = 200
	defaultReal         = 60 * time.Second
	defaultPatience     = 5 * time.Second
	defaultSpareReplies = 3
)

// document reads a whole file.
func (d *decoder) document(root *node) *Document {
	doc := &Document{
		Pos: root.pos, Name: root.pos.File, root: root, Copies: 1,
		Needs: Needs{Pos: root.pos}, Given: Given{Pos: root.pos},
		Engine: defaultEngine(root.pos), Limits: defaultLimits(root.pos),
	}
	_, has := d.object(root, "a scenario",
		field{"scenario", func(n *node) { doc.Title = d.title(n) }},
		field{"about", func(n *node) { doc.About = d.prose(n) }},
		field{"refs", func(n *node) { doc.Refs = list(d, n, "a list of texts", d.prose) }},
		field{"tags", func(n *node) { doc.Tags = list(d, n, "a list of texts", d.prose) }},
		field{"requirements", func(n *node) { doc.Requirements = d.requirements(n) }},
		field{"needs", func(n *node) { doc.Needs = d.needs(n) }},
		field{"engine", func(n *node) { doc.Engine = d.engine(n) }},
		field{"given", func(n *node) { doc.Given = d.given(n) }},
		field{"cases", func(n *node) { doc.Cases = d.cases(n) }},
		field{"vary", func(n *node) { doc.Vary = d.vary(n) }},
		field{"twin", func(n *node) { doc.Twins = oneOrMore(d, n, d.twin) }},
		field{"copies", func(n *node) { doc.Copies = d.copies(n) }},
		field{"steps", func(n *node) { doc.Steps = d.steps(n) }},
		field{"finally", func(n *node) { doc.Finally = d.checks(n) }},
		field{"limits", func(n *node) { doc.Limits = d.limits(n) }},
	)
	if has == nil {
		return doc
	}
	if !has["scenario"] {
		d.problem(root.pos, "add `scenario: TITLE`", "the scenario has no title")
	}
	if !has["steps"] {
		d.problem(root.pos, "add `steps:` with at least one step", "the scenario has no steps")
	}
	if !has["cases"] {
		doc.Cases = []CaseEntry{{Pos: root.pos, Name: "default"}}
	}
	return doc
}

// copies reads how many copies of the script run side by side.
func (d *decoder) copies(n *node) int { return orDefault(d.integer(n, 1, 1000), 1) }

// prose reads text in which a dollar sign is a dollar sign.
func (d *decoder) prose(n *node) string {
	before := d.literal
	d.literal = true
	defer func() { d.literal = before }()
	return d.text(n)
}

func (d *decoder) title(n *node) string {
	title := d.prose(n)
	if title == "" && n.kind == kindText {
		d.problem(n.pos, "say what the scenario shows", "the title is empty")
	}
	return title
}

func (d *decoder) requirements(n *node) []Requirement {
	return list(d, n, "a list of requirement ids", func(n *node) Requirement {
		return Requirement{n.pos, d.prose(n)}
	})
}

func (d *decoder) cases(n *node) []CaseEntry {
	all := list(d, n, "a list of cases", func(n *node) CaseEntry {
		entry := CaseEntry{Pos: n.pos}
		n, ok := d.want(n, kindObject, "a case")
		if !ok {
			return entry
		}
		d.repeated(n)
		for i, key := range n.keys {
			if key.name == "name" {
				entry.Name = d.prose(n.items[i])
				continue
			}
			entry.Values = append(entry.Values, NamedValue{key.pos, key.name, d.json(n.items[i])})
		}
		if entry.Name == "" {
			d.problem(n.pos, "add name: TEXT", "the case has no name")
		}
		return entry
	})
	if len(all) == 0 && n.kind == kindList {
		d.problem(n.pos, "leave the key out for a single case", "cases is empty")
	}
	return all
}

func (d *decoder) vary(n *node) []Variation {
	return named(d, n, "an object of lists", func(key nodeKey, n *node) Variation {
		v := Variation{Pos: key.pos, Name: key.name}
		n = d.value(n)
		if n.kind == kindObject {
			v.Generator = d.generator(n)
			return v
		}
		v.Values = list(d, n, "a list of values or a generator", d.json)
		if n.kind == kindList && len(v.Values) == 0 {
			d.problem(n.pos, "leave the name out", "%s varies over nothing", key.name)
		}
		return v
	})
}

func (d *decoder) generator(n *node) *Generator {
	g := &Generator{Pos: n.pos, Count: 1}
	var kinds *node
	_, has := d.object(n, "a generator",
		field{"generate", func(n *node) { g.Class = d.class(n) }},
		field{"kinds", func(n *node) { kinds = n }},
		field{"tool", func(n *node) { g.Tool = d.text(n) }},
		field{"count", func(n *node) { g.Count = orDefault(d.integer(n, 1, 100_000), 1) }},
	)
	if has != nil && !has["generate"] {
		d.problem(n.pos, "add generate: valid, invalid, boundary or malformed", "the generator has no class")
	}
	if known := arguments.Kinds(arguments.Class(g.Class)); kinds != nil && g.Class != "" {
		g.Kinds = list(d, kinds, "a list of kinds", func(n *node) string { return d.word(n, "a kind of "+g.Class+" arguments", known...) })
	}
	return g
}

// class reads a class of generated arguments.
func (d *decoder) class(n *node) string {
	return d.word(n, "a class", "valid", "invalid", "boundary", "malformed")
}

func (d *decoder) twin(n *node) Twin {
	t := Twin{Pos: n.pos, Is: "runs"}
	d.object(n, "a twin",
		field{"call", func(n *node) { t.Call = d.label(n) }},
		field{"tool", func(n *node) { t.Tool = d.text(n) }},
		field{"arguments", func(n *node) { t.Arguments = d.jsonObject(n) }},
		field{"raw", func(n *node) { t.Raw = d.textRecipe(n) }},
		field{"generate", func(n *node) { t.Generate = d.word(n, "a class", "valid") }},
		field{"signature", func(n *node) { t.Signature = d.word(n, "a signature", "valid") }},
		field{"given", func(n *node) { given := d.given(n); t.Given = &given }},
		field{"is", func(n *node) { t.Is = d.word(n, "an outcome of a twin", "runs", "answers") }},
	)
	return t
}

func defaultLimits(pos Pos) Limits {
	return Limits{Pos: pos, Decisions: defaultDecisions, Real: defaultReal, Patience: defaultPatience}
}

func (d *decoder) limits(n *node) Limits {
	limits := defaultLimits(n.pos)
	d.object(n, "limits",
		field{"decisions", func(n *node) {
			limits.Decisions = orDefault(d.integer(n, 1, 1_000_000), defaultDecisions)
		}},
		field{"real", func(n *node) { limits.Real = d.duration(n) }},
		field{"patience", func(n *node) { limits.Patience = d.duration(n) }},
	)
	return limits
}

func (d *decoder) given(n *node) Given {
	given := Given{Pos: n.pos}
	d.object(n, "given",
		field{"messages", func(n *node) { given.Messages = d.messages(n) }},
		field{"state", func(n *node) { given.State = d.json(n) }},
		field{"agent", func(n *node) { given.Agent = d.jsonObject(n) }},
	)
	return given
}

func (d *decoder) messages(n *node) []Message {
	return list(d, n, "a list of messages", func(n *node) Message {
		m := Message{Pos: n.pos}
		_, has := d.object(n, "a message",
			field{"role", func(n *node) { m.Role = d.role(n) }},
			field{"content", func(n *node) { m.Content = d.content(n) }},
			field{"id", func(n *node) { m.ID = d.text(n) }},
			field{"calls", func(n *node) { m.Calls = d.calls(n) }},
			field{"call", func(n *node) { m.Call = d.label(n) }},
			field{"name", func(n *node) { m.Name = d.text(n) }},
		)
		if has != nil && !has["role"] {
			d.problem(n.pos, "add role: user, assistant, tool or system", "the message has no role")
		}
		return m
	})
}

// content reads a message's content: text or anything else that JSON can say.
// A text recipe is written out.
func (d *decoder) content(n *node) jsontext.Value {
	n = d.value(n)
	if isRecipe(n) && d.scope != nil {
		return appendQuoted(nil, d.textRecipe(n).String())
	}
	return d.json(n)
}

func (d *decoder) role(n *node) string {
	return d.word(n, "a role", "system", "user", "assistant", "tool")
}

func orDefault[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}

// anyNumber is the upper bound of numbers that need none.
const anyNumber = math.MaxInt32
