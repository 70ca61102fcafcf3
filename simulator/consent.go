package simulator

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/suggest"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// CallPolicy says how a tool may be called: `tools.NAME.call` of hallmark.yaml.
type CallPolicy string

// The policies. The empty one is CallGenerated.
const (
	// CallNever: not at all.
	CallNever CallPolicy = "never"
	// CallSamplesOnly: with sample arguments, and with malformed ones.
	CallSamplesOnly CallPolicy = "samples-only"
	// CallGenerated: with anything.
	CallGenerated CallPolicy = "generated"
)

// ConsentOptions is what the user said about calling tools.
type ConsentOptions struct {
	// Declared is what the worker declared.
	Declared *spec.AgentConfig
	// Started says that the worker was started by this run, or runs in it.
	Started bool
	// AllTools, OnlyTools and SkipTools are the flags of those names.
	AllTools             bool
	OnlyTools, SkipTools []string
	// Policies is the `tools` section of hallmark.yaml by tool; a section that
	// is there, even an empty one, is consent.
	Policies map[string]CallPolicy
	// Samples are the known arguments of each tool.
	Samples map[string][]jsontext.Value
}

// ConsentError says why tools may not be called as asked, and what to do.
type ConsentError struct {
	Message, Hint string
	// Err is [ErrNoConsent], or nil for a tool that does not exist.
	Err error
}

// Error returns the message; the hint is for a line of its own.
func (e *ConsentError) Error() string { return e.Message }

// Unwrap returns Err.
func (e *ConsentError) Unwrap() error { return e.Err }

// ErrNoConsent says that no tool may be called since nobody allowed it (R3).
var ErrNoConsent = errors.New("no consent to call tools")

// Consent is the bound within which tools are called (R3). It is not changed
// after [Agree] and may be used by several goroutines.
type Consent struct {
	opts ConsentOptions
	// refused says that nobody allowed any call.
	refused bool
}

// Agree works out which tools of the worker at workerURL may be called (R3): on
// loopback, or of a worker that this run started, all; at any other address
// none, unless a flag or the config names them. No guess by a tool's name
// takes part. The error is a [*ConsentError]: it wraps [ErrNoConsent] when nobody
// consented, and else names a tool that the worker does not declare.
func Agree(workerURL string, o ConsentOptions) (Consent, error) {
	var known []string
	if o.Declared != nil {
		for _, t := range o.Declared.Tools {
			known = append(known, t.Name)
		}
		for _, offer := range o.Declared.SubagentOffers() {
			known = append(known, offer.Name)
		}
	}
	for _, name := range slices.Concat(o.OnlyTools, o.SkipTools) {
		if !slices.Contains(known, name) {
			return Consent{}, &ConsentError{
				Message: fmt.Sprintf("tool %q: the worker does not declare it", name),
				Hint:    suggest.Hint(name, known),
			}
		}
	}
	if !o.Started && !IsLoopback(workerURL) && !o.AllTools && o.OnlyTools == nil && o.Policies == nil {
		return Consent{opts: ConsentOptions{Declared: o.Declared, SkipTools: known}, refused: true},
			&ConsentError{
				Message: fmt.Sprintf("worker at %s: %s", workerURL, ErrNoConsent),
				Hint:    "allow it by --all-tools, by --only-tools NAME, or by a tools section in hallmark.yaml",
				Err:     ErrNoConsent,
			}
	}
	return Consent{opts: o}, nil
}

// IsLoopback reports whether a worker's address is on this machine: there
// consent is given (R3).
func IsLoopback(workerURL string) bool {
	u, err := url.Parse(workerURL)
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Callable reports whether a tool may be called at all. It is what
// [scenarios.PlanOptions.Allowed] wants.
func (c Consent) Callable(tool string) bool {
	return c.policy(tool) != CallNever
}

func (c Consent) policy(tool string) CallPolicy {
	switch o := c.opts; {
	case slices.Contains(o.SkipTools, tool), o.OnlyTools != nil && !slices.Contains(o.OnlyTools, tool):
		return CallNever
	case o.Policies[tool] != "":
		return o.Policies[tool]
	default:
		return CallGenerated
	}
}

// Bind returns c with a reason why it does not apply when it would call a tool
// that may not be called so. A planner cannot see that of tools that a
// scenario names outright. A twin that would is not made (R11).
func (c Consent) Bind(one scenarios.Case) scenarios.Case {
	why := c.forbiddenTo(one.Hosted)
	if why == "" {
		why = c.forbidden(one.Steps)
	}
	for _, copied := range one.Copies {
		if why == "" {
			why = c.forbidden(copied.Steps)
		}
	}
	if why != "" {
		one.NotApplicable, one.Steps, one.Copies, one.Twins = why, nil, nil, nil
		return one
	}
	one.Twins = slices.Clone(one.Twins)
	for i := range one.Twins {
		if twin := &one.Twins[i]; twin.NotMade == "" {
			if why := c.forbidden(twin.Steps); why != "" {
				twin.NotMade, twin.Steps = why, nil
			}
		}
	}
	return one
}

// forbiddenTo is the reason why a model that the worker hosts may not be asked:
// nobody knows beforehand which tools it calls, and how. A script answers where
// the form is "".
func (c Consent) forbiddenTo(form string) string {
	if form == "" || c.opts.Declared == nil {
		return ""
	}
	for _, t := range c.opts.Declared.Tools {
		if c.policy(t.Name) != CallGenerated {
			return fmt.Sprintf("a model that the worker hosts calls what it likes, and %s may not be called so", t.Name)
		}
	}
	return ""
}

// forbidden is the reason why steps call what may not be called so, "" for none.
func (c Consent) forbidden(steps []scenarios.Step) string {
	for _, call := range callsOf(steps) {
		name, arguments, raw := call.Target(c.opts.Declared)
		if c.opts.Declared.RunsOnEngine(name) {
			continue
		}
		switch c.policy(name) {
		case CallNever:
			return fmt.Sprintf("calls %s, which may not be called", name)
		case CallSamplesOnly:
			if !c.harmless(name, arguments, raw) {
				return fmt.Sprintf("calls %s with arguments that are no sample, which it may not", name)
			}
		}
	}
	for i := range steps {
		if why := c.forbiddenRaw(steps[i].Send); why != "" {
			return why
		}
	}
	return ""
}

// forbiddenRaw is the reason why a raw request may not be sent: a worker would
// read it as a call, and of what a broken one calls nobody can be sure. So all
// tools must be callable with anything where it speaks of a call at all.
func (c Consent) forbiddenRaw(step *scenarios.SendStep) string {
	if step == nil || c.opts.Declared == nil {
		return ""
	}
	body := step.Base64
	if step.Body != nil {
		body = []byte(step.Body.String())
	}
	if !mayCall(body) {
		return ""
	}
	for _, t := range c.opts.Declared.Tools {
		if c.policy(t.Name) != CallGenerated {
			return fmt.Sprintf("sends a raw request that may call a tool, and %s may not be called so", t.Name)
		}
	}
	return ""
}

// mayCall reports whether a body may be read as a call of a tool or of a model: it
// is JSON that names one, however it spells it, or text in which one could stand.
func mayCall(body []byte) bool {
	if req, fault := spec.ParseRequest(body); fault == nil {
		switch req.Trigger.(type) {
		case spec.ToolExecuteTrigger, spec.LlmExecuteTrigger:
			return true
		}
		return false
	}
	return bytes.Contains(body, []byte("execute")) || bytes.Contains(body, []byte(`\u`))
}

// harmless reports whether samples-only allows the call: its arguments are a
// sample's, or cannot be understood and so run nothing.
func (c Consent) harmless(tool string, arguments jsontext.Value, raw *scenarios.Text) bool {
	if raw != nil {
		in := toolcall.Classify(raw.String(), nil)
		if in.Status == spec.InputMalformed {
			return true
		}
		arguments = in.Value
	}
	return slices.ContainsFunc(c.opts.Samples[tool], func(v jsontext.Value) bool { return jsonv.Equal(v, arguments) })
}

// scriptedCalls are all calls that the model of a case makes, in its copies and
// twins as well.
func scriptedCalls(c scenarios.Case) []scenarios.Call {
	all := callsOf(c.Steps)
	for _, copied := range c.Copies {
		all = append(all, callsOf(copied.Steps)...)
	}
	for _, twin := range c.Twins {
		all = append(all, callsOf(twin.Steps)...)
	}
	return all
}

func callsOf(steps []scenarios.Step) []scenarios.Call {
	var all []scenarios.Call
	for i := range steps {
		if m := steps[i].Model; m != nil {
			all = append(all, m.Calls...)
		}
	}
	return all
}

// Summary says in one line what cases would call, to be printed before the
// first call: "will call 4 of 5 tools, 312 times (delete_part: never)". Where
// nobody allowed any call it says what it would call.
// Retries are not counted, since only the run shows them, nor are tools that
// the client answers.
func (c Consent) Summary(cases []scenarios.Case) string {
	times := map[string]int{}
	for _, one := range cases {
		for _, call := range scriptedCalls(one) {
			tool, _, _ := call.Target(c.opts.Declared)
			times[tool]++
		}
	}
	var total, called, declared int
	var bounded []string
	if c.opts.Declared != nil {
		for _, t := range c.opts.Declared.Tools {
			if t.RunsOn() == spec.HandlerClient {
				// Hallmark is the client: nothing of the worker's is called.
				continue
			}
			declared++
			total += times[t.Name]
			if times[t.Name] > 0 {
				called++
			}
			switch c.policy(t.Name) {
			case CallNever:
				if c.refused {
					// That goes for all of them, and is said elsewhere.
					continue
				}
				bounded = append(bounded, t.Name+": never")
			case CallSamplesOnly:
				bounded = append(bounded, t.Name+": samples only")
			}
		}
	}
	hosted := 0
	for _, one := range cases {
		if one.Hosted != "" && one.NotApplicable == "" {
			hosted++
		}
	}
	verb := "will"
	if c.refused {
		verb = "would"
	}
	line := fmt.Sprintf("%s call %d of %s, %s", verb, called, count(declared, "tool"), count(total, "time"))
	if len(bounded) > 0 {
		line += " (" + strings.Join(bounded, ", ") + ")"
	}
	if hosted > 0 {
		line += ", and let the worker's own model call what it likes in " + count(hosted, "case")
	}
	return line
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
