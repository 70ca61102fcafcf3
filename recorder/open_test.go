package recorder_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

func TestHeaderOf(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	h, err := recorder.HeaderOf(filepath.Join("testdata", "recording-example.jsonl"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(h.Source).To(Equal(spec.SourceTest))
	_, err = recorder.HeaderOf(filepath.Join("testdata", "no-such-file.jsonl"))
	g.Expect(errors.Is(err, os.ErrNotExist)).To(BeTrue())
	other := filepath.Join(t.TempDir(), "other.jsonl")
	g.Expect(os.WriteFile(other, []byte("{\"n\":1,\"k\":\"gap\"}\n"), 0o600)).To(Succeed())
	_, err = recorder.HeaderOf(other)
	var damage *recorder.DamageError
	g.Expect(errors.As(err, &damage)).To(BeTrue(), "%v", err)
}
