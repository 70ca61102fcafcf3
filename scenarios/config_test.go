package scenarios

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("a project's file", func() {
	It("says everything that can be said", func() {
		c, err := ParseConfig("hallmark.yaml", []byte(`
url: http://127.0.0.1:4444
start: node server.mjs {port}
restart_cmd: systemctl restart parts
worker: {name: parts, version: 1.4.0}
agent: {id: desk, start: bare, propose: {model: m, llm: main}}
tools:
  find_part:
    call: samples-only
    samples: {ok: [{bin: 7}, {bin: 8}], fails: {bin: 9.50}}
    bad_arguments: repair
  delete_part: {call: never}
bad_arguments: refuse
features: [async]
secret_env: PARTS_SECRET
headers: {X-Stage: test, Authorization: {env: PARTS_TOKEN}}
reset: {run: ./reset.sh}
disturb: [restart, late]
scenarios: [scenarios, more]
corpus: false
profile: core
baseline: known.yaml
`))
		Expect(err).NotTo(HaveOccurred())
		Expect(c.URL).To(Equal("http://127.0.0.1:4444"))
		Expect(c.Start).To(Equal("node server.mjs {port}"))
		Expect(c.RestartCommand).To(Equal("systemctl restart parts"))
		Expect(c.WorkerName + " " + c.WorkerVersion).To(Equal("parts 1.4.0"))
		Expect(c.AgentID + " " + c.Form).To(Equal("desk bare"))
		Expect(c.Propose).To(Equal(&spec.AgentConfig{Model: "m", Llm: "main"}))
		Expect(c.HasTools).To(BeTrue())
		Expect(c.Tools).To(HaveLen(2))
		Expect(c.Tools[0].Call + " " + c.Tools[0].BadArguments).To(Equal("samples-only repair"))
		Expect(c.Tools[1].Call).To(Equal("never"))
		Expect(c.Samples()).To(Equal(map[string]map[string]jsontext.Value{
			"find_part": {"ok": jsontext.Value(`{"bin":7}`), "fails": jsontext.Value(`{"bin":9.50}`)},
		}))
		Expect(c.BadArguments).To(Equal("refuse"))
		Expect(c.Features).To(Equal([]string{"async"}))
		Expect(c.SecretEnv).To(Equal("PARTS_SECRET"))
		Expect(c.Headers).To(HaveLen(2))
		Expect(c.Headers[1].Env).To(Equal("PARTS_TOKEN"))
		Expect(c.Reset.Run).To(Equal("./reset.sh"))
		Expect(c.Disturb).To(Equal([]string{"late", "restart"}))
		Expect(c.Scenarios).To(Equal([]string{"scenarios", "more"}))
		Expect(c.WithoutCorpus).To(BeTrue())
		Expect(c.Profile + " " + c.Baseline).To(Equal("core known.yaml"))
	})

	It("may be empty", func() {
		c, err := ParseConfig("hallmark.yaml", []byte("# nothing yet\n"))
		Expect(err).NotTo(HaveOccurred())
		Expect(c.HasTools).To(BeFalse())
	})

	DescribeTable("is refused with the place and what to do",
		func(text, want string) {
			_, err := ParseConfig("hallmark.yaml", []byte(text))
			Expect(err).To(MatchError(ContainSubstring(want)))
		},
		Entry("unknown key", "agnet: {id: x}", "hallmark.yaml:1:1: unknown key \"agnet\" in hallmark.yaml\n  hint: did you mean \"agent\"?"),
		Entry("unknown way of calling", "tools: {a: {call: sometimes}}", `unknown way of calling "sometimes"`),
		Entry("unknown outcome", "tools: {a: {samples: {good: {}}}}", `unknown outcome of a sample "good"`),
		Entry("a sample that is no object", "tools: {a: {samples: {ok: 5}}}", "want an object"),
		Entry("a secret in the file", "secret_env: hunter2!", "name the variable, never the secret itself"),
		Entry("a header without a value", "headers: {A: {}}", "the header has no value"),
		Entry("two resets", "reset: {run: a, post: http://b}", "run"),
		Entry("no reset", "reset: {}", "the reset does nothing"),
		Entry("an agent that does not read", "agent: {propose: {llm: main}}", "the proposed agent does not read"),
		Entry("a policy nobody knows", "bad_arguments: ignore", `unknown policy "ignore"`),
	)

	It("is drafted from what a worker declares, and the draft is accepted", func() {
		text := Draft{URL: "http://127.0.0.1:4444", AgentID: "agent", Form: "agent", Declared: &spec.AgentConfig{Model: "m", Tools: []spec.AgentTool{
			{Name: "find_part", Input: jsontext.Value(`{"type":"object","properties":{"bin":{"type":"integer","examples":[7]}},"required":["bin"]}`)},
			{Name: "odd: name # \u2028 \"x\"\n"},
			{Name: "find_part"},
		}}}.Text()
		c, err := ParseConfig("hallmark.yaml", []byte(text))
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Warnings).To(BeEmpty())
		Expect(c.Tools).To(HaveLen(2))
		Expect(c.Tools[1].Name).To(Equal("odd: name # \u2028 \"x\"\n"))
		Expect(text).To(ContainSubstring(`#   ok: {"bin":7}   # made from the declared schema`))
		By("and stays accepted when every comment becomes text")
		filled := strings.NewReplacer("    # samples:", "    samples:", `    #   ok: {"bin":7}   #`, `      ok: {"bin":7}   #`,
			"    #   ok:", "      ok:", "    #   fails:", "      fails:", "# bad_arguments", "bad_arguments", "# reset", "reset",
			"# scenarios", "scenarios", "# corpus", "corpus", "# baseline", "baseline", "# secret_env", "secret_env",
			"# headers:\n#   Auth", "headers:\n  Auth").Replace(text)
		_, err = ParseConfig("hallmark.yaml", []byte(filled))
		Expect(err).NotTo(HaveOccurred())
	})
})

var _ = Describe("a baseline file", func() {
	known := Options{Requirements: []string{"execute.settles", "execute.settles-once"}}

	It("reads what is known to fail", func() {
		k, err := ParseKnownFailures("known.yaml", []byte(`
registry: 2026-11/1
entries:
  - requirement: execute.settles-once
    reason: mended in 2.0
    expires: 2027-01-31
  - case: "own.yaml#default"
    reason: ""
`), known)
		Expect(err).NotTo(HaveOccurred())
		Expect(k.Registry).To(Equal("2026-11/1"))
		Expect(k.Entries).To(HaveLen(2))
		Expect(k.Entries[0].Expires).To(Equal("2027-01-31"))
		Expect(k.Entries[1].Case).To(Equal("own.yaml#default"))
	})

	DescribeTable("is refused with the place",
		func(text, want string) {
			_, err := ParseKnownFailures("known.yaml", []byte(text), known)
			Expect(err).To(MatchError(ContainSubstring(want)))
		},
		Entry("nothing at all", "", "known.yaml:1:1: the baseline is empty\n  hint: write the file with --write-baseline"),
		Entry("comments only", "# later\n", "the baseline is empty"),
		Entry("no registry", "entries: []", "the baseline names no registry version"),
		Entry("unknown requirement", "registry: 2026-11/1\nentries: [{requirement: execute.settle-once}]", `did you mean "execute.settles-once"?`),
		Entry("a registry that is none", "registry: \"0\"\nentries: []", "\"0\" is no registry version"),
		Entry("a registry to come", "registry: 9999-01/1\nentries: []", "younger than this Hallmark's"),
		Entry("nothing named", "registry: 2026-11/1\nentries: [{reason: why}]", "the entry names nothing"),
		Entry("both named", "registry: 2026-11/1\nentries: [{requirement: execute.settles, case: a}]", "requirement"),
		Entry("no day", "registry: 2026-11/1\nentries: [{case: a, expires: tomorrow}]", `"tomorrow" is no day`),
	)
})
