// Package parts puts the files of rotated recordings together: a capture of a long
// session is in several, each of which names the one before it.
package parts

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hallmarkdev/hallmark/recorder"
)

// Join gives the files of each recording in their order. The order of the
// recordings is that of their first parts. A file that cannot be read stands alone.
func Join(files []string) [][]string {
	continues := make([]string, len(files))
	for i, name := range files {
		if !laterPart.MatchString(name) {
			continue
		}
		if h, err := recorder.HeaderOf(name); err == nil {
			continues[i] = h.Continues
		}
	}
	return chained(files, continues)
}

// laterPart fits the names of parts after the first.
var laterPart = regexp.MustCompile(`-\d{3,}\.jsonl(\.zst)?$`)

// chained puts the parts of rotated recordings together, by the names of the
// files that they continue. The order is that of the first parts.
func chained(files, continues []string) [][]string {
	plain := func(name string) string {
		return strings.TrimSuffix(strings.TrimSuffix(name, recorder.CompressedSuffix), recorder.PlainSuffix)
	}
	at := map[string]int{}
	for i, name := range files {
		at[plain(name)] = i
	}
	next := map[int]int{}
	follows := map[int]bool{}
	for i, name := range continues {
		if name == "" {
			continue
		}
		before, there := at[plain(filepath.Join(filepath.Dir(files[i]), filepath.Base(name)))]
		if _, taken := next[before]; there && !taken {
			next[before], follows[i] = i, true
		}
	}
	var out [][]string
	in := map[int]bool{}
	// Headers that lead in a ring have no first part: any will do.
	for _, first := range []bool{true, false} {
		for i := range files {
			if in[i] || first && follows[i] {
				continue
			}
			var c []string
			for j, more := i, true; more && !in[j]; j, more = follow(next, j) {
				in[j] = true
				c = append(c, files[j])
			}
			out = append(out, c)
		}
	}
	return out
}

func follow(next map[int]int, i int) (int, bool) {
	j, more := next[i]
	return j, more
}
