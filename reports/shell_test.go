package reports_test

import (
	"os/exec"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"github.com/hallmarkdev/hallmark/reports"
)

// words runs a line's words through a shell and returns what it made of them.
func words(line string) []string {
	GinkgoHelper()
	out, err := exec.Command("sh", "-c", `printf '%s\0' `+line).Output()
	Expect(err).NotTo(HaveOccurred(), line)
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

var _ = Describe("quoting for a shell", func() {
	It("gives back any bytes but NUL as they were", func() {
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			word := rapid.SliceOf(rapid.SliceOf(rapid.ByteRange(1, 255))).Filter(func(all [][]byte) bool { return len(all) > 0 }).Draw(t, "words")
			var in []string
			for _, w := range word {
				in = append(in, string(w))
			}
			Expect(words(reports.Command(in...))).To(Equal(in))
		})
	})

	DescribeTable("leaves harmless words alone and quotes the rest",
		func(in, want string) {
			Expect(reports.Quote(in)).To(Equal(want))
			Expect(words(want)).To(Equal([]string{in}))
		},
		Entry("a path", "a/b-c_d.yaml:4,5%+@x", "a/b-c_d.yaml:4,5%+@x"),
		Entry("a value", "a=b", "a=b"),
		Entry("nothing", "", "''"),
		Entry("a space", "a b", "'a b'"),
		Entry("a quote", "it's", `'it'\''s'`),
		Entry("a home", "~", "'~'"),
		Entry("a variable", "$HOME", "'$HOME'"),
		Entry("a comment", "a#b", "'a#b'"),
		Entry("history", "!!", "'!!'"),
		Entry("a path of some shells", "=ls", "'=ls'"),
		Entry("letters outside ASCII", "火", "'火'"),
	)
})

var _ = Describe("Curl", func() {
	headers := [][2]string{{"content-type", "application/json"}, {"Host", "x"}, {"Content-Length", "3"}, {"traceparent", "00"}, {"X-Note", "it's"}}
	const url, from = "http://127.0.0.1:4444/", "hallmark recording body f s1/d1"

	It("sends a short body in its own words, without what curl sets itself", func() {
		line := reports.Curl(url, headers, []byte(`{"a":"it's"}`), from, nil)
		Expect(words(line)).To(Equal([]string{
			"curl", "-sS", "-X", "POST", url, "-H", "content-type: application/json", "-H", "X-Note: it's", "--data-raw", `{"a":"it's"}`,
		}))
	})

	DescribeTable("takes a body that would not survive a terminal from the recording",
		func(body string) {
			line := reports.Curl(url, nil, []byte(body), from, nil)
			Expect(line).To(HavePrefix(from + " | curl "))
			Expect(line).To(HaveSuffix(" --data-binary @-"))
			Expect(reports.Clean(line)).To(Equal(line))
		},
		Entry("NUL", "a\x00b"),
		Entry("an escape", "a\x1b[2Jb"),
		Entry("a line feed, which an indented report would widen", "a\nb"),
		Entry("a tab", "a\tb"),
		Entry("a change of direction", "a\u202eb"),
		Entry("no UTF-8", "a\xffb"),
		Entry("long", strings.Repeat("a", 1025)),
	)

	It("puts a longer body on the line where no recording has it", func() {
		Expect(reports.Curl(url, nil, []byte(strings.Repeat("a", 4096)), "", nil)).To(ContainSubstring("--data-raw aaa"))
	})

	DescribeTable("gives no line when none can be pasted",
		func(headers [][2]string, body, from string) {
			Expect(reports.Curl(url, headers, []byte(body), from, nil)).To(BeEmpty())
		},
		Entry("a body with a control, and no recording", nil, "\x1b", ""),
		Entry("a body too long, and no recording", nil, strings.Repeat("a", 4097), ""),
		Entry("a header with a control", [][2]string{{"X-A", "\x1b"}}, "{}", from),
		Entry("a recording whose name has a control", nil, "\x00", "cat 'a\x1bb'"),
	)

	It("takes what stands for a secret from its variable", func() {
		variables := map[string]string{"hm-red-secret-a": "API_TOKEN", "hm-red-secret-b": "no shell's", "hm-red-secret-c": "OTHER"}
		line := reports.Curl(url, [][2]string{
			{"authorization", "hm-red-secret-a"}, {"X-Note", "hm-red-secret-a's $HOME hm-red-secret-c"}, {"X-B", "hm-red-secret-b"},
		}, []byte(`{"a":"hm-red-secret-a","b":"$x"}`), from, variables)
		Expect(line).To(ContainSubstring(` -H "authorization: ${API_TOKEN}" `))
		GinkgoT().Setenv("API_TOKEN", `it's "$HOME" !`)
		GinkgoT().Setenv("OTHER", "o")
		Expect(words(line)).To(Equal([]string{
			"curl", "-sS", "-X", "POST", url, "-H", `authorization: it's "$HOME" !`, "-H", `X-Note: it's "$HOME" !'s $HOME o`,
			"-H", "X-B: hm-red-secret-b", "--data-raw", `{"a":"it's "$HOME" !","b":"$x"}`,
		}))
	})

	It("prints the same line in a report as it is", func() {
		r := broken("a.yaml#one", "fail", found("turn.first"))
		r.Case.Findings[0].Curl = reports.Curl(url, headers, []byte(`{"text":"火 it's"}`), from, nil)
		printed := text(build(r), reports.TextOptions{})
		_, line, _ := strings.Cut(printed, "        curl    ")
		line, _, _ = strings.Cut(line, "\n")
		Expect(words(line)).To(ContainElement(`{"text":"火 it's"}`))
	})
})
