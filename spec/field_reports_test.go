package spec_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hallmarkdev/hallmark/spec"
)

var fieldReportNumber = regexp.MustCompile(`^[0-9]{3}$`)

func TestFieldReports(t *testing.T) {
	t.Parallel()
	reports := spec.FieldReports()
	if len(reports) != 70 {
		t.Errorf("%d reports, want 70", len(reports))
	}
	for i, r := range reports {
		if !fieldReportNumber.MatchString(r.Number) || i > 0 && r.Number <= reports[i-1].Number {
			t.Errorf("number %s after %s", r.Number, reports[max(i-1, 0)].Number)
		}
		if r.Title == "" || len(r.Sides) == 0 || len(r.Sources) == 0 {
			t.Errorf("%s: title %q, sides %q, sources %q", r.Number, r.Title, r.Sides, r.Sources)
		}
		for _, url := range r.Sources {
			if !strings.HasPrefix(url, "https://") {
				t.Errorf("%s: %s is no public page", r.Number, url)
			}
		}
		if got, ok := spec.LookupFieldReport(r.Ref()); !ok || got.Number != r.Number {
			t.Errorf("%s is not found", r.Ref())
		}
	}
	for _, ref := range []string{"", "041", "field-report:", "field-report:003", "rule:D5"} {
		if r, ok := spec.LookupFieldReport(ref); ok {
			t.Errorf("%q names %s", ref, r.Number)
		}
	}
}
