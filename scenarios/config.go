package scenarios

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/net/http/httpguts"

	"github.com/hallmarkdev/hallmark/spec"
)

// ConfigName is the name under which a project's file is looked for.
const ConfigName = "hallmark.yaml"

// Config is a project's own file, hallmark.yaml: what nobody can find out by
// asking a worker. Every member is optional. It is read like a scenario, so
// that both have the same rules and the same kind of problems, but a dollar
// sign is a dollar sign in it.
type Config struct {
	Pos
	// URL is the worker, Start the command that starts it, RestartCommand the one
	// that restarts a worker which runs already (R15).
	URL, Start, RestartCommand string
	// StartEnv is what is set in the environment of the worker that Start starts,
	// NAME=value in the order written; {engine_url}, {api_key} and {port} in a
	// value stand for those of the run.
	StartEnv []string
	// EngineListen is the address at which the worker settles the calls that it
	// keeps; "" is none, but with Start a free port (R19).
	EngineListen string
	// WorkerName and WorkerVersion name what is certified, in reports.
	WorkerName, WorkerVersion string
	// AgentID is the agent that requests name; Propose is the config that
	// session.start proposes, nil for a small default; Form is agent, bare or
	// empty to find out (R2).
	AgentID string
	Propose *spec.AgentConfig
	Form    string
	// Tools says what may be done with each tool. A section that is there, even
	// an empty one, is consent to call the tools that it does not forbid (R3).
	Tools    []ConfigTool
	HasTools bool
	// BadArguments is what the worker says it does with arguments that do not
	// fit, for tools that do not say otherwise: refuse, repair, run or empty.
	BadArguments string
	// Features are those that the worker is said to have. hosted_models adds
	// those of [HostedFeatures].
	Features []string
	// SecretEnv names the environment variable that holds the secret which
	// requests are signed with.
	SecretEnv string
	// SignatureHeader is the header that carries the signature; "" for the
	// protocol's own.
	SignatureHeader string
	Headers         []ConfigHeader
	Reset           *Reset
	// Disturb names the disturbances under which cases are run once more, in the
	// order of [Disturbances].
	Disturb []string
	// Scenarios are folders and files, as seen from the file.
	Scenarios []string
	// WithoutCorpus leaves the built-in scenarios out.
	WithoutCorpus bool
	// Dialects are those to run cases in, as [ParseDialects] reads them; empty
	// means the default.
	Dialects []string
	// Profile is the profile that the worker claims; "" claims none.
	Profile string
	// Baseline is the file of known failures, as seen from the file.
	Baseline string
	Warnings Problems
}

// ConfigTool is what may be done with one tool.
type ConfigTool struct {
	Pos
	Name string
	// Call is never, samples-only or generated; empty is generated.
	Call string
	// Samples are arguments with known outcomes, in the order written.
	Samples []ConfigSample
	// BadArguments is refuse, repair, run or empty.
	BadArguments string
}

// ConfigSample is one call with its outcome: ok, fails, flagged, slow, large,
// binary, retryable, or asks for one that is answered with an interrupt.
type ConfigSample struct {
	Pos
	Kind      string
	Arguments jsontext.Value
}

// ConfigHeader is a header of each request. Its value stands in Value, or in
// the environment variable Env when it is a secret.
type ConfigHeader struct {
	Pos
	Name, Value, Env string
}

// Reset puts the worker's world back between cases: a command to run, or a URL
// to POST to. Exactly one is set.
type Reset struct {
	Pos
	Run, Post string
}

// sampleKinds are the outcomes that a sample may have.
var sampleKinds = []string{"ok", "fails", "flagged", "slow", "large", "binary", "retryable", "asks"}

// badArguments are the three things that a worker may do with arguments that
// do not fit: all are free.
var badArguments = []string{"refuse", "repair", "run"}

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// ParseConfig reads a project's file with every check that needs nothing but
// the text. The error is of type [Problems]. The bounds are those of [Parse].
func ParseConfig(file string, text []byte) (*Config, error) {
	if SaysNothing(text) {
		return &Config{Pos: Pos{File: file}}, nil
	}
	root, problems, warnings := read(file, text)
	if root == nil {
		return nil, problems.err()
	}
	d := &decoder{problems: problems, literal: true}
	c := &Config{Pos: root.pos, Warnings: warnings.sorted()}
	d.config(root, c)
	if err := d.err(file); err != nil {
		return nil, err
	}
	return c, nil
}

// SaysNothing reports whether a file of the project says nothing yet: it is
// empty, or holds comments only.
func SaysNothing(text []byte) bool {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}

// Samples returns the sample arguments by tool and kind, as a planner wants
// them. Of several of one kind the first counts.
func (c *Config) Samples() map[string]map[string]jsontext.Value {
	all := map[string]map[string]jsontext.Value{}
	for _, t := range c.Tools {
		for _, s := range t.Samples {
			if all[t.Name] == nil {
				all[t.Name] = map[string]jsontext.Value{}
			}
			if _, has := all[t.Name][s.Kind]; !has {
				all[t.Name][s.Kind] = s.Arguments
			}
		}
	}
	return all
}

// Policies returns what the worker is said to do with arguments that do not
// fit, by tool; [spec.AllTools] stands for the tools that say nothing of their
// own. Nil when nothing is said.
func (c *Config) Policies() map[string]string {
	var said map[string]string
	say := func(tool, policy string) {
		if policy == "" {
			return
		}
		if said == nil {
			said = map[string]string{}
		}
		said[tool] = policy
	}
	say(spec.AllTools, c.BadArguments)
	for _, t := range c.Tools {
		say(t.Name, t.BadArguments)
	}
	return said
}

func (d *decoder) config(root *node, c *Config) {
	var hosted []string
	d.object(root, ConfigName,
		field{"url", func(n *node) { c.URL = d.text(n) }},
		field{"start", func(n *node) { c.Start = d.text(n) }},
		field{"start_env", func(n *node) { c.StartEnv = named(d, n, "an object of variables", d.startVariable) }},
		field{"engine_listen", func(n *node) { c.EngineListen = d.text(n) }},
		field{"restart_cmd", func(n *node) { c.RestartCommand = d.text(n) }},
		field{"worker", func(n *node) {
			d.object(n, "worker",
				field{"name", func(n *node) { c.WorkerName = d.text(n) }},
				field{"version", func(n *node) { c.WorkerVersion = d.text(n) }})
		}},
		field{"agent", func(n *node) { d.configAgent(n, c) }},
		field{"tools", func(n *node) {
			c.HasTools = true
			if n.kind != kindNothing && n.kind != kindNull {
				c.Tools = named(d, n, "an object of tools", d.configTool)
			}
		}},
		field{"bad_arguments", func(n *node) { c.BadArguments = d.word(n, "a policy", badArguments...) }},
		field{"features", func(n *node) {
			c.Features = list(d, n, "a list of features", func(n *node) string { return d.word(n, "a feature", claimable...) })
		}},
		field{"hosted_models", func(n *node) {
			forms := list(d, n, "a list of forms", func(n *node) string { return d.word(n, "a form", spec.HostedForms()...) })
			hosted = HostedFeatures(forms...)
		}},
		field{"secret_env", func(n *node) { c.SecretEnv = d.env(n) }},
		field{"signature_header", func(n *node) { c.SignatureHeader = d.headerName(n) }},
		field{"headers", func(n *node) { c.Headers = named(d, n, "an object of headers", d.configHeader) }},
		field{"reset", func(n *node) { c.Reset = d.reset(n) }},
		field{"disturb", func(n *node) {
			c.Disturb, _ = ChooseDisturbances(oneOrMore(d, n, func(n *node) string {
				return d.word(n, "a disturbance", append(Disturbances(), allDisturbances)...)
			}))
		}},
		field{"scenarios", func(n *node) { c.Scenarios = oneOrMore(d, n, d.text) }},
		field{"corpus", func(n *node) {
			if b := d.boolean(n); b != nil {
				c.WithoutCorpus = !*b
			}
		}},
		field{"dialect", func(n *node) { c.Dialects = oneOrMore(d, n, d.configDialect) }},
		field{"profile", func(n *node) { c.Profile = d.text(n) }},
		field{"baseline", func(n *node) { c.Baseline = d.text(n) }},
	)
	for _, feature := range hosted {
		if !slices.Contains(c.Features, feature) {
			c.Features = append(c.Features, feature)
		}
	}
}

func (d *decoder) configAgent(n *node, c *Config) {
	d.object(n, "agent",
		field{"id", func(n *node) { c.AgentID = d.text(n) }},
		field{"start", func(n *node) { c.Form = d.word(n, "a form of session.start", "agent", "bare") }},
		field{"propose", func(n *node) {
			raw := d.jsonObject(n)
			if raw == nil {
				return
			}
			agent, fault := spec.ParseAgent(raw)
			if fault != nil {
				d.problem(n.pos, "write it as the protocol's agent config", "the proposed agent does not read: %s", fault.Error())
				return
			}
			c.Propose = &agent
		}},
	)
}

func (d *decoder) configTool(key nodeKey, n *node) ConfigTool {
	t := ConfigTool{Pos: key.pos, Name: key.name}
	if n.kind == kindNothing {
		return t
	}
	d.object(n, "a tool",
		field{"call", func(n *node) { t.Call = d.word(n, "a way of calling", "never", "samples-only", "generated") }},
		field{"samples", func(n *node) {
			for _, s := range named(d, n, "an object of samples", d.configSamples) {
				t.Samples = append(t.Samples, s...)
			}
		}},
		field{"bad_arguments", func(n *node) { t.BadArguments = d.word(n, "a policy", badArguments...) }},
	)
	return t
}

// configSamples reads the samples of one outcome: one object of arguments, or
// a list of them.
func (d *decoder) configSamples(key nodeKey, n *node) []ConfigSample {
	known := false
	for _, kind := range sampleKinds {
		known = known || kind == key.name
	}
	if !known {
		d.problem(key.pos, "one of: "+strings.Join(sampleKinds, ", "), "unknown outcome of a sample %q", key.name)
	}
	return oneOrMore(d, n, func(n *node) ConfigSample {
		return ConfigSample{Pos: n.pos, Kind: key.name, Arguments: d.jsonObject(n)}
	})
}

func (d *decoder) configHeader(key nodeKey, n *node) ConfigHeader {
	h := ConfigHeader{Pos: key.pos, Name: key.name}
	if n.kind != kindObject {
		h.Value = d.text(n)
		return h
	}
	_, has := d.object(n, "a header", field{"env", func(n *node) { h.Env = d.env(n) }})
	if has != nil && !has["env"] {
		d.problem(n.pos, "write the value, or {env: VARIABLE}", "the header has no value")
	}
	return h
}

// configDialect reads a dialect as a scenario writes it, or as a command line
// does.
func (d *decoder) configDialect(n *node) string {
	if n.kind == kindObject {
		return d.dialect(n).Word()
	}
	text := d.text(n)
	var unknown *DialectError
	if _, err := ParseDialects([]string{text}); errors.As(err, &unknown) {
		d.problem(n.pos, unknown.Hint, "%s", err)
	}
	return text
}

// headerName reads the name of a header.
func (d *decoder) headerName(n *node) string {
	name := d.text(n)
	if name != "" && !httpguts.ValidHeaderFieldName(name) {
		d.problem(n.pos, "", "%q is no name of a header", name)
		return ""
	}
	return name
}

// startVariable reads one variable of a worker's environment.
func (d *decoder) startVariable(key nodeKey, n *node) string {
	if !envName.MatchString(key.name) {
		d.problem(key.pos, "use letters, digits and underscores", "%q is no name of an environment variable", key.name)
	}
	return key.name + "=" + d.text(n)
}

// env reads the name of an environment variable. A secret itself has no place
// in a file that is checked in.
func (d *decoder) env(n *node) string {
	name := d.text(n)
	if name != "" && !envName.MatchString(name) {
		d.problem(n.pos, "name the variable, never the secret itself", "this is no name of an environment variable")
		return ""
	}
	return name
}

func (d *decoder) reset(n *node) *Reset {
	r := &Reset{Pos: n.pos}
	_, has := d.object(n, "reset",
		field{"run", func(n *node) { r.Run = d.text(n) }},
		field{"post", func(n *node) { r.Post = d.text(n) }},
	)
	d.exclude(n.pos, has, "run", "post")
	if has != nil && !has["run"] && !has["post"] {
		d.problem(n.pos, "add run: COMMAND or post: URL", "the reset does nothing")
	}
	return r
}
