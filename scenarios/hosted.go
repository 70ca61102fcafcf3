package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// hostedModel is the feature of a worker that hosts models. Beside it the
// features of a plan hold one for each form that hosted_models names.
const hostedModel = "hosted-model"

func hostedIn(form string) string { return hostedModel + " " + form }

// HostedFeatures returns the features of a worker that hosts models in these
// forms, as [PlanOptions] takes them.
func HostedFeatures(forms ...string) []string {
	all := []string{hostedModel}
	for _, form := range forms {
		all = append(all, hostedIn(form))
	}
	return all
}

// hosts says whether the features claim a model in a form. A worker that names
// no form means the protocol's own.
func hosts(features []string, form string) bool {
	if slices.Contains(features, hostedIn(form)) {
		return true
	}
	named := slices.ContainsFunc(features, func(f string) bool { return strings.HasPrefix(f, hostedModel+" ") })
	return form == spec.HostedNative && !named && slices.Contains(features, hostedModel)
}

// missingHost is the reason why a case whose model the worker hosts does not
// apply, "" when it does.
func (p *planner) missingHost(form string) string {
	if form == "" || hosts(p.options.Features, form) {
		return ""
	}
	return fmt.Sprintf("needs a model that the worker hosts in the form %s, which it does not declare; if it has one, say so: hosted_models: [%s]",
		form, form)
}

// hostedWarnings are remarks on what can never act where the worker hosts the
// model: nobody asks the script there, so model steps are passed over.
func hostedWarnings(doc *Document) Problems {
	i := slices.IndexFunc(doc.Steps, func(s Step) bool { return s.Model != nil })
	if len(doc.Engine.Hosted) == 0 || i < 0 {
		return nil
	}
	return Problems{{Pos: doc.Steps[i].Pos,
		Message: "with engine.hosted the worker answers for the model, so model steps are passed over",
		Hint:    "expect llm.execute and llm.finished under the step before"}}
}
