package reports

import "strings"

// Quote returns text as one word for a POSIX shell: as it is when it holds
// only harmless characters, in single quotes otherwise.
func Quote(text string) string {
	if text != "" && strings.IndexFunc(text, needsQuote) < 0 {
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

// maxCurlBody is the largest body that a curl line holds: a line longer than
// that is no longer pasted with pleasure.
const maxCurlBody = 4096

// Curl returns a line that sends a request again: to url, with headers (name
// and value), and body. Headers that curl sets by itself are left out. A body
// that does not fit a line is taken from standard input, which from, a command
// that prints it, feeds; without from such a request has no line.
func Curl(url string, headers [][2]string, body []byte, from string) string {
	words := []string{"curl", "-sS", "-X", "POST", url}
	for _, h := range headers {
		if name := strings.ToLower(h[0]); name == "content-length" || name == "host" || name == "traceparent" {
			continue
		}
		words = append(words, "-H", h[0]+": "+h[1])
	}
	if len(body) <= maxCurlBody && !strings.ContainsRune(string(body), 0) {
		return Command(append(words, "--data-raw", string(body))...)
	}
	if from == "" {
		return ""
	}
	return from + " | " + Command(append(words, "--data-binary", "@-")...)
}
