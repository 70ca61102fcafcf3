package certify_test

import (
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/certify"
)

var _ = Describe("a probe before a run", func() {
	var dir string
	BeforeEach(func() {
		dir = GinkgoT().TempDir()
		Expect(os.WriteFile(filepath.Join(dir, "file"), []byte("kept"), 0o600)).To(Succeed())
	})
	AfterEach(func() {
		By("leaving nothing behind")
		left, err := os.ReadDir(dir)
		Expect(err).NotTo(HaveOccurred())
		Expect(left).To(HaveLen(1))
		Expect(os.ReadFile(filepath.Join(dir, "file"))).To(Equal([]byte("kept")))
	})

	It("takes a folder that is there, or can be made", func() {
		Expect(certify.ProbeFolder(dir)).To(Succeed())
		Expect(certify.ProbeFolder(filepath.Join(dir, "a", "b"))).To(Succeed())
	})

	It("refuses a folder in whose way a file stands", func() {
		Expect(certify.ProbeFolder(filepath.Join(dir, "file"))).To(MatchError(ContainSubstring("is no folder")))
		Expect(certify.ProbeFolder(filepath.Join(dir, "file", "b"))).NotTo(Succeed())
	})

	It("takes a file that is there, or can be made", func() {
		Expect(certify.ProbeFile(filepath.Join(dir, "file"))).To(Succeed())
		Expect(certify.ProbeFile(filepath.Join(dir, "new.json"))).To(Succeed())
	})

	It("refuses a file that is a folder, or has none", func() {
		Expect(certify.ProbeFile(dir)).To(MatchError(ContainSubstring("is a folder")))
		Expect(certify.ProbeFile(filepath.Join(dir, "a", "b.json"))).To(MatchError(ContainSubstring("there is no folder")))
	})

	It("refuses what may not be written to", func() {
		locked := dir
		if os.Geteuid() == 0 {
			// No mode forbids root anything; the kernel's own folder does, and where
			// there is none, a file in place of a folder.
			locked = "/proc/self"
			if _, err := os.Stat(locked); err != nil {
				locked = filepath.Join(dir, "file", "below")
				Expect(os.WriteFile(filepath.Dir(locked), nil, 0o600)).To(Succeed())
			}
		}
		Expect(os.Chmod(dir, 0o500)).To(Succeed())
		Expect(certify.ProbeFolder(locked)).NotTo(Succeed())
		Expect(certify.ProbeFile(filepath.Join(locked, "new.json"))).NotTo(Succeed())
		Expect(os.Chmod(dir, 0o700)).To(Succeed())
	})
})
