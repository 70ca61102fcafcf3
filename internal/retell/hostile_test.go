package retell_test

import (
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/hallmarkdev/hallmark/internal/retell"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// replaced is a recording with a text of its bodies replaced.
func replaced(events []spec.Event, from, to string) []spec.Event {
	body := func(b spec.Body) spec.Body {
		if b.Text == nil {
			return b
		}
		text := strings.ReplaceAll(*b.Text, from, to)
		return spec.Body{Text: &text}
	}
	out := make([]spec.Event, len(events))
	for i, e := range events {
		switch d := e.Data.(type) {
		case *spec.RequestEvent:
			c := *d
			c.Body = body(d.Body)
			e.Data = &c
		case *spec.ResponseEvent:
			c := *d
			c.Body = body(d.Body)
			e.Data = &c
		}
		out[i] = e
	}
	return out
}

// noise is a text that nothing makes shorter.
func noise(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return base64.StdEncoding.EncodeToString(b)
}

// A payload that no scenario file holds is said, with the step that holds it and
// what to do; one that repeats itself is written as such.
func TestPayloadsThatAreTooLong(t *testing.T) {
	t.Parallel()
	events := captured(example(t), "s1")
	_, err := retell.From(seq(replaced(events, "Book room 4 at nine.", noise(1<<20))), retell.Options{Name: "c.jsonl"})
	var size *retell.SizeError
	if !errors.As(err, &size) || !strings.Contains(err.Error(), "at most 1048576 are read; the longest is step 1 (user) with") || size.Hint() == "" {
		t.Errorf("%v", err)
	}
	got, err := retell.From(seq(replaced(events, "Book room 4 at nine.", strings.Repeat("please ", 300_000))), retell.Options{Name: "c.jsonl"})
	if err != nil || !strings.Contains(string(got.Tree.YAML()), `{repeat: "please ", times: 300000}`) {
		t.Errorf("%v", err)
	}
}

// Odd words come back as they were, and none of them reaches a comment's end.
func TestOddWords(t *testing.T) {
	t.Parallel()
	events := captured(example(t), "s1")
	for _, odd := range []string{"a\\nb # c: ${x} $tool", "- {a: b}", "\\u0000\\u001b[2J\\u2028", "😀 ' \\\" \\\\", "%s", ""} {
		got, err := retell.From(seq(replaced(events, "Book room 4 at nine.", odd)), retell.Options{Name: "c\n.jsonl"})
		if err != nil {
			t.Errorf("%q: %v", odd, err)
			continue
		}
		text := string(got.Tree.YAML())
		if strings.ContainsAny(text, "\x1b\x00") || !strings.HasPrefix(text, "# From the recording c .jsonl, session s1.\nscenario: ") {
			t.Errorf("%q: %q", odd, text)
		}
		doc, err := scenarios.Parse("x.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		cases, err := scenarios.Plan([]*scenarios.Document{doc}, scenarios.Declared{}, scenarios.PlanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.NewReplacer(`\n`, "\n", `\u0000`, "\x00", `\u001b`, "\x1b", `\u2028`, "\u2028", `\"`, `"`, `\\`, `\`).Replace(odd); cases[0].Steps[0].User.Text.String() != want {
			t.Errorf("got %q, want %q", cases[0].Steps[0].User.Text.String(), want)
		}
	}
}

// FuzzFrom tells recordings whose requests anybody may have made: what comes of
// them is an error, or a scenario that reads.
func FuzzFrom(f *testing.F) {
	for _, swap := range [][2]string{
		{"call_5QmZ", ""}, {`"role":"user"`, `"role":"tool"`}, {`"arguments":"`, `"arguments":"[`}, {`"type":"llm.finished"`, `"type":"tool.finished"`},
		{`"type":"session.start"`, `"type":"client.action"`}, {`"messages":[]`, `"messages":[{"id":"x","role":"assistant","tool_calls":[]}]`},
		{`"attempts":0`, `"attempts":4000000000`}, {`"new_from":0`, `"new_from":99`}, {"tool.execute", "subagent.finished"}, {"null", "{}"},
	} {
		f.Add(swap[0], swap[1])
	}
	file, err := recorder.Open("../../recorder/testdata/recording-example.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	var events []spec.Event
	for e, err := range recorder.NewReader(file).All() {
		if err != nil {
			f.Fatal(err)
		}
		events = append(events, e)
	}
	events = captured(events, "s1")
	f.Fuzz(func(t *testing.T, from, to string) {
		if len(from) < 3 || len(to) > 200 {
			t.Skip()
		}
		got, err := retell.From(seq(replaced(events, from, to)), retell.Options{Name: "c.jsonl"})
		if err != nil {
			return
		}
		if _, err := scenarios.Parse("x.yaml", got.Tree.YAML()); err != nil {
			t.Errorf("%v\n%s", err, got.Tree.YAML())
		}
	})
}

// A decision that comes again as another one altogether is no reason to fall over.
func TestDecisionsThatChange(t *testing.T) {
	t.Parallel()
	events := captured(example(t), "s1")
	same := regexp.MustCompile(`"decision_id":"[^"]*"`)
	for fails := range 8 {
		seen := 0
		var all []spec.Event
		for _, e := range events {
			switch d := e.Data.(type) {
			case *spec.RequestEvent:
				if d.Body.Text != nil {
					text := same.ReplaceAllString(*d.Body.Text, `"decision_id":"same"`)
					c := *d
					c.Body = spec.Body{Text: &text}
					e.Data = &c
				}
			case *spec.ResponseEvent:
				if seen++; seen <= fails {
					c := *d
					c.Status = 500
					e.Data = &c
				}
			}
			all = append(all, e)
		}
		got, err := retell.From(seq(all), retell.Options{Name: "c.jsonl"})
		if err != nil && !errors.Is(err, retell.ErrNothing) {
			t.Errorf("%d: %v", fails, err)
		}
		if err == nil {
			if _, err := scenarios.Parse("x.yaml", got.Tree.YAML()); err != nil {
				t.Errorf("%d: %v", fails, err)
			}
		}
	}
}
