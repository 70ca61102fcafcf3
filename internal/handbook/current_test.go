package handbook

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The pages are what they are made from: whoever changes a requirement, a
// scenario or a fault makes them anew.
func TestPagesAreCurrent(t *testing.T) {
	t.Parallel()
	pages, err := Pages(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		kept, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(page.Name)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(kept), page.Text); diff != "" {
			t.Errorf("%s is not what it is made from: run go generate ./internal/handbook\n%s", page.Name, diff)
		}
	}
}
