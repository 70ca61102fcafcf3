package engine

import "github.com/hallmarkdev/hallmark/spec"

// fail ends the turn with an error: its work is voided, and no turn.finished
// follows (N4). What was asked for earlier in the same answer goes with it.
func (a *application) fail(info spec.ErrorInfo) bool {
	a.over = a.over || a.engine.turns.running != nil
	a.started = false
	a.engine.failTurn(info)
	return true
}

// ofTheTurn reports whether an action begins or ends something in the turn. After
// a fail of the same answer it has none to belong to: another may have begun, of an
// input that was held (B5).
func ofTheTurn(action spec.Action) bool {
	switch action.ActionType() {
	case spec.DoToolCall, spec.DoLlmCall, spec.DoSubagentSpawn, spec.DoInterrupt, spec.DoDone, spec.DoFail:
		return true
	}
	return false
}
