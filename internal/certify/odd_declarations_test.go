package certify_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/memnet"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// declares is a worker of these tools, each of which always says the same. All
// else it answers as proposed.
func declares(tools, says string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		kind, _ := jsonv.Get(body, "/trigger/type")
		switch string(kind) {
		case `"session.start"`:
			_, _ = fmt.Fprintf(w, `{"agent":{"llm":"main","model":"m","tools":%s}}`, tools)
		case `"tool.execute"`:
			_, _ = fmt.Fprintf(w, `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":%q}]}}]}`, says)
		default:
			proposed, _ := jsonv.Get(body, "/proposed")
			_, _ = w.Write(proposed)
		}
	})
}

// oddRun certifies such a worker, without patterns with the cases that look at
// schemas.
func oddRun(t *testing.T, tools, says string, patterns ...string) *reports.Report {
	t.Helper()
	g := NewWithT(t)
	docs, err := loaded()
	g.Expect(err).NotTo(HaveOccurred())
	c := runOf(docs)
	c.Features, c.Samples, c.Endpoint = nil, nil, nil
	if c.Run = patterns; len(patterns) == 0 {
		c.Run = []string{"declare/*", "execute/valid*", "execute/malformed.yaml#cut*", "execute/one-thing-wrong*", "output/matches*"}
	}
	network, stop := memnet.Serve(declares(tools, says))
	defer stop()
	p, err := simulator.NewTransport(simulator.TransportConfig{URL: workerURL, Dial: network.Dial, MaxBody: 4 << 20})
	g.Expect(err).NotTo(HaveOccurred())
	r, err := certify.Run(context.Background(), c, p)
	g.Expect(err).NotTo(HaveOccurred())
	return r
}

// verdicts are the requirements that failed or warned, with their status.
func verdicts(r *reports.Report) []string {
	all := []string{}
	for _, id := range troubled(r) {
		all = append(all, string(statusOf(r, id))+" "+id)
	}
	return all
}

// tool declares one tool that has a description.
func tool(name, more string) string {
	return fmt.Sprintf(`[{"name":"%s","description":"Reads what the page says about one thing."%s}]`, name, more)
}

func inSchema(s string) string  { return tool("read", `,"input":`+s) }
func outSchema(s string) string { return tool("read", `,"output":`+s) }

func manyTools(n int) string {
	all := make([]string, n)
	for i := range all {
		one := tool(fmt.Sprintf("read_%d", i), `,"input":{"type":"object"}`)
		all[i] = strings.Trim(one, "[]")
	}
	return "[" + strings.Join(all, ",") + "]"
}

func deepSchema(levels int) string {
	return strings.Repeat(`{"properties":{"a":`, levels) + `{}` + strings.Repeat(`}}`, levels)
}

// TestOddDeclarations pins what a run says of a worker whose declaration is odd
// and whose conduct is not.
func TestOddDeclarations(t *testing.T) {
	t.Parallel()
	const (
		names    = "warn declare.tool-names-acceptable"
		builds   = "warn declare.schemas-compile"
		objects  = "fail declare.input-takes-objects"
		output   = "fail output.matches-schema"
		shape    = "fail response.fits-the-protocol"
		json     = "fail response.is-json"
		noConfig = "fail start.yields-a-config"
		params   = "warn advice.parameters-are-described"
	)
	rows := []struct {
		name, tools string
		exit        int
		want        []string
		// settles is the status of execute.settles: whether valid calls could be made.
		settles spec.Status
	}{
		{"no tools", `[]`, reports.ExitUsage, nil, spec.StatusNotApplicable},
		{"tools null", `null`, 1, []string{shape, noConfig}, spec.StatusNotObserved},
		{"tools that are no list", `{"name":"read"}`, 1, []string{shape, noConfig}, spec.StatusNotObserved},
		{"tools that are texts", `["read"]`, 1, []string{shape, noConfig}, spec.StatusNotObserved},
		{"only tools of the client", tool("read", `,"handler":"client","input":{"type":"object"}`), reports.ExitUsage, nil, spec.StatusNotObserved},
		{"a tool of the client with a schema that does not build", tool("read", `,"handler":"client","input":5`), reports.ExitUsage, []string{builds}, spec.StatusNotObserved},
		{"no schema", tool("read", ""), 0, nil, spec.StatusPass},
		{"one name twice", `[` + strings.Trim(tool("read", ""), "[]") + "," + strings.Trim(tool("read", ""), "[]") + `]`, 1,
			[]string{"fail declare.tool-names-unique"}, spec.StatusPass},

		{"a space in the name", tool("a b", ""), 0, []string{names}, spec.StatusPass},
		{"a slash in the name", tool("../a/b", ""), 0, []string{names}, spec.StatusPass},
		{"an empty name", tool("", ""), 0, []string{names}, spec.StatusPass},
		{"a line feed in the name", tool(`a\ngood`, ""), 0, []string{names}, spec.StatusPass},
		{"a zero character in the name", tool(`\u0000`, ""), 0, []string{names}, spec.StatusPass},
		{"a variable for a name", tool("${tool.name}", ""), 0, []string{names}, spec.StatusPass},
		{"a pattern for a name", tool("*", ""), 0, []string{names}, spec.StatusPass},
		{"the name of a prototype", tool("__proto__", ""), 0, nil, spec.StatusPass},
		{"half a character for a name", tool(`\ud800`, ""), 1, []string{shape, noConfig}, spec.StatusNotObserved},
		// No model is shown it, so nothing can be called (K8).
		{"a name of 10 KB", tool(strings.Repeat("n", 10<<10), ""), reports.ExitUsage, []string{names}, spec.StatusNotObserved},
		{"a deferred name of 10 KB", tool(strings.Repeat("n", 10<<10), `,"defer":true`), 0, []string{names}, spec.StatusPass},

		{"input true", inSchema(`true`), 0, nil, spec.StatusPass},
		{"input null", inSchema(`null`), 0, nil, spec.StatusPass},
		{"input {}", inSchema(`{}`), 0, nil, spec.StatusPass},
		{"input of draft 4", inSchema(`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}`), 0, nil, spec.StatusPass},
		{"input false", inSchema(`false`), 1, []string{objects}, spec.StatusNotObserved},
		{"input of no value", inSchema(`{"enum":[]}`), 1, []string{objects}, spec.StatusNotObserved},
		{"input of two types", inSchema(`{"allOf":[{"type":"string"},{"type":"object"}]}`), 1, []string{objects}, spec.StatusNotObserved},
		{"input that excludes all", inSchema(`{"type":"object","not":{}}`), 1, []string{objects}, spec.StatusNotObserved},
		{"input with a parameter of no value", inSchema(`{"type":"object","properties":{"x":{"description":"None.","enum":[]}},"required":["x"]}`), 1,
			[]string{objects}, spec.StatusNotObserved},
		// What does not build leaves its tool unchecked (E1), so it can be called.
		{"input that is itself", inSchema(`{"$ref":"#"}`), 0, []string{builds}, spec.StatusPass},
		{"input a string", inSchema(`"{\"type\":\"object\"}"`), 0, []string{builds}, spec.StatusPass},
		{"input an array", inSchema(`[{"type":"object"}]`), 0, []string{builds}, spec.StatusPass},
		{"input a number", inSchema(`5`), 0, []string{builds}, spec.StatusPass},
		{"input of an unknown type", inSchema(`{"type":"dict"}`), 0, []string{builds}, spec.StatusPass},
		{"input with a broken pattern", inSchema(`{"type":"object","properties":{"x":{"description":"A text such as (.","pattern":"("}}}`), 0, []string{builds}, spec.StatusPass},
		{"input with a reference to nowhere", inSchema(`{"$ref":"#/$defs/nowhere"}`), 0, []string{builds}, spec.StatusPass},
		{"input of an unknown dialect", inSchema(`{"$schema":"https://dialect.example/own","type":"object"}`), 0, []string{builds}, spec.StatusPass},
		{"input with a pattern of one end", inSchema(`{"type":"object","properties":{"x":{"description":"A text such as aaa.","type":"string","pattern":"(a+)+$"}},"required":["x"]}`), 0,
			nil, spec.StatusPass},
		// An engine reads 127 levels and no more (gap 26).
		{"input 110 levels deep", inSchema(deepSchema(55)), 0, []string{params}, spec.StatusPass},
		{"input 140 levels deep", inSchema(deepSchema(70)), 1, []string{json, noConfig}, spec.StatusNotObserved},
		{"input 20000 levels deep", inSchema(deepSchema(10_000)), 1, []string{json, noConfig}, spec.StatusNotObserved},

		{"output true", outSchema(`true`), 0, nil, spec.StatusPass},
		{"output null", outSchema(`null`), 0, nil, spec.StatusPass},
		{"output {}", outSchema(`{}`), 0, nil, spec.StatusPass},
		{"output false", outSchema(`false`), 1, []string{output}, spec.StatusPass},
		{"output of no value", outSchema(`{"enum":[]}`), 1, []string{output}, spec.StatusPass},
		{"output of two types", outSchema(`{"allOf":[{"type":"string"},{"type":"object"}]}`), 1, []string{output}, spec.StatusPass},
		// The output schema that does not build is skipped (F11).
		{"output a string", outSchema(`"{\"type\":\"object\"}"`), 0, []string{builds}, spec.StatusPass},
		{"output an array", outSchema(`[{"type":"object"}]`), 0, []string{builds}, spec.StatusPass},
		{"output a number", outSchema(`5`), 0, []string{builds}, spec.StatusPass},
		{"output of an unknown type", outSchema(`{"type":"dict"}`), 0, []string{builds}, spec.StatusPass},
		{"output that is itself", outSchema(`{"$ref":"#"}`), 0, []string{builds}, spec.StatusPass},
		{"output with a reference to nowhere", outSchema(`{"$ref":"#/$defs/nowhere"}`), 0, []string{builds}, spec.StatusPass},
		{"output 20000 levels deep", outSchema(deepSchema(10_000)), 1, []string{json, noConfig}, spec.StatusNotObserved},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			r := oddRun(t, row.tools, "done")
			g.Expect(verdicts(r)).To(ConsistOf(row.want))
			g.Expect(r.Exit).To(Equal(row.exit))
			g.Expect(statusOf(r, "execute.settles")).To(Equal(row.settles))
			g.Expect(r.Ended).To(BeEmpty())
		})
	}
	t.Run("sixty tools", func(t *testing.T) {
		t.Parallel()
		g := NewWithT(t)
		r := oddRun(t, manyTools(60), "done", "declare/*", "execute/valid*")
		g.Expect(verdicts(r)).To(ConsistOf("warn advice.many-tools-are-deferred", "warn advice.tools-can-be-told-apart"))
		g.Expect(r.Exit).To(BeZero())
		g.Expect(r.Worker.Tools).To(HaveLen(60))
		g.Expect(r.Worker.Tools).To(HaveEach(HaveField("Calls", 1)))
	})
	t.Run("input with a pattern that explodes", func(t *testing.T) {
		t.Parallel()
		g := NewWithT(t)
		r := oddRun(t, inSchema(`{"type":"object","properties":{"x":{"description":"A text such as aaa.","type":"string","minLength":40,"pattern":"^(?!b)(a+)+$"}},"required":["x"]}`),
			"done", "declare/*", "execute/valid*")
		g.Expect(verdicts(r)).To(BeEmpty())
		g.Expect(r.Exit).To(BeZero())
		g.Expect(statusOf(r, "execute.settles")).To(Equal(spec.StatusPass))
	})
	t.Run("output with a pattern that explodes", func(t *testing.T) {
		t.Parallel()
		g := NewWithT(t)
		r := oddRun(t, outSchema(`{"type":"string","pattern":"^(?!b)(a+)+$"}`), strings.Repeat("a", 60)+"b", "execute/valid*")
		g.Expect(verdicts(r)).To(ConsistOf(output))
		g.Expect(unmet(r)).To(ContainSubstring("takes too long to match"))
	})
}

// TestSchemasElsewhereStayThere refers to a schema that takes no object, which
// is a failure once it is read: in place it is one, in a file or behind an
// address it must not be.
func TestSchemasElsewhereStayThere(t *testing.T) {
	t.Parallel()
	const elsewhere = `{"type":"string"}`
	file := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(file, []byte(elsewhere), 0o600); err != nil {
		t.Fatal(err)
	}
	var dialled atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, elsewhere)
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			dialled.Add(1)
		}
	}
	server.Start()
	t.Cleanup(func() {
		server.Close()
		if n := dialled.Load(); n > 0 {
			t.Errorf("%d connections to the address that a schema names", n)
		}
	})
	here := verdicts(oddRun(t, inSchema(elsewhere), "done"))
	if !slices.Contains(here, "fail declare.input-takes-objects") {
		t.Fatalf("in place the schema makes no difference: %v", here)
	}
	path := filepath.ToSlash(file)
	for name, input := range map[string]string{
		"a file":                        `{"$ref":"file://` + path + `"}`,
		"a path":                        `{"$ref":"` + path + `"}`,
		"a file relative to its id":     `{"$id":"file://` + path + `/../","$ref":"schema.json"}`,
		"a file for a dialect":          `{"$schema":"file://` + path + `"}`,
		"a file, dynamically":           `{"$dynamicRef":"file://` + path + `"}`,
		"an address":                    `{"$ref":"` + server.URL + `/schema.json"}`,
		"an address relative to its id": `{"$id":"` + server.URL + `/","$ref":"schema.json"}`,
		"an address for a dialect":      `{"$schema":"` + server.URL + `/schema.json"}`,
		"an address in a parameter":     `{"type":"object","properties":{"x":{"description":"A thing.","$ref":"` + server.URL + `/schema.json"}},"required":["x"]}`,
	} {
		for _, part := range []string{"input", "output"} {
			t.Run(name+", "+part, func(t *testing.T) {
				t.Parallel()
				g := NewWithT(t)
				r := oddRun(t, tool("read", `,"`+part+`":`+input), "done")
				g.Expect(verdicts(r)).To(ConsistOf("warn declare.schemas-compile"))
				g.Expect(r.Exit).To(BeZero())
				g.Expect(statusOf(r, "execute.settles")).To(Equal(spec.StatusPass))
				g.Expect(unmet(r)).To(ContainSubstring("references to other documents are not fetched"))
			})
		}
	}
}
