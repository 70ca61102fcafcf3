package recorder_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/recorder"
)

// The requests of these tests were recorded in the morning and sent again an
// afternoon later, some seconds apart.
var (
	recordedAt = time.Date(2026, 8, 28, 9, 15, 2, 0, time.UTC)
	sentAt     = time.Date(2026, 12, 1, 14, 49, 57, 300e6, time.UTC)
)

// answersOf are answers a second apart, the first of them the recorded one. One
// that begins with "!" failed.
func answersOf(list []string) (*recorder.Told, []recorder.Told) {
	var all []recorder.Told
	for i, s := range list {
		t := recorder.Told{Answer: jsontext.Value(s), Now: sentAt.Add(time.Duration(i) * time.Second)}
		if how, failed := strings.CutPrefix(s, "!"); failed {
			t.Answer, t.Failed = nil, how
		}
		if i == 0 {
			t.Now = recordedAt
		}
		all = append(all, t)
	}
	return &all[0], all[1:]
}

// result is an answer whose only text is this.
func result(text string) string {
	return `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":` + string(jsonv.Quote(text)) + `}]}}]}`
}

func results(texts ...string) (out []string) {
	for _, t := range texts {
		out = append(out, result(t))
	}
	return out
}

// members are answers whose state has a member m of these values.
func members(values ...string) (out []string) {
	for _, v := range values {
		if v != "" {
			v = `"m":` + v
		}
		out = append(out, `{"state":{`+v+`}}`)
	}
	return out
}

const (
	atText   = "/actions/0/result/content/0/text"
	atMember = "/state/m"
)

func TestVary(t *testing.T) {
	t.Parallel()
	const failing = `{"actions":[{"type":"tool.error","error":"no"}]}`
	for name, c := range map[string]struct {
		answers []string
		// want are class, pointer and rule, and changed pointers.
		want []string
	}{
		"nothing varies":             {results("a", "a", "a"), nil},
		"spelled in another way":     {members(`{"a":1.0,"b":[]}`, `{"b":[],"a":1}`, `{"a":1e0,"b":[]}`), nil},
		"only the recorded differs":  {results("a", "b", "b"), []string{"changed " + atText}},
		"the recorded is a failure":  {[]string{"!status 500", result("a"), result("a")}, []string{"changed "}},
		"all fail in one way":        {[]string{"!status 500", "!status 500", "!status 500"}, nil},
		"all fail in another way":    {[]string{"!status 500", "!status 502", "!status 502"}, []string{"changed "}},
		"another kind than recorded": {[]string{failing, result("a"), result("a")}, []string{"changed /actions/0/type"}},
		"one answer":                 {results("a", "a"), nil},

		"RFC 3339":                                    {results("2026-08-28T09:15:02Z", "2026-12-01T14:49:58.312Z", "2026-12-01T14:49:59.4Z"), []string{"time " + atText + " +"}},
		"another zone":                                {results("2026-08-28T12:15:02+03:00", "2026-12-01T17:49:58+03:00", "2026-12-01T17:49:59+03:00"), []string{"time " + atText + " +"}},
		"without a zone":                              {results("2026-08-28 11:15:02", "2026-12-01 16:49:58", "2026-12-01 16:49:59"), []string{"time " + atText + " +"}},
		"of a web page":                               {results("Fri, 28 Aug 2026 09:15:02 GMT", "Tue, 01 Dec 2026 14:49:58 GMT", "Tue, 01 Dec 2026 14:49:59 GMT"), []string{"time " + atText + " +"}},
		"of JavaScript":                               {results("Fri Aug 28 2026 09:15:02 GMT+0000 (Coordinated Universal Time)", "Tue Dec 01 2026 14:49:58 GMT+0000 (Coordinated Universal Time)", "Tue Dec 01 2026 14:49:59 GMT+0000 (Coordinated Universal Time)"), []string{"time " + atText + " +"}},
		"of a locale":                                 {results("8/28/2026, 9:15:02 AM", "12/1/2026, 2:49:58 PM", "12/1/2026, 2:49:59 PM"), []string{"time " + atText + " +"}},
		"the time of day":                             {results("09:15", "14:49", "14:50"), []string{"time " + atText + " +"}},
		"in a sentence":                               {results("It is 2026-08-28 09:15:02 in Jena.", "It is 2026-12-01 14:49:58 in Jena.", "It is 2026-12-01 14:49:59 in Jena."), []string{"time " + atText + " +"}},
		"twice in a sentence":                         {results("from 09:15:02 to 09:15:12, all day", "from 14:49:58 to 14:50:08, all day", "from 14:49:59 to 14:50:09, all day"), []string{"time " + atText + " +"}},
		"the end of an hour from now":                 {results("2026-08-28T10:15:02Z", "2026-12-01T15:49:58Z", "2026-12-01T15:49:59Z"), []string{"time " + atText + " +"}},
		"seconds since 1970":                          {members(at(0, time.Second), at(1, time.Second), at(2, time.Second)), []string{"time " + atMember + " +"}},
		"milliseconds since 1970":                     {members(at(0, time.Millisecond), at(1, time.Millisecond), at(2, time.Millisecond)), []string{"time " + atMember + " +"}},
		"in JSON in a text":                           {results(`{"now":"2026-08-28T09:15:02Z","zone":"UTC"}`, `{"now":"2026-12-01T14:49:58Z","zone":"UTC"}`, `{"now":"2026-12-01T14:49:59Z","zone":"UTC"}`), []string{"time " + atText + " +"}},
		"a date that stands still":                    {results("2026-08-28", "2026-12-01", "2026-12-01"), []string{"time " + atText + " +"}},
		"a minute of a zone in winter":                {results("28.08.2026 11:15", "01.12.2026 15:49", "01.12.2026 15:49"), []string{"time " + atText + " +"}},
		"times that do not follow":                    {results("08:00", "12:30", "19:45"), []string{"random " + atText + " +"}},
		"a day of delivery that is another now":       {results("2026-12-24", "2026-12-31", "2026-12-31"), []string{"changed " + atText}},
		"times of another year":                       {results("1984-08-28T09:15:02Z", "1985-12-01T14:49:58Z", "1985-12-02T14:49:59Z"), []string{"random " + atText + " +"}},
		"time, where the recorded is of another form": {results("noon", "2026-12-01T14:49:58Z", "2026-12-01T14:49:59Z"), []string{"time " + atText + " +"}},

		"UUIDs":               {results("8c7a1f9e-4d43-4d0e-9a53-3c5b8a4b0c11", "0b7c61a2-9d0e-4fd6-8a4e-bb7f0f8bdb0a", "dd1b7a52-1111-4e7b-b0fb-2c0a3bb5c9aa"), []string{"id " + atText + " +"}},
		"opaque ids":          {results("V1StGXR8_Z5jdHi6B-myT", "aStGXR8_Z5jdHi6B-m1Tx", "KkStGX38_Z5jdHi6B-myQ"), []string{"id " + atText + " +"}},
		"numbered ids":        {results("order-10071", "order-10072", "order-10073"), []string{"id " + atText + " +"}},
		"an id in a sentence": {results("Booked as BK-55019-x.", "Booked as BK-55020-q.", "Booked as BK-55021-k."), []string{"id " + atText + " +"}},
		"an id in an address": {results("see https://a.example/o/9f8e7d6c?x=1", "see https://a.example/o/1a2b3c4d?x=1", "see https://a.example/o/0a9b8c7d?x=1"), []string{"id " + atText + " +"}},
		"an id and a time":    {results("9f8e7d6c at 09:15:02", "1a2b3c4d at 14:49:58", "0a9b8c7d at 14:49:59"), []string{"id " + atText + " +"}},
		"aliases":             {members(`"call 1"`, `"call 2"`, `"call 13"`), []string{"id " + atMember + " +"}},
		"one id twice":        {results("9f8e7d6c", "1a2b3c4d", "1a2b3c4d", "0a9b8c7d"), []string{"random " + atText + " +"}},
		"words of one length": {results("saturday", "thursday", "wednesda"), []string{"random " + atText + " +"}},

		"a list in another order":            {members(`[1,2,3]`, `[3,2,1]`, `[2,3,1]`), []string{"order " + atMember + " +"}},
		"objects in another order":           {members(`[{"n":1},{"n":2}]`, `[{"n":2},{"n":1}]`, `[{"n":1},{"n":2}]`), []string{"order " + atMember + " +"}},
		"words in another order":             {results("red, green, blue", "green, blue, red", "blue, red, green"), []string{"order " + atText + " +"}},
		"JSON in another order":              {results(`["red","green"]`, `["green","red"]`, `["red","green"]`), []string{"order " + atText + " +"}},
		"another order, and other items too": {members(`[1,2,3]`, `[1,2,3]`, `[3,2,1]`, `[1,2,4]`), []string{"random /state/m/0 /state/m/0", "random /state/m/2 /state/m/2"}},

		"numbers":                       {members(`1`, `2`, `3.5`), []string{"random " + atMember + " +"}},
		"flags":                         {members(`true`, `true`, `false`), []string{"random " + atMember + " +"}},
		"each item":                     {members(`[0,0]`, `[1,2]`, `[3,4]`), []string{"random /state/m/0 /state/m/*", "random /state/m/1 /state/m/*"}},
		"each item but one":             {members(`[0,0,9]`, `[1,2,9]`, `[3,4,9]`), []string{"random /state/m/0 /state/m/0", "random /state/m/1 /state/m/1"}},
		"a type of the worker's own":    {members(`{"type":"sun","t":1}`, `{"type":"rain","t":1}`, `{"type":"snow","t":1}`), []string{"random /state/m/type /state/m/type"}},
		"JSON of another shape in text": {results(`{"a":1}`, `{"b":1}`, `{"c":1}`), []string{"random " + atText + " +"}},

		"result against error":        {[]string{result("a"), result("a"), failing}, []string{"worker /actions/0/type"}},
		"a flag on a result":          {[]string{`{"actions":[{"type":"tool.result","is_error":false}]}`, `{"actions":[{"type":"tool.result","is_error":false}]}`, `{"actions":[{"type":"tool.result","is_error":true}]}`}, []string{"worker /actions/0/is_error"}},
		"text against image":          {[]string{result("a"), result("a"), strings.Replace(result("a"), `"type":"text"`, `"type":"image"`, 1)}, []string{"worker /actions/0/result/content/0/type"}},
		"another tool":                {[]string{`{"actions":[{"type":"tool.call","name":"a"}]}`, `{"actions":[{"type":"tool.call","name":"a"}]}`, `{"actions":[{"type":"tool.call","name":"b"}]}`}, []string{"worker /actions/0/name"}},
		"a failure once":              {[]string{result("a"), result("a"), "!status 500", result("a")}, []string{"worker "}},
		"a failure once, and more":    {[]string{result("a"), result("a"), "!status 500", result("b")}, []string{"worker ", "random " + atText + " +"}},
		"a member that comes":         {members(``, `1`, ``), []string{"worker " + atMember}},
		"null against a value":        {members(`1`, `1`, `null`), []string{"worker " + atMember}},
		"a list that grows":           {members(`[1]`, `[1,2]`, `[1,2,3]`), []string{"worker " + atMember}},
		"a list that grows and turns": {members(`[1,2]`, `[2,1]`, `[1,2]`, `[1,2,3]`), []string{"worker " + atMember}},
		"text against number":         {members(`1`, `1`, `"1"`), []string{"worker " + atMember}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorded, live := answersOf(c.answers)
			unsteady, changed := recorder.Vary(recorded, live)
			var got []string
			for _, u := range unsteady {
				rule := " " + u.Rule
				if u.Rule == u.Pointer && u.Class != recorder.ClassWorker && !strings.Contains(strings.TrimPrefix(u.Pointer, "/state/m"), "/") || u.Rule == atText {
					rule = " +"
				}
				got = append(got, strings.TrimSuffix(string(u.Class)+" "+u.Pointer+rule, " "))
			}
			for _, p := range changed {
				got = append(got, "changed "+p.Pointer)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// at is the time of the answer at i, as a number.
func at(i int, unit time.Duration) string {
	now := sentAt.Add(time.Duration(i) * time.Second)
	if i == 0 {
		now = recordedAt
	}
	return fmt.Sprint(now.UnixNano() / int64(unit))
}

func TestVaryShowsExamples(t *testing.T) {
	t.Parallel()
	_, live := answersOf(members(`1`, `1`, `2`, `1`, `3`, `4`, `5`))
	unsteady, _ := recorder.Vary(nil, live)
	want := []recorder.Unsteady{{Pointer: "/state/m", Class: recorder.ClassRandom, Examples: []string{"1", "2", "3"}, Rule: "/state/m"}}
	if diff := cmp.Diff(want, unsteady); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStability(t *testing.T) {
	t.Parallel()
	ignore, err := recorder.ParseRules([]string{"/state/n"})
	if err != nil {
		t.Fatal(err)
	}
	s := recorder.Stability{Ignore: ignore}
	of := func(d string) recorder.Repeated {
		return recorder.Repeated{Recording: "r.jsonl", Session: "s1", Exchange: d}
	}
	add := func(d string, answers ...string) {
		recorded, live := answersOf(answers)
		s.Add(of(d), recorded, live)
	}
	add("d1", results("a", "a", "a")...)
	add("d2", results("09:15:02", "14:49:58", "14:49:59")...)
	add("d3", results("09:15:02", "14:49:58", "14:49:59")...)
	add("d4", members(`[1,2]`, `[3,2]`, `[4,2]`)...)
	add("d5", members(`[1,2]`, `[1,3]`, `[1,4]`)...)
	add("d6", `{"state":{"n":1}}`, `{"state":{"n":2}}`, `{"state":{"n":3}}`)
	add("d7", members(`1`, `2`, `2`)...)
	add("d8", members(`1`, `1`, `"x"`)...)
	want := recorder.Steadiness{
		Requests: 8, Steady: 3,
		Unsteady: []recorder.UnsteadyPlace{
			{Pointer: atText, Class: recorder.ClassTime, Rule: atText, Examples: []string{`"14:49:58"`, `"14:49:59"`}, First: of("d2"), Requests: 2},
			{Pointer: "/state/m/0", Class: recorder.ClassRandom, Rule: "/state/m/*", Examples: []string{"3", "4"}, First: of("d4"), Requests: 1},
			{Pointer: "/state/m/1", Class: recorder.ClassRandom, Rule: "/state/m/*", Examples: []string{"3", "4"}, First: of("d5"), Requests: 1},
			{Pointer: "/state/n", Class: recorder.ClassRandom, Rule: "/state/n", Ignored: true, Examples: []string{"2", "3"}, First: of("d6"), Requests: 1},
			{Pointer: "/state/m", Class: recorder.ClassWorker, Examples: []string{"1", `"x"`}, First: of("d8"), Requests: 1},
		},
		Changed: []recorder.ChangedPlace{{Pointer: "/state/m", Recorded: "1", Now: "2", First: of("d7"), Requests: 1}},
		Ignore:  []string{atText, "/state/m/*"},
	}
	if diff := cmp.Diff(want, s.Sum()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.Sum().Steadily() {
		t.Error("steady")
	}
}

// FuzzVary holds the rules that are named to what they are named for: with them
// a replay leaves nothing that varies but what no rule should hide, and none of
// them is refused.
func FuzzVary(f *testing.F) {
	f.Add(`{"a":[[1,2],[3,4]]}`, `{"a":[[5,6],[7,4]]}`, `{"a":[[6,5],[4,7]]}`)
	f.Add(`{"a":[1,2,3],"b":"2026-12-01T14:49:58Z"}`, `{"a":[3,2,1],"b":"2026-12-01T14:49:59Z"}`, `{"a":[1,2,3],"b":""}`)
	f.Add(`{"x":[{"a":1},{"a":2}]}`, `{"x":[{"a":2},{"a":3}]}`, `{"x":[{"a":2},{"a":1}]}`)
	f.Add(`{"t":"a 12:00 b"}`, `{"t":"a 12:01 b"}`, `{"t":"a 12:02"}`)
	f.Add(`{"t":"[1,2]"}`, `{"t":"[2,1]"}`, `{"t":"[2,1"}`)
	f.Fuzz(func(t *testing.T, a, b, c string) {
		for _, s := range []string{a, b, c} {
			if jsonv.Valid([]byte(s), jsonv.MaxDepth) != nil {
				return
			}
		}
		holdsToRules(t, a, b, c)
	})
}

// TestVaryAtRandom holds them to it for answers of some shape, the same each
// time, which text changed at random seldom has.
func TestVaryAtRandom(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		a := someAnswer(r, 0)
		b, c := another(r, a, 4), another(r, a, 4)
		holdsToRules(t, printed(a), printed(b), printed(c))
	}
}

// someAnswer is an object of lists, objects, texts and numbers.
func someAnswer(r *rand.Rand, depth int) any {
	switch n := r.IntN(5); {
	case depth == 0 || depth < 4 && n < 2:
		out := map[string]any{}
		for range 1 + r.IntN(3) {
			out[[]string{"a", "b", "actions", "type"}[r.IntN(4)]] = someAnswer(r, depth+1)
		}
		return out
	case depth < 4 && n == 2:
		var out []any
		for range 1 + r.IntN(3) {
			out = append(out, someAnswer(r, depth+1))
		}
		return out
	case n == 3:
		return []string{"x", "09:15", "14:49", "order-1001"}[r.IntN(4)]
	}
	return r.IntN(3)
}

// another is a value with some of what is in it changed, one in so many.
func another(r *rand.Rand, v any, oneIn int) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if r.IntN(4*oneIn) > 0 {
				out[k] = another(r, v[k], oneIn)
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, item := range v {
			out = append(out, another(r, item, oneIn))
		}
		if r.IntN(oneIn) == 0 {
			r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		}
		if r.IntN(4*oneIn) == 0 {
			out = append(out, 7)
		}
		return out
	}
	if r.IntN(oneIn) == 0 {
		return someAnswer(r, 3)
	}
	return v
}

func printed(v any) string {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return string(text)
}

func holdsToRules(t *testing.T, a, b, c string) {
	t.Helper()
	recorded, live := answersOf([]string{a, a, b, c})
	var s recorder.Stability
	s.Add(recorder.Repeated{}, recorded, live)
	sum := s.Sum()
	rules, err := recorder.ParseRules(sum.Ignore)
	if err != nil {
		t.Fatalf("%s %s %s: %q: %v", a, b, c, sum.Ignore, err)
	}
	var left []string
	for _, l := range live {
		for _, p := range rules.Answers(recorded.Answer, l.Answer) {
			left = append(left, p.Pointer)
		}
	}
	for _, p := range left {
		if !slices.ContainsFunc(sum.Unsteady, func(u recorder.UnsteadyPlace) bool {
			above := strings.TrimSuffix(u.Pointer, "/type")
			return u.Class == recorder.ClassWorker && (p == u.Pointer || strings.HasPrefix(p, above+"/"))
		}) {
			t.Fatalf("%s %s %s: %s varies still with %q: %+v", a, b, c, p, sum.Ignore, sum.Unsteady)
		}
	}
	if refused := rules.Check(); len(refused) > 0 {
		t.Fatalf("%s %s %s: %v; of %q: %+v", a, b, c, refused[0], sum.Ignore, sum.Unsteady)
	}
	if (len(sum.Unsteady) == 0) != (jsonv.Equal([]byte(a), []byte(b)) && jsonv.Equal([]byte(a), []byte(c))) || len(sum.Changed) > 0 {
		t.Fatalf("%s %s %s: %+v", a, b, c, sum)
	}
}
