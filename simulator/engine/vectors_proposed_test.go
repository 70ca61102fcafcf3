package engine

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

func TestProposedVectors(t *testing.T) {
	t.Parallel()
	const connectors = "connectors are not built: approval and sign-in"
	runVectors[proposedVector](t, "proposed.yaml", 89, map[string]string{
		"calls-that-need-approval":                     connectors,
		"calls-that-need-approval-two":                 connectors,
		"resumed-sign-in":                              connectors,
		"resumed-approved":                             connectors,
		"resumed-approved-through-a-channel":           connectors,
		"resumed-declined":                             connectors,
		"resumed-with-a-word-is-a-decline":             connectors,
		"resumed-cancelled-is-a-decline":               connectors,
		"resumed-declined-with-others-in-flight":       connectors,
		"sign-in-replaces-client-messages":             connectors,
		"sign-in-replaces-calls":                       connectors,
		"sign-in-replaces-the-wait-of-a-finished-call": connectors,
	})
}

type proposedVector struct {
	head  `yaml:",inline"`
	State struct {
		Transcript     string
		LlmCalls       string `yaml:"llm_calls"`
		Config         string
		Declared       string
		ConnectorTools string `yaml:"connector_tools"`
		NeedsSignIn    string `yaml:"needs_sign_in"`
		PendingCalls   uint32 `yaml:"pending_calls"`
	}
	Trigger  string
	Proposed string
	Ignore   []string
}

// recordedCall is a model call as a vector writes it.
type recordedCall struct {
	Llm                 string                `json:"llm"`
	Model               string                `json:"model"`
	Prompt              []spec.DraftMessage   `json:"prompt"`
	Tools               []spec.LlmTool        `json:"tools"`
	Stream              bool                  `json:"stream"`
	Retry               spec.RetryPolicy      `json:"retry"`
	Temperature         jsontext.Value        `json:"temperature"`
	MaxCompletionTokens *uint64               `json:"max_completion_tokens"`
	Reasoning           *spec.ReasoningConfig `json:"reasoning"`
}

func (v proposedVector) check() []string {
	var p problems
	for _, form := range []string{dialectFull, dialectShort} {
		got := marshal(v.request(form).Proposed)
		want := jsontext.Value(v.Proposed)
		if v.Proposed == "empty" {
			want = jsontext.Value(`{}`)
		}
		p.sameJSON(form, filled(got), filled(want))
		p.checkForm(form, got)
	}
	if len(v.Ignore) > 0 {
		p.add("free members are not read")
	}
	return p
}

// request sets the session up and has the trigger delivered.
func (v proposedVector) request(form string) spec.DecisionRequest {
	cfg := testConfig()
	cfg.Dialect.EmptyProposed = form
	config := agent(`{"llm":"main","model":"m-small"}`)
	if v.State.Config != "" {
		config = agent(v.State.Config)
	}
	if v.State.Declared != "" {
		cfg.Agent = agent(v.State.Declared)
	}
	b := newBench(cfg)
	b.config.set("", config)
	if v.State.Transcript != "" {
		for _, m := range parsed(spec.ParseMessages([]byte(v.State.Transcript))) {
			b.tree.moveTo(b.tree.add(m, b.tree.head))
		}
	}
	if v.State.LlmCalls != "" {
		for id, c := range read[map[string]recordedCall](v.State.LlmCalls) {
			b.llms[id] = &llmCall{
				attempts: attempts{id: id, status: statusDone, policy: c.Retry},
				block:    c.Llm, stream: c.Stream,
				request: spec.LlmRequest{
					Model: c.Model, Messages: c.Prompt, Tools: c.Tools, Temperature: c.Temperature,
					MaxCompletionTokens: c.MaxCompletionTokens, Reasoning: c.Reasoning,
				},
			}
		}
	}
	b.unseen = v.State.PendingCalls
	b.enqueue(&decision{trigger: parsed(spec.ParseTrigger([]byte(v.Trigger)))})
	b.step(Tick{})
	return b.last().Request
}

// filled leaves out what the forms may leave out (gap 2).
func filled(v jsontext.Value) jsontext.Value {
	ms, err := jsonv.Members(v)
	if err != nil {
		panic(err)
	}
	out := map[string]jsontext.Value{}
	for _, m := range ms {
		if s := string(jsonv.Compact(m.Value)); s != "[]" && s != "null" && s != "{}" {
			out[m.Name] = m.Value
		}
	}
	return marshal(out)
}

// checkForm holds a proposal to its form: the full one always has its three
// members, the short one none that is empty.
func (p *problems) checkForm(form string, got jsontext.Value) {
	for _, name := range []string{"messages", "actions", "state"} {
		v, there := jsonv.Get(got, "/"+name)
		empty := !there || string(v) == "[]" || string(v) == "null"
		if form == dialectFull && !there || form == dialectShort && there && empty {
			p.add("%s form: member %s is %s", form, name, v)
		}
	}
}
