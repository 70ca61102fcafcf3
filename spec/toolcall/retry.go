package toolcall

import (
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// PolicyKind names what a retry policy is for (H1).
type PolicyKind string

// The kinds of retry policies.
const (
	ForModelCall      PolicyKind = "model call"
	ForWorkerTool     PolicyKind = "worker tool"
	ForClientTool     PolicyKind = "client tool"
	ForConnectorTool  PolicyKind = "connector tool"
	ForSubagent       PolicyKind = "subagent"
	ForConnectorFetch PolicyKind = "connector fetch"
	ForDecision       PolicyKind = "decision"
)

// Default returns the engine's own policy of a kind (H1). An unknown kind gets
// one attempt and no time-outs.
func Default(kind PolicyKind) spec.RetryPolicy {
	policy := func(queue, run, total *uint32, attempts, base, most uint32) spec.RetryPolicy {
		return spec.RetryPolicy{
			QueueTimeoutSecs: queue, RunTimeoutSecs: run, TotalTimeoutSecs: total,
			MaxAttempts: attempts, BackoffBaseSecs: base, BackoffMaxSecs: most,
		}
	}
	secs := func(n uint32) *uint32 { return &n }
	switch kind {
	case ForModelCall:
		return policy(secs(60), secs(180), secs(1800), 5, 2, 30)
	case ForWorkerTool:
		return policy(nil, secs(120), secs(600), 1, 0, 0)
	case ForConnectorTool:
		return policy(secs(60), secs(60), secs(600), 2, 1, 10)
	case ForSubagent:
		return policy(secs(30), secs(10), secs(3600), 3, 2, 15)
	case ForConnectorFetch:
		return policy(secs(10), secs(5), secs(30), 2, 2, 10)
	case ForDecision:
		return policy(nil, secs(20), secs(300), 10, 2, 60)
	}
	return policy(nil, nil, nil, 1, 0, 0)
}

// Policy returns the default of a kind with layers laid over it in order: a
// later layer wins, field by field; nil layers and nil fields change nothing
// (H2). See [Layers] for those of an agent config.
func Policy(kind PolicyKind, layers ...*spec.RetryOverride) spec.RetryPolicy {
	p := Default(kind)
	for _, l := range layers {
		if l == nil {
			continue
		}
		limit(&p.QueueTimeoutSecs, l.QueueTimeoutSecs)
		limit(&p.RunTimeoutSecs, l.RunTimeoutSecs)
		limit(&p.TotalTimeoutSecs, l.TotalTimeoutSecs)
		number(&p.MaxAttempts, l.MaxAttempts)
		number(&p.BackoffBaseSecs, l.BackoffBaseSecs)
		number(&p.BackoffMaxSecs, l.BackoffMaxSecs)
	}
	return p
}

// limit copies the value, so that policies share nothing with their layers.
func limit(to **uint32, from *uint32) {
	if from != nil {
		n := *from
		*to = &n
	}
}

func number(to, from *uint32) {
	if from != nil {
		*to = *from
	}
}

// Layers returns the layers of an agent's config for a kind, in order: its
// default, then its own for the kind (H2). Decisions take none (D4).
func Layers(kind PolicyKind, c *spec.RetryConfig) []*spec.RetryOverride {
	if c == nil {
		return nil
	}
	switch kind {
	case ForModelCall:
		return []*spec.RetryOverride{c.Default, c.Llm}
	case ForWorkerTool, ForClientTool, ForConnectorTool:
		return []*spec.RetryOverride{c.Default, c.Tool}
	case ForSubagent:
		return []*spec.RetryOverride{c.Default, c.Subagent}
	case ForConnectorFetch:
		return []*spec.RetryOverride{c.Default, c.Connector}
	}
	return nil
}

// Attempts returns how many attempts a policy allows: 0 counts as 1 (H2).
func Attempts(p spec.RetryPolicy) int {
	return max(1, int(p.MaxAttempts))
}

// Wait returns how long to wait after so many failures, counted from 1: the
// base to that power, at most the maximum (H5). Base 0 means at once.
func Wait(p spec.RetryPolicy, failures int) time.Duration {
	if failures < 1 || p.BackoffBaseSecs == 0 {
		return 0
	}
	wait, most := uint64(1), uint64(p.BackoffMaxSecs)
	// Both factors fit into 32 bits, and a base of 1 stays where it is.
	for n := 0; n < failures && wait < most && (n == 0 || p.BackoffBaseSecs > 1); n++ {
		wait *= uint64(p.BackoffBaseSecs)
	}
	return time.Duration(min(wait, most)) * time.Second
}
