package simulator

import (
	"slices"

	"github.com/hallmarkdev/hallmark/scenarios"
)

// allRequested reports whether the calls that a step answers from outside were
// asked for, or the interrupt that it resumes was raised.
func allRequested(step *scenarios.Step, v scene) bool {
	switch {
	case step.Client != nil && step.Client.Call != "":
		return v.requested(step.Client.Call)
	case step.Client != nil && step.Client.Resume == scenarios.ResumeOpen:
		return v.parked
	case step.Settle != nil:
		return v.requested(step.Settle.Call)
	case step.User != nil:
		return !slices.ContainsFunc(step.User.View, func(m scenarios.Message) bool {
			return m.Call != "" && !v.requested(m.Call)
		})
	default:
		return true
	}
}
