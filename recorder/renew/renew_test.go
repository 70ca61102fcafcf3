package renew_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/renew"
	"github.com/hallmarkdev/hallmark/spec"
)

const (
	session  = "01989a3c-5400-7c01-8f10-3b7a1d6e0001"
	decision = "01989a3c-5400-7c01-8f10-3b7a1d6e0002"
	call     = "call_5QmZ0aB1cD2eF3gH4iJ5kL6m"
)

// request is a body that reads as a request; trigger, state and messages are
// what they say.
func request(trigger, state, messages string) string {
	return fmt.Sprintf(`{"session_id":%q,"decision_id":%q,"agent_id":"desk","identity":{"visibility":"shared","metadata":{}},`+
		`"trigger":%s, "proposed":{"messages":[],"actions":[],"state":null},"state":%s,"agent":null,"calls":[],"pending_calls":0,`+
		`"messages":%s,"message_tree":{"nodes":[]},"ancestry":[],"attempts":0,"deadline":"2026-08-28T12:00:20.000Z","turn_id":null}`,
		session, decision, trigger, state, messages)
}

func execute(id string) string {
	return fmt.Sprintf(`{"type":"tool.execute","id":%q,"name":"book","arguments":"{}","input":{"status":"valid","value":{}},"attempt":0,"deadline":"2026-08-28T12:02:00Z"}`, id)
}

// learned has learned the ids of bodies of requests.
func learned(t testing.TB, bodies ...string) *renew.IDs {
	t.Helper()
	ids := renew.New(renew.Seeded(7, "a recording"))
	for _, b := range bodies {
		x := &spec.Exchange{RequestBody: []byte(b), Request: &spec.RequestEvent{}}
		if _, fault := x.Asked(); fault != nil {
			t.Fatalf("%s: %v", b, fault)
		}
		ids.Learn(x)
	}
	return ids
}

// to is the new id of an old one.
func to(t testing.TB, ids *renew.IDs, id string) string {
	t.Helper()
	out, is := ids.To(id)
	if !is || out == id || len(out) != len(id) {
		t.Fatalf("the new id of %s is %q, %t", id, out, is)
	}
	return out
}

func TestRenew(t *testing.T) {
	t.Parallel()
	body := request(execute(call), fmt.Sprintf(`{ "%s" : {"done":true}, "last":"%s", "text":"about %s", "n":1.50 }`, call, call, call), `[]`)
	ids := learned(t, body)
	got := ids.Renew([]byte(body), time.Hour+2*time.Millisecond)
	want := strings.NewReplacer(
		`"`+session+`"`, `"`+to(t, ids, session)+`"`, `"`+decision+`"`, `"`+to(t, ids, decision)+`"`, `"`+call+`"`, `"`+to(t, ids, call)+`"`,
		"12:00:20.000Z", "13:00:20.002Z", "12:02:00Z", "13:02:00Z",
	).Replace(body)
	if diff := cmp.Diff(want, string(got.Body)); diff != "" {
		t.Error(diff)
	}
	if got.IDs != 5 || got.Times != 2 || got.Notes != nil || got.Fault != "" {
		t.Errorf("got %+v", got)
	}
	back := ids.Restore(got.Body, false)
	if diff := cmp.Diff(strings.NewReplacer("12:00:20.000Z", "13:00:20.002Z", "12:02:00Z", "13:02:00Z").Replace(body), string(back.Body)); diff != "" {
		t.Error(diff)
	}
}

// New ids look like the old ones, as far as somebody may read them.
func TestNewIDsLookLikeOldOnes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ id, form string }{
		{session, `^01989a3c-5400-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$`},
		{"9F1B2C3D-0000-4AAA-BFFF-000000000001", `^[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-B[0-9A-F]{3}-[0-9A-F]{12}$`},
		{call, `^call_[0-9A-Za-z]{24}$`},
		{"call_0", `^call_[0-9]$`},
		{"toolu_01AbCdEf", `^toolu_[0-9]{2}[A-Za-z]{6}$`},
		{"4f6e2a90b1c2d3e4f5a6b7c8d9e0f1a2", `^[0-9a-f]{32}$`},
		{"é-ü7", `^é-ü[0-9]$`},
		{"blob://acme/01989a3c-5400-7c01-8f10-3b7a1d6e0009?mime=image%2Fpng&size=12", `^blob://acme/[0-9a-f-]{36}\?mime=image%2Fpng&size=12$`},
	} {
		message := fmt.Sprintf(`[{"id":"m-01","role":"user","content":[{"type":"blob","uri":%q}],"tool_calls":[]}]`, c.id)
		if !strings.HasPrefix(c.id, "blob:") {
			message = `[]`
		}
		trigger := execute(c.id)
		if message != `[]` {
			trigger = execute("call_x")
		}
		ids := learned(t, request(trigger, "null", message))
		if got := to(t, ids, c.id); !match(c.form, got) {
			t.Errorf("%s became %s", c.id, got)
		}
		if again := learned(t, request(trigger, "null", message)); to(t, again, c.id) != to(t, ids, c.id) {
			t.Errorf("%s became two ids", c.id)
		}
	}
}

func TestWhatStays(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"user", "tool.execute", "state", "desk", "book", "-"} {
		ids := learned(t, request(execute(id), "null", "[]"))
		if got, is := ids.To(id); is {
			t.Errorf("%s became %s", id, got)
		}
		if diff := cmp.Diff([]string{id}, ids.Kept()); diff != "" {
			t.Error(diff)
		}
	}
}

// Ids that are made of other ids stay so (B8, M6).
func TestComposedIDs(t *testing.T) {
	t.Parallel()
	ids := learned(t, strings.Replace(request(execute(call), "null", "[]"), `"turn_id":null`, `"turn_id":"action:`+decision+`"`, 1))
	if got, want := to(t, ids, "action:"+decision), "action:"+to(t, ids, decision); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	ids := learned(t, request(execute("call_0"), "null", "[]"))
	name := to(t, ids, "call_0")
	for _, c := range []struct {
		name, body, want string
		notes            []renew.Note
	}{
		{"a text that is an id", `{"content":"call_0"}`, `{"content":"` + name + `"}`, []renew.Note{{Pointer: "/content", ID: "call_0", Code: renew.NoteShort}}},
		{"a name that is an id", `{"call_0":1}`, `{"` + name + `":1}`, []renew.Note{{Pointer: "/call_0", ID: "call_0", Code: renew.NoteShort}}},
		{"a place of an id", `{"tool_call_id":"call_0"}`, `{"tool_call_id":"` + name + `"}`, nil},
		{"a text that is a new id", `["` + name + `"]`, `["` + name + `"]`, []renew.Note{{Pointer: "/0", ID: name, Code: renew.NoteClash}}},
		{"escapes that stay", `{"id":"call\u005f0"}`, `{"id":"call\u005f` + name[5:] + `"}`, nil},
		{"an escape that is replaced", `{"id":"call_\u0030"}`, fmt.Sprintf(`{"id":"call_\u%04x"}`, name[5]), nil},
		{"escapes that cannot stay", `{"id":"call_\u0030","x":"\u0063all_0"}`, fmt.Sprintf(`{"id":"call_\u%04x","x":"\u0063all_%s"}`, name[5], name[5:]), []renew.Note{{Pointer: "/x", ID: "call_0", Code: renew.NoteShort}}},
		{"a deadline that is none", `{"deadline":"2026-13-28T12:00:00.000Z"}`, `{"deadline":"2026-13-28T12:00:00.000Z"}`, []renew.Note{{Pointer: "/deadline", ID: "2026-13-28T12:00:00.000Z", Code: renew.NoteTime}}},
		{"a part of a text", `["call_01","xcall_0"]`, `["call_01","xcall_0"]`, nil},
	} {
		got := ids.Renew([]byte(c.body), time.Second)
		if diff := cmp.Diff(c.want, string(got.Body)) + cmp.Diff(c.notes, got.Notes); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	ids := renew.New(nil)
	for _, c := range []struct{ body, want string }{
		{`{"deadline":"2026-08-28T23:59:59.999Z"}`, `{"deadline":"2026-08-29T00:00:01.499Z"}`},
		{`{"deadline":"2026-08-28T23:59:59.9Z"}`, `{"deadline":"2026-08-29T00:00:01.4Z"}`},
		{`{"trigger":{"deadline":"2026-08-28T12:00:00.123456789012+02:00"}}`, `{"trigger":{"deadline":"2026-08-28T12:00:01.623456789012+02:00"}}`},
		{`{"calls":[{},{"deadline":"2026-08-28T12:00:00Z"}]}`, `{"calls":[{},{"deadline":"2026-08-28T12:00:01Z"}]}`},
		{`{"proposed":{"actions":[{"payload":{"expiresAt":"2026-08-28T12:00:00.000Z"}}]}}`, `{"proposed":{"actions":[{"payload":{"expiresAt":"2026-08-28T12:00:01.500Z"}}]}}`},
		{`{"state":{"deadline":"2026-08-28T12:00:00.000Z","payload":{"expiresAt":"2026-08-28T12:00:00.000Z"}}}`, ""},
		{`{"messages":[{"deadline":"2026-08-28T12:00:00.000Z"}],"calls":{"deadline":"2026-08-28T12:00:00.000Z"}}`, ""},
		{`{"deadline":null}`, ""},
		{`{"deadline":"9999-12-31T23:59:59.999Z"}`, ""},
	} {
		want := c.want
		if want == "" {
			want = c.body
		}
		if got := ids.Renew([]byte(c.body), 1500*time.Millisecond); string(got.Body) != want {
			t.Errorf("%s: got %s", c.body, got.Body)
		}
	}
}

func TestStreams(t *testing.T) {
	t.Parallel()
	ids := learned(t, request(execute(call), "null", "[]"))
	body := ": " + call + "\r\nevent: llm.token.delta\r\ndata: {\"tool_calls\":[{\"id\":\"" + call + "\"}]}\r\n\r\n" +
		"event: decision.result\ndata:{\"actions\":[\ndata: \"" + call + "\"\ndata: ]}\n\nevent: x\ndata: \"" + call + "\n\ndata: \"" + call + "\""
	got := ids.RenewAnswer([]byte(body), true, 0)
	want := body
	for _, found := range []string{`"id":"` + call, "data: \"" + call + "\"\ndata: ]}"} {
		want = strings.Replace(want, found, strings.Replace(found, call, to(t, ids, call), 1), 1)
	}
	if diff := cmp.Diff(want, string(got.Body)); diff != "" {
		t.Error(diff)
	}
	if got.IDs != 2 || got.Fault == "" {
		t.Errorf("got %+v", got)
	}
}

// What came in pieces can be cut at the same places.
func TestMoved(t *testing.T) {
	t.Parallel()
	ids := renew.New(nil)
	for i, want := range []bool{true, true, false, false} {
		pair := [][2]string{{"abc", "defghi"}, {"abc", "defghi"}, {"abc", "x"}, {"x", "defghi"}}[i]
		if ids.Bind(pair[0], pair[1]) != want {
			t.Fatalf("%v does not map one to one", pair)
		}
	}
	got := ids.RenewAnswer([]byte(`["abc","abc",1]`), false, 0)
	if string(got.Body) != `["defghi","defghi",1]` {
		t.Fatalf("got %s", got.Body)
	}
	for old, now := range map[int]int{0: 0, 1: 1, 2: 9, 5: 9, 6: 9, 7: 10, 8: 18, 12: 18, 15: 21} {
		if moved := got.Moved(old); moved != now {
			t.Errorf("%d became %d, want %d", old, moved, now)
		}
	}
}

func TestNotJSON(t *testing.T) {
	t.Parallel()
	ids := learned(t, request(execute(call), "null", "[]"))
	for _, body := range []string{"", "{", `{"id":"` + call + `"} x`, "\xff", `"` + call, strings.Repeat("[", 2000)} {
		if got := ids.Renew([]byte(body), 1); string(got.Body) != body || got.Fault == "" || got.IDs != 0 {
			t.Errorf("%q: got %+v", body, got)
		}
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	ids := learned(t, request(execute(call), "null", "[]"))
	trace := "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	list := [][2]string{{"x-session", session}, {"traceparent", trace}, {"x-about", "of " + session}, {"content-type", "application/json"}}
	got := ids.Headers(list)
	if got[0][1] != to(t, ids, session) || !match(`^00-[0-9a-f]{32}-[0-9a-f]{16}-01$`, got[1][1]) || got[1][1] == trace {
		t.Errorf("got %v", got)
	}
	if diff := cmp.Diff(list[2:], got[2:]); diff != "" || list[0][1] != session {
		t.Error(diff, list[0])
	}
}

// Every request and answer of a whole recording goes there and back.
func TestExample(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../testdata/recording-example.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []*spec.Exchange
	ids := renew.New(renew.Seeded(1, "example"))
	for x := range spec.Exchanges(func(yield func(spec.Event) bool) {
		for e, err := range recorder.NewReader(bytes.NewReader(file)).All() {
			if err != nil {
				t.Error(err)
			}
			if !yield(e) {
				return
			}
		}
	}) {
		ids.Learn(x)
		all = append(all, x)
	}
	renewed := 0
	for _, x := range all {
		asked, _ := x.Asked()
		there := ids.Renew(x.RequestBody, time.Minute)
		if bytes.Contains(there.Body, []byte(`"`+asked.DecisionID+`"`)) || bytes.Contains(there.Body, []byte(`"`+asked.SessionID+`"`)) {
			t.Errorf("an old id stands in %s", there.Body)
		}
		back := ids.Restore(ids.Renew(x.RequestBody, 0).Body, false)
		if diff := cmp.Diff(string(x.RequestBody), string(back.Body)); diff != "" {
			t.Error(diff)
		}
		if there.Times == 0 {
			t.Errorf("no deadline was moved in %s", there.Body)
		}
		streams := x.Answer().Streams()
		answer := ids.RenewAnswer(x.ResponseBody, streams, 0)
		if diff := cmp.Diff(string(x.ResponseBody), string(ids.Restore(answer.Body, streams).Body)); diff != "" {
			t.Error(diff)
		}
		renewed += there.IDs + answer.IDs
	}
	if len(all) != 8 || renewed < 50 {
		t.Errorf("%d exchanges with %d ids", len(all), renewed)
	}
}

// texts draws JSON values with ids in them, as values, as names and inside of
// texts, with white space and escapes as others may write them.
func texts(ids []string) *rapid.Generator[string] {
	text := rapid.OneOf(
		rapid.SampledFrom(ids),
		rapid.Custom(func(t *rapid.T) string {
			return rapid.StringOfN(rapid.RuneFrom([]rune("ab \"\\é/")), 0, 4, -1).Draw(t, "before") + rapid.SampledFrom(ids).Draw(t, "id") + "x"
		}),
		rapid.StringOfN(rapid.RuneFrom([]rune("call_0123-é\"\\\n")), 0, 8, -1),
	)
	quoted := rapid.Custom(func(t *rapid.T) string {
		b, err := json.Marshal(text.Draw(t, "text"))
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "escaped") {
			return strings.ReplaceAll(strings.ReplaceAll(string(b), "_", `\u005f`), "/", `\/`)
		}
		return string(b)
	})
	space := rapid.SampledFrom([]string{"", " ", "\n\t"})
	var value func(depth int) *rapid.Generator[string]
	value = func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			kinds := 3
			if depth == 0 {
				kinds = 1
			}
			s := space.Draw(t, "space")
			switch rapid.IntRange(0, kinds).Draw(t, "kind") {
			case 2:
				return "[" + s + strings.Join(rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "items"), s+",") + "]"
			case 3:
				var members []string
				for _, v := range rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "members") {
					members = append(members, quoted.Draw(t, "name")+s+":"+s+v)
				}
				return "{" + strings.Join(members, ","+s) + s + "}"
			case 1:
				return rapid.SampledFrom([]string{"1.50", "-0", "null", "true", "1e99"}).Draw(t, "word")
			}
			return quoted.Draw(t, "string")
		})
	}
	return value(3)
}

func TestThereAndBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		old := rapid.SliceOfNDistinct(rapid.OneOf(
			rapid.SampledFrom([]string{session, call, "call_0", "call_1", "m-01", "a/b:c_9"}),
			rapid.StringMatching(`[a-z]{2,5}[_-][0-9a-zA-Z]{1,8}`),
		), 1, 6, rapid.ID).Draw(rt, "ids")
		var bodies []string
		state := texts(old).Draw(rt, "state")
		for _, id := range old {
			bodies = append(bodies, request(execute(id), state, "[]"))
		}
		ids := learned(t, bodies...)
		for _, body := range bodies {
			there := ids.Renew([]byte(body), 0)
			if there.Fault != "" {
				rt.Fatal(there.Fault)
			}
			if back := ids.Restore(there.Body, false); string(back.Body) != body {
				rt.Fatalf("there %s\nback %s\nwant %s", there.Body, back.Body, body)
			}
			onlyTokens(rt, ids, body, string(there.Body))
		}
	})
}

// onlyTokens wants two texts to be equal but for whole strings that are ids.
func onlyTokens(t *rapid.T, ids *renew.IDs, was, is string) {
	a, b := json.NewDecoder(strings.NewReader(was)), json.NewDecoder(strings.NewReader(is))
	last, now := int64(0), int64(0)
	for {
		x, err := a.Token()
		y, _ := b.Token()
		if err != nil {
			break
		}
		from, to := was[last:a.InputOffset()], is[now:b.InputOffset()]
		last, now = a.InputOffset(), b.InputOffset()
		if from == to {
			continue
		}
		old, isText := x.(string)
		want, known := ids.To(old)
		if got, _ := y.(string); !isText || !known || got != want || len(from) != len(to) {
			t.Fatalf("%s became %s", from, to)
		}
	}
	if was[last:] != is[now:] {
		t.Fatalf("%q became %q", was[last:], is[now:])
	}
}

// Whatever the bytes, nothing panics, and the way back is the way back.
func FuzzRenew(f *testing.F) {
	for _, s := range []string{`{"id":"call_0","x":["call\u005f0"]}`, "data: \"call_0\"\n\n", `"\ud800"`, "\xff", `{"call_0":{"call_0":1,"call_0":2}}`} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, body []byte, stream bool) {
		ids := learned(t, request(execute("call_0"), "null", "[]"))
		there := ids.RenewAnswer(body, stream, time.Second)
		for _, n := range there.Notes {
			if n.Code == renew.NoteClash || n.Code == renew.NoteSpelling {
				return
			}
		}
		if there.Times > 0 {
			return
		}
		if back := ids.Restore(there.Body, stream); !bytes.Equal(back.Body, body) {
			t.Errorf("there %q\nback %q\nwant %q", there.Body, back.Body, body)
		}
	})
}
