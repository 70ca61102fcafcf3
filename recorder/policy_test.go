package recorder_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/recorder"
)

func newScope(t testing.TB, c recorder.PolicyConfig) *recorder.Scope {
	t.Helper()
	c.Key = []byte("k")
	p, err := recorder.NewPolicy(c)
	if err != nil {
		t.Fatal(err)
	}
	return p.Scope()
}

// TestRedactedPlaces names what is secret in a body; all else stays, byte for
// byte. In want, § stands for a stand-in.
func TestRedactedPlaces(t *testing.T) {
	t.Parallel()
	const in = "s3cr3t-value-1"
	for name, c := range map[string]struct {
		config     recorder.PolicyConfig
		body, want string
		kind       string
	}{
		"by name": {body: `{ "password" : "` + in + `", "a":1.0 ,"b":[1e400, "x\ud835y"]}`, want: `{ "password" : "§", "a":1.0 ,"b":[1e400, "x\ud835y"]}`},
		"by the end of a name, in any spelling": {
			body: `{"DB_Password":"` + in + `","stripeApiKey":"` + in + `","x-api-key":"` + in + `","tokens":7,"max_completion_tokens":8}`,
			want: `{"DB_Password":"§","stripeApiKey":"§","x-api-key":"§","tokens":7,"max_completion_tokens":8}`,
		},
		"everything below a name":  {body: `{"credentials":{"user":"u1","list":["` + in + `",{"x":"y2"}],"on":true,"n":null}}`, want: `{"credentials":{"user":"§","list":["§",{"x":"§"}],"on":true,"n":null}}`},
		"numbers stay numbers":     {body: `{"pin":1234,"card_number":4111111111111111}`, want: `{"pin":####,"card_number":################}`},
		"empty values stay":        {body: `{"password":"","token":null,"secret":[]}`, want: `{"password":"","token":null,"secret":[]}`},
		"in a string that is JSON": {body: `{"arguments":"{\"password\":\"` + in + `\",\"n\":1.0}"}`, want: `{"arguments":"{\"password\":\"§\",\"n\":1.0}"}`},
		"in JSON in JSON in a string": {
			body: `{"a":"{\"b\":\"{\\\"token\\\":\\\"` + in + `\\\"}\"}"}`,
			want: `{"a":"{\"b\":\"{\\\"token\\\":\\\"§\\\"}\"}"}`,
		},
		"in arguments that break off": {body: `{"arguments":"{\"password\":\"` + in + `"}`, want: `{"arguments":"{\"password\":\"§"}`},
		"a schema declares and holds none": {
			body: `{"tools":[{"input":{"type":"object","properties":{"password":{"type":"string","description":"the password"}},"required":["password"]}}]}`,
			want: `{"tools":[{"input":{"type":"object","properties":{"password":{"type":"string","description":"the password"}},"required":["password"]}}]}`,
		},
		"data called properties are no schema": {body: `{"properties":{"password":"` + in + `"}}`, want: `{"properties":{"password":"§"}}`},
		"by pointer":                           {config: recorder.PolicyConfig{Pointers: []string{"/state/*/id", "/list/1"}}, body: `{"state":{"a":{"id":"x","n":1},"id":"kept"},"list":["p","q","r"]}`, want: `{"state":{"a":{"id":"§","n":1},"id":"kept"},"list":["p","§","r"]}`},
		"by a pointer to an object":            {config: recorder.PolicyConfig{Pointers: []string{"/a"}}, body: `{"a":{"b":["c"]},"d":"e"}`, want: `{"a":{"b":["§"]},"d":"e"}`},
		"by pattern":                           {config: recorder.PolicyConfig{Patterns: []string{`cust-\d+`, `ref:(\w+)`}}, body: `{"t":"of cust-77 and ref:abc"}`, want: `{"t":"of § and ref:§"}`},
		"by a form that is known": {
			body: `{"t":"use sk-abcdefghijklmnop123 or Bearer abc.def-ghi, at postgres://u:pw9@h/db, AKIAABCDEFGHIJKLMNOP"}`,
			want: `{"t":"use § or Bearer §, at postgres://u:§@h/db, §"}`,
		},
		"known, as it is":          {config: recorder.PolicyConfig{Secrets: []string{in}}, body: `{"t":"it is ` + in + `!"}`, want: `{"t":"it is §!"}`},
		"known, in a name":         {config: recorder.PolicyConfig{Secrets: []string{in}}, body: `{"` + in + `":1}`, want: `{"§":1}`},
		"known, spelled by \\u":    {config: recorder.PolicyConfig{Secrets: []string{in}}, body: `{"t":"\u00733cr3t-value-\u0031 <"}`, want: `{"t":"§ <"}`},
		"known, in a number":       {config: recorder.PolicyConfig{Secrets: []string{"12345678"}}, body: `{"t":12345678.5}`, want: `{"t":########.#}`},
		"learned by name, in text": {body: `{"error":"wrong password ` + in + `","input":{"password":"` + in + `"}}`, want: `{"error":"wrong password §","input":{"password":"§"}}`},
		"words are not learned":    {body: `{"token":"continue","text":"to continue"}`, want: `{"token":"§","text":"to continue"}`},
		"a form": {
			kind: "application/x-www-form-urlencoded",
			body: "user=a%20b&password=" + in + "&x=1", want: "user=a%20b&password=§&x=1",
		},
		"text":         {config: recorder.PolicyConfig{Secrets: []string{in}}, kind: "text/plain", body: "Error: " + in + " and https://u:pw88@h/", want: "Error: § and https://u:§@h/"},
		"a stream":     {kind: "text/event-stream", body: "event: x\ndata: {\"token\":\"" + in + "\"}\r\n\r\ndata: {\"a\":1}\n\n: note\n\n", want: "event: x\ndata: {\"token\":\"§\"}\r\n\r\ndata: {\"a\":1}\n\n: note\n\n"},
		"two values":   {body: `{"token":"` + in + `"}{"token":"` + in + `"}`, want: `{"token":"§"}{"token":"§"}`},
		"broken JSON":  {body: `{"token":"` + in + `",,]}{"password" "x1234567" "token":"` + in + `"`, want: `{"token":"§",,]}{"password" "x1234567" "token":"§"`},
		"stand-ins":    {body: `{"token":"hm-red-key-abcdefgh-000"}`, want: `{"token":"hm-red-key-abcdefgh-000"}`},
		"bare is bare": {config: recorder.PolicyConfig{Bare: true, Keys: []string{"mine"}}, body: `{"token":"t1","mine":"m1"}`, want: `{"token":"t1","mine":"§"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScope(t, c.config)
			got, n := s.Body([]byte(c.body), c.kind, true)
			if diff := cmp.Diff(c.want, marked(string(got), c.want)); diff != "" {
				t.Error(diff)
			}
			if want := strings.Count(c.want, "§") + len(strings.FieldsFunc(c.want, func(r rune) bool { return r != '#' && r != '.' })); n == 0 && want > 0 && strings.ContainsAny(c.want, "§#") {
				t.Errorf("%d places, want some", n)
			}
		})
	}
}

// marked puts § in place of each stand-in, and # in place of digits where want
// has them.
func marked(got, want string) string {
	if strings.Contains(want, "#") {
		out := []byte(got)
		for i := range out {
			if i < len(want) && want[i] == '#' && out[i] >= '0' && out[i] <= '9' {
				out[i] = '#'
			}
		}
		return string(out)
	}
	if strings.Contains(want, recorder.StandInPrefix) {
		return got
	}
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(got, recorder.StandInPrefix)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		b.WriteString("§")
		end := strings.IndexFunc(after, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' })
		if end < 0 {
			end = len(after)
		}
		got = after[end:]
	}
}

// TestStandIns: equal values are equal wherever they stand, others are not, and
// a length tells only its class.
func TestStandIns(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	s := newScope(t, recorder.PolicyConfig{})
	one := func(v string) string {
		out, _ := s.Body([]byte(`{"token":`+string(jsonv.Quote(v))+`}`), "", true)
		text, _ := jsonv.Get(out, "/token")
		got, _ := jsonv.Text(text)
		return got
	}
	g.Expect(one("abc")).To(HavePrefix("hm-red-key-"))
	g.Expect(one("abc")).To(Equal(one("abc")))
	g.Expect(one("abc")).NotTo(Equal(one("abd")))
	g.Expect(one("abc")).To(HaveLen(24))
	g.Expect(one(strings.Repeat("x", 25))).To(HaveLen(32))
	g.Expect(one(strings.Repeat("x", 32))).To(HaveLen(32))
	g.Expect(one(strings.Repeat("x", 9999))).To(HaveLen(4096))
	other := newScope(t, recorder.PolicyConfig{})
	nested, _ := other.Body([]byte(`{"a":"{\"token\":\"abc\"}"}`), "", true)
	g.Expect(string(nested)).To(ContainSubstring(one("abc")))
	_, err := recorder.NewPolicy(recorder.PolicyConfig{})
	g.Expect(err).To(MatchError("redaction: no key for the stand-ins"))
	_, err = recorder.NewPolicy(recorder.PolicyConfig{Key: []byte("k"), Pointers: []string{"a"}})
	g.Expect(err).To(MatchError(ContainSubstring("must begin with a slash")))
}

func TestRedactedHeaders(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	s := newScope(t, recorder.PolicyConfig{Secrets: []string{"known-value"}, Headers: []string{"X-Mine"}})
	list := [][2]string{
		{"authorization", "Bearer abc123"}, {"Cookie", "a=b; c=d"}, {"x-mine", "m"}, {"X-Vendor-Api-Key", "k"},
		{"X-Substructure-Signature", "sha256=00ff"}, {"x-note", "with known-value in it"}, {"traceparent", "00-a-b-01"},
	}
	got, n := s.Headers(list)
	g.Expect(n).To(Equal(6))
	for i, want := range []string{"Bearer §", "§", "§", "§", "sha256=§", "with § in it", "00-a-b-01"} {
		g.Expect(marked(got[i][1], want)).To(Equal(want))
	}
	g.Expect(list[0][1]).To(Equal("Bearer abc123"), "the list is not changed")
	target, n := s.Target("/known-value/x?a=1&api_key=zz&b=%6Bnown-value")
	g.Expect(n).To(Equal(3))
	g.Expect(marked(target, "")).To(Equal("/§/x?a=1&api_key=§&b=§"))
	same, n := s.Target("/a%2Fb?x=%zz&y")
	g.Expect(n).To(BeZero())
	g.Expect(same).To(Equal("/a%2Fb?x=%zz&y"))
}

// TestNoSpellingLeaks: whatever a secret is made of, and however it stands in a
// body, neither it nor its decoded form is in what is written.
func TestNoSpellingLeaks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[a-zA-Z0-9"\\/<>&é🌍 +=%-]{8,24}`).Draw(t, "secret")
		p, err := recorder.NewPolicy(recorder.PolicyConfig{Key: []byte("k"), Secrets: []string{secret}, Bare: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(strings.TrimSpace(secret)) < 8 {
			return
		}
		before, after := rapid.StringMatching(`[a-z ]{0,5}`).Draw(t, "before"), rapid.StringMatching(`[a-z ]{0,5}`).Draw(t, "after")
		text := before + secret + after
		plain := text
		for depth := rapid.IntRange(0, 3).Draw(t, "depth"); depth > 0; depth-- {
			text = `{"x":` + string(jsonv.Quote(text)) + `}`
		}
		for _, body := range []string{
			`{"v":` + string(jsonv.Quote(text)) + `}`,
			"log: " + text,
			"event: x\ndata: " + string(jsonv.Quote(text)) + "\n\n",
			`{"v":"` + base64.StdEncoding.EncodeToString([]byte(plain)) + `"}`,
			"a=" + url.QueryEscape(plain),
		} {
			s := p.Scope()
			got, n := s.Body([]byte(body), "", true)
			if n == 0 && !strings.ContainsAny(secret, "\n") {
				t.Fatalf("nothing was found in %q", body)
			}
			for _, spelled := range []string{secret, inner(secret), inner(inner(secret)), url.QueryEscape(secret)} {
				if strings.Contains(string(got), spelled) {
					t.Fatalf("%q is in %q", spelled, got)
				}
			}
			if s.Leaks(got) {
				t.Fatalf("the last look finds something in %q", got)
			}
			if !s.Leaks([]byte(body)) {
				t.Fatalf("the last look misses %q", body)
			}
		}
	})
}

func inner(s string) string {
	q, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic(err)
	}
	return string(q[1 : len(q)-1])
}

// TestStreamIsHeld: however a stream is cut, the secret is found, and what comes
// out is the stream.
func TestStreamIsHeld(t *testing.T) {
	t.Parallel()
	const secret = "the-known-secret-9"
	stream := "event: llm.token.delta\ndata: {\"text\":\"a " + secret + "\"}\n\nevent: decision.result\r\ndata: {\"password\":\"other-secret-1\"}\r\n\r\ndata: tail " + secret
	whole := ""
	for cut := range len(stream) + 1 {
		s := newScope(t, recorder.PolicyConfig{Secrets: []string{secret}}).Stream()
		out := string(s.Add([]byte(stream[:cut]))) + string(s.Add([]byte(stream[cut:]))) + string(s.Close(true))
		if strings.Contains(out, secret) || strings.Contains(out, "other-secret-1") {
			t.Fatalf("cut at %d: %q", cut, out)
		}
		if whole == "" {
			whole = out
		}
		if out != whole {
			t.Fatalf("cut at %d: %q, want %q", cut, out, whole)
		}
	}
	if got := marked(whole, ""); got != "event: llm.token.delta\ndata: {\"text\":\"a §\"}\n\nevent: decision.result\r\ndata: {\"password\":\"§\"}\r\n\r\ndata: tail §" {
		t.Error(got)
	}
}

// TestDeltas: a secret that a model streams token by token is found, in texts and
// in the arguments of calls; all else comes out as it went in.
func TestDeltas(t *testing.T) {
	t.Parallel()
	frame := func(data string) string { return "event: llm.token.delta\ndata: " + data + "\n\n" }
	text := func(s string) string { return frame(`{"text":` + string(jsonv.Quote(s)) + `,"n":1.0}`) }
	call := func(s string) string {
		return frame(`{"tool_calls":[{"id":"c1","arguments":` + string(jsonv.Quote(s)) + `}]}`)
	}
	result := "event: decision.result\ndata: {}\n\n"
	for name, c := range map[string]struct{ in, want string }{
		"a text":       {text("it is") + text(" the-") + text("known-se") + text("cret-9") + text(" now") + result, text("it is") + text(" §") + text("") + text("") + text(" now") + result},
		"by its form":  {text("sk-abcd") + text("efghijklmnop") + text("qrst") + result, text("§") + text("") + text("") + result},
		"a call":       {call(`{"passw`) + call(`ord":"hun`) + call(`ter2"}`) + result, strings.Repeat(frame(`{"tool_calls":[]}`), 3) + result},
		"other texts":  {text("a") + text("b c") + text("\n") + call(`{"x":`) + call(`1}`) + text("z"), text("a") + text("b c") + text("\n") + call(`{"x":`) + call(`1}`) + text("z")},
		"other frames": {frame(`{"finish_reason":"stop"}`) + frame("[DONE]") + ": note\n\n" + result, frame(`{"finish_reason":"stop"}`) + frame("[DONE]") + ": note\n\n" + result},
	} {
		s := newScope(t, recorder.PolicyConfig{Secrets: []string{"the-known-secret-9"}}).Stream()
		var out []byte
		for i := range len(c.in) {
			out = append(out, s.Add([]byte(c.in[i:i+1]))...)
		}
		out = append(out, s.Close(true)...)
		if diff := cmp.Diff(c.want, marked(string(out), "")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestCutBodies: of a body that is not whole nothing is kept of a token or word
// that is cut off.
func TestCutBodies(t *testing.T) {
	t.Parallel()
	const secret = "the-known-secret-9"
	for _, body := range []string{`{"a":"b","note":"x ` + secret + `"}`, "plain text, then " + secret + " more", "data: x\n\ndata: " + secret + "\n\n"} {
		for cut := range body {
			kind := "text/plain"
			if strings.HasPrefix(body, "data") {
				kind = "text/event-stream"
			}
			s := newScope(t, recorder.PolicyConfig{Secrets: []string{secret}})
			got, _ := s.Body([]byte(body[:cut]), kind, false)
			if strings.Contains(string(got), secret[:4]) {
				t.Fatalf("cut at %d: %q of %q", cut, got, body[:cut])
			}
		}
	}
}

// TestBodiesThatHoldNothing come back as they are.
func TestBodiesThatHoldNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.SliceOf(rapid.SampledFrom([]byte(`{}[]",:\u0123 abn1.eE-+`))).Draw(t, "body")
		p, _ := recorder.NewPolicy(recorder.PolicyConfig{Key: []byte("k"), Secrets: []string{"no-such-secret"}, Bare: true})
		got, n := p.Scope().Body(body, "", true)
		if n != 0 || string(got) != string(body) {
			t.Fatalf("%q became %q", body, got)
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	var body strings.Builder
	body.WriteString(`{"messages":[`)
	for i := range 2000 {
		fmt.Fprintf(&body, `{"id":"m-%d","role":"user","content":"What about order \"%d\"? It was sent on Monday, and the shop says it is lost; please look again.","tool_calls":[]},`, i, i)
	}
	body.WriteString(`null]}`)
	text := []byte(body.String())
	p, err := recorder.NewPolicy(recorder.PolicyConfig{Key: []byte("k"), Secrets: []string{"one-known-secret", "another-known-secret"}})
	if err != nil {
		b.Fatal(err)
	}
	s := p.Scope()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s.Body(text, "application/json", true)
	}
}
