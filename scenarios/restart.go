package scenarios

import "slices"

// FeatureRestart is the feature of [PlanOptions] that a run has when it can
// restart its worker (R15).
const FeatureRestart = "restart"

// RestartsWorker reports whether c restarts the worker, so that no other case
// may run beside it (R15).
func (c Case) RestartsWorker() bool {
	return restartsWorker(c.Steps) || c.Variant.Disturbed != nil && c.Variant.Disturbed.Do == FeatureRestart
}

func restartsWorker(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool {
		return s.Restart != nil && s.Restart.What == "worker" || s.Disturb != nil && s.Disturb.Do == "restart"
	})
}

// cannotRestart is why a case does not apply where nobody can restart the
// worker. A pass that was given without it would show nothing.
const cannotRestart = "restarts the worker, which takes --start or --restart-cmd, or workertest.Factory or Command"
