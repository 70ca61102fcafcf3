package arguments

import (
	"fmt"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// inText is the text with a piece spelled into its first text, behind the
// first character or at the end.
func (k *breaks) inText(piece string) string {
	quoted := string(jsonv.Quote(k.rich.get(k.path).text))
	at := len(quoted) - 1
	if len(quoted) > 2 && quoted[1] != '\\' && quoted[1] < 0x80 {
		at = 2
	}
	return k.rich.edit(k.path, spelled(quoted[:at]+piece+quoted[at:])).String()
}

// insideText adds what a JSON text may not hold.
func (k *breaks) insideText() {
	for c := range 0x20 {
		k.add("control character", fmt.Sprintf("raw control character 0x%02x in a text", c), k.inText(string(rune(c))))
	}
	k.add("control character", "raw line break of two characters in a text", k.inText("\r\n"))
	k.add("control character", "raw control character in a name",
		strings.Replace(k.rich.String(), `"`, "\"\n", 1))
	for _, one := range []struct{ name, piece string }{
		{"backslash before a raw line break", "\\\n"}, {"backslash before a raw tab", "\\\t"},
		{"an escape in hex", `\x41`}, {"an escape of a single quote", `\'`}, {"an escape that JSON does not know", `\q`},
		{"an escape of a space", `\ `}, {"an escape with too few digits", `\u12`}, {"an escape with braces", `\u{1F378}`},
		{"an escape in capitals", `\U0001F378`}, {"an escape in octal", `\101`}, {"a path with backslashes", `C:\Users\me`},
		{"a pattern with backslashes", `^\d+\.\w$`},
	} {
		k.add("escape", one.name, k.inText(one.piece))
	}
	for _, one := range []struct{ name, piece string }{
		{"first half of a surrogate pair alone", `\ud835`}, {"second half of a surrogate pair alone", `\udf78`},
		{"halves of a surrogate pair in the wrong order", `\udf78\ud83c`}, {"first half of a surrogate pair twice", `\ud83c\ud83c`},
		{"first half of a surrogate pair before another escape", `\ud83c\n`}, {"first half of a surrogate pair before a letter", `\ud83cA`},
		{"half of a surrogate pair, in capital digits", `\uD800`}, {"surrogate pair cut inside", `\ud83c\udf7`},
	} {
		k.add("surrogate", one.name, k.inText(one.piece))
	}
	for _, one := range []struct{ name, piece string }{
		{"quotes that are not escaped", `what is "AI"?`}, {"one quote that is not escaped", `5" long`},
		{"a quote escaped twice", `say \\"hi\\"`}, {"a quote doubled", `say ""hi""`},
		{"a quote that ends the text early", `", x`},
	} {
		k.add("quote", one.name, k.inText(one.piece))
	}
}

// literals adds values that other languages write.
func (k *breaks) literals() {
	value := func(text string) string { return k.rich.edit(k.path, spelled(text)).String() }
	for _, one := range []struct{ name, text string }{
		{"NaN", "NaN"}, {"Infinity", "Infinity"}, {"-Infinity", "-Infinity"}, {"None", "None"}, {"True", "True"}, {"False", "False"},
		{"undefined", "undefined"}, {"nil", "nil"}, {"NULL", "NULL"}, {"a word without quotes", "hello"},
		{"a number in hex", "0x1F"}, {"a number with a zero before", "007"}, {"a number with a plus", "+1"},
		{"a number without digits before the point", ".5"}, {"a number without digits behind the point", "5."},
		{"a number with an empty exponent", "1e"}, {"a number with underscores", "1_000"}, {"a number with a comma", "1,000"},
		{"a number of an integer type", "10n"}, {"two minus signs", "--1"}, {"a minus alone", "-"},
		{"a date without quotes", "2026-08-28"}, {"an expression", "1 + 1"}, {"a joined text", `"a" + "b"`},
		{"an ellipsis", "..."}, {"a placeholder", "<city>"}, {"a template without quotes", "${city}"}, {"nothing", ""},
		{"single quotes", "'hello, world'"}, {"backticks", "`hello`"}, {"curly quotes", "\u201chello\u201d"},
		{"triple quotes", `"""hello"""`}, {"a list not closed", "[1,2"}, {"a list with a trailing comma", "[1,2,]"},
		{"a text not closed", `"hello`}, {"a text on two lines", "\"line1\nline2\""}, {"a tuple", "(1, 2)"}, {"a set", "{1, 2}"},
		{"a regular expression", "/a/"}, {"bytes", `b"hello"`}, {"a function", `Date("2026-08-28")`},
	} {
		k.add("literal", "a value that is "+one.name, value(one.text))
	}
}

// punctuation adds objects whose marks are wrong.
func (k *breaks) punctuation() {
	text := k.rich.String()
	name := k.rich.names[0]
	quoted := string(jsonv.Quote(name))
	first := func(old, with string) string { return strings.Replace(text, old, with, 1) }
	two := k.rich.with("more", numberTree("1")).String()
	for _, one := range []struct{ name, text string }{
		{"a trailing comma", text[:len(text)-1] + ",}"}, {"a leading comma", "{," + text[1:]},
		{"a comma twice", strings.TrimSuffix(two, `"more":1}`) + `,"more":1}`},
		{"a comma missing", strings.TrimSuffix(two, `,"more":1}`) + `"more":1}`},
		{"a semicolon for a comma", strings.TrimSuffix(two, `,"more":1}`) + `;"more":1}`},
		{"a colon missing", first(quoted+":", quoted+" ")}, {"an equals sign for a colon", first(quoted+":", quoted+"=")},
		{"an arrow for a colon", first(quoted+":", quoted+" => ")}, {"two colons", first(quoted+":", quoted+"::")},
		{"a name without quotes", first(quoted+":", name+":")}, {"a name in single quotes", first(quoted+":", "'"+name+"':")},
		{"a name that is a number", first(quoted+":", "1:")}, {"a name without a value", first(quoted+":", quoted+",\"x\":")},
		{"a bracket for the closing brace", text[:len(text)-1] + "]"}, {"a comment inside", "{/* all */" + text[1:]},
		{"a line comment inside", "{// all\n" + text[1:]}, {"a comma alone", "{,}"}, {"two braces the wrong way", "}{"},
	} {
		k.add("punctuation", one.name, one.text)
	}
}

// languages adds the object in the notation of something else.
func (k *breaks) languages() {
	text := k.rich.String()
	name, value := k.rich.names[0], k.rich.kids[0].String()
	python := strings.NewReplacer(`"`, "'", ":true", ": True", ":false", ": False", ":null", ": None").Replace(text)
	tool := k.r.source.Tool
	if tool == "" {
		tool = "tool"
	}
	for _, one := range []struct{ name, text string }{
		{"Python", python}, {"Python with a comma in a text", strings.Replace(python, ":'", ":'# Hello, world ", 1)},
		{"a call in Python", fmt.Sprintf("%s(%s=%s)", tool, name, value)}, {"arguments of a command", fmt.Sprintf("--%s %s", name, value)},
		{"YAML", name + ": " + value}, {"a query string", name + "=" + strings.Trim(value, `"`)},
		{"XML", fmt.Sprintf("<%s>%s</%s>", name, strings.Trim(value, `"`), name)},
		{"a parameter tag", fmt.Sprintf("<parameter name=%q>%s</parameter>", name, strings.Trim(value, `"`))},
		{"JSON with HTML escapes", strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;").Replace(text)},
		{"JSON with HTML escapes in numbers", strings.ReplaceAll(text, `"`, "&#34;")},
		{"JSON with escaped quotes", strings.ReplaceAll(text, `"`, `\"`)},
		{"JSON with curly quotes", strings.ReplaceAll(text, `"`, "\u201d")},
		{"JSON escaped for a URL", strings.NewReplacer("{", "%7B", "}", "%7D", `"`, "%22", ":", "%3A", ",", "%2C").Replace(text)},
		{"JavaScript", strings.Replace(text, `"`+name+`"`, name, 1)}, {"words", "the " + name + " is " + value},
		{"a Go map", "map[" + name + ":" + strings.Trim(value, `"`) + "]"}, {"an object's name", "[object Object]"},
		{"an empty call", "()"}, {"undefined", "undefined"}, {"None", "None"}, {"NaN", "NaN"}, {"Infinity", "Infinity"},
		{"True", "True"}, {"NULL", "NULL"}, {"two quotes", "''"}, {"a fence alone", "```"}, {"an ellipsis", "..."},
	} {
		k.add("language", one.name+" instead of JSON", one.text)
	}
}
