package simulator

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// stage is all that runs in one case: the copies of its script side by side,
// each with the sessions that the script names, and its twins after them.
type stage struct {
	in   CaseInput
	t    Poster
	sink func(spec.Event)
	// sessions counts those that have an alias.
	sessions int
}

func newStage(in CaseInput, t Poster, sink func(spec.Event)) *stage {
	var mu sync.Mutex
	return &stage{in: in, t: t, sink: func(e spec.Event) {
		mu.Lock()
		defer mu.Unlock()
		sink(e)
	}}
}

// run drives everything and returns how the case ended.
func (st *stage) run(ctx context.Context) Result {
	var all []*session
	for n := range 1 + len(st.in.Case.Copies) {
		said := spec.SessionEvent{}
		c := st.in.Case
		if n > 0 {
			c = st.in.Case.Copies[n-1]
			// The dialect and the disturbance of a run are in its id, and with it in
			// those that its sessions make up: a worker may remember the other runs.
			c.ID = st.in.Case.ID
		}
		if len(st.in.Case.Copies) > 0 {
			said.Copy = n + 1
		}
		sessions, err := st.script(c, said, nil)
		if err != nil {
			return Result{Why: spec.CloseReason(spec.CloseHarness, err.Error())}
		}
		all = append(all, sessions...)
	}
	firstParts := all[:len(sessionLabels(st.in.Case.Steps))]
	result := st.together(ctx, all)
	if graveness(result.Why) > graveness(spec.CloseScriptDry) {
		return result
	}
	for i := range st.in.Case.Twins {
		twin := st.twin(ctx, &st.in.Case.Twins[i], firstParts)
		if graveness(twin.Why) <= graveness(spec.CloseScriptDry) {
			twin.Why = result.Why
		}
		result = joined(result, twin)
	}
	return result
}

// twin runs the script once more with one thing put right, or says why it
// cannot (R11).
func (st *stage) twin(ctx context.Context, twin *scenarios.TwinScript, of []*session) Result {
	c := st.in.Case
	c.Steps, c.Given = twin.Steps, twin.Given
	if twin.Signed {
		c.Engine.Signature = scenarios.Signature{}
	}
	said := spec.SessionEvent{Right: twin.Call}
	if twin.NotMade != "" {
		st.sessions++
		alias := "s" + strconv.Itoa(st.sessions)
		said.SessionID, said.AgentID = st.in.ids(alias).UUID("session", 1), st.in.agentID()
		said.Twin, said.Origin = of[0].alias, spec.NotMade+twin.NotMade
		st.sink(spec.Event{Session: alias, Data: &said})
		return Result{Why: spec.CloseScriptDone}
	}
	sessions, err := st.script(c, said, of)
	if err != nil {
		return Result{Why: spec.CloseReason(spec.CloseHarness, err.Error())}
	}
	return st.together(ctx, sessions)
}

// script makes the sessions of one run through a script. of are those that they
// are the twins of, in the same order.
func (st *stage) script(c scenarios.Case, said spec.SessionEvent, of []*session) ([]*session, error) {
	labels := sessionLabels(c.Steps)
	children := scenarios.ChildSessions(c.Steps)
	// Subagents have parts of their own behind those of the script's sessions.
	parts := append(slices.Clone(labels), slices.Sorted(maps.Keys(children))...)
	var shared *baton
	if len(parts) > 1 {
		shared = &baton{gone: make([]bool, len(parts))}
		for i := range c.Steps {
			shared.of = append(shared.of, slices.Index(parts, labelOf(&c.Steps[i])))
		}
	}
	var all []*session
	for part, label := range labels {
		in := st.in
		in.Case = c
		var numbers []int
		if shared != nil {
			in.Case.Steps, numbers = shared.own(c.Steps, part)
		}
		st.sessions++
		r := role{alias: "s" + strconv.Itoa(st.sessions), said: said}
		r.said.Label = label
		if of != nil {
			r.said.Twin = of[part].alias
		}
		if st.sessions > 1 {
			// The end of the worker's process is told once.
			in.Process = nil
		}
		s, err := newSession(in, r, st.t, st.sink)
		if err != nil {
			return nil, err
		}
		if shared != nil {
			s.baton, s.part, s.script.numbers = shared, part, numbers
			shared.nudges = append(shared.nudges, s.nudged)
		}
		all = append(all, s)
	}
	for n, label := range parts[len(labels):] {
		root := all[slices.Index(labels, children[label])]
		own := childPart{part: len(labels) + n}
		own.steps, own.numbers = shared.own(c.Steps, own.part)
		root.kin.expect(label, own)
		shared.nudges = append(shared.nudges, root.nudged)
	}
	return all, nil
}

// sessionLabels are the sessions that steps act in, in the order of their first
// steps, but for those of subagents.
func sessionLabels(steps []scenarios.Step) []string {
	var labels []string
	children := scenarios.ChildSessions(steps)
	for i := range steps {
		label := labelOf(&steps[i])
		if _, child := children[label]; !child && !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	if labels == nil {
		return []string{""}
	}
	return labels
}

// labelOf is the label of a step's session, "" for the default one.
func labelOf(step *scenarios.Step) string {
	if step.Session == "default" {
		return ""
	}
	return step.Session
}

// together runs sessions side by side.
func (st *stage) together(ctx context.Context, all []*session) Result {
	if st.in.tape != nil {
		return replayTogether(ctx, all)
	}
	if len(all) == 1 {
		return all[0].run(ctx)
	}
	r := newRounds(st.in, all)
	for _, s := range all {
		if s.baton != nil {
			s.baton.rounds(r, s.part, s.place)
			for _, label := range slices.Sorted(maps.Keys(s.kin.parts)) {
				s.baton.rounds(r, s.kin.parts[label].part, s.place)
			}
		}
	}
	results := make([]Result, len(all))
	var running sync.WaitGroup
	for i, s := range all {
		running.Go(func() { results[i] = s.run(ctx) })
	}
	running.Wait()
	return joinedAll(results)
}

func joinedAll(results []Result) Result {
	result := results[0]
	for _, r := range results[1:] {
		result = joined(result, r)
	}
	return result
}

// joined is the result of two parts of a case: it ends for the gravest reason.
func joined(a, b Result) Result {
	if graveness(b.Why) > graveness(a.Why) {
		a.Why = b.Why
	}
	a.T = max(a.T, b.T)
	a.Decisions += b.Decisions
	a.Exchanges += b.Exchanges
	a.Reached = a.Reached || b.Reached
	return a
}

// graveReasons are the reasons of ends, the gravest last.
var graveReasons = []string{
	spec.CloseScriptDone, spec.CloseTurnFailed, spec.CloseScriptDry, spec.CloseDecisions, spec.CloseReal,
	spec.CloseNotRun, spec.CloseGaveUp, spec.CloseUnreachable, spec.CloseHarness,
}

func graveness(why string) int {
	reason, _ := spec.SplitCloseReason(why)
	return slices.Index(graveReasons, reason)
}
