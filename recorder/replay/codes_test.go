package replay_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder/replay"
)

func names(codes []replay.Code) (all []string) {
	for _, c := range codes {
		all = append(all, c.Name)
	}
	return all
}

// declaredCodes are the values of the constants Code… in the files of the
// package.
func declaredCodes() (all []string) {
	GinkgoHelper()
	files, err := filepath.Glob("*.go")
	Expect(err).NotTo(HaveOccurred())
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		Expect(err).NotTo(HaveOccurred())
		ast.Inspect(file, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || !strings.HasPrefix(v.Names[0].Name, "Code") || len(v.Values) != 1 {
				return true
			}
			if l, ok := v.Values[0].(*ast.BasicLit); ok {
				text, err := strconv.Unquote(l.Value)
				Expect(err).NotTo(HaveOccurred())
				all = append(all, text)
			}
			return true
		})
	}
	return all
}

var _ = Describe("The codes", func() {
	// A name that goes or changes here breaks the programs that read reports, and
	// stands in the changelog as that.
	It("of divergences are these", func() {
		Expect(names(replay.DivergenceCodes())).To(Equal([]string{
			"request", "event", "kind", "missing", "extra", "end", "digest", "step", "answer", "status",
			"failure", "stream", "bytes",
		}))
	})

	It("of what is unexplained are these", func() {
		Expect(names(replay.UnexplainedCodes())).To(Equal([]string{
			"unread", "not-loaded", "gap", "unknown-trigger", "delivery-unseen", "exchange-unseen", "unheard", "settled-elsewhere",
			"queue-unseen", "policy-unseen", "bytes-unseen", "prompt-unseen", "branch-unseen", "older-turn", "given",
			"stand-in", "refused", "not-simulated", "other-first", "no-way",
		}))
	})

	It("are all listed, each once, with what it means", func() {
		all := append(replay.DivergenceCodes(), replay.UnexplainedCodes()...)
		Expect(names(all)).To(ConsistOf(declaredCodes()))
		seen := map[string]bool{}
		for _, c := range all {
			Expect(seen).NotTo(HaveKey(c.Name))
			seen[c.Name] = true
			Expect(c.Text).NotTo(BeEmpty())
		}
	})
})
