package simulator

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/simulator/model"
	"github.com/hallmarkdev/hallmark/spec"
)

// header is the first event of a case's recording.
func header(in CaseInput, labels map[string]string) *spec.HeaderEvent {
	kept := caseHeader(in, labels)
	clock := "live"
	if in.Fixed {
		clock = "fixed"
	}
	dialect := in.Case.Dialect.Spec()
	return &spec.HeaderEvent{
		Format: spec.RecordingFormat, Version: spec.RecordingVersion, Source: spec.SourceTest,
		ID: in.Case.ID, MadeBy: in.MadeBy,
		Started: spec.At(in.Clock.Now()).String(), At: spec.At(in.At).String(),
		Clock: clock, Seed: in.Seed, Dialect: &dialect, Engine: engineHeader(in),
		Run: in.RunOf, Case: kept,
		Worker:   in.Worker,
		Signing:  signing(in),
		Evidence: evidence(in),
	}
}

// evidence is what the recording of a case holds (R4).
func evidence(in CaseInput) []spec.Evidence {
	all := []spec.Evidence{spec.EvidenceExchange, spec.EvidenceSession, spec.EvidenceEngine}
	if in.Case.RestartsWorker() || in.Case.Engine.Broken() || in.Case.Sends() || in.Case.HasCompany() {
		all = append(all, spec.EvidenceProvoked)
	}
	return all
}

// caseHeader is what a recording keeps of the case, so that scenarios.Reopen
// gives the same case again from the recording alone.
func caseHeader(in CaseInput, labels map[string]string) *spec.CaseHeader {
	h := &spec.CaseHeader{Name: in.Case.Name, Bound: map[string]string{}}
	if in.Case.Doc != nil {
		h = in.Case.Header(scenarios.PlanOptions{Vars: in.Vars, Features: in.Features})
	}
	h.Labels, h.Built, h.Alone, h.Ordinal, h.Folder = labels, in.Built, in.Alone, in.Ordinal, in.Folder
	return h
}

// engineSettings is what a reader of a recording may want to know of how the
// engine was set and what bounds held, R16's among them.
type engineSettings struct {
	Start string                `json:"start,omitzero"`
	Retry map[string]retryLayer `json:"retry,omitzero"`
	// Hosted is the form in which the worker hosts the model, "" for the script.
	Hosted       string `json:"hosted,omitzero"`
	SpareReplies int    `json:"spare_replies"`
	// Writes is "cut-letters" where bodies went out in pieces, Adds what the
	// requests hold beyond the protocol.
	Writes    string `json:"writes,omitzero"`
	Adds      string `json:"adds,omitzero"`
	Decisions int    `json:"decisions"`
	RealMs    int64  `json:"real_ms"`
	SettleMs  int64  `json:"settle_ms"`
	// AnswerMs is the bound of an answer in real time: 0 is the delivery's own
	// deadline, -1 none.
	AnswerMs int64 `json:"answer_ms"`
	// Endpoint says that the worker had where to settle calls (R19).
	Endpoint bool `json:"endpoint,omitzero"`
}

type retryLayer = spec.RetryOverride

func engineHeader(in CaseInput) jsontext.Value {
	e := engineSettings{
		Start: in.Case.Engine.Start, Hosted: in.Case.Hosted, SpareReplies: in.Case.Engine.SpareReplies,
		Decisions: in.Case.Limits.Decisions, RealMs: in.Case.Limits.Real.Milliseconds(),
		SettleMs: in.settlePatience().Milliseconds(), AnswerMs: max(-1, in.Patience.Milliseconds()),
		Endpoint: in.Endpoint != nil, Adds: in.Case.Engine.Adds,
	}
	if in.Patience < 0 {
		e.AnswerMs, e.SettleMs = -1, -1
	}
	if in.Case.Engine.CutLetters {
		e.Writes = "cut-letters"
	}
	for _, layer := range in.Case.Engine.Retry {
		if e.Retry == nil {
			e.Retry = map[string]retryLayer{}
		}
		e.Retry[layer.Kind] = overrideOf(layer)
	}
	b, err := spec.Marshal(e)
	if err != nil {
		return nil
	}
	return b
}

// engineConfig fixes the engine of a case.
func engineConfig(in CaseInput, ids Ids) (engine.Config, error) {
	c := engine.Config{
		SessionID: ids.UUID("session", 1), AgentID: in.agentID(),
		Agent: in.Agent, At: in.At, Pace: Pace, Hosted: in.Case.Hosted,
		Dialect: in.Case.Dialect.Spec(), ID: ids.Engine(modelIDs(in.Case)...),
	}
	if v := in.Case.Engine.Identity; v != nil {
		if err := json.Unmarshal(v, &c.Identity); err != nil {
			return c, fmt.Errorf("identity of the engine: %w", err)
		}
	}
	switch in.Case.Engine.Start {
	case "bare":
		c.Agent = nil
	case "agent":
		if c.Agent == nil {
			c.Agent = DefaultAgent()
		}
	}
	if v := in.Case.Engine.StartAgent; v != nil {
		agent, err := agentOf(v)
		if err != nil {
			return c, err
		}
		c.Agent = agent
	}
	if in.Patience < 0 {
		hour := uint32(debuggerSecs)
		c.Retry.Decision = &spec.RetryOverride{RunTimeoutSecs: &hour, TotalTimeoutSecs: &hour}
		c.Retry.Tool = &spec.RetryOverride{RunTimeoutSecs: &hour, TotalTimeoutSecs: &hour}
		if c.Hosted != "" {
			c.Retry.Llm = &spec.RetryOverride{RunTimeoutSecs: &hour, TotalTimeoutSecs: &hour}
		}
	}
	for _, layer := range in.Case.Engine.Retry {
		o := overrideOf(layer)
		switch layer.Kind {
		case "default":
			c.Retry.Default = &o
		case "tool":
			c.Retry.Tool = &o
		case "client":
			c.Retry.Client = &o
		case "llm":
			c.Retry.Llm = &o
		case "subagent":
			c.Retry.Subagent = &o
		case "decision":
			c.Retry.Decision = &o
		}
	}
	return c, nil
}

func agentOf(v jsontext.Value) (*spec.AgentConfig, error) {
	var agent spec.AgentConfig
	if err := json.Unmarshal(v, &agent); err != nil {
		return nil, fmt.Errorf("agent config: %w", err)
	}
	return &agent, nil
}

func (in CaseInput) agentID() string {
	if id := in.Case.Engine.AgentID; id != "" {
		return id
	}
	return in.AgentID
}

func overrideOf(l scenarios.RetryLayer) spec.RetryOverride {
	u32 := func(n *int) *uint32 {
		if n == nil {
			return nil
		}
		v := uint32(*n)
		return &v
	}
	return spec.RetryOverride{
		QueueTimeoutSecs: u32(l.QueueTimeoutSecs), RunTimeoutSecs: u32(l.RunTimeoutSecs),
		TotalTimeoutSecs: u32(l.TotalTimeoutSecs), MaxAttempts: u32(l.MaxAttempts),
		BackoffBaseSecs: u32(l.BackoffBaseSecs), BackoffMaxSecs: u32(l.BackoffMaxSecs),
	}
}

// modelIDs are the ids that the model steps of a case name. The n-th step's is
// that of the n-th model call, and so of the assistant message it becomes (C3).
func modelIDs(c scenarios.Case) []string {
	var ids []string
	for i := range c.Steps {
		if m := c.Steps[i].Model; m != nil {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// labelIDs gives every label of a case its wire id: the one that the scenario
// names, else one that depends on the label alone.
func labelIDs(c scenarios.Case, ids Ids) map[string]string {
	out := map[string]string{}
	add := func(calls []scenarios.Call) {
		for _, call := range calls {
			out[call.As] = call.ID
			if call.ID == "" {
				out[call.As] = ids.Call("label "+call.As, 0)
			}
		}
	}
	for _, m := range c.Given.Messages {
		add(m.Calls)
	}
	for i := range c.Steps {
		if m := c.Steps[i].Model; m != nil {
			add(m.Calls)
		}
	}
	return out
}

// givenMessages turns the planted messages of a case into drafts.
func givenMessages(given []scenarios.Message, id func(string) string) ([]spec.DraftMessage, error) {
	var out []spec.DraftMessage
	for _, m := range given {
		d := spec.DraftMessage{ID: m.ID, Role: spec.Role(m.Role), Content: m.Content, Name: m.Name}
		for _, c := range m.Calls {
			call, err := model.Call(c, id)
			if err != nil {
				return nil, err
			}
			d.ToolCalls = append(d.ToolCalls, call)
		}
		if m.Call != "" {
			d.ToolCallID = id(m.Call)
		}
		out = append(out, d)
	}
	return out, nil
}
