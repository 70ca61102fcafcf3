package fits

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/outgoing"
	"github.com/hallmarkdev/hallmark/spec"
)

// misfit is no request of the protocol.
const misfit = `{"trigger":{"type":"session.start"}}`

func TestAMisfitEndsTheProgram(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	if os.Getenv("HALLMARK_TEST_SENDS") != "" {
		outgoing.Say([]byte(misfit), spec.BrokenAdds(spec.AddsFields))
		func() {
			defer func() { _ = recover() }()
			outgoing.Say([]byte(misfit), os.Getenv("HALLMARK_TEST_BROKEN"))
		}()
		return
	}
	for _, c := range []struct {
		broken string
		code   int
	}{{"", 70}, {spec.BrokenSignature("forged"), 70}, {spec.BrokenAdds(spec.AddsTrigger), 0}} {
		told := filepath.Join(t.TempDir(), "told")
		program := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestAMisfitEndsTheProgram$")
		program.Env = append(os.Environ(), "HALLMARK_TEST_SENDS=yes", "HALLMARK_TEST_BROKEN="+c.broken, outgoing.Misfit+"="+told)
		output, _ := program.CombinedOutput()
		g.Expect(program.ProcessState.ExitCode()).To(Equal(c.code), "%q: %s", c.broken, output)
		if c.code == 0 {
			g.Expect(told).NotTo(BeAnExistingFile())
			continue
		}
		g.Expect(string(output)).To(ContainSubstring("a request was sent that does not fit"))
		said, err := os.ReadFile(told)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(said)).To(ContainSubstring(misfit))
	}
}

// Whoever drives the simulator in a test has its requests looked at.
func TestAllThatDriveAreWatched(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	const module = "github.com/hallmarkdev/hallmark"
	list := exec.CommandContext(t.Context(), "go", "list", "-test", "-f", "{{.ImportPath}} {{.ForTest}} {{join .Deps \" \"}}", "./...")
	list.Dir = filepath.Join("..", "..", "..")
	output, err := list.Output()
	g.Expect(err).NotTo(HaveOccurred())
	driving := 0
	for line := range strings.Lines(string(output)) {
		words := strings.Fields(line)
		if !strings.HasSuffix(words[0], ".test") {
			continue
		}
		deps := " " + strings.Join(words[1:], " ") + " "
		if !strings.Contains(deps, " "+module+"/simulator ") && !strings.Contains(deps, " "+module+"/simulator [") {
			continue
		}
		driving++
		g.Expect(strings.Contains(deps, " "+module+"/internal/outgoing/fits ")).To(BeTrue(), "%s drives the simulator: import internal/outgoing/fits in a test of it", words[0])
	}
	g.Expect(driving).To(BeNumerically(">", 6))
}
