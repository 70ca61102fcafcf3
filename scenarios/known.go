package scenarios

import (
	"regexp"
	"slices"

	"github.com/hallmarkdev/hallmark/internal/suggest"
	"github.com/hallmarkdev/hallmark/spec"
)

// KnownFailures is a baseline file: failures that are known, so that a run
// fails on a regression only. It is read like a scenario.
type KnownFailures struct {
	Pos
	// Registry is the version of the requirement registry that the file was
	// written under.
	Registry string
	Entries  []KnownFailure
}

// KnownFailure is one entry. Exactly one of Requirement and Case is set.
type KnownFailure struct {
	Pos
	Requirement, Case string
	Reason            string
	// Expires is the last day on which the entry counts, YYYY-MM-DD, or "".
	Expires string
}

var dayForm = regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$`)

// ParseKnownFailures reads a baseline file. Requirement ids are checked when
// the options know them. The error is of type [Problems].
func ParseKnownFailures(file string, text []byte, options Options) (*KnownFailures, error) {
	if SaysNothing(text) {
		return nil, Problems{{
			Pos: Pos{File: file, Line: 1, Column: 1}, Message: "the baseline is empty", Hint: "write the file with --write-baseline",
		}}
	}
	root, problems, _ := read(file, text)
	if root == nil {
		return nil, problems.err()
	}
	d := &decoder{options: options, problems: problems, literal: true}
	k := &KnownFailures{Pos: root.pos}
	_, has := d.object(root, "a baseline",
		field{"registry", func(n *node) {
			k.Registry = d.text(n)
			if err := spec.CheckRegistryVersion(k.Registry); err != nil && n.kind == kindText {
				d.problem(n.pos, "write the file with --write-baseline", "%s", err)
			}
		}},
		field{"entries", func(n *node) { k.Entries = list(d, n, "a list of entries", d.knownFailure) }},
	)
	if has != nil && !has["registry"] {
		d.problem(root.pos, "write the file with --write-baseline", "the baseline names no registry version")
	}
	if err := d.err(file); err != nil {
		return nil, err
	}
	return k, nil
}

func (d *decoder) knownFailure(n *node) KnownFailure {
	k := KnownFailure{Pos: n.pos}
	_, has := d.object(n, "an entry",
		field{"requirement", func(n *node) { k.Requirement = d.text(n) }},
		field{"case", func(n *node) { k.Case = d.text(n) }},
		field{"reason", func(n *node) { k.Reason = d.text(n) }},
		field{"expires", func(n *node) {
			if k.Expires = d.text(n); !dayForm.MatchString(k.Expires) {
				d.problem(n.pos, "write it as 2027-01-31", "%q is no day", k.Expires)
			}
		}},
	)
	d.exclude(n.pos, has, "requirement", "case")
	if has != nil && !has["requirement"] && !has["case"] {
		d.problem(n.pos, "name a requirement or a case", "the entry names nothing")
	}
	if has["requirement"] && d.options.Requirements != nil && !slices.Contains(d.options.Requirements, k.Requirement) {
		d.problem(n.pos, suggest.Hint(k.Requirement, d.options.Requirements), "unknown requirement %q", k.Requirement)
	}
	return k
}
