package spec

import "slices"

// Exclusion is a rule of the protocol that no requirement comes from, and why.
type Exclusion struct {
	// Rule is the rule's number: "A1".
	Rule string
	// Reason says why no requirement judges it.
	Reason string
}

// The usual reasons why a rule gives no requirement.
const (
	bindsEngine = "binds the engine"
	workerFree  = "leaves the worker free: every choice it has is legal"
)

var exclusions = []Exclusion{
	{"A1", bindsEngine},
	{"A2", bindsEngine},
	{"A5", bindsEngine},
	{"B1", bindsEngine},
	{"B2", bindsEngine},
	{"B5", bindsEngine},
	{"B6", bindsEngine},
	{"B7", bindsEngine},
	{"B8", "leaves the worker free: what an action asks for is its own; that it is answered is a matter of delivery"},
	{"B9", bindsEngine},
	{"C5", "leaves the worker free: what the engine proposes after a failed model call differs by version"},
	{"C6", bindsEngine},
	{"C8", bindsEngine},
	{"C9", bindsEngine},
	{"D3", bindsEngine},
	{"D8", bindsEngine},
	{"D13", bindsEngine},
	{"E3", bindsEngine},
	{"E5", bindsEngine},
	{"E7", bindsEngine},
	{"F7", "binds the engine, which joins what the action and the result say"},
	{"F10", bindsEngine},
	{"F15", bindsEngine},
	{"G1", bindsEngine},
	{"G2", bindsEngine},
	{"G3", bindsEngine},
	{"G4", "permits the worker to run calls side by side and does not ask it to"},
	{"G5", bindsEngine},
	{"G6", bindsEngine},
	{"G7", bindsEngine},
	{"G10", bindsEngine},
	{"G11", bindsEngine},
	{"H1", bindsEngine},
	{"H2", "binds the engine, which resolves what a config or an action overrides"},
	{"H3", bindsEngine},
	{"H5", bindsEngine},
	{"H6", bindsEngine},
	{"H7", bindsEngine},
	{"H8", bindsEngine},
	{"H9", "says that a field does not exist; one that is sent is an unknown key"},
	{"I4", "binds the engine; what a settle holds is judged as in an answer"},
	{"J3", bindsEngine},
	{"J4", "binds the engine, which shows the raw string to the client and reads it for nobody"},
	{"K2", bindsEngine},
	{"K6", bindsEngine},
	{"K7", bindsEngine},
	{"M2", bindsEngine},
	{"M3", bindsEngine},
	{"N1", bindsEngine},
	{"N2", bindsEngine},
	{"N3", bindsEngine},
	{"O1", workerFree},
	{"O5", "binds the engine, which voids the work and drops its late answers without a word"},
	{"O6", bindsEngine},
}

// Exclusions returns, for each certified rule that no requirement cites, the
// reason why, in the order of the rules. Together with the sources of
// [Requirements] they leave no rule without a word. Safe for concurrent use.
func Exclusions() []Exclusion { return slices.Clone(exclusions) }
