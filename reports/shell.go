package reports

import "strings"

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
// from standard input, which from, a command that prints it, feeds. The result
// is "" when there is no line that can be printed as it is.
func Curl(url string, headers [][2]string, body []byte, from string) string {
	words := []string{"curl", "-sS", "-X", "POST", url}
	for _, h := range headers {
		if name := strings.ToLower(h[0]); name == "content-length" || name == "host" || name == "traceparent" {
			continue
		}
		words = append(words, "-H", h[0]+": "+h[1])
	}
	longest := maxCurlBody
	if from == "" {
		longest = maxCurlBodyAlone
	}
	if len(body) <= longest {
		if line := Command(append(words[:len(words):len(words)], "--data-raw", string(body))...); pastes(line) {
			return line
		}
	}
	line := from + " | " + Command(append(words, "--data-binary", "@-")...)
	if from == "" || !pastes(line) {
		return ""
	}
	return line
}

// pastes reports whether a line reaches a shell as it was written: printed as
// it is, and in one piece.
func pastes(line string) bool { return Clean(line) == line && !strings.Contains(line, "\n") }
