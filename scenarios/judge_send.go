package scenarios

import (
	"fmt"
	"strconv"

	"github.com/hallmarkdev/hallmark/spec"
)

// What raw requests were answered with, and whether the worker was alive.

// sendUnmet judges a send step: the request outside the protocol was answered
// with the status that the step wants. A reason instead says that this way to
// the worker takes no such request.
func (v *view) sendUnmet(i int, s *Step) (unmet []spec.Finding, unobserved string) {
	x := v.windows[i].raw
	switch {
	case x == nil || x.Response == nil:
		return []spec.Finding{v.stepFinding(i, s, "nothing was sent", "the request to be sent")}, ""
	case x.Response.End == spec.EndOmitted:
		return nil, x.Response.Reason
	case s.Send.Status == nil || x.Response.Status == *s.Send.Status:
		return nil, ""
	}
	f := v.stepFinding(i, s, answeredWith(x), "status "+strconv.Itoa(*s.Send.Status))
	f.Session, f.Exchange = x.Session, x.D
	return []spec.Finding{f}, ""
}

// answeredWith words what came back for a request.
func answeredWith(x *spec.Exchange) string {
	if x.Response.Status == 0 {
		return "no response: " + x.Response.Reason
	}
	return fmt.Sprintf("status %d", x.Response.Status)
}

// atEnd stands for the end of the script where the number of a step is asked
// for.
const atEnd = -1

// lives is what was seen of the worker being alive, by session and step: "" that
// a fresh session.start was answered, else how it was not.
type lives map[string]map[int]string

// livesIn looks at the sessions that were opened to see whether the worker is
// alive.
func livesIn(events []spec.Event, byD map[[2]string]*spec.Exchange) lives {
	all := lives{}
	askedBy := map[string]*spec.AliveOf{}
	note := func(of *spec.AliveOf, got string) {
		step := atEnd
		if of.Step != nil {
			step = *of.Step
		}
		if all[of.Of] == nil {
			all[of.Of] = map[int]string{}
		}
		all[of.Of][step] = got
	}
	for _, e := range events {
		switch d := e.Data.(type) {
		case *spec.SessionEvent:
			if d.Alive != nil {
				askedBy[e.Session] = d.Alive
				note(d.Alive, "no request went out")
			}
		case *spec.ResponseEvent:
			of, x := askedBy[e.Session], byD[[2]string{e.Session, d.D}]
			if of == nil || x == nil {
				continue
			}
			if _, failure := x.Decided(); failure == nil {
				note(of, "")
			} else {
				note(of, answeredWith(x)+", and no decision")
			}
		}
	}
	return all
}

// aliveUnmet judges whether the worker was alive at the end of a step's window,
// or of the script.
func (v *view) aliveUnmet(step int) []unmet {
	const want = "a fresh session.start to be answered"
	got, seen := v.lives[step]
	switch {
	case !seen:
		return []unmet{{got: "did not happen: the case ended because: " + v.closed, want: want}}
	case got != "":
		return []unmet{{got: got, want: want}}
	}
	return nil
}
