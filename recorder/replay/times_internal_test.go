package replay

import (
	"errors"
	"strconv"
	"testing"
)

// TestTimes: a replay that is another each time is told, and one that fails is
// not played on.
func TestTimes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		n     int
		plays []int
		want  string
		first int
		used  int
	}{
		"once":          {n: 1, plays: []int{4}, first: 4, used: 1},
		"never is once": {n: 0, plays: []int{4}, first: 4, used: 1},
		"alike":         {n: 3, plays: []int{4, 4, 4}, first: 4, used: 3},
		"unlike":        {n: 4, plays: []int{4, 4, 5, 4}, first: 4, used: 3, want: "played the same way, time 3 gave 5 and time 1 gave 4: Hallmark is not deterministic here"},
		"fails":         {n: 3, plays: []int{4, -1, 5}, first: 4, used: 2, want: "does not read"},
		"fails at once": {n: 3, plays: []int{-1}, first: -1, used: 1, want: "does not read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			used := 0
			got, err := times(c.n, func() (int, error) {
				n := c.plays[used]
				used++
				if n < 0 {
					return n, errors.New("does not read")
				}
				return n, nil
			}, strconv.Itoa)
			text := ""
			if err != nil {
				text = err.Error()
			}
			if got != c.first || used != c.used || text != c.want {
				t.Errorf("got %d after %d, %q; want %d after %d, %q", got, used, text, c.first, c.used, c.want)
			}
		})
	}
}
