package certify_test

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// asJSON is the report as it is printed, without what a clock measured.
func asJSON(r reports.Report, measured bool) string {
	GinkgoHelper()
	if !measured {
		r.Measured = reports.Measured{}
		r.Cases = slices.Clone(r.Cases)
		for i := range r.Cases {
			r.Cases[i].Measured = reports.Measured{}
			r.Cases[i].Recording = ""
		}
	}
	var b bytes.Buffer
	Expect(reports.WriteJSON(&b, &r)).To(Succeed())
	return b.String()
}

// askedByCase reads the digest of what was asked, by case, from a folder.
func askedByCase(folder string) map[string]string {
	GinkgoHelper()
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	Expect(err).NotTo(HaveOccurred())
	asked := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		Expect(err).NotTo(HaveOccurred())
		r, err := recorder.Verify(bytes.NewReader(text), name)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.State).To(Equal(recorder.StateWhole), r.String())
		asked[r.Header.ID] = r.Close.Asked
	}
	return asked
}

var _ = Describe("a run", func() {
	It("sends the same bytes whatever runs beside what (R20)", func() {
		var reportsOf []string
		var askedOf []map[string]string
		for _, jobs := range []int{1, 8, 8} {
			// When a worker settles is an input, so here it answers at once.
			c := atOnce(config())
			c.Jobs, c.Record = jobs, GinkgoT().TempDir()
			reportsOf = append(reportsOf, asJSON(*certifyAll(c, workerAtOnce()), false))
			askedOf = append(askedOf, askedByCase(c.Record))
		}
		Expect(len(askedOf[0])).To(BeNumerically(">", 150))
		for i := 1; i < len(reportsOf); i++ {
			Expect(askedOf[i]).To(Equal(askedOf[0]))
			Expect(reportsOf[i]).To(Equal(reportsOf[0]))
		}
	})

	It("asks otherwise with another seed", func() {
		a, b := config(), config()
		a.Run, b.Run = []string{"session/*"}, []string{"session/*"}
		a.Record, b.Record, b.Seed = GinkgoT().TempDir(), GinkgoT().TempDir(), 8
		certifyAll(a, referenceWorker())
		certifyAll(b, referenceWorker())
		one, other := askedByCase(a.Record), askedByCase(b.Record)
		Expect(slices.Sorted(maps.Keys(one))).To(Equal(slices.Sorted(maps.Keys(other))))
		for id := range one {
			Expect(one[id]).NotTo(Equal(other[id]), id)
		}
	})

	DescribeTable("is judged from its files as it was judged at once",
		func(faults ...string) {
			c := config()
			c.Record, c.Wanted = GinkgoT().TempDir(), oneOfAKind()
			live := certifyAll(c, referenceWorker(faults...))
			files, err := filepath.Glob(filepath.Join(c.Record, "*.jsonl"))
			Expect(err).NotTo(HaveOccurred())
			slices.Reverse(files)
			var judged []*certify.Judged
			for _, name := range files {
				j, err := certify.Judge(certify.FromFile(name))
				Expect(err).NotTo(HaveOccurred())
				judged = append(judged, j)
			}
			Expect(asJSON(*certify.Sum(judged), true)).To(Equal(asJSON(*live, true)))
		},
		Entry("of the reference worker"),
		Entry("of one that settles twice", "settles-twice"),
		Entry("of one that sends too much", "endless-body"),
		Entry("of one that cuts its answers", "cuts-the-body"),
		Entry("of one that does not start", "no-config"),
	)

	It("keeps the recordings of failed cases only, unless all are wanted", func() {
		c := config()
		c.Run, c.Keep = []string{"execute/valid.yaml", "session/*"}, GinkgoT().TempDir()
		r := certifyAll(c, referenceWorker("settles-twice"))
		kept := askedByCase(c.Keep)
		for _, one := range r.Cases {
			if one.Status == spec.StatusFail {
				Expect(kept).To(HaveKey(one.ID))
				Expect(one.Recording).To(BeAnExistingFile())
			} else {
				Expect(kept).NotTo(HaveKey(one.ID))
				Expect(one.Recording).To(BeEmpty())
			}
		}
		Expect(kept).NotTo(BeEmpty())
	})

	DescribeTable("asks no more than it must to say what it would call",
		func(requests int, faults ...string) {
			right, asked, said := referenceWorker(faults...), 0, ""
			c := config()
			c.PlanOnly, c.Announce = true, func(line string) { said = line }
			r, err := certify.Run(context.Background(), c, inMemory(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				asked++
				right.ServeHTTP(w, q)
			})))
			Expect(err).NotTo(HaveOccurred())
			Expect(r).To(BeNil())
			Expect(said).To(HavePrefix("will call 9 of 9 tools"))
			Expect(asked).To(Equal(requests))
		},
		Entry("one session.start", 1),
		Entry("the other form too, where the first does not start", 2, "needs-a-bare-start"),
	)

	It("stops when it is cancelled, and says so", func() {
		ctx, cancel := context.WithCancel(context.Background())
		c := config()
		c.Announce = func(string) { cancel() }
		r, err := certify.Run(ctx, c, inMemory(referenceWorker()))
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Ended).To(ContainSubstring("were not run"))
		Expect(r.Summary.Cases.NotObserved).To(BeNumerically(">", 150))
	})
})

// eventsOf reads a file that must be whole.
func eventsOf(name string) func(func(spec.Event) bool) {
	return func(yield func(spec.Event) bool) {
		for e, err := range certify.FromFile(name).Events() {
			Expect(err).NotTo(HaveOccurred())
			if !yield(e) {
				return
			}
		}
	}
}
