package spec_test

import (
	"testing"

	"github.com/hallmarkdev/hallmark/spec"
)

func TestRegistryVersions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"2026-11/2", "2026-11/1", true}, {"2026-11/1", "2026-11/1", false}, {"2026-11/10", "2026-11/9", true},
		{"2026-12/1", "2026-11/9", true}, {"2027-01/1", "2026-12/1", true}, {"2026-11/1", "0", false}, {"x", "2026-11/1", false},
	} {
		if got := spec.RegistryYounger(tt.a, tt.b); got != tt.want {
			t.Errorf("RegistryYounger(%q, %q) = %v", tt.a, tt.b, got)
		}
	}
	if err := spec.CheckRegistryVersion(spec.RegistryVersion); err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{"", "0", "2026-11", "2026/1", "2026-11/x", "2026-11/0", "9999-01/1"} {
		if spec.CheckRegistryVersion(wrong) == nil {
			t.Errorf("%q passes for a registry version", wrong)
		}
	}
}
