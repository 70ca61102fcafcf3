package scenarios

import (
	"encoding/base64"
	"strings"

	"golang.org/x/net/http/httpguts"
)

func (d *decoder) send(n *node) *SendStep {
	s := &SendStep{Pos: n.pos, Method: "POST", Path: "/"}
	_, has := d.object(n, "a send step",
		field{"method", func(n *node) { s.Method = d.method(n) }},
		field{"path", func(n *node) { s.Path = d.path(n) }},
		field{"headers", func(n *node) { s.Headers = d.sentHeaders(n) }},
		field{"body", func(n *node) { s.Body = d.textRecipe(n) }},
		field{"base64", func(n *node) {
			text := d.text(n)
			if d.open(n) {
				return
			}
			data, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				d.problem(n.pos, "use the standard alphabet with padding", "not base64: %s", err)
			}
			s.Base64 = data
		}},
		field{"cut_after", func(n *node) { s.CutAfter = d.integer(n, 0, anyNumber) }},
		field{"status", func(n *node) { s.Status = d.status(n) }},
	)
	d.exclude(n.pos, has, "body", "base64")
	return s
}

// method reads the method of a raw request: one word, since the line that it
// begins is written as it is.
func (d *decoder) method(n *node) string {
	text := d.text(n)
	if !d.open(n) && !httpguts.ValidHeaderFieldName(text) {
		d.problem(n.pos, "write one word, such as GET", "%q is no method", text)
	}
	return text
}

// path reads the target of a raw request. It stays on the worker's origin: a
// target with a host in it would make some workers fetch from elsewhere.
func (d *decoder) path(n *node) string {
	text := d.text(n)
	switch {
	case d.open(n):
	case !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//"):
		d.problem(n.pos, "begin it with one slash: a raw request goes to the worker and nowhere else", "%q is no path of the worker", text)
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || r == '#' }):
		d.problem(n.pos, "write spaces, control characters, # and letters beyond ASCII as %20 and the like", "%q cannot stand in a request line", text)
	}
	return text
}

// sentHeaders reads the headers of a raw request. Unlike the engine's own they
// may be those of the transport, but for the host that it goes to.
func (d *decoder) sentHeaders(n *node) []Header {
	all := d.headers(n)
	for _, h := range all {
		if strings.EqualFold(h.Name, "host") {
			d.problem(h.Pos, "leave it out", "host: a raw request goes to the worker and nowhere else")
		}
	}
	return all
}
