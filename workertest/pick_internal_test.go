package workertest

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPicker(t *testing.T) {
	t.Parallel()
	const id = "execute/valid.yaml#cut off[a/b|c]"
	for _, tc := range []struct {
		run, skip string
		want      bool
	}{
		{"", "", true},
		{"TestW", "", true},
		{".", "", true},
		{"TestOther", "", false},
		{"TestOther|TestW", "", true},
		{"TestW/execute", "", true},
		{"TestW/finished", "", false},
		{"TestW/exec/valid", "", true},
		{"TestW/exec/invalid", "", false},
		{"TestW//cut_off", "", true},
		{"TestW//cut off", "", true},
		{"(TestA|TestW)/execute", "", true},
		{"TestA/x|TestW/execute/[a|v]", "", true},
		{"TestW/execute/valid/b/deeper", "", true},
		{"TestW/execute/valid/x/deeper", "", false},
		{"TestW/execute/valid/b.c/deeper", "", true},
		{"", "TestW", false},
		{"", "TestW/execute", false},
		{"", "TestW/finished", true},
		{"", "TestW/execute/valid/b/deeper", true},
		{"TestW/execute", "TestW/execute/valid", false},
		{"^TestWorker$/^execute$/^valid\\.yaml#cut_off\\[a$/^b\\|c\\]$", "", true},
	} {
		p, err := newPicker(tc.run, tc.skip)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.wants("TestWorker", id); got != tc.want {
			t.Errorf("-run %q -skip %q: wants %v, want %v", tc.run, tc.skip, got, tc.want)
		}
	}
	if _, err := newPicker("(", ""); err == nil {
		t.Error("a pattern that does not compile is no error")
	}
}

// The picker and the line that repeats a case must agree with package testing,
// which has the last word.
func TestPickerAgreesWithTesting(t *testing.T) {
	for _, id := range []string{"plain", "a b", "tab\there", "bell\a", "é#ü", "a/b|c[d](e).f$", `back\slash`} {
		t.Run(id, func(t *testing.T) {
			if got, want := t.Name(), "TestPickerAgreesWithTesting/"+testName(id); got != want {
				t.Errorf("testing names it %q, we %q", got, want)
			}
			line := exactly(t.Name())
			p, err := newPicker(line, "")
			if err != nil {
				t.Fatal(err)
			}
			if !p.wants("TestPickerAgreesWithTesting", id) {
				t.Errorf("%s does not pick its own test", line)
			}
			if p.wants("TestPickerAgreesWithTesting", id+"x") {
				t.Errorf("%s picks another test", line)
			}
		})
	}
}

func TestHeadersHaveOneOrder(t *testing.T) {
	t.Parallel()
	want := [][2]string{{"A", "1"}, {"B", "3"}, {"B", "2"}, {"C", "4"}, {"D", "5"}}
	for range 50 {
		got, err := headersOf(http.Header{"D": {"5"}, "B": {"3", "2"}, "C": {"4"}, "A": {"1"}})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("headers (-want +got), error %v:\n%s", err, diff)
		}
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	got := []string{slug("A busy calendar, 2 tries!"), slug("…"), slug("Äpfel"), slug("aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa b")}
	want := []string{"a-busy-calendar-2-tries", "scenario", "äpfel", "aaaaaaaaa-aaaaaaaaa-aaaaaaaaa-aaaaaaaaa-aaaaaaaaa-aaaaaaaaa-aaaaaaaaa-aaaaaaaaa"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("slug (-want +got):\n%s", diff)
	}
}
