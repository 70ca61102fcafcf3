package scenarios

import (
	"fmt"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// Draft is what is known of a worker before anybody has written a file for it.
type Draft struct {
	URL, Start, AgentID string
	// Form is the form of session.start that works, agent or bare.
	Form string
	// Declared is what the worker declared.
	Declared *spec.AgentConfig
	// Remote says that the worker is on another machine: there no tool is
	// called until its owner says so (R3).
	Remote bool
}

// Text returns a commented hallmark.yaml that [ParseConfig] reads: what is
// known is filled in, what only the owner knows is left as a comment. The same
// draft gives the same text.
func (d Draft) Text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# What Hallmark cannot find out by asking the worker. Every key is optional.")
	line("# Check it with: hallmark test --plan")
	line("")
	if d.Start != "" {
		line("start: %s", yamlQuoted(d.Start))
		line("# A worker that settles calls later finds the engine in HALLMARK_ENGINE_URL and")
		line("# HALLMARK_API_KEY; where it looks in other variables:")
		line("# start_env: {ENGINE_URL: \"{engine_url}\", ENGINE_KEY: \"{api_key}\"}")
	} else {
		line("url: %s", yamlQuoted(d.URL))
		line("# A worker that settles calls later needs an address for that; its key is in")
		line("# HALLMARK_API_KEY, here and where the worker runs.")
		line("# engine_listen: 127.0.0.1:8700")
	}
	line("# features: [async]   # it keeps calls and settles them later")
	line("# hosted_models: [native]   # it answers for the model: native, openai, anthropic")
	line("")
	line("agent:")
	line("  id: %s", yamlQuoted(d.AgentID))
	if d.Form == "bare" {
		line("  start: bare   # it starts only when the engine proposes no config")
	} else {
		line("  # start: bare            # agent or bare: use one form of session.start only")
	}
	line("  # propose: {model: my-model, llm: main}   # what session.start proposes")
	line("")
	d.tools(&b)
	line("# What the worker does with arguments that do not fit. All three are free; what is")
	line("# said here is held to: refuse, repair or run.")
	line("# bad_arguments: refuse")
	line("")
	line("# Requests are signed with the secret in this variable; headers take theirs from one too.")
	line("# secret_env: WORKER_SECRET")
	line("# signature_header: X-Substructure-Signature")
	line("# headers:")
	line("#   Authorization: {env: WORKER_TOKEN}")
	line("")
	line("# Puts the worker's world back before each case: a command, or a URL to POST to.")
	line("# reset: {run: ./reset.sh}")
	line("")
	line("# Run each case calm twice and once under each of these, and want the same end.")
	line("# disturb: [lose-answer, repeat, overlap, late]   # or all")
	line("")
	line("# Your own scenarios, as seen from this file, and the failures that are known.")
	line("# scenarios: [scenarios]")
	line("# corpus: false")
	line("# baseline: hallmark-baseline.yaml")
	line("# What engines may do in two ways: default, each thing alone, all, or settings.")
	line("# dialect: each")
	return b.String()
}

func (d Draft) tools(b *strings.Builder) {
	line := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	line("# What may be done with each tool: generated (any arguments), samples-only, never.")
	line("# samples are calls whose outcome is known: ok, fails, flagged, slow, large, binary,")
	line("# retryable, or asks (a person first). More scenarios apply where there are more of them.")
	if d.Declared == nil || len(d.Declared.Tools) == 0 {
		line("tools: {}")
		line("")
		return
	}
	line("tools:")
	seen := map[string]bool{}
	for _, t := range d.Declared.Tools {
		if seen[t.Name] {
			continue
		}
		seen[t.Name] = true
		line("  %s:", yamlQuoted(t.Name))
		if d.Remote {
			line("    call: never   # on another machine: say generated or samples-only to allow it")
		} else {
			line("    call: generated")
		}
		line("    # samples:")
		if sample := sampleText(d.Declared, t.Name); sample != "" {
			line("    #   ok: %s   # made from the declared schema", sample)
		} else {
			line("    #   ok: {}")
		}
		line("    #   fails: {}")
	}
	line("")
}

// sampleText is the call that a plan would make of the tool, on one line, ""
// when none can be made.
func sampleText(declared *spec.AgentConfig, tool string) string {
	text := "scenario: a sample\nneeds: {tool: {name: " + yamlQuoted(tool) + ", sample: ok}}\nsteps: [{user: hello}]\n"
	doc, err := Parse("sample.yaml", []byte(text))
	if err != nil {
		return ""
	}
	cases, err := Plan([]*Document{doc}, Declared{Agent: declared}, PlanOptions{})
	if err != nil || len(cases) == 0 || len(cases[0].Bound) == 0 {
		return ""
	}
	sample := string(cases[0].Bound[0].Sample)
	if len(sample) > 300 || strings.ContainsAny(sample, "\n\r") {
		return ""
	}
	return sample
}

// yamlQuoted writes text as a quoted scalar: what a worker calls its tools must
// not become anything else.
func yamlQuoted(text string) string {
	quoted, err := spec.Marshal(text)
	if err != nil {
		return `""`
	}
	return strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`, "\x7f", `\u007f`, "\u0085", `\u0085`).Replace(string(quoted))
}
