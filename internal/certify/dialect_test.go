package certify_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// What engines may do in two ways turns nothing red that is right. With HALLMARK_MATRIX=full every case runs in
// every dialect; without, one of a kind.
var _ = Describe("the dialects of the protocol", func() {
	It("leave the reference worker without a finding", func() {
		h, err := reference.NewRestartable(reference.Options{Secret: []byte(secret), Engine: atEndpoint})
		Expect(err).NotTo(HaveOccurred())
		c := signedConfig()
		c.Wanted, c.Restart = oneOfAKind(), h.Restart
		c.Dialects, err = scenarios.ParseDialects([]string{"all"})
		Expect(err).NotTo(HaveOccurred())
		r := certifyAll(c, h)
		Expect(troubled(r)).To(BeEmpty())
		Expect(r.Exit).To(Equal(0), "%s", unmet(r))
		for _, one := range r.Cases {
			Expect(one.Status).To(BeElementOf(spec.StatusPass, spec.StatusNotApplicable), one.ID)
		}
		Expect(r.Summary.Exchanges).To(BeNumerically(">", 1000))
	})

	It("are named by cases, recordings and lines that repeat a case", func() {
		c := atOnce(config())
		c.Run, c.Keep = []string{"execute/valid.yaml"}, GinkgoT().TempDir()
		var err error
		c.Dialects, err = scenarios.ParseDialects([]string{"default", "first-attempt=1,identity=older"})
		Expect(err).NotTo(HaveOccurred())
		r := certifyAll(c, workerAtOnce("counts-attempts-from-0"))
		Expect(troubled(r)).To(ConsistOf("execute.settles-the-asked-attempt"))
		failed := 0
		for _, one := range r.Cases {
			other := strings.HasSuffix(one.ID, " (first_attempt 1, identity older)")
			Expect(one.Status == spec.StatusFail).To(Equal(other), one.ID)
			Expect(strings.Contains(one.Repeat, "--dialect first-attempt=1,identity=older ")).To(Equal(other), one.Repeat)
			if other {
				failed++
				text, err := os.ReadFile(one.Recording)
				Expect(err).NotTo(HaveOccurred())
				Expect(string(text)).To(ContainSubstring(`"dialect":{"protocol":"0.9.1","first_attempt":1,"empty_proposed":"full","failed_call":"interrupt","identity":"older"}`))
				Expect(string(text)).To(ContainSubstring(`\"identity\":{\"metadata\":{}}`))
				Expect(string(text)).NotTo(ContainSubstring(`\"visibility\"`))
			}
		}
		Expect(failed).To(Equal(len(r.Cases) / 2))
	})

	It("let discovery speak the first of them", func() {
		c := config()
		c.Run = []string{"session/plain-talk.yaml"}
		var err error
		c.Dialects, err = scenarios.ParseDialects([]string{"identity=older"})
		Expect(err).NotTo(HaveOccurred())
		right := referenceWorker()
		r := certifyAll(c, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			body, _ := io.ReadAll(q.Body)
			if bytes.Contains(body, []byte("visibility")) {
				http.Error(w, "a later identity", http.StatusBadRequest)
				return
			}
			q.Body = io.NopCloser(bytes.NewReader(body))
			right.ServeHTTP(w, q)
		}))
		Expect(r.Exit).To(Equal(0))
		Expect(r.Worker.Dialect.Identity).To(Equal(spec.IdentityOlder))
	})
})
