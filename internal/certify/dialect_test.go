package certify_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// requestSchema is the protocol's schema of a request.
func requestSchema() *jsonschema.Schema {
	GinkgoHelper()
	text, ok := spec.Schema("request")
	Expect(ok).To(BeTrue())
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	Expect(err).NotTo(HaveOccurred())
	compiler := jsonschema.NewCompiler()
	Expect(compiler.AddResource("request.json", doc)).To(Succeed())
	schema, err := compiler.Compile("request.json")
	Expect(err).NotTo(HaveOccurred())
	return schema
}

// checkedRequests holds every request against the schema before h gets it.
type checkedRequests struct {
	*reference.Restartable
	schema *jsonschema.Schema

	mu      sync.Mutex
	faults  []string
	checked int
}

func (c *checkedRequests) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		var value any
		if value, err = jsonschema.UnmarshalJSON(bytes.NewReader(body)); err == nil {
			err = c.schema.Validate(value)
		}
	}
	c.mu.Lock()
	c.checked++
	if err != nil && len(c.faults) < 3 {
		c.faults = append(c.faults, err.Error())
	}
	c.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	c.Restartable.ServeHTTP(w, r)
}

// What engines may do in two ways turns nothing red that is right, and all of
// it fits the protocol's schema. With HALLMARK_MATRIX=full every case runs in
// every dialect; without, one of a kind.
var _ = Describe("the dialects of the protocol", func() {
	It("leave the reference worker without a finding, by requests that fit the schema", func() {
		h, err := reference.NewRestartable(reference.Options{Secret: []byte(secret), Engine: atEndpoint})
		Expect(err).NotTo(HaveOccurred())
		worker := &checkedRequests{Restartable: h, schema: requestSchema()}
		c := signedConfig()
		// What is broken on purpose fits no schema.
		c.Skip = []string{
			"robustness/no-decisions.yaml", "robustness/other-methods.yaml", "robustness/odd-bytes.yaml",
			"robustness/cut-short.yaml", "robustness/unknown-*",
		}
		c.Wanted, c.Restart = oneOfAKind(), h.Restart
		c.Dialects, err = scenarios.ParseDialects([]string{"all"})
		Expect(err).NotTo(HaveOccurred())
		r := certifyAll(c, worker)
		Expect(troubled(r)).To(BeEmpty())
		Expect(r.Exit).To(Equal(0), "%s", unmet(r))
		for _, one := range r.Cases {
			Expect(one.Status).To(BeElementOf(spec.StatusPass, spec.StatusNotApplicable), one.ID)
		}
		Expect(worker.faults).To(BeEmpty())
		Expect(worker.checked).To(BeNumerically(">", 1000))
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
