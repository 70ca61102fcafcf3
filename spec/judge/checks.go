package judge

import "slices"

// check judges one requirement.
type check struct {
	id string
	// moment says what did not come when nothing was observed.
	moment string
	// see looks at an exchange that has climbed to the check's rung.
	see func(*exchange)
	// sum adds what only the whole recording shows, at the end.
	sum func(*Judge, *ledger)
}

// disturbedOnly says where a disturbed run shows something.
const disturbedOnly = "seen only where a case is run disturbed, between two calm runs (--disturb)"

// unchecked gives the requirements that no check of one recording can judge,
// and why.
var unchecked = map[string]string{
	"disturbed.ends-the-same":  disturbedOnly,
	"disturbed.reads-the-same": disturbedOnly,
	"sessions.do-not-share":    "seen only where a case fails beside others and holds alone",
}

// ladder lists the rungs from the wire up. A must that does not hold on one
// keeps the exchange from the next.
func ladder() [][]check {
	return [][]check{
		transportChecks(),
		signatureChecks(),
		statusChecks(),
		encodingChecks(),
		slicesOf(bodyChecks(), streamChecks()),
		jsonChecks(),
		shapeChecks(),
		decisionChecks(),
		resolveChecks(),
		slicesOf(
			keyChecks(), startChecks(), declareChecks(), executeChecks(), resultChecks(),
			outputChecks(), finishedChecks(), deferredChecks(), callsChecks(), turnChecks(), agentChecks(),
			policyChecks(), retryChecks(), modelChecks(), deltaChecks(), restartChecks(), adviceChecks(), clientChecks(), interruptChecks(), subagentChecks(), stateChecks(), asyncChecks(),
			ordealChecks(), toleranceChecks(),
		),
	}
}

func slicesOf(lists ...[]check) []check {
	var all []check
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// rungs and allChecks are built once; nothing changes them. rungJSON is the first
// that looks at what an answer says, however it came; rungDuties is that of what
// an answer owes.
var (
	rungs      = ladder()
	allChecks  = slicesOf(rungs...)
	rungJSON   = rungOf("response.is-json")
	rungDuties = len(rungs) - 1
)

func rungOf(id string) int {
	return slices.IndexFunc(rungs, func(rung []check) bool {
		return slices.ContainsFunc(rung, func(c check) bool { return c.id == id })
	})
}

// checks lists every check, rung by rung.
func checks() []check { return allChecks }

// Checked lists the requirements that a check judges, from the wire up.
func Checked() []string {
	ids := make([]string, len(allChecks))
	for i, c := range allChecks {
		ids[i] = c.id
	}
	return ids
}

// Unchecked says why one recording cannot judge a requirement, "" when it can.
func Unchecked(id string) string { return unchecked[id] }
