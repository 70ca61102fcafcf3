package judge

import (
	"fmt"

	"github.com/hallmarkdev/hallmark/spec"
)

func startChecks() []check {
	return []check{
		{id: "start.yields-a-config", moment: "no session.start was answered", sum: sumStart},
		{id: "start.works-in-either-form", moment: "session.start was tried in one form only", sum: sumForms},
	}
}

// startForm is how a worker met one of the two forms of session.start (R2).
type startForm struct {
	// seen counts the answered deliveries, yielded those that gave a config.
	seen, yielded int
	// answered says that some whole answer gave none: a worker that hangs or
	// hangs up is not known to have no config.
	answered bool
	// first is the place of the first that gave none, with what came instead.
	first *spec.Finding
	n     int
	// ledger holds what the climbs showed. It counts unless the worker starts
	// in the other form only.
	ledger *ledger
}

// The two forms: the engine proposes a config, or it proposes nothing (A3).
const (
	agentForm = 0
	bareForm  = 1
)

func formOf(x *exchange) int {
	if x.req.Proposed.Agent != nil {
		return agentForm
	}
	return bareForm
}

func (f *startForm) add(x *exchange) {
	f.seen++
	if f.ledger == nil {
		f.ledger = x.judge.ledger.fresh()
	}
	f.ledger.enter(x.notes)
	if x.accepted && x.decision.Agent != nil {
		f.yielded++
		return
	}
	f.answered = f.answered || x.Response.End == spec.EndWhole
	if f.first != nil {
		return
	}
	got := "no agent: " + show(x.text)
	pointer := "/agent"
	for _, n := range x.notes {
		if n.finding != nil {
			got, pointer = n.finding.Got, n.finding.Pointer
			break
		}
	}
	p := x.place("", spec.Finding{Got: got, Pointer: pointer})
	f.first, f.n = &p, x.N
}

// forgiven says that the worker does not start in this form but does in the
// other: then what it answered is one finding of the weaker requirement, and
// no other (R2).
func (j *Judge) forgiven(form int) bool {
	f, other := j.starts[form], j.starts[1-form]
	return f.seen > 0 && f.yielded == 0 && other.yielded > 0
}

func sumStart(j *Judge, l *ledger) {
	const id = "start.yields-a-config"
	yielded := j.starts[agentForm].yielded + j.starts[bareForm].yielded
	for form := range j.starts {
		f := &j.starts[form]
		if !j.forgiven(form) {
			l.merge(f.ledger)
		}
		for range f.yielded {
			l.enter([]note{{id: id}})
		}
		if yielded > 0 || !f.answered {
			continue
		}
		found := *f.first
		found.Requirement = id
		found.Want = "an agent config with a model"
		found.Hint = "the engine proposed " + [2]string{"a config", "no config"}[form] + "; if the worker serves another agent, name it with --agent"
		l.enter([]note{{id: id, n: f.n, finding: &found}})
	}
}

func sumForms(j *Judge, l *ledger) {
	const id = "start.works-in-either-form"
	for form := range j.starts {
		if !j.forgiven(form) {
			continue
		}
		f := &j.starts[form]
		found := *f.first
		found.Requirement = id
		found.Want = "a config in this form too"
		found.Hint = [2]string{
			"it starts only when the engine proposes nothing",
			"it starts only when the engine has an agent file: fall back to a config of your own when proposed.agent is absent",
		}[form]
		l.enter([]note{{id: id, n: f.n, finding: &found}})
		return
	}
	if j.starts[agentForm].yielded > 0 && j.starts[bareForm].yielded > 0 {
		l.enter([]note{{id: id}})
	} else if j.starts[agentForm].seen+j.starts[bareForm].seen > 0 && j.starts[agentForm].yielded+j.starts[bareForm].yielded == 0 {
		l.because(id, "session.start yielded no config in any form")
	}
}

// toolPointer points into a declared tool.
func toolPointer(i int, rest string) string { return fmt.Sprintf("/agent/tools/%d%s", i, rest) }
