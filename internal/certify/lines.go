package certify

import (
	"strconv"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// repeatLine is the command that runs the case of a recording again.
func repeatLine(h *spec.HeaderEvent) string {
	if h.Case == nil || h.Worker.URL == "" {
		return ""
	}
	words := []string{"hallmark", "test"}
	if h.Worker.Start != "" {
		words = append(words, "--start", h.Worker.Start)
	}
	if h.Case.Ordinal > 0 {
		words = append(words, "--run", h.ID)
	}
	if h.Seed != 1 {
		words = append(words, "--seed", strconv.FormatUint(h.Seed, 10))
	}
	if h.Clock == "fixed" {
		words = append(words, "--clock", "fixed:"+h.At)
	}
	if h.Case.Ordinal > 0 && !h.Case.Built {
		words = append(words, "--scenarios", h.Case.Folder)
	}
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
	return reports.Curl(h.Worker.URL, x.Request.Headers, x.RequestBody, from)
}
