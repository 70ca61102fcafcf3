package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/spec"
)

func TestRegistryIsComplete(t *testing.T) {
	t.Parallel()
	all := spec.Requirements()
	seen := map[string]bool{}
	area := -1
	for _, r := range all {
		if seen[r.ID] {
			t.Errorf("%s: listed twice", r.ID)
		}
		seen[r.ID] = true
		for area < 0 || spec.Areas()[area] != r.Area() {
			area++
			if area == len(spec.Areas()) {
				t.Fatalf("%s: its area is unknown or out of order", r.ID)
			}
		}
		for name, text := range map[string]string{"text": r.Text, "why": r.Why, "cause": r.Cause} {
			if !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %s is no sentence: %q", r.ID, name, text)
			}
		}
		switch r.Level {
		case spec.Must, spec.Should, spec.Advice:
		default:
			t.Errorf("%s: level %q", r.ID, r.Level)
		}
		switch r.Evidence {
		case spec.EvidenceExchange, spec.EvidenceSession, spec.EvidenceEngine, spec.EvidenceProvoked:
		default:
			t.Errorf("%s: evidence %q", r.ID, r.Evidence)
		}
		if r.Binds != "worker" || r.Since != spec.ProtocolVersion {
			t.Errorf("%s: binds %q since %q", r.ID, r.Binds, r.Since)
		}
		for _, s := range r.Source {
			kind, _, ok := strings.Cut(s, ":")
			if !ok || !strings.Contains(" rule gap wire field-report ", " "+kind+" ") {
				t.Errorf("%s: source %q is of no known kind", r.ID, s)
			}
		}
		if len(r.Source) == 0 {
			t.Errorf("%s: no source", r.ID)
		}
		for _, e := range []spec.Example{r.Good, r.Bad} {
			if e.Trigger == "" || e.Answer == "" {
				t.Errorf("%s: an example is missing", r.ID)
			}
		}
		if cmp.Equal(r.Good, r.Bad) {
			t.Errorf("%s: the good and the bad example are the same", r.ID)
		}
		got, ok := spec.LookupRequirement(r.ID)
		if !ok || got.Text != r.Text {
			t.Errorf("%s: cannot be looked up", r.ID)
		}
	}
	if area != len(spec.Areas())-1 {
		t.Errorf("areas without a requirement after %s", spec.Areas()[area])
	}
	if _, ok := spec.LookupRequirement("delivery.none"); ok {
		t.Error("an unknown id was found")
	}
}

// Counts are pinned: whoever adds a requirement changes this number, the
// registry version and the documentation together.
func TestRegistryCounts(t *testing.T) {
	t.Parallel()
	count := map[spec.Level]int{}
	for _, r := range spec.Requirements() {
		count[r.Level]++
	}
	if count[spec.Must] != 80 || count[spec.Should] != 36 || count[spec.Advice] != 16 {
		t.Errorf("got %v", count)
	}
}

func TestRegistryCannotBeChanged(t *testing.T) {
	t.Parallel()
	all := spec.Requirements()
	all[0].ID = "changed"
	if spec.Requirements()[0].ID == "changed" {
		t.Error("a caller changed the registry")
	}
}
