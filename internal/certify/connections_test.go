package certify_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("a worker with connections", func() {
	const line = "Hallmark dials no connections: sessions go on without the tools of mcp.portal, as after a fetch that has failed"
	connected := func() certify.Config {
		c := config()
		c.Agent = &spec.AgentConfig{Model: "m", Llm: "main", Mcp: []spec.McpServer{{Path: "mcp.portal"}}}
		c.Run = []string{"execute/valid.yaml"}
		return c
	}

	It("is certified without their tools, and the report says so", func() {
		r, err := certify.Run(context.Background(), connected(), inMemory(referenceWorker()))
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Exit).To(Equal(0))
		Expect(r.Summary.Cases.Pass).To(Equal(len(r.Cases)))
		Expect(r.Hints).To(Equal([]string{line}))
	})

	It("is told so by the plan", func() {
		var said []string
		c := connected()
		c.PlanOnly, c.Announce = true, func(line string) { said = append(said, line) }
		_, err := certify.Run(context.Background(), c, inMemory(referenceWorker()))
		Expect(err).NotTo(HaveOccurred())
		Expect(said[0]).To(Equal(line))
		Expect(said[1]).To(HavePrefix("will call "))
	})

	It("names no more than a few", func() {
		c := connected()
		c.Agent.Mcp = nil
		c.Agent.Plugins = []spec.AgentPlugin{{ID: "p", Servers: strings.Split("abcdefg", "")}}
		r, err := certify.Run(context.Background(), c, inMemory(referenceWorker()))
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Hints[0]).To(ContainSubstring("plugin.p.mcp.e and 2 more,"))
	})

	It("does not meet a case that calls one of their tools", func() {
		doc, err := scenarios.Parse("own.yaml", []byte("scenario: s\nsteps: [{user: a}, {model: {calls: [{as: c1, tool: portal__list, raw: '{}'}]}}]"))
		Expect(err).NotTo(HaveOccurred())
		c := connected()
		c.Corpus, c.Own, c.Run = nil, []certify.Own{{Doc: doc}}, nil
		r, err := certify.Run(context.Background(), c, inMemory(referenceWorker()))
		Expect(err).NotTo(HaveOccurred())
		last := r.Cases[len(r.Cases)-1]
		Expect(last.Status).To(Equal(spec.StatusNotApplicable))
		Expect(last.Reason).To(Equal("calls portal__list, a tool of the connection mcp.portal, which Hallmark does not dial"))
	})
})
