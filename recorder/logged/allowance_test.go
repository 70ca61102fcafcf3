package logged

import (
	"io"
	"strings"
	"testing"
)

// An entry, or an archive, that is too large is said to be so, and no more of it
// is read.
func TestAllowance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		entry, all int64
		read       int
		want       string
	}{
		{4, 100, 4, "the entry is over 256 MiB"},
		{100, 6, 6, "the archive is over 2048 MiB"},
		{100, 100, 10, ""},
	} {
		got, err := io.ReadAll(&allowance{in: strings.NewReader("0123456789"), entry: c.entry, all: c.all})
		if len(got) != c.read || (c.want == "") != (err == nil) || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%d and %d: read %q, %v", c.entry, c.all, got, err)
		}
	}
}
