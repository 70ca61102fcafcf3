package recorder

import (
	"fmt"
	"io"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// field is one line of the head or the foot.
type field struct{ name, text string }

// writeFields writes the fields that have a text, names in one column.
func writeFields(w io.Writer, limit int, fields []field) error {
	var b strings.Builder
	for _, f := range fields {
		if f.text != "" {
			b.WriteString(fit(fmt.Sprintf("%-9s  %s", f.name, f.text), limit) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// headFields says what was run against what.
func headFields(h *spec.HeaderEvent) []field {
	fields := []field{{"recording", clean(h.ID) + " (" + clean(string(h.Source)) + ")"}}
	if c := h.Case; c != nil {
		name := clean(c.Name)
		if c.Alone {
			name += ", run once more alone"
		}
		fields = append(fields, field{"scenario", clean(c.Scenario)}, field{"case", name})
	}
	if h.Source == spec.SourceTest || h.Seed != 0 {
		fields = append(fields, field{"seed", fmt.Sprint(h.Seed)})
	}
	return append(fields,
		field{"worker", workerText(h.Worker)},
		field{"clock", clockText(h)},
		field{"started", clean(h.Started)},
		field{"made by", madeBy(h.MadeBy)},
		field{"continues", clean(h.Continues)},
	)
}

func workerText(w spec.WorkerHeader) string {
	s := strings.TrimSpace(clean(w.Name) + " " + clean(w.Version))
	if w.URL != "" {
		s = strings.TrimSpace(s + " at " + clean(w.URL))
	}
	if w.StartedBy != "" {
		s += ", started by " + clean(w.StartedBy)
	}
	return s
}

func clockText(h *spec.HeaderEvent) string {
	switch {
	case h.Clock == "":
		return ""
	case h.At == "":
		return clean(h.Clock)
	}
	return clean(h.Clock) + ", from " + clean(h.At)
}

func madeBy(m spec.MadeBy) string {
	s := "hallmark " + clean(m.Hallmark)
	if m.Registry != "" {
		s += ", registry " + clean(m.Registry)
	}
	return s
}

// closeFields says how it ended.
func closeFields(c *spec.CloseEvent) []field {
	counts := []string{
		count(c.Events, "line", "lines"),
		count(c.Sessions, "session", "sessions"),
		count(c.Exchanges, "exchange", "exchanges"),
		count(c.Pieces, "piece", "pieces"),
	}
	if c.Lost > 0 {
		counts = append(counts, fmt.Sprintf("%d LOST", c.Lost))
	}
	return []field{
		{"closed", clean(c.Why)},
		{"holds", strings.Join(counts, ", ")},
		{"asked", clean(c.Asked)},
	}
}
