package minimize

import (
	"slices"

	"github.com/hallmarkdev/hallmark/scenarios"
)

// mend takes out of a scenario what speaks of calls that are no longer made, and
// what is left empty: a model that called and now says nothing, checks of nothing.
// made are the labels of the calls that there were in the beginning: a session may
// be called like one, and else is a session of the script.
func mend(t *scenarios.Tree, made map[string]bool) {
	steps := t.Member("steps")
	if steps == nil {
		return
	}
	for _, st := range steps.Items {
		emptyCalls(st, st.Member("model"))
	}
	labels, repeated := labelsOf(t)
	if repeated {
		// Labels of repeated calls are counted, and stay as they are.
		return
	}
	known := func(label *scenarios.Tree) bool { return label == nil || labels[label.Text] }
	steps.Items = slices.DeleteFunc(slices.Clone(steps.Items), func(st *scenarios.Tree) bool {
		if s := st.Member("session"); !known(s) && made[s.Text] {
			return true
		}
		for _, verb := range []string{"client", "settle", "wait", "until", "disturb"} {
			if v := st.Member(verb); v != nil && v.Kind == scenarios.TreeObject && !known(v.Member("call")) {
				return true
			}
		}
		if settled := st.Member("await").Member("settled"); settled != nil {
			settled.Items = slices.DeleteFunc(slices.Clone(settled.Items), func(l *scenarios.Tree) bool { return !known(l) })
			return len(settled.Items) == 0
		}
		return false
	})
	for _, st := range steps.Items {
		mendChecks(st, "expect", labels)
	}
	mendChecks(t, "finally", labels)
	if twin := t.Member("twin"); twin != nil && !known(twin.Member("call")) {
		t.Delete("twin")
	}
}

// labelsOf are the labels of all calls that are written, and whether one is
// repeated.
func labelsOf(t *scenarios.Tree) (labels map[string]bool, repeated bool) {
	labels = map[string]bool{}
	declare := func(calls *scenarios.Tree) {
		if calls == nil {
			return
		}
		for _, c := range calls.Items {
			repeated = repeated || c.Member("repeat") != nil
			if as := c.Member("as"); as != nil {
				labels[as.Text] = true
			}
		}
	}
	messages := func(list *scenarios.Tree) {
		if list == nil {
			return
		}
		for _, m := range list.Items {
			declare(m.Member("calls"))
		}
	}
	messages(t.Member("given").Member("messages"))
	if steps := t.Member("steps"); steps != nil {
		for _, st := range steps.Items {
			declare(st.Member("model").Member("calls"))
			messages(st.Member("user").Member("append"))
			messages(st.Member("user").Member("view"))
		}
	}
	return labels, repeated
}

// emptyCalls lets a model that calls nothing say nothing.
func emptyCalls(st, model *scenarios.Tree) {
	if calls := model.Member("calls"); calls != nil && len(calls.Items) == 0 {
		model.Delete("calls")
		if len(model.Keys) == 0 {
			st.Set("model", scenarios.TextTree(""))
		}
	}
}

// mendChecks takes checks out that speak of unknown calls.
func mendChecks(of *scenarios.Tree, key string, labels map[string]bool) {
	checks := of.Member(key)
	if checks == nil {
		return
	}
	checks.Items = slices.DeleteFunc(slices.Clone(checks.Items), func(c *scenarios.Tree) bool {
		if call := c.Member("call"); call != nil && !labels[call.Text] {
			return true
		}
		if calls := c.Member("calls"); calls != nil && calls.Kind == scenarios.TreeObject {
			for _, label := range slices.Clone(calls.Keys) {
				if !labels[label] {
					calls.Delete(label)
				}
			}
			if len(calls.Keys) == 0 {
				c.Delete("calls")
			}
		}
		return len(c.Keys) == 0
	})
	if len(checks.Items) == 0 {
		of.Delete(key)
	}
}
