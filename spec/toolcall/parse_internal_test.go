package toolcall

import (
	"strings"
	"testing"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

func TestParseTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{`x`, "expected value at line 1 column 1"},
		{"\ufeff{}", "expected value at line 1 column 1"},
		{"{\n\"a\":\n x}", "expected value at line 3 column 2"},
		{`{`, "EOF while parsing an object at line 1 column 1"},
		{`{"a"`, "EOF while parsing an object at line 1 column 4"},
		{`{"a":`, "EOF while parsing a value at line 1 column 5"},
		{`{"a":1`, "EOF while parsing an object at line 1 column 6"},
		{`{"a":1,`, "EOF while parsing an object at line 1 column 7"},
		{`{"a":1,}`, "trailing comma at line 1 column 8"},
		{`{"a" 1}`, "expected `:` at line 1 column 6"},
		{`{"a":1 "b"}`, "expected `,` or `}` at line 1 column 8"},
		{`{a:1}`, "key must be a string at line 1 column 2"},
		{`{"a":1,2}`, "key must be a string at line 1 column 8"},
		{`[`, "EOF while parsing a list at line 1 column 1"},
		{`[1`, "EOF while parsing a list at line 1 column 2"},
		{`[1,]`, "trailing comma at line 1 column 4"},
		{`[1 2]`, "expected `,` or `]` at line 1 column 4"},
		{`[,]`, "expected value at line 1 column 2"},
		{`{}x`, "trailing characters at line 1 column 3"},
		{"{}\n{}", "trailing characters at line 2 column 1"},
		{`tru`, "EOF while parsing a value at line 1 column 3"},
		{`trux`, "expected ident at line 1 column 4"},
		{`NaN`, "expected value at line 1 column 1"},
		{`-`, "EOF while parsing a value at line 1 column 1"},
		{`-x`, "invalid number at line 1 column 2"},
		{`01`, "invalid number at line 1 column 2"},
		{`-01`, "invalid number at line 1 column 3"},
		{`1.`, "EOF while parsing a value at line 1 column 2"},
		{`1.x`, "invalid number at line 1 column 3"},
		{`1e+`, "EOF while parsing a value at line 1 column 3"},
		{`1ex`, "invalid number at line 1 column 3"},
		{`"a`, "EOF while parsing a string at line 1 column 2"},
		{`"\`, "EOF while parsing a string at line 1 column 2"},
		{`"\u00`, "EOF while parsing a string at line 1 column 5"},
		{`"\x"`, "invalid escape at line 1 column 3"},
		{`"\u00zz"`, "invalid escape at line 1 column 7"},
		{`"\udc00"`, "lone leading surrogate in hex escape at line 1 column 7"},
		{`"\ud800"`, "unexpected end of hex escape at line 1 column 8"},
		{`"\ud800\ud800"`, "lone leading surrogate in hex escape at line 1 column 13"},
		{`"\ud800\`, "EOF while parsing a string at line 1 column 8"},
		{"\"a\tb\"", `control character (\u0000-\u001F) found while parsing a string at line 1 column 3`},
		{"\"\xff\"", "invalid unicode code point at line 1 column 2"},
		{strings.Repeat("[", 128), "recursion limit exceeded at line 1 column 128"},
		{``, "EOF while parsing a value at line 1 column 0"},
	} {
		err := parse(c.text)
		if err == nil || err.Error() != c.want {
			t.Errorf("%.40q: %v, want %s", c.text, err, c.want)
		}
	}
}

// The parser takes the same texts as the other reader of this module.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-0,2.5e-7,"\u00e9\ud83d\ude80",null,true,false]}`, `{"a":1,}`, `[1 2]`, `"\ud800"`, `01`, `-`, "\ufeff1", "\"\xc3\"", ` [] x`,
		`"\uD83D\uDE80"`, `"\ud83d\u0041"`, `1E+05`, strings.Repeat("[", 127) + strings.Repeat("]", 127), strings.Repeat(`{"":`, 128),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		other := jsonv.Valid([]byte(text), jsonv.MaxDepth) == nil && !jsonv.LoneSurrogate([]byte(text))
		if err := parse(text); (err == nil) != other {
			t.Errorf("%q: %v, the other reader takes it: %t", text, err, other)
		}
	})
}
