package reports

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Quote returns text as one word for a POSIX shell: as it is when it holds
// only harmless characters, in single quotes otherwise.
func Quote(text string) string {
	// Some shells take a word that begins with = for the path of a command.
	if text != "" && text[0] != '=' && strings.IndexFunc(text, needsQuote) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func needsQuote(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("-_./:@%+,=", r)
}

// Expand returns text as one word for a POSIX shell, like [Quote], but with the
// value of a variable of the environment in place of each key of variables,
// which maps texts to names of variables. Names that no shell has are left out.
func Expand(text string, variables map[string]string) string {
	type part struct {
		text     string
		variable bool
	}
	parts := []part{{text: text}}
	for _, known := range slices.Sorted(maps.Keys(variables)) {
		if known == "" || !variableName.MatchString(variables[known]) {
			continue
		}
		var out []part
		for _, p := range parts {
			for !p.variable {
				before, after, found := strings.Cut(p.text, known)
				if !found {
					break
				}
				out = append(out, part{text: before}, part{text: variables[known], variable: true})
				p.text = after
			}
			out = append(out, p)
		}
		parts = out
	}
	if len(parts) == 1 {
		return Quote(text)
	}
	plain := true
	for _, p := range parts {
		plain = plain && (p.variable || strings.IndexFunc(strings.ReplaceAll(p.text, " ", ""), needsQuote) < 0)
	}
	var b strings.Builder
	for _, p := range parts {
		switch {
		case p.variable && plain:
			b.WriteString("${" + p.text + "}")
		case p.variable:
			b.WriteString(`"$` + p.text + `"`)
		case plain || p.text == "":
			b.WriteString(p.text)
		default:
			b.WriteString(Quote(p.text))
		}
	}
	if plain {
		return `"` + b.String() + `"`
	}
	return b.String()
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Command joins words to one line for a POSIX shell.
func Command(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = Quote(w)
	}
	return strings.Join(quoted, " ")
}

// The largest bodies that a curl line holds, in bytes: where another command can
// print the body, a line that is still pleasant to paste; where none can, what a
// terminal takes.
const (
	maxCurlBody      = 1024
	maxCurlBodyAlone = 4096
)

// Curl returns a line that sends a request again: to url, with headers (name
// and value), and body. Headers that curl sets by itself are left out. A body
// that is long, or that [Clean] would change on its way to a terminal, is taken
// from standard input, which from, a command that prints it, feeds. What stands
// for a secret is taken from its variable, as in [Expand]. The result is "" when
// there is no line that can be printed as it is.
func Curl(url string, headers [][2]string, body []byte, from string, variables map[string]string) string {
	line := Command("curl", "-sS", "-X", "POST", url)
	for _, h := range headers {
		if name := strings.ToLower(h[0]); name == "content-length" || name == "host" || name == "traceparent" {
			continue
		}
		line += " -H " + Expand(h[0]+": "+h[1], variables)
	}
	longest := maxCurlBody
	if from == "" {
		longest = maxCurlBodyAlone
	}
	if len(body) <= longest {
		if whole := line + " --data-raw " + Expand(string(body), variables); pastes(whole) {
			return whole
		}
	}
	line = from + " | " + line + " --data-binary @-"
	if from == "" || !pastes(line) {
		return ""
	}
	return line
}

// pastes reports whether a line reaches a shell as it was written: printed as
// it is, and in one piece.
func pastes(line string) bool { return Clean(line) == line && !strings.Contains(line, "\n") }
