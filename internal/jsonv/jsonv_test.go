package jsonv_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

func TestEqual(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", jsonv.Deepest+1) + strings.Repeat("]", jsonv.Deepest+1)
	for _, c := range []struct {
		name, a, b string
		want       bool
	}{
		{"spelling of numbers", `[1,1.0,1e0,10E-1,0.1e+1]`, `[1.0,1e0,10e-1,1,1]`, true},
		{"beyond a float", `9007199254740993`, `9007199254740992`, false},
		{"many digits", `0.1000000000000000000000000001`, `0.1`, false},
		{"zero and minus zero", `[0,-0,0.0,0e9]`, `[-0,0,0,0]`, true},
		{"sign", `-1`, `1`, false},
		{"huge exponent", `1e1000000000`, `10e999999999`, true},
		{"huge exponent off by one", `1e1000000000`, `1e999999999`, false},
		{"negative exponent", `1e-1000000000`, `0.1e-999999999`, true},
		{"exponent beyond 64 bits", `1e99999999999999999999`, `10e99999999999999999998`, true},
		{"endless exponent", `1e1` + strings.Repeat("0", 1e6), `1e+01` + strings.Repeat("0", 1e6), true},
		{"endless exponents that differ", `1e1` + strings.Repeat("0", 1e6), `1e2` + strings.Repeat("0", 1e6), false},
		{"order of members", `{"a":1,"b":[{"c":2,"d":3}]}`, ` { "b" : [ {"d":3,"c":2} ], "a" : 1.0 } `, true},
		{"order of elements", `[1,2]`, `[2,1]`, false},
		{"last of equal names", `{"a":1,"a":2}`, `{"a":2}`, true},
		{"first of equal names", `{"a":1,"a":2}`, `{"a":1}`, false},
		{"escapes", `{"\u0061":"\u00e9\/\ud83d\ude00\n"}`, "{\"a\":\"é/😀\\u000a\"}", true},
		{"lone surrogates read alike", `"\ud800"`, `"\udfff"`, true},
		{"text and number", `"1"`, `1`, false},
		{"null and nothing", `null`, ``, false},
		{"nothing", ``, ``, true},
		{"null and false", `null`, `false`, false},
		{"missing member", `{"a":1}`, `{"a":1,"b":null}`, false},
		{"empty", `[{},[],""]`, `[ { } , [ ] , "" ]`, true},
		{"object and array", `{}`, `[]`, false},
		{"damaged text equals itself", `{"a":`, `{"a":`, true},
		{"damaged text", `{"a":`, `{"a": `, false},
		{"trailing text", `1 2`, `1  2`, false},
		{"too deep", deep, deep + " ", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, b := jsontext.Value(c.a), jsontext.Value(c.b)
			if got := jsonv.Equal(a, b); got != c.want {
				t.Errorf("Equal is %t, want %t", got, c.want)
			}
			if got := jsonv.Equal(b, a); got != c.want {
				t.Errorf("Equal the other way is %t, want %t", got, c.want)
			}
			if _, _, _, got := jsonv.Diff(a, b); got != c.want {
				t.Errorf("Diff says %t, want %t", got, c.want)
			}
		})
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	const doc = `{"a":[10,{"b":"x"}],"a/b":1,"m~n":2,"":3,"0":4,"d":1,"d":5,"é":6}`
	for pointer, want := range map[string]string{
		"": doc, "/a/0": "10", "/a/1/b": `"x"`, "/a~1b": "1", "/m~0n": "2", "/": "3", "/0": "4", "/d": "5", "/é": "6",
		"/a/2": "", "/a/00": "", "/a/-": "", "/a/+1": "", "/a/99999999999999999999": "", "/x": "", "a": "", "/a/0/0": "", "/a/1/b/c": "",
	} {
		got, ok := jsonv.Get(jsontext.Value(doc), pointer)
		if string(got) != want || ok != (want != "") {
			t.Errorf("%q: got %s, %t, want %q", pointer, got, ok, want)
		}
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	got, err := jsonv.Members(jsontext.Value(` {"b" : [1, 2] ,"a":"\u0062","b":null} `))
	want := []jsonv.Member{
		{Name: "b", Value: jsontext.Value(`[1, 2]`)}, {Name: "a", Value: jsontext.Value(`"\u0062"`)}, {Name: "b", Value: jsontext.Value(`null`)},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for _, bad := range []string{``, `[]`, `{`, `{"a"`, `{"a":}`, `{"a":1,}`, `{"a":1} x`, `{a:1}`, `null`, `{"a":1 "b":2}`} {
		if got, err := jsonv.Members(jsontext.Value(bad)); err == nil {
			t.Errorf("%s: got %v", bad, got)
		}
	}
}

func TestElements(t *testing.T) {
	t.Parallel()
	got, err := jsonv.Elements(jsontext.Value("\n[ 1 ,\"]\" , {\"a\":[]}]"))
	want := []jsontext.Value{jsontext.Value(`1`), jsontext.Value(`"]"`), jsontext.Value(`{"a":[]}`)}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for _, bad := range []string{``, `{}`, `[`, `[1`, `[1,]`, `[,]`, `[1 2]`, `[1]]`, `[01]`} {
		if got, err := jsonv.Elements(jsontext.Value(bad)); err == nil {
			t.Errorf("%s: got %v", bad, got)
		}
	}
}

func TestSorted(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		` { "b" : 1.50 , "a" : [ true , null , "x\u0041\/" ] , "b" : -0 } `: `{"a":[true,null,"xA/"],"b":0}`,
		`[-0,-0.0,1e5,0]`:        `[0,-0.0,1e5,0]`,
		`{"Z":1,"a":2,"É":3}`:    `{"Z":1,"a":2,"É":3}`,
		"\"<\\u2028\\u007f\\t\"": "\"<\u2028\u007f\\t\"",
		`{"a":`:                  `{"a":`,
	} {
		if got := string(jsonv.Sorted(jsontext.Value(in))); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func TestCompact(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		" { \"a b\" : [ 1 , \"\\u0041 \" ] }\n": `{"a b":[1,"\u0041 "]}`,
		`"open`:                                 `"open`,
		``:                                      ``,
	} {
		if got := string(jsonv.Compact(jsontext.Value(in))); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestDiff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ got, want, pointer, gotText, wantText string }{
		{`{"a":[1,{"b":2}]}`, `{"a":[1,{"b":3}]}`, "/a/1/b", "2", "3"},
		{`{"a":1}`, `{"a":1,"b~/c":2}`, "/b~0~1c", "absent", "2"},
		{`{"a":1,"b":2}`, `{"a":1}`, "/b", "2", "absent"},
		{`[1,2,3]`, `[1,2]`, "/2", "3", "absent"},
		{`[1]`, `[1,2]`, "/1", "absent", "2"},
		{`{"a":1}`, `[1]`, "", `{"a":1}`, "[1]"},
		{`{"x":1,"a":1}`, `{"a":2,"x":2}`, "/a", "1", "2"},
		{`{"a":1,"a":2}`, `{"a":3,"a":1}`, "/a", "2", "1"},
		{``, `1`, "", "absent", "1"},
		{`"` + strings.Repeat("é", 200) + `"`, `1`, "", `"` + strings.Repeat("é", 99) + "… (203 more bytes)", "1"},
	} {
		got := jsontext.Value(c.got)
		if c.got == "" {
			got = nil
		}
		pointer, gotText, wantText, equal := jsonv.Diff(got, jsontext.Value(c.want))
		if equal || pointer != c.pointer || gotText != c.gotText || wantText != c.wantText {
			t.Errorf("%s | %s: got %q %q %q %t", c.got, c.want, pointer, gotText, wantText, equal)
		}
	}
}

func TestPut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, pointer, want string }{
		{`{"a": [1, {"b~/": 2}], "c":3}`, "/a/1/b~0~1", `{"a":[1,{"b~/":9}],"c":3}`},
		{`{"a":1,"a":{"b":1}}`, "/a/b", `{"a":1,"a":{"b":9}}`},
		{`[ 1, 2 ]`, "/0", `[9,2]`},
		{`1`, "", `9`},
		{`{"a":1}`, "/b", `{"a":1}`},
		{`{"a":1}`, "/a/b", `{"a":1}`},
		{`[1]`, "/1", `[1]`},
		{`x`, "/a", `x`},
	} {
		if got := jsonv.Put(jsontext.Value(c.in), c.pointer, jsontext.Value("9")); string(got) != c.want {
			t.Errorf("%s at %q: got %s, want %s", c.in, c.pointer, got, c.want)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		got, want string
		places    []string
	}{
		{`{"a":1,"b":[1,2]}`, `{"b":[1.0,2],"a":1e0}`, nil},
		{`{"a":1,"b":2,"d":{"e":[]}}`, `{"c":3,"a":4,"d":{"e":{}}}`, []string{"/c absent 3", "/a 1 4", "/d/e [] {}", "/b 2 absent"}},
		{`[1,2,3]`, `[3,2,1]`, []string{"/0 1 3 reordered in ", "/2 3 1 reordered in "}},
		{`[1,2,2]`, `[2,1,1]`, []string{"/0 1 2", "/1 2 1", "/2 2 1"}},
		{`{"a":[{"n":1.0},{"n":2}]}`, `{"a":[{"n":2},{"n":1}]}`, []string{"/a/0/n 1.0 2 reordered in /a", "/a/1/n 2 1 reordered in /a"}},
		{`{"a":[[1,2],3]}`, `{"a":[[2,1]]}`, []string{"/a/0/0 1 2 in /a reordered in /a/0", "/a/0/1 2 1 in /a reordered in /a/0", "/a/1 3 absent in /a"}},
		{`{"a":1,"a":2,"a":3}`, `{"a":3,"a":1}`, []string{"/a 3 1"}},
		{`{"a":1,"a":2}`, `{}`, []string{"/a 2 absent"}},
		{`x`, `{}`, []string{" x {}"}},
		{`"\u0041"`, `"A"`, nil},
	} {
		var got []string
		for p := range jsonv.Places(jsontext.Value(c.got), jsontext.Value(c.want)) {
			line := p.Pointer + " " + jsonv.Short(p.Got, 50) + " " + jsonv.Short(p.Want, 50)
			for _, l := range p.Lists {
				line += map[bool]string{false: " in ", true: " reordered in "}[l.Reordered] + l.Pointer
			}
			got = append(got, line)
		}
		if !slices.Equal(got, c.places) {
			t.Errorf("%s | %s: got %q, want %q", c.got, c.want, got, c.places)
		}
	}
	for range jsonv.Places(jsontext.Value(`[1,2]`), jsontext.Value(`[3,4]`)) {
		break
	}
}

func TestValid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in           string
		offset       int
		line, column int
		message      string
	}{
		{"", 0, 1, 1, "end of text where a value should be"},
		{"\n\n  x", 4, 3, 3, `expected a value, got 'x'`},
		{"\ufeff{}", 0, 1, 1, "byte-order mark before the value"},
		{"{} {}", 3, 1, 4, "trailing characters after the value"},
		{`{"a":01}`, 5, 1, 6, "number with a leading zero"},
		{`[1.]`, 3, 1, 4, "expected a digit after the point, got ']'"},
		{`[1e]`, 3, 1, 4, "expected a digit in the exponent, got ']'"},
		{`[-]`, 2, 1, 3, "expected a digit, got ']'"},
		{"NaN", 0, 1, 1, "expected a value, got 'N'"},
		{"nul", 0, 1, 1, "expected null"},
		{"\"a\nb\"", 2, 1, 3, "control character 0x0a in a string"},
		{`"\x"`, 1, 1, 2, "bad escape in a string"},
		{`"\u12"`, 1, 1, 2, "bad escape in a string"},
		{"\"\xff\"", 1, 1, 2, "invalid UTF-8: byte 0xff"},
		{"\"\xed\xa0\x80\"", 1, 1, 2, "invalid UTF-8: byte 0xed"},
		{`"open`, 5, 1, 6, "string of offset 0 is not closed"},
		{`{"a" 1}`, 5, 1, 6, "expected ':' after a member name, got '1'"},
		{`{"a":1`, 6, 1, 7, "end of text where ',' or '}' should be"},
		{`[1 2]`, 3, 1, 4, "expected ',' or ']', got '2'"},
		{`[1,]`, 3, 1, 4, "expected a value, got ']'"},
		{"\u00a0{}", 0, 1, 1, `expected a value, got '\u00a0'`},
		{strings.Repeat("[", 128), 127, 1, 128, "nested deeper than 127 levels"},
		{strings.Repeat(`{"a":`, 128), 635, 1, 636, "nested deeper than 127 levels"},
	} {
		err := jsonv.Valid([]byte(c.in), jsonv.MaxDepth)
		want := &jsonv.SyntaxError{Offset: c.offset, Line: c.line, Column: c.column, Message: c.message}
		if diff := cmp.Diff(want, err); diff != "" {
			t.Errorf("%q:\n%s", c.in, diff)
		}
	}
	for _, good := range []string{
		` {"a":[1,-0.5e+3,true,false,null,"\ud800\u00e9é"]} `, `"\ud83d\ude00"`, "0", "-0", `{"a":1,"a":2}`,
		strings.Repeat("[", 127) + strings.Repeat("]", 127),
	} {
		if err := jsonv.Valid([]byte(good), jsonv.MaxDepth); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"a\"\\\/\b\f\n\r\tz"`: "a\"\\/\b\f\n\r\tz", `"\ud83d\ude00"`: "😀", `"\ud83dx"`: "\ufffdx",
		`"\ude00\ud83d"`: "\ufffd\ufffd", `"\ud83d\ud83d\ude00"`: "\ufffd😀", ` "a" `: "a", `""`: "",
	} {
		if got, ok := jsonv.Text(jsontext.Value(in)); !ok || got != want {
			t.Errorf("%s: got %q, %t", in, got, ok)
		}
	}
	for _, bad := range []string{``, `1`, `null`, `"a`, `"a" "b"`, "\"\xff\""} {
		if got, ok := jsonv.Text(jsontext.Value(bad)); ok {
			t.Errorf("%q: got %q", bad, got)
		}
	}
}

func TestLoneSurrogate(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		`"\ud800"`: true, `"\udc00"`: true, `"\ud83d\ude00"`: false, `"\\ud800"`: false, `"\\\ud800"`: true,
		`"\ud83d\u0041"`: true, `"\ud83d\\ude00"`: true, `{"\ud800":1}`: true, `"\n\u0041"`: false, ``: false, `"\`: false,
	} {
		if got := jsonv.LoneSurrogate([]byte(in)); got != want {
			t.Errorf("%s: got %t", in, got)
		}
	}
}

func TestShort(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		max  int
		want string
	}{
		{`{ "a": 1 }`, 20, `{"a":1}`},
		{`"abcdef"`, 4, `"abc… (4 more bytes)`},
		{`"éé"`, 2, `"… (5 more bytes)`},
	} {
		if got := jsonv.Short(jsontext.Value(c.in), c.max); got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
	}
}

// Whatever the bytes, nothing panics, and the strict check agrees with the
// library's own.
func FuzzValid(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e3,"\u00e9"]}`, `[`, `"\ud800"`, "\xff", `1e99`, ` null `, `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v := jsontext.Value(b)
		err := jsonv.Valid(b, jsonv.Deepest)
		// The library counts a lone surrogate as invalid text.
		if !jsonv.LoneSurrogate(b) {
			if want := v.IsValid(jsontext.AllowDuplicateNames(true)); want != (err == nil) {
				t.Errorf("got %v, the library says %t", err, want)
			}
		}
		_, _ = jsonv.Members(v)
		_, _ = jsonv.Elements(v)
		_, _ = jsonv.Text(v)
		_, _ = jsonv.Get(v, "/a/0")
		_, _, _ = jsonv.SoundMembers(v), jsonv.SoundElements(v), jsonv.Short(v, 10)
		_, _ = jsonv.SoundText(v)
		if err == nil {
			soundAlike(t, v)
		}
		sorted := jsonv.Sorted(v)
		if err == nil && !jsonv.Equal(v, sorted) {
			t.Errorf("sorted to %s, which does not mean the same", sorted)
		}
		if err == nil && !jsonv.Equal(v, jsonv.Compact(v)) {
			t.Errorf("compacted to %s, which does not mean the same", jsonv.Compact(v))
		}
	})
}

// soundAlike wants the quick walk through a sound text to find what the strict
// one finds.
func soundAlike(t testing.TB, v jsontext.Value) {
	t.Helper()
	members, _ := jsonv.Members(v)
	if diff := cmp.Diff(members, jsonv.SoundMembers(v)); diff != "" {
		t.Errorf("members of %s: %s", v, diff)
	}
	elements, _ := jsonv.Elements(v)
	if diff := cmp.Diff(elements, jsonv.SoundElements(v)); diff != "" {
		t.Errorf("elements of %s: %s", v, diff)
	}
	text, is := jsonv.Text(v)
	if got, ok := jsonv.SoundText(v); got != text || ok != is {
		t.Errorf("text of %s: got %q %t, want %q %t", v, got, ok, text, is)
	}
	for _, m := range members {
		soundAlike(t, m.Value)
	}
	for _, e := range elements {
		soundAlike(t, e)
	}
}

func TestSound(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`, `[]`, ` { } `, ` [ ] `, `""`, `"\\"`, `"a\\\""`, `"]}\"{["`, `-0.5e-3`, ` null `, `[[],{},[[1 , 2]],"]"]`,
		` { "a" : [ 1 , true , null , "\u00e9\ud83d\ude00 \"}" ] , "a\u0062" : { "b" : "\\" } , "" : -1 } `,
	} {
		soundAlike(t, jsontext.Value(text))
	}
	rapid.Check(t, func(t *rapid.T) {
		b := []byte(rapid.StringOfN(rapid.SampledFrom([]rune(`{}[]":,\\u0a 1-n`)), 0, 24, -1).Draw(t, "text"))
		v := jsontext.Value(b)
		_, _ = jsonv.SoundMembers(v), jsonv.SoundElements(v)
		_, _ = jsonv.SoundText(v)
	})
}

// A number means the same however the point is moved.
func TestNumbersMoveThePoint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`[1-9][0-9]{0,30}`).Draw(t, "digits")
		zeros := rapid.IntRange(1, 40).Draw(t, "zeros")
		shifted := digits + strings.Repeat("0", zeros)
		exponent := rapid.Int64().Draw(t, "exponent")
		moved := new(big.Int).Add(big.NewInt(exponent), big.NewInt(int64(zeros)))
		a := jsontext.Value(fmt.Sprintf("%se%d", shifted, exponent))
		b := jsontext.Value(fmt.Sprintf("%s.%se%d", digits, shifted[len(digits):], moved))
		if !jsonv.Equal(a, b) {
			t.Fatalf("%s is not %s", a, b)
		}
		if jsonv.Equal(a, jsontext.Value("1"+string(a))) {
			t.Fatalf("a digit more makes no difference to %s", a)
		}
	})
}
