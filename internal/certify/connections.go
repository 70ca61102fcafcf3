package certify

import (
	"fmt"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// undialed says which connections an agent declares: their tools take no part in
// a run. It is empty where there is none.
func undialed(agent *spec.AgentConfig) string {
	const most = 5
	paths := agent.Connections()
	if len(paths) == 0 {
		return ""
	}
	more := ""
	if len(paths) > most {
		paths, more = paths[:most], fmt.Sprintf(" and %d more", len(paths)-most)
	}
	return fmt.Sprintf("Hallmark dials no connections: sessions go on without the tools of %s%s, as after a fetch that has failed",
		strings.Join(paths, ", "), more)
}
