package arguments

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// malformed makes texts that are no JSON object. They are derived from a valid
// one, so that only their form speaks against them; where none was found, from
// an object that no schema asked for.
func (r *run) malformed(n int) []Text {
	base, refusal := r.plain()
	if refusal != nil {
		base = emptyObject
	}
	k := &breaks{r: r, c: &candidates{only: r.source.Kinds}, base: base, text: base.String()}
	k.rich, k.path = base, firstText(base, nil)
	if k.path == nil {
		// Without a text in it there is little to break.
		k.rich, k.path = base.with("text", textTree("hello, world")), []string{"text"}
	}
	k.cuts()
	k.kinds()
	k.glued()
	k.wrapped()
	k.around()
	k.insideText()
	k.literals()
	k.punctuation()
	k.languages()
	k.deep()
	return k.c.pick(n, r.draws("malformed", 0), func() bool { return false })
}

// breaks adds what makes a text malformed.
type breaks struct {
	r *run
	c *candidates
	// base is the object, text its text.
	base *tree
	text string
	// rich is the base with a text in it, path where that is.
	rich *tree
	path []string
}

// add adds a text, which is taken only if an engine classes it malformed (E1)
// and a JSON string can carry it.
func (k *breaks) add(kind, name, text string) {
	k.c.add(kind, name, func() (string, bool) {
		return text, utf8.ValidString(text) && toolcall.Classify(text, nil).Status == spec.InputMalformed
	})
}

// firstText is the path of the first member that is a text, or nil.
func firstText(t *tree, path []string) []string {
	for i, kid := range t.kids {
		if !t.isObject() {
			return nil
		}
		below := append(path[:len(path):len(path)], t.names[i])
		if kid.isText() {
			return below
		}
		if found := firstText(kid, below); found != nil {
			return found
		}
	}
	return nil
}

// maxCuts bounds the places at which a text is cut. A longer one is cut near
// its ends.
const maxCuts = 4000

func (k *breaks) cuts() {
	size := len(k.text)
	for i := 1; i < size; i++ {
		if size > maxCuts && i > maxCuts/2 && i < size-maxCuts/2 {
			continue
		}
		k.add("cut", fmt.Sprintf("cut after %s", plural(i, "byte")), k.text[:i])
	}
	k.add("cut", "the first byte missing", k.text[1:])
	rich := k.rich.String()
	if rich != k.text {
		k.add("cut", "cut inside a text", rich[:len(rich)-3])
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// kinds adds JSON values that are no objects.
func (k *breaks) kinds() {
	for _, one := range []struct{ name, text string }{
		{"null", "null"}, {"an empty list", "[]"}, {"a list of texts", `["a.txt"]`},
		{"a text", `"x"`}, {"an empty text in quotes", `""`}, {"a number", "5"}, {"zero", "0"}, {"minus zero", "-0"},
		{"true", "true"}, {"false", "false"}, {"a number beyond floats", "1e400"},
		{"a number of a thousand million digits", "1e1000000000"}, {"a number next to nothing", "0.1e-999999999"},
		{"a number of 400 digits", strings.Repeat("9", 400)}, {"2^53+1", "9007199254740993"},
	} {
		k.add("kind", one.name+" instead of an object", one.text)
	}
	k.add("kind", "the object in a list", "["+k.text+"]")
	k.add("kind", "the object as its JSON text", textTree(k.text).String())
	k.add("kind", "the object as its JSON text twice over", textTree(textTree(k.text).String()).String())
	k.add("kind", "the values in a list", listTree(k.rich.kids...).String())
}

// glued adds several objects in one text, and one with a tail.
func (k *breaks) glued() {
	other := k.base.with("n", numberTree("2")).String()
	for _, one := range []struct{ name, text string }{
		{"the object twice", k.text + k.text},
		{"two different objects", k.text + other},
		{"an empty object before", "{}" + k.text}, {"an empty object behind", k.text + "{}"},
		{"two objects on two lines", k.text + "\n" + other}, {"two objects with a comma between", k.text + "," + k.text},
		{"null behind", k.text + "null"}, {"a number behind", k.text + " 1"},
		{"a closing brace too many", k.text + "}"}, {"an opening brace too many", "{" + k.text},
		{"a closing bracket too many", k.text + "]"}, {"a comma behind", k.text + ","}, {"a semicolon behind", k.text + ";"},
		{"a quote behind", k.text + `"`}, {"a backslash behind", k.text + `\`}, {"NUL behind", k.text + "\x00"},
		{"the object written into itself", strings.Replace(k.rich.String(), "{", "{"+k.rich.String(), 1)},
	} {
		k.add("glued", one.name, one.text)
	}
}

// wrapped adds the words and marks that models put around the object.
func (k *breaks) wrapped() {
	tool := k.r.source.Tool
	if tool == "" {
		tool = "tool"
	}
	for _, one := range []struct{ name, before, behind string }{
		{"a fence around", "```json\n", "\n```"}, {"a fence without a language around", "```\n", "\n```"},
		{"a fence that is not closed", "```json\n", ""}, {"backticks around", "`", "`"},
		{"words before", "Here are the arguments: ", ""}, {"words behind", "", " Is that right?"},
		{"a note of thinking before", "<think>The user wants it.</think>", ""},
		{"a tag around", "<tool_call>", "</tool_call>"}, {"a channel marker before", "<|channel|>commentary<|message|>", ""},
		{"an end marker behind", "", "<|im_end|>"}, {"a key before", "arguments: ", ""}, {"an assignment before", "args = ", ""},
		{"a call around", tool + "(", ")"}, {"brackets around", "(", ")"}, {"single quotes around", "'", "'"},
		{"a comment behind", "", " // done"}, {"a comment before", "/* call */ ", ""}, {"a hash comment behind", "", " # done"},
		{"an event of a stream", "data: ", "\n\n"}, {"double braces", "{", "}"}, {"a dollar before", "$", ""},
	} {
		k.add("wrapped", one.name, one.before+k.text+one.behind)
	}
}

// around adds characters that look like white space, and are none to a parser.
// A blank text is valid when the engine trims all of it (E1, step 1); the
// others never are.
func (k *breaks) around() {
	for _, mark := range []struct{ name, text string }{
		{"a byte-order mark", "\ufeff"}, {"a no-break space", "\u00a0"}, {"an ideographic space", "\u3000"},
		{"a next-line character", "\u0085"}, {"a zero-width space", "\u200b"}, {"a line separator", "\u2028"},
		{"a form feed", "\f"}, {"a vertical tab", "\v"}, {"NUL", "\x00"}, {"a backspace", "\b"}, {"an escape character", "\x1b[0m"},
	} {
		k.add("odd space", mark.name+" before", mark.text+k.text)
		k.add("odd space", mark.name+" behind", k.text+mark.text)
		k.add("odd space", mark.name+" alone", mark.text)
		k.add("odd space", mark.name+" after the brace", "{"+mark.text+k.text[1:])
	}
}

// deep adds nesting that recursive parsers die of: what an engine's parser
// takes is not an object, what is an object it does not take (gap 26).
func (k *breaks) deep() {
	for _, levels := range []int{10, 127, 128, 1000, 5000, 9999, 10_000, 20_000} {
		k.add("deep", fmt.Sprintf("lists nested %d levels deep", levels), nested("[", "]", levels))
		k.add("deep", fmt.Sprintf("lists opened %d times", levels), strings.Repeat("[", levels))
		k.add("deep", fmt.Sprintf("objects nested %d levels deep", levels),
			strings.Repeat(`{"a":`, levels)+"0"+strings.Repeat("}", levels))
		k.add("deep", fmt.Sprintf("objects opened %d times", levels), strings.Repeat(`{"a":`, levels))
		k.add("deep", fmt.Sprintf("a field nested %d levels deep", levels),
			k.base.with("nested", spelled(nested("[", "]", levels))).String())
	}
}
