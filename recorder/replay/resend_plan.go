package replay

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/parts"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// ResendPlan says what is sent when recordings are, before anything is (R3).
type ResendPlan struct {
	// Recordings, Sessions and Requests count what there is, Sends what is sent.
	Recordings, Sessions, Requests, Sends int
	// Calls are the calls of tools, sorted by the names of these.
	Calls []PlannedCalls
	// Models is how often a model that the worker hosts is asked.
	Models int
	// Repeat is how often all of it is sent, see [ResendPlan.SendTimes]; 0 is once.
	Repeat int
	// Declared are the names of tools that the recordings speak of, called or
	// not, sorted.
	Declared []string
	// Unread are the files that cannot be read. Nothing is sent of their recordings.
	Unread []*FileError

	chains []chain
}

// PlannedCalls are the calls of one tool. A redelivery counts, since a worker
// may run it again.
type PlannedCalls struct {
	Tool string `json:"tool"`
	// Times is how often it is called, Held how often it is not although it was
	// recorded: it may not be called, or its session has ended there.
	Times int `json:"times"`
	Held  int `json:"held,omitzero"`
}

// chain are the files of one recording, in their order: the second part of a
// rotated one goes on where the first ends.
type chain []string

// PlanResend reads recordings to their ends and says what is called when they are
// sent within consent. Memory is that of the exchanges open. The error is that of
// ctx.
func PlanResend(ctx context.Context, files []string, consent simulator.Consent) (*ResendPlan, error) {
	p := &ResendPlan{Recordings: len(files)}
	for _, c := range parts.Join(files) {
		p.chains = append(p.chains, c)
	}
	count := map[string]*PlannedCalls{}
	declared := map[string]bool{}
	p.chains = slices.DeleteFunc(p.chains, func(c chain) bool {
		before := *p
		g := gate{consent: consent}
		for _, file := range c {
			if err := p.scan(ctx, file, &g, count, declared); err != nil {
				*p = before
				p.Unread = append(p.Unread, &FileError{file, err})
				return true
			}
		}
		p.Sessions += len(g.sessions)
		return false
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, tool := range slices.Sorted(maps.Keys(count)) {
		p.Calls = append(p.Calls, *count[tool])
		declared[tool] = true
	}
	p.Declared = slices.Sorted(maps.Keys(declared))
	return p, nil
}

// scan counts what one file has to send.
func (p *ResendPlan) scan(ctx context.Context, file string, g *gate, count map[string]*PlannedCalls, declared map[string]bool) error {
	var fault error
	skip := func(kind spec.EventKind, line []byte) bool {
		if kind != spec.KindRequest {
			return answersAside(kind, line)
		}
		session, plain := callsNothing(line)
		if !plain || g.consent.Names() && !g.declared[session] {
			return false
		}
		p.Requests++
		if g.begin(session); !g.stopped[session] {
			p.Sends++
		}
		return true
	}
	err := exchangesOf(file, skip, nil, &fault, func(x *spec.Exchange) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !x.IsDelivery() && !x.Request.Ahead && !x.Request.IsRaw() {
			return nil
		}
		p.Requests++
		pass := g.look(x)
		if !g.declared[x.Session] {
			g.declares(x, declared)
		}
		if pass.tool != "" {
			c := count[pass.tool]
			if c == nil {
				c = &PlannedCalls{Tool: pass.tool}
				count[pass.tool] = c
			}
			if pass.code == "" {
				c.Times++
			} else {
				c.Held++
			}
		}
		if pass.code == "" {
			p.Sends++
			if pass.model {
				p.Models++
			}
		}
		return nil
	})
	return cmp.Or(err, fault)
}

// FileError says which file could not be read.
type FileError struct {
	File string
	Err  error
}

// Error returns the name and the cause.
func (e *FileError) Error() string { return "read " + e.File + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// FileErrors are the errors of files in the error of [ResendPlan.Send], which has
// no others.
func FileErrors(err error) (all []*FileError) {
	if several, is := err.(interface{ Unwrap() []error }); is {
		for _, one := range several.Unwrap() {
			all = append(all, FileErrors(one)...)
		}
		return all
	}
	if one, is := errors.AsType[*FileError](err); is {
		all = append(all, one)
	}
	return all
}

// Files are the first files of the recordings that can be sent.
func (p *ResendPlan) Files() []string {
	out := make([]string, len(p.chains))
	for i, c := range p.chains {
		out[i] = c[0]
	}
	return out
}

// MayCall reports whether any call that was recorded is allowed, or none was
// recorded.
func (p *ResendPlan) MayCall() bool {
	return len(p.Calls) == 0 || p.Models > 0 || slices.ContainsFunc(p.Calls, func(c PlannedCalls) bool { return c.Times > 0 })
}

// Summary says in one line what is called: "will call 4 of 5 tools, 312 times
// (delete_part: never), in 1204 of 1310 requests of 96 sessions". would is for a
// plan that is not carried out.
func (p *ResendPlan) Summary(would bool) string {
	called, times := 0, 0
	var held []string
	for _, c := range p.Calls {
		times += c.Times * max(1, p.Repeat)
		switch {
		case c.Times > 0 && c.Held > 0:
			called++
			held = append(held, fmt.Sprintf("%s: %d held back", c.Tool, c.Held))
		case c.Times > 0:
			called++
		default:
			held = append(held, c.Tool+": never")
		}
	}
	verb := "will"
	if would {
		verb = "would"
	}
	line := fmt.Sprintf("%s call %d of %s, %s", verb, called, plural(len(p.Calls), "tool"), plural(times, "time"))
	if len(held) > 0 {
		line += " (" + strings.Join(held, ", ") + ")"
	}
	if p.Models > 0 {
		line += fmt.Sprintf(", ask the worker's own model %s", plural(p.Models*max(1, p.Repeat), "time"))
	}
	line += fmt.Sprintf(", in %d of %s of %s", p.Sends, plural(p.Requests, "request"), plural(p.Sessions, "session"))
	if p.Repeat > 1 {
		line += fmt.Sprintf(", each sent %d times", p.Repeat)
	}
	return line
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// gate says which recorded requests go out: one answer for the plan and for what
// is then done.
type gate struct {
	consent simulator.Consent
	// stopped are sessions of which nothing more is sent, sessions those seen,
	// declared those whose tools were looked at.
	stopped, sessions, declared map[string]bool
}

// passage is what the gate says of a request.
type passage struct {
	// code is the Note constant of why it does not go out, "" when it does; text
	// says it in words.
	code, text string
	// tool is the tool that it calls, model says that it asks a model.
	tool  string
	model bool
}

// look decides on the next request of a recording, by its trigger and without
// reading the rest.
func (g *gate) look(x *spec.Exchange) passage {
	g.begin(x.Session)
	var p passage
	if p.code, p.text = unsendable(x); p.code != "" {
		return p
	}
	if why := g.calls(x, &p); why != "" {
		g.stopped[x.Session] = true
		p.text = why
	}
	if g.stopped[x.Session] {
		p.code = NoteNotAllowed
	}
	return p
}

func (g *gate) begin(session string) {
	if g.sessions == nil {
		g.sessions, g.stopped, g.declared = map[string]bool{}, map[string]bool{}, map[string]bool{}
	}
	g.sessions[session] = true
}

// calls says what a request calls, and why it may not.
func (g *gate) calls(x *spec.Exchange, p *passage) (why string) {
	if !bytes.Contains(x.RequestBody, []byte("execute")) && !bytes.Contains(x.RequestBody, []byte(`\u`)) {
		// It has no trigger that calls anything, however it is spelled.
		return ""
	}
	if g.consent.Bounds() {
		if name := doubled(x.RequestBody); name != "" {
			return "has two members called " + name + ", so nobody knows what it calls"
		}
	}
	raw, _ := jsonv.Get(x.RequestBody, "/trigger")
	trigger, fault := spec.ParseTrigger(raw)
	if fault != nil {
		if g.consent.Bounds() {
			return "its trigger cannot be read, so nobody knows what it calls"
		}
		return ""
	}
	switch t := trigger.(type) {
	case spec.ToolExecuteTrigger:
		p.tool = t.Name
		return g.consent.Executes(t)
	case spec.LlmExecuteTrigger:
		p.model = true
		return g.consent.AsksModel(agentOf(x.RequestBody))
	}
	return ""
}

// doubled is a member of a request or of its trigger that is there twice, ""
// where none is: one reader takes the first of them and another the last, and some
// read names in whatever case.
func doubled(body []byte) string {
	for _, pointer := range []string{"", "/trigger", "/trigger/input"} {
		v, _ := jsonv.Get(body, pointer)
		seen := map[string]bool{}
		members, _ := jsonv.Members(v)
		for _, m := range members {
			name := strings.ToLower(m.Name)
			if seen[name] {
				return m.Name
			}
			seen[name] = true
		}
	}
	return ""
}

// agentOf is the config that a request holds, nil where it holds none.
func agentOf(body []byte) *spec.AgentConfig {
	if r, fault := spec.ParseRequest(body); fault == nil {
		return r.Agent
	}
	return nil
}

// declares takes the tools that a session has, once a request says so.
func (g *gate) declares(x *spec.Exchange, into map[string]bool) {
	raw, _ := jsonv.Get(x.RequestBody, "/agent/tools")
	tools, err := jsonv.Elements(raw)
	if err != nil {
		return
	}
	g.declared[x.Session] = true
	for _, t := range tools {
		name, _ := jsonv.Get(t, "/name")
		if text, is := jsonv.Text(name); is {
			into[text] = true
		}
	}
}

// unsendable is why a request cannot be sent as it was, or is not to be.
func unsendable(x *spec.Exchange) (code, text string) {
	r := x.Request
	switch {
	case r.IsRaw():
		return NoteOutside, "a request outside the protocol"
	case r.SignedWrong():
		return NoteSignedWrong, "signed wrongly on purpose"
	case slices.ContainsFunc(x.Disturbed, func(d *spec.DisturbEvent) bool { return d.Do == "lose-request" }):
		return NoteLost, "lost on purpose, so that the worker never had it"
	case r.End != "" && r.End != spec.EndWhole:
		text = "the body was not recorded: " + string(r.End)
		if r.Reason != "" {
			text += ", " + r.Reason
		}
		return NoteNoBody, text
	case strings.HasPrefix(x.Damage, "request"):
		return NoteNoBody, x.Damage
	case len(bytes.TrimSpace(x.RequestBody)) == 0:
		return NoteNoBody, "there is no body"
	}
	return "", ""
}
