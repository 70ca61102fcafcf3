package certify

import (
	"maps"
	"slices"
	"strconv"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// repeatLine is the command that runs the case of a recording again. agent is
// the agent that its requests name.
func repeatLine(h *spec.HeaderEvent, agent string) string {
	if h.Case == nil || h.Worker.URL == "" {
		return ""
	}
	words := []string{"hallmark", "test"}
	add := func(when bool, more ...string) {
		if when {
			words = append(words, more...)
		}
	}
	add(h.Worker.Start != "", "--start", h.Worker.Start)
	add(h.Case.Ordinal > 0, "--run", EscapePattern(scenarios.BaseID(h)))
	if d := h.Case.Disturbed; d != nil {
		add(true, "--disturb", d.Do)
	}
	add(agent != "" && agent != "agent", "--agent", agent)
	add(h.Seed != 1, "--seed", strconv.FormatUint(h.Seed, 10))
	if h.Dialect != nil && *h.Dialect != spec.DefaultDialect() {
		words = append(words, "--dialect", scenarios.DialectWord(*h.Dialect))
	}
	add(h.Clock == "fixed", "--clock", "fixed:"+h.At)
	add(h.Case.Ordinal > 0 && !h.Case.Built, "--scenarios", h.Case.Folder)
	for _, name := range slices.Sorted(maps.Keys(h.Case.Vars)) {
		words = append(words, "--var", name+"="+h.Case.Vars[name])
	}
	words = append(words, h.Worker.Args...)
	return reports.Command(append(words, h.Worker.URL)...)
}

// curlLine is the line that sends the request of an exchange again. A body too
// long for a line is read from the recording, when there is one.
func curlLine(h *spec.HeaderEvent, file string, x *spec.Exchange) string {
	if h.Worker.URL == "" {
		return ""
	}
	from := ""
	if file != "" {
		from = reports.Command("hallmark", "recording", "body", file, x.Session+"/"+x.D)
	}
	var variables map[string]string
	if h.Redaction != nil {
		variables = h.Redaction.Variables
	}
	return reports.Curl(h.Worker.URL, x.Request.Headers, x.RequestBody, from, variables)
}
