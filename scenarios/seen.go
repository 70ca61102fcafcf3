package scenarios

import (
	"slices"

	"github.com/hallmarkdev/hallmark/spec"
)

// seen is one session of a case in its recording.
type seen struct {
	alias string
	// label is the label of the session in the script, "" for the default one.
	label string
	// child says that it is a subagent's.
	child bool
}

// seenSessions are the sessions of each copy of the script, in the order of the
// recording. Twins are none of them: they are there for comparison (R11). Each
// copy has one session at least, one that does not exist when the recording
// knows of none.
func seenSessions(events []spec.Event, copies int) [][]seen {
	all := make([][]seen, copies)
	first := ""
	for _, e := range events {
		if first == "" {
			first = e.Session
		}
		s, ok := e.Data.(*spec.SessionEvent)
		if !ok || s.Twin != "" || s.Alive != nil || s.Parent != "" && s.Label == "" || e.Session != first && s.Label == "" && s.Copy < 2 {
			continue
		}
		if n := max(s.Copy, 1) - 1; n < copies {
			all[n] = append(all[n], seen{e.Session, s.Label, s.Parent != ""})
		}
	}
	for n := range all {
		if all[n] == nil && n == 0 {
			all[n] = []seen{{alias: first}}
		} else if all[n] == nil {
			all[n] = []seen{{}}
		}
	}
	return all
}

// bySession gives each session its events and those of the file, in order.
func bySession(events []spec.Event) map[string][]spec.Event {
	var aliases []string
	all := map[string][]spec.Event{}
	var file []spec.Event
	for _, e := range events {
		if e.Session == "" {
			file = append(file, e)
			for _, alias := range aliases {
				all[alias] = append(all[alias], e)
			}
			continue
		}
		if all[e.Session] == nil {
			aliases = append(aliases, e.Session)
			all[e.Session] = slices.Clone(file)
		}
		all[e.Session] = append(all[e.Session], e)
	}
	all[""] = file
	return all
}

// sessionLabel is the label of the session that a step acts in, "" for the
// default one.
func (s *Step) sessionLabel() string {
	if s.Session == "default" {
		return ""
	}
	return s.Session
}

// callOwners says for each label of a call in which session the call is made.
func callOwners(steps []Step) map[string]string {
	owners := map[string]string{}
	for i := range steps {
		if m := steps[i].Model; m != nil {
			for _, call := range m.Calls {
				owners[call.As] = steps[i].sessionLabel()
			}
		}
	}
	return owners
}

// owner is the session of the first call that an item of finally names. An item
// that names none speaks of every session but those of subagents.
func (c *Check) owner(owners map[string]string) (label string, named bool) {
	for _, call := range c.labels() {
		if label, known := owners[call]; known {
			return label, true
		}
	}
	return "", false
}

// labels are the calls that an item names.
func (c *Check) labels() (all []string) {
	if x := c.Exchange; x != nil {
		all = append(all, x.Call)
		for i := range x.Calls {
			all = append(all, x.Calls[i].Label)
		}
	}
	if s := c.State; s != nil {
		for i := range s.Calls {
			all = append(all, s.Calls[i].Label)
		}
		for i := range s.Transcript {
			all = append(append(all, s.Transcript[i].Call), s.Transcript[i].Calls...)
		}
	}
	return all
}
