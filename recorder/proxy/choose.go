package proxy

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// Keep says what is recorded although its session is not in the sample. The
// zero value keeps nothing.
type Keep struct {
	// Failures keeps answers without a 2xx status, and those that did not come
	// whole.
	Failures bool
	// Slow keeps answers that took longer; 0 keeps none.
	Slow time.Duration
	// FailedTools keeps answers that settle a call with a tool.error or a
	// flagged result.
	FailedTools bool
}

// inSample reports whether a root session is in a sample of one in n. It
// depends on the session alone, so all proxies of a fleet choose alike.
func inSample(root string, n int) bool {
	if n <= 1 {
		return true
	}
	sum := sha256.Sum256([]byte(root))
	return binary.BigEndian.Uint64(sum[:8])%uint64(n) == 0
}

// wanted says whether an exchange is recorded, and why not. held says that its
// answer decides.
func (s *scribe) wanted(r *root, in asked) (reason string, held bool) {
	agents := s.cfg.OnlyAgents
	switch {
	case len(agents) > 0 && in.env.session == "":
		return "no decision", false
	case len(agents) > 0 && !slices.Contains(agents, in.env.agent):
		return "another agent", false
	case in.env.session == "" || r.kept || inSample(r.id, s.cfg.Sample):
		return "", false
	case s.cfg.Keep == (Keep{}):
		return "not in the sample", false
	}
	return "", true
}

// keeps reports whether an answer is one that is always recorded. pieces are
// what came of it before its end.
func (s *scribe) keeps(it *item, pieces []item) bool {
	k := s.cfg.Keep
	status, _ := statusLine(it.head)
	if k.Failures && (status/100 != 2 || it.end != spec.EndWhole) || k.Slow > 0 && it.at.Sub(it.c.started) > k.Slow {
		return true
	}
	if !k.FailedTools {
		return false
	}
	if !it.c.stream {
		return failedTool(it.body)
	}
	var all []byte
	for i := range pieces {
		all = append(all, pieces[i].body...)
	}
	for line := range bytes.Lines(append(all, it.body...)) {
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && failedTool(bytes.TrimSpace(data)) {
			return true
		}
	}
	return false
}

// failedTool reports whether an answer holds a failed call.
func failedTool(body []byte) bool {
	actions, ok := jsonv.Get(body, "/actions")
	if !ok {
		return false
	}
	list, err := jsonv.Elements(actions)
	if err != nil {
		return false
	}
	for _, a := range list {
		kind, _ := jsonv.Get(a, "/type")
		switch name, _ := jsonv.Text(kind); name {
		case string(spec.DoToolError):
			return true
		case string(spec.DoToolResult):
			for _, at := range []string{"/is_error", "/result/isError"} {
				if flag, ok := jsonv.Get(a, at); ok && string(flag) == "true" {
					return true
				}
			}
		}
	}
	return false
}
