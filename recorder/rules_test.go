package recorder_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/recorder"
)

func TestParseRule(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/actions/0/result":             "",
		"/actions/*/result/content/*":   "",
		"request:/messages/*":           "",
		"/a~0b/c~1d":                    "",
		"/":                             "",
		"/a//b":                         "",
		"":                              `"" is no place: want a JSON pointer`,
		"request:":                      `"request:" is no place: want a JSON pointer`,
		"actions/0":                     `"actions/0" is no place: want a JSON pointer such as /actions/0/result, or request:/state`,
		"$.actions[0]":                  `"$.actions[0]" is no place: want a JSON pointer`,
		"request:state":                 `"request:state" is no place: want a JSON pointer`,
		"response:/state":               `"response:/state" is no place: want a JSON pointer`,
		"/a~b":                          `"/a~b" is no place: write ~0 for a ~ in a name, and ~1 for a /`,
		"/a~0~":                         `"/a~0~" is no place: write ~0`,
		"/\xff":                         `"/\xff" is no place: want UTF-8`,
		"/" + strings.Repeat("a", 4096): `"/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"… is no place: longer than 4096 bytes`,
	} {
		rule, err := recorder.ParseRule(text)
		switch {
		case want == "" && (err != nil || rule.String() != text):
			t.Errorf("%q: got %q, %v", text, rule, err)
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)):
			t.Errorf("%q: got error %v, want %s", text, err, want)
		}
	}
	if _, err := recorder.ParseRules([]string{"/a", "/b", "/a"}); err == nil || err.Error() != "/a is given twice" {
		t.Errorf("a rule that is given twice: got %v", err)
	}
	if _, err := recorder.ParseRules([]string{"/a", "request:/a"}); err != nil {
		t.Errorf("one for answers and one for requests: got %v", err)
	}
	if _, err := recorder.ParseRules([]string{"/a", "b"}); err == nil {
		t.Errorf("a bad rule is taken")
	}
}

// pairs are answers of the recorded and of the new worker, one a line.
func TestRules(t *testing.T) {
	t.Parallel()
	const text = `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"1"}]}}]} {"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"2"}]}}]}`
	for name, c := range map[string]struct {
		rules string
		pairs []string
		// left are the pointers that differ still, refused what is said of rules.
		left, refused []string
	}{
		"no rule": {pairs: []string{text}, left: []string{"/actions/0/result/content/0/text"}},
		"exact":   {rules: "/actions/0/result/content/0/text", pairs: []string{text}},
		"a star for one element": {
			rules: "/actions/*/result/content/*/text", pairs: []string{text},
		},
		"another place": {
			rules: "/actions/0/result/content/0/type", pairs: []string{text},
			left:    []string{"/actions/0/result/content/0/text"},
			refused: []string{"/actions/0/result/content/0/type: nothing differs there"},
		},
		"no such place": {
			rules: "/actions/1", pairs: []string{text}, left: []string{"/actions/0/result/content/0/text"},
			refused: []string{"/actions/1: no answer has that place"},
		},
		"a part of a name is no match": {
			rules: "/action /actions/0/res", pairs: []string{text}, left: []string{"/actions/0/result/content/0/text"},
			refused: []string{"/action: no answer has that place", "/actions/0/res: no answer has that place"},
		},
		"too wide": {
			rules: "/actions/0", pairs: []string{text},
			refused: []string{"/actions/0: covers more than what differs, which is /actions/0/result/content/0/text | /actions/0/result/content/0/text"},
		},
		"too wide, and the narrow one beside it": {
			rules: "/actions /actions/0/result/content/0/text", pairs: []string{text},
			refused: []string{"/actions: covers more than what differs, which is /actions/0/result/content/0/text | /actions/0/result/content/0/text"},
		},
		"too wide here and needed there": {
			rules: "/a", pairs: []string{`{"a":{"b":1}} {"a":{"b":2}}`, `{"a":{"b":1}} {"a":3}`},
		},
		"each element": {
			rules: "/a/*/n", pairs: []string{`{"a":[{"n":1,"s":0},{"n":1}]} {"a":[{"n":2,"s":0},{"n":2}]}`},
		},
		"each element, over all answers": {
			rules: "/a/*", pairs: []string{`{"a":[1,2]} {"a":[1,3]}`, `{"a":[1,2]} {"a":[5,2]}`},
		},
		"one element does not differ": {
			rules: "/a/*", pairs: []string{`{"a":[1,2,3]} {"a":[7,2,8]}`},
			refused: []string{"/a/*: covers /a/1, where nothing differs | /a/0 /a/2"},
		},
		"a whole list whose elements all differ": {
			rules: "/a", pairs: []string{`{"a":[1,2,3]} {"a":[4,5,6]}`},
		},
		"a list in another order": {
			rules: "/a", pairs: []string{`{"a":[1,2,3]} {"a":[3,2,1]}`},
		},
		"each element of a list in another order": {
			rules: "/a/*", pairs: []string{`{"a":[{"n":1},{"n":2},{"n":3}]} {"a":[{"n":3},{"n":2},{"n":1}]}`},
		},
		"around a list in another order": {
			rules: "/a", pairs: []string{`{"a":{"l":[1,2],"m":0}} {"a":{"l":[2,1],"m":0}}`},
			refused: []string{"/a: covers more than what differs, which is /a/l | /a/l"},
		},
		"a list of another length": {
			rules: "/a", pairs: []string{`{"a":[1,2]} {"a":[1,2,3]}`},
		},
		"the elements that one has": {
			rules: "/a/2", pairs: []string{`{"a":[1,2]} {"a":[1,2,3]}`},
		},
		"lists in lists": {
			rules: "/a", pairs: []string{`{"a":[[1,2],[3,4]]} {"a":[[5,6],[7,8]]}`},
			refused: []string{"/a: covers more than what differs, which is /a/*/* | /a/*/*"},
		},
		"one list in a list": {
			rules: "/a", pairs: []string{`{"a":[[1,2],[3,4]]} {"a":[[5,6],[7,4]]}`},
			refused: []string{"/a: covers more than what differs, which is /a/0/*, /a/1/0 | /a/0/* /a/1/0"},
		},
		"a longer list elsewhere": {
			rules: "/a", pairs: []string{`{"a":[1,2]} {"a":[3,4]}`, `{"a":[1,2,3]} {"a":[1,2,3]}`},
			refused: []string{"/a: covers more than what differs, which is /a/0, /a/1 | /a/0 /a/1"},
		},
		"members": {
			rules: "/s/*", pairs: []string{`{"s":{"a":1,"b":1}} {"s":{"a":2,"b":1}}`},
			refused: []string{"/s/*: covers /s/b, where nothing differs | /s/a"},
		},
		"names with / and ~": {
			rules: "/a~1b/~0", pairs: []string{`{"a/b":{"~":1,"x":1}} {"a/b":{"~":2,"x":1}}`},
		},
		"by meaning": {
			rules: "/a", pairs: []string{`{"a":1.0} {"a":1}`}, refused: []string{"/a: nothing differs there"},
		},
		"what is no JSON": {rules: "/a", pairs: []string{`x y`}, left: []string{""}, refused: []string{"/a: no answer has that place"}},
		"requests": {
			rules: "request:/a", pairs: []string{`{"a":1} {"a":2}`}, left: []string{"/a"}, refused: []string{"request:/a: no request has that place"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rules, err := recorder.ParseRules(strings.Fields(c.rules))
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, pair := range c.pairs {
				a, b, _ := strings.Cut(pair, " ")
				for _, p := range rules.Answers(jsontext.Value(a), jsontext.Value(b)) {
					left = append(left, p.Pointer)
				}
			}
			if diff := cmp.Diff(c.left, left); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.refused, told(rules.Check())); diff != "" {
				t.Errorf("refused (-want +got):\n%s", diff)
			}
		})
	}
}

func told(refused []*recorder.RuleError) (out []string) {
	for _, e := range refused {
		line := e.Error()
		if len(e.Instead) > 0 {
			line += " | " + strings.Join(e.Instead, " ")
		}
		out = append(out, line)
	}
	return out
}

// TestRulesOfRequests: in requests a rule may cover as much as it likes, so long
// as something differs there.
func TestRulesOfRequests(t *testing.T) {
	t.Parallel()
	rules, err := recorder.ParseRules([]string{"request:/a", "request:/b", "/a"})
	if err != nil {
		t.Fatal(err)
	}
	if left := rules.Requests(jsontext.Value(`{"a":{"x":1,"y":1},"b":1}`), jsontext.Value(`{"a":{"x":2,"y":1},"b":1}`)); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	want := []string{"request:/b: nothing differs there", "/a: no answer has that place"}
	if diff := cmp.Diff(want, told(rules.Check())); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	var none *recorder.Rules
	if left := none.Requests(jsontext.Value(`1`), jsontext.Value(`2`)); len(left) != 1 || none.Check() != nil {
		t.Errorf("no rules: %v", left)
	}
}

func TestRulesAreBounded(t *testing.T) {
	t.Parallel()
	rules, err := recorder.ParseRules([]string{"/a/*"})
	if err != nil {
		t.Fatal(err)
	}
	long := func(of string) jsontext.Value {
		return jsontext.Value(`{"a":[0` + strings.Repeat(","+of, 20_000) + `]}`)
	}
	if left := rules.Answers(long("1"), long("2")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if refused := rules.Check(); len(refused) > 0 {
		t.Errorf("more places than are held prove nothing: %v", told(refused))
	}
	if left := (*recorder.Rules)(nil).Answers(long("1"), long("2")); len(left) != 1000 {
		t.Errorf("%d places are handed out", len(left))
	}
}

// FuzzRules holds rules to their promises: with the narrower rules that a
// refusal names, nothing more is let differ, what the rule let differ still may,
// and none of them is refused.
func FuzzRules(f *testing.F) {
	f.Add("/a", `{"a":[[1,2],[3,4]]}`, `{"a":[[5,6],[7,4]]}`)
	f.Add("/a/*", `{"a":[1,2,3]}`, `{"a":[3,2,1]}`)
	f.Add("/*/*", `{"a":{"x":[1]},"b":[{"x":2}]}`, `{"a":{"x":[]},"b":[{"x":3},4]}`)
	f.Add("/a~1b/*/~0", `{"a/b":[{"~":1},{"~":2}]}`, `{"a/b":[{"~":2},{"~":3}]}`)
	f.Fuzz(func(t *testing.T, rule, a, b string) {
		rules, err := recorder.ParseRules([]string{rule})
		if err != nil {
			return
		}
		left := rules.Answers(jsontext.Value(a), jsontext.Value(b))
		all := (*recorder.Rules)(nil).Answers(jsontext.Value(a), jsontext.Value(b))
		if len(left) > len(all) || (len(all) == 0) != jsonv.Equal(jsontext.Value(a), jsontext.Value(b)) {
			t.Fatalf("%d of %d left", len(left), len(all))
		}
		for _, e := range rules.Check() {
			if len(e.Instead) == 0 {
				if len(left) != len(all) {
					t.Fatalf("%v, and it let %d places differ", e, len(all)-len(left))
				}
				continue
			}
			narrow, err := recorder.ParseRules(e.Instead)
			if err != nil {
				t.Fatalf("%v: instead %v", e, err)
			}
			if now := narrow.Answers(jsontext.Value(a), jsontext.Value(b)); !cmp.Equal(now, left) {
				t.Fatalf("%v: with %q are left %v, want %v", e, e.Instead, now, left)
			}
			if again := narrow.Check(); len(again) > 0 {
				t.Fatalf("%v: instead %q, but %v", e, e.Instead, again[0])
			}
		}
	})
}
