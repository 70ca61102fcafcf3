package scenarios

import (
	"slices"

	"golang.org/x/net/http/httpguts"

	"github.com/hallmarkdev/hallmark/spec"
)

// FeatureSettle is the feature of a run in which the worker has where to settle
// the calls that it keeps (R19). No worker can claim it: the run has it or not.
const FeatureSettle = "settle"

// features are what a worker may offer beyond tools.
var features = []string{
	"async", "settle", "hosted-model", "subagents", "deferred", "interrupts", "restart", "secret", "state", "idempotent",
}

// claimable are those that a worker can be said to have.
var claimable = slices.DeleteFunc(slices.Clone(features), func(f string) bool { return f == FeatureSettle })

func (d *decoder) needs(n *node) Needs {
	needs := Needs{Pos: n.pos}
	d.object(n, "needs",
		field{"tool", func(n *node) {
			need := d.toolNeed("tool", n.pos, n)
			needs.Tool = &need
		}},
		field{"tools", func(n *node) {
			needs.Tools = named(d, n, "an object of tools", func(key nodeKey, n *node) ToolNeed {
				if !labelForm.MatchString(key.name) || reserved[key.name] {
					d.problem(key.pos, "take another name", "%q cannot name a tool", key.name)
				}
				return d.toolNeed(key.name, key.pos, n)
			})
		}},
		field{"features", func(n *node) {
			needs.Features = list(d, n, "a list of features", func(n *node) string {
				return d.word(n, "a feature", features...)
			})
		}},
	)
	return needs
}

// reserved are the names that references have already.
var reserved = map[string]bool{"case": true, "tool": true, "copy": true, "n": true, "var": true}

func (d *decoder) toolNeed(label string, pos Pos, n *node) ToolNeed {
	need := ToolNeed{Pos: pos, Label: label, Handler: "worker", Input: "any"}
	d.object(n, "the need of a tool",
		field{"name", func(n *node) { need.Name = d.text(n) }},
		field{"handler", func(n *node) { need.Handler = d.word(n, "a handler", "worker", "client", handlerSubagent) }},
		field{"output", func(n *node) { need.Output = d.boolean(n) }},
		field{"input", func(n *node) { need.Input = d.word(n, "a form of input", "any", "none", "object", "required") }},
		field{"deferred", func(n *node) { need.Deferred = d.boolean(n) }},
		field{"sample", func(n *node) {
			need.Sample = d.word(n, "a kind of sample", sampleKinds...)
		}},
		field{"each", func(n *node) { need.Each = d.flag(n) }},
	)
	return need
}

func defaultEngine(pos Pos) Engine {
	return Engine{Pos: pos, SpareReplies: defaultSpareReplies}
}

func (d *decoder) engine(n *node) Engine {
	engine := defaultEngine(n.pos)
	d.object(n, "engine",
		field{"agent_id", func(n *node) { engine.AgentID = d.text(n) }},
		field{"identity", func(n *node) { engine.Identity = d.jsonObject(n) }},
		field{"start", func(n *node) {
			n = d.value(n)
			if n.kind == kindObject {
				engine.StartAgent = d.json(n)
				return
			}
			engine.Start = d.word(n, "a start", "agent", "bare")
		}},
		field{"retry", func(n *node) { engine.Retry = d.retry(n) }},
		field{"dialect", func(n *node) { engine.Dialects = oneOrMore(d, n, d.dialect) }},
		field{"hosted", func(n *node) {
			engine.Hosted = oneOrMore(d, n, func(n *node) string { return d.word(n, "a form", spec.HostedForms()...) })
		}},
		field{"signature", func(n *node) { engine.Signature = d.signature(n) }},
		field{"writes", func(n *node) {
			engine.CutLetters = d.word(n, "a way of writing", "whole", "cut-letters") == "cut-letters"
		}},
		field{"adds", func(n *node) { engine.Adds = d.word(n, "a thing to add", spec.AddsFields, spec.AddsTrigger) }},
		field{"headers", func(n *node) { engine.Headers = d.headers(n) }},
		field{"spare_replies", func(n *node) {
			engine.SpareReplies = orDefault(d.integer(n, 0, 1000), defaultSpareReplies)
		}},
	)
	return engine
}

func (d *decoder) headers(n *node) []Header {
	return named(d, n, "an object of headers", func(key nodeKey, n *node) Header {
		h := Header{Pos: key.pos, Name: key.name, Value: d.text(n)}
		if !httpguts.ValidHeaderFieldName(h.Name) {
			d.problem(key.pos, "", "%q is no name of a header", h.Name)
		}
		if !httpguts.ValidHeaderFieldValue(h.Value) {
			d.problem(n.pos, "leave line breaks and control characters out", "the value of %s is not fit for a header", h.Name)
		}
		return h
	})
}

func (d *decoder) dialect(n *node) Dialect {
	dialect := DefaultDialect()
	dialect.Pos = n.pos
	d.object(n, "a dialect",
		field{"first_attempt", func(n *node) { dialect.FirstAttempt = orDefault(d.integer(n, 0, 1), 0) }},
		field{"empty_proposed", func(n *node) { dialect.EmptyProposed = d.word(n, "an empty proposal", "full", "short") }},
		field{"failed_call", func(n *node) { dialect.FailedCall = d.word(n, "a failed call", "interrupt", "fail") }},
		field{"identity", func(n *node) {
			dialect.Identity = d.word(n, "a form of the identity", identityCurrent, identityOlder)
		}},
	)
	return dialect
}

func (d *decoder) retry(n *node) []RetryLayer {
	var layers []RetryLayer
	layer := func(kind string) field {
		return field{kind, func(n *node) { layers = append(layers, d.override(kind, n)) }}
	}
	d.object(n, "retry", layer("default"), layer("tool"), layer("client"), layer("llm"), layer("subagent"), layer("decision"))
	return layers
}

func (d *decoder) override(kind string, n *node) RetryLayer {
	layer := RetryLayer{Pos: n.pos, Kind: kind}
	seconds := func(key string, into **int) field {
		return field{key, func(n *node) { *into = d.integer(n, 0, anyNumber) }}
	}
	d.object(n, "a retry policy",
		seconds("queue_timeout_secs", &layer.QueueTimeoutSecs),
		seconds("run_timeout_secs", &layer.RunTimeoutSecs),
		seconds("total_timeout_secs", &layer.TotalTimeoutSecs),
		seconds("max_attempts", &layer.MaxAttempts),
		seconds("backoff_base_secs", &layer.BackoffBaseSecs),
		seconds("backoff_max_secs", &layer.BackoffMaxSecs),
	)
	return layer
}
