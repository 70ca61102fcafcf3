package simulator

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

func tools(names ...string) *spec.AgentConfig {
	c := &spec.AgentConfig{Model: "m"}
	for _, n := range names {
		c.Tools = append(c.Tools, spec.AgentTool{Name: n})
	}
	return c
}

func TestConsentIsByAddress(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		url  string
		opts ConsentOptions
		want []string
		err  error
	}{
		{url: "http://127.0.0.1:4444/", want: []string{"a", "b"}},
		{url: "http://127.9.9.9/", want: []string{"a", "b"}},
		{url: "http://[::1]:80/", want: []string{"a", "b"}},
		{url: "http://LocalHost./", want: []string{"a", "b"}},
		{url: "http://localhost.example/", err: ErrNoConsent},
		{url: "http://127.0.0.1.example/", err: ErrNoConsent},
		{url: "http://192.168.0.4/", err: ErrNoConsent},
		{url: "https://worker.example/", err: ErrNoConsent},
		{url: "https://worker.example/", opts: ConsentOptions{Started: true}, want: []string{"a", "b"}},
		{url: "https://worker.example/", opts: ConsentOptions{AllTools: true}, want: []string{"a", "b"}},
		{url: "https://worker.example/", opts: ConsentOptions{AllTools: true, SkipTools: []string{"a"}}, want: []string{"b"}},
		{url: "https://worker.example/", opts: ConsentOptions{OnlyTools: []string{"b"}}, want: []string{"b"}},
		{url: "https://worker.example/", opts: ConsentOptions{SkipTools: []string{"b"}}, err: ErrNoConsent},
		{url: "https://worker.example/", opts: ConsentOptions{Policies: map[string]CallPolicy{"a": CallNever}}, want: []string{"b"}},
		{url: "http://localhost/", opts: ConsentOptions{Policies: map[string]CallPolicy{"a": CallSamplesOnly}, SkipTools: []string{"b"}}, want: []string{"a"}},
	} {
		tc.opts.Declared = tools("a", "b")
		g := NewWithT(t)
		c, err := Agree(tc.url, tc.opts)
		if tc.err != nil {
			g.Expect(err).To(MatchError(tc.err), tc.url)
		} else {
			g.Expect(err).NotTo(HaveOccurred(), tc.url)
		}
		var got []string
		for _, name := range []string{"a", "b"} {
			if c.Callable(name) {
				got = append(got, name)
			}
		}
		g.Expect(got).To(Equal(tc.want), tc.url)
	}
}

func TestConsentThatNobodyGaveSaysWhatWouldBeCalled(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	consent, err := Agree("https://worker.example.com/", ConsentOptions{Declared: tools("toll", "idle")})
	g.Expect(err).To(MatchError(ErrNoConsent))
	one := planned("scenario: s\nsteps: [{user: a}, {model: {calls: [{as: c1, tool: toll, arguments: {}}]}}]")
	g.Expect(consent.Summary(one)).To(Equal("would call 1 of 2 tools, 1 time"))
	g.Expect(consent.Callable("toll")).To(BeFalse())
}

func TestConsentNamesAToolThatIsNotThere(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	_, err := Agree("http://localhost/", ConsentOptions{Declared: tools("find_part"), OnlyTools: []string{"find_prt"}})
	g.Expect(err).To(MatchError(`tool "find_prt": the worker does not declare it`))
	g.Expect(err.(*ConsentError).Hint).To(Equal(`did you mean "find_part"?`))
}

func TestConsentBindsCasesAndSumsThemUp(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	consent, err := Agree("http://localhost/", ConsentOptions{
		Declared:  tools("find_berth", "toll", "idle"),
		SkipTools: []string{"toll"},
		Policies:  map[string]CallPolicy{"find_berth": CallSamplesOnly},
		Samples:   map[string][]jsontext.Value{"find_berth": {jsontext.Value(`{"length":12.0}`)}},
	})
	g.Expect(err).NotTo(HaveOccurred())
	call := func(how string) scenarios.Case {
		return consent.Bind(planned("scenario: s\nsteps: [{user: a}, {model: {calls: [{as: c1, " + how + "}]}}]")[0])
	}
	var kept []scenarios.Case
	for how, why := range map[string]string{
		"tool: find_berth, arguments: {length: 12}":      "",
		`tool: find_berth, raw: '{"length": 12}'`:        "",
		`tool: find_berth, raw: '{"length": '`:           "",
		"tool: find_berth, arguments: {length: 13}":      "calls find_berth with arguments that are no sample, which it may not",
		"tool: toll, raw: '{'":                           "calls toll, which may not be called",
		"tool: call_tool, arguments: {name: toll}":       "calls toll, which may not be called",
		"tool: call_tool, arguments: {name: find_berth}": "calls find_berth with arguments that are no sample, which it may not",
		"tool: tool_search, arguments: {query: a}":       "",
		"tool: not_declared_anywhere, arguments: {a: 1}": "",
	} {
		c := call(how)
		g.Expect(c.NotApplicable).To(Equal(why), how)
		kept = append(kept, c)
	}
	g.Expect(consent.Summary(kept)).To(Equal("will call 1 of 3 tools, 3 times (find_berth: samples only, toll: never)"))
	g.Expect(consent.Summary(nil)).To(Equal("will call 0 of 3 tools, 0 times (find_berth: samples only, toll: never)"))
}

// What the engine runs itself calls nothing of the worker's, whichever tools are
// allowed; a call through call_tool is one of the tool inside.
func TestConsentSeesThroughCallTool(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	declared := tools("find_berth", "toll")
	declared.DeferTools = jsontext.Value("true")
	consent, err := Agree("http://localhost/", ConsentOptions{Declared: declared, OnlyTools: []string{"find_berth"}})
	g.Expect(err).NotTo(HaveOccurred())
	var kept []scenarios.Case
	for how, why := range map[string]string{
		"tool: tool_search, arguments: {query: a}":       "",
		"tool: call_tool, raw: '{'":                      "",
		"tool: find_berth, raw: '{}', via: call_tool":    "",
		"tool: toll, raw: '{}', via: call_tool":          "calls toll, which may not be called",
		"tool: call_tool, arguments: {name: find_berth}": "",
	} {
		c := consent.Bind(plannedFor(declared, "scenario: s\nsteps: [{user: a}, {model: {calls: [{as: c1, "+how+"}]}}]")[0])
		g.Expect(c.NotApplicable).To(Equal(why), how)
		kept = append(kept, c)
	}
	g.Expect(consent.Summary(kept)).To(Equal("will call 1 of 2 tools, 2 times (toll: never)"))
}

// A client's tool is no call of the worker, so it is not counted as one.
func TestSummaryLeavesClientToolsOut(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	declared := tools("find_berth", "ask_pilot")
	declared.Tools[1].Handler = spec.HandlerClient
	consent, err := Agree("http://localhost/", ConsentOptions{Declared: declared})
	g.Expect(err).NotTo(HaveOccurred())
	c := planned("scenario: s\nsteps: [{user: a}, {model: {calls: [{as: c1, tool: ask_pilot, raw: '{'}, {as: c2, tool: find_berth, raw: '{'}]}}]")[0]
	g.Expect(consent.Summary([]scenarios.Case{c})).To(Equal("will call 1 of 1 tool, 1 time"))
}

func TestConsentKeepsAHostedModelFromWhatMayNotBeCalled(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	hosted := scenarios.Case{Hosted: spec.HostedNative}
	free, err := Agree("http://localhost/", ConsentOptions{Declared: tools("find_berth", "toll")})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(free.Bind(hosted).NotApplicable).To(BeEmpty())
	g.Expect(free.Summary([]scenarios.Case{hosted, {}})).To(Equal(
		"will call 0 of 2 tools, 0 times, and let the worker's own model call what it likes in 1 case"))
	for _, policy := range []CallPolicy{CallNever, CallSamplesOnly} {
		bounded, err := Agree("http://localhost/", ConsentOptions{
			Declared: tools("find_berth", "toll"), Policies: map[string]CallPolicy{"toll": policy},
		})
		g.Expect(err).NotTo(HaveOccurred())
		bound := bounded.Bind(hosted)
		g.Expect(bound.NotApplicable).To(Equal("a model that the worker hosts calls what it likes, and toll may not be called so"))
		g.Expect(bounded.Bind(scenarios.Case{}).NotApplicable).To(BeEmpty())
		g.Expect(bounded.Summary([]scenarios.Case{bound})).NotTo(ContainSubstring("own model"))
	}
}

func TestConsentBindsCopiesAndTwins(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	consent, err := Agree("http://localhost/", ConsentOptions{
		Declared: tools("find_berth"),
		Policies: map[string]CallPolicy{"find_berth": CallSamplesOnly},
		Samples:  map[string][]jsontext.Value{"find_berth": {jsontext.Value(`{"length":1}`)}},
	})
	g.Expect(err).NotTo(HaveOccurred())
	const forbidden = "calls find_berth with arguments that are no sample, which it may not"
	c := consent.Bind(planned("scenario: s\ncopies: 2\nsteps: [{user: a}, {model: {calls: [{as: c1, tool: find_berth, arguments: {length: $copy}}]}}]")[0])
	g.Expect(c.NotApplicable).To(Equal(forbidden))
	g.Expect(c.Copies).To(BeEmpty())
	whole := planned("scenario: s\ntwin: [{call: c1, arguments: {length: 1}}, {call: c1, arguments: {length: 2}}]\n" +
		"steps: [{user: a}, {model: {calls: [{as: c1, tool: find_berth, raw: '{'}]}}]")[0]
	c = consent.Bind(whole)
	g.Expect(c.NotApplicable).To(BeEmpty())
	g.Expect([]string{c.Twins[0].NotMade, c.Twins[1].NotMade}).To(Equal([]string{"", forbidden}))
	g.Expect(whole.Twins[1].NotMade).To(BeEmpty())
	g.Expect(consent.Summary([]scenarios.Case{c})).To(Equal("will call 1 of 1 tool, 2 times (find_berth: samples only)"))
}
