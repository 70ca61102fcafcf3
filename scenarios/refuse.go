package scenarios

import "fmt"

// What this version of Hallmark reads and does not run yet is refused by name.
// A construct that was ignored would make a scenario green that shows nothing.

// refusals are the constructs of a scenario that are not run.
type refusals struct{ found Problems }

func (r *refusals) add(pos Pos, construct string) {
	r.found = append(r.found, Problem{Pos: pos,
		Message: fmt.Sprintf("this Hallmark does not run %s yet", construct)})
}

// refusedVerbs are the steps that are not run.
var refusedVerbs = map[string]bool{
	"send": true,
}

// document looks at what stands outside the steps.
func (r *refusals) document(doc *Document) {
	r.checks(doc.Finally)
}

func (r *refusals) steps(steps []Step) {
	for i := range steps {
		step := &steps[i]
		if verb := step.Verb(); refusedVerbs[verb] {
			r.add(step.Pos, "`"+verb+"` steps")
		}
		r.checks(step.Expect)
	}
}

func (r *refusals) checks(checks []Check) {
	for i := range checks {
		if s := checks[i].State; s != nil && s.Alive {
			r.add(checks[i].Pos, "`alive`")
		}
	}
}
