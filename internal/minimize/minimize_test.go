package minimize

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hallmarkdev/hallmark/scenarios"
)

// What is needed is found, and nothing else, wherever it stands.
func TestDdminFindsWhatIsNeeded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "n")
		var needed []int
		for i := range n {
			if rapid.IntRange(0, 5).Draw(t, "needed") == 0 {
				needed = append(needed, i)
			}
		}
		asked := 0
		got := ddmin(n, func(kept []int) bool {
			asked++
			if !slices.IsSorted(kept) || len(kept) >= n && n > 0 {
				t.Fatalf("asked of %v", kept)
			}
			for _, i := range needed {
				if !slices.Contains(kept, i) {
					return false
				}
			}
			return true
		})
		if d := cmp.Diff(needed, got); d != "" {
			t.Fatal(d)
		}
		if asked > 4*n*n+10 {
			t.Fatalf("asked %d times about %d items", asked, n)
		}
	})
}

// A failure that several items bring about each leaves one of them.
func TestDdminIsOneMinimal(t *testing.T) {
	t.Parallel()
	got := ddmin(20, func(kept []int) bool {
		return slices.Contains(kept, 3) && slices.Contains(kept, 7) || slices.Contains(kept, 11)
	})
	if d := cmp.Diff([]int{11}, got); d != "" {
		t.Error(d)
	}
	// Parity: no item can be left out alone, whatever the rest.
	got = ddmin(8, func(kept []int) bool { return len(kept)%2 == 0 && len(kept) > 0 })
	if len(got) != 2 {
		t.Errorf("%v", got)
	}
}

func tree(t *testing.T, text string) *scenarios.Tree {
	t.Helper()
	tr, err := scenarios.ReadTree("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

const long = `
scenario: A long session
about: It has everything.
refs: ["recording:x"]
requirements: [execute.settles-once]
needs: {features: [async, settle]}
engine: {agent_id: desk, retry: {tool: {max_attempts: 3}}}
given: {state: {a: 1}, messages: [{role: user, content: hi}, {role: assistant, calls: [{as: g, tool: t, arguments: {}}]}, {role: tool, call: g, content: ok}]}
steps:
  - user: First, please.
  - model: {calls: [{as: a, tool: one, arguments: {x: 1}}, {as: b, tool: two, arguments: {keep: "a needle in hay", drop: [1, 2, 3]}}]}
    expect:
      - {trigger: tool.execute, call: a, answer: runs}
      - {trigger: tool.execute, call: b, answer: runs}
  - await: {settled: [a, b], order: listed}
  - model: That was that.
  - user: {text: Second, id: m1, now: true}
  - disturb: {do: lose-answer, trigger: tool.execute, call: c}
  - model: {text: I will see., calls: [{as: c, tool: three, raw: {repeat: "[", times: 20000}}]}
  - client: {call: c, result: "yes"}
  - {session: c, model: a subagent speaks}
  - user: Third.
  - model: {calls: [{as: d, tool: four, arguments: {}}]}
  - model: done
finally:
  - turn: completed
  - calls: {a: {is: done}, b: {is: done}, c: {is: done}}
`

// smaller minimises and wants every candidate that is asked of to name no call that
// is not made.
func smaller(t *testing.T, text string, fails func(text string) bool) string {
	t.Helper()
	asked := 0
	got, err := Tree(tree(t, text), func(c *scenarios.Tree) (bool, error) {
		asked++
		text := c.YAML()
		if _, err := scenarios.Parse("x.yaml", text); err != nil {
			if strings.Contains(err.Error(), "unknown call") {
				t.Fatalf("%v\n%s", err, text)
			}
			return false, nil
		}
		return fails(string(text)), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("asked %d times", asked)
	return string(got.YAML())
}

func TestASessionBecomesWhatItIsAbout(t *testing.T) {
	t.Parallel()
	got := smaller(t, long, func(text string) bool { return strings.Contains(text, "needle") })
	want := `scenario: A long session
refs: [recording:x]
requirements: [execute.settles-once]
steps:
  - model: {calls: [{as: b, tool: two, arguments: {keep: needle}}]}
`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Two things that stand in different turns are kept with what they need to stand.
func TestTwoTurnsAreKept(t *testing.T) {
	t.Parallel()
	got := smaller(t, long, func(text string) bool {
		return strings.Contains(text, "tool: four") && strings.Contains(text, "call: c, result") && strings.Contains(text, "max_attempts")
	})
	want := `scenario: A long session
refs: [recording:x]
requirements: [execute.settles-once]
engine: {retry: {tool: {max_attempts: 3}}}
steps:
  - model: {calls: [{as: c, tool: three, raw: {repeat: "", times: 1}}]}
  - client: {call: c, result: ""}
  - model: {calls: [{as: d, tool: four, arguments: {}}]}
`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A repetition is made as short as it can be, and no shorter.
func TestRepetitionsGetShort(t *testing.T) {
	t.Parallel()
	got := smaller(t, long, func(text string) bool {
		doc, err := scenarios.Parse("x.yaml", []byte(text))
		if err != nil {
			return false
		}
		for _, s := range doc.Steps {
			if s.Model == nil {
				continue
			}
			for _, c := range s.Model.Calls {
				if c.Raw != nil && strings.Count(c.Raw.String(), "[") >= 137 {
					return true
				}
			}
		}
		return false
	})
	if !strings.Contains(got, `raw: {repeat: "[", times: 137}`) {
		t.Error(got)
	}
}

// What interrupts it ends it with what was reached, and going on with the answers
// that were given ends where an undisturbed one does, with no question twice.
func TestGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	fails := func(c *scenarios.Tree) bool { return strings.Contains(string(c.YAML()), "needle") }
	whole := 0
	want, err := Tree(tree(t, long), func(c *scenarios.Tree) (bool, error) { whole++; return fails(c), nil })
	if err != nil {
		t.Fatal(err)
	}
	journal := map[string]bool{}
	asked := 0
	for rounds := 0; ; rounds++ {
		n := 0
		got, err := Tree(tree(t, long), func(c *scenarios.Tree) (bool, error) {
			text := string(c.YAML())
			if answer, known := journal[text]; known {
				return answer, nil
			}
			if n++; n > 7 {
				return false, ErrStopped
			}
			asked++
			journal[text] = fails(c)
			return journal[text], nil
		})
		if errors.Is(err, ErrStopped) {
			if !fails(got) {
				t.Fatal("what was reached does not fail")
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want.YAML()), string(got.YAML())); d != "" {
			t.Error(d)
		}
		if asked != whole || rounds < 3 {
			t.Errorf("%d questions in %d rounds, want %d", asked, rounds, whole)
		}
		return
	}
}
