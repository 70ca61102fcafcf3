package scenarios

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hallmarkdev/hallmark/internal/suggest"
)

// text reads free text.
func (d *decoder) text(n *node) string {
	n = d.value(n)
	if n.loose && n.kind != kindNothing {
		return n.text
	}
	n, ok := d.want(n, kindText, "text")
	if !ok {
		return ""
	}
	d.cut(n)
	return n.text
}

// cut reports a text that a comment ends: the writer hardly meant it (R14).
func (d *decoder) cut(n *node) {
	if n.cut {
		d.problem(n.pos, "put it between quotes, or move the comment to a line of its own",
			`quote the text: " #" starts a comment`)
	}
}

// word reads one of the known words.
func (d *decoder) word(n *node, what string, known ...string) string {
	n, ok := d.want(n, kindText, what)
	if !ok || d.open(n) {
		return ""
	}
	for _, word := range known {
		if word == n.text {
			return word
		}
	}
	hint := suggest.Hint(n.text, known)
	if hint == "" {
		hint = "one of: " + strings.Join(known, ", ")
	}
	d.problem(n.pos, hint, "unknown %s %q", strings.TrimPrefix(strings.TrimPrefix(what, "a "), "an "), n.text)
	return ""
}

var labelForm = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// label reads a label. An open reference gives the empty label.
func (d *decoder) label(n *node) string {
	n, ok := d.want(n, kindText, "a label")
	if !ok || d.open(n) {
		return ""
	}
	if !labelForm.MatchString(n.text) {
		d.problem(n.pos, "a label begins with a small letter and goes on with small letters, digits and _",
			"%q is no label", n.text)
		return ""
	}
	return n.text
}

func (d *decoder) labels(n *node) []string {
	return list(d, n, "a list of labels", d.label)
}

func (d *decoder) boolean(n *node) *bool {
	n, ok := d.want(n, kindBool, "true or false")
	if !ok {
		return nil
	}
	value := n.text == "true"
	return &value
}

func (d *decoder) flag(n *node) bool {
	value := d.boolean(n)
	return value != nil && *value
}

// onlyTrue reads a key that may only be true, since leaving it out says the
// other thing.
func (d *decoder) onlyTrue(n *node, key string) bool {
	value := d.boolean(n)
	if value != nil && !*value {
		d.problem(n.pos, "leave it out", "%s can only be true", key)
	}
	return value != nil && *value
}

// integer reads a whole number from low to high.
func (d *decoder) integer(n *node, low, high int) *int {
	n, ok := d.want(n, kindNumber, "a whole number")
	if !ok {
		return nil
	}
	value, err := strconv.Atoi(n.text)
	if err != nil {
		d.problem(n.pos, "", "want a whole number, got %s", n.text)
		return nil
	}
	if value < low || value > high {
		d.problem(n.pos, "", "want a number from %d to %d, got %d", low, high, value)
		return nil
	}
	return &value
}

var durationForm = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`)

// duration reads Go's form without sign and below a year.
func (d *decoder) duration(n *node) time.Duration {
	const hint = "write it like 350ms, 10m or 1h30m"
	n = d.value(n)
	if n.kind != kindText && !n.broken {
		d.problem(n.pos, hint, "want a duration, got %s", n.kind)
	}
	if d.open(n) || n.kind != kindText {
		return 0
	}
	value, err := time.ParseDuration(n.text)
	if err != nil || !durationForm.MatchString(n.text) {
		d.problem(n.pos, hint, "%q is no duration", n.text)
		return 0
	}
	if value > 365*24*time.Hour {
		d.problem(n.pos, "", "%s is more than a year", n.text)
		return 0
	}
	return value
}
