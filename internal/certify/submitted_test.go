package certify_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// submitting is a right worker that submits each of its answers, and answers the
// request by nothing. What the engine does not take so, it answers itself.
type submitting struct {
	http.Handler
	at    *simulator.Endpoint
	taken atomic.Int64
}

func (h *submitting) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	request, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(request))
	// A streamed answer is submitted whole.
	r.Header.Del("Accept")
	c := &caught{ResponseWriter: rw}
	h.Handler.ServeHTTP(c, r)
	req, fault := spec.ParseRequest(request)
	answer := bytes.TrimSpace(c.body.Bytes())
	if fault != nil || jsonv.Kind(answer) != '{' {
		_, _ = rw.Write(answer)
		return
	}
	ids := `{"session_id":` + string(jsonv.Quote(req.SessionID)) + `,"decision_id":` + string(jsonv.Quote(req.DecisionID))
	members := strings.TrimPrefix(string(answer), "{")
	if members != "}" {
		ids += ","
	}
	post := httptest.NewRequest(http.MethodPost, "/api/machine/workers/submit", strings.NewReader(ids+members))
	post.Header.Set("Authorization", "Bearer "+endpointKey)
	reply := httptest.NewRecorder()
	h.at.ServeHTTP(reply, post)
	if reply.Code == http.StatusOK {
		h.taken.Add(1)
		answer = []byte(`{}`)
	}
	_, _ = rw.Write(answer)
}

var _ = Describe("a worker that submits all its answers", func() {
	It("is held to what every other is held to, and to no more", func() {
		c := atOnce(config())
		c.Endpoint = endpoint
		c.Wanted, c.Skip = oneOfAKind(), []string{"sessions/*"}
		worker := &submitting{Handler: workerAtOnce(), at: endpoint}
		r := certifyAll(c, worker)
		Expect(troubled(r)).To(BeEmpty(), unmet(r))
		Expect(r.Exit).To(BeZero(), unmet(r))
		Expect(worker.taken.Load()).To(BeNumerically(">", 500))
		for _, id := range []string{"async.settles-through-endpoint", "execute.settles", "result.is-explicit", "finished.records-the-tool-message", "start.yields-a-config"} {
			Expect(statusOf(r, id)).To(Equal(spec.StatusPass), id)
		}
	})

	It("ends its sessions alike in any trouble", func() {
		c := atOnce(config())
		c.Endpoint = endpoint
		c.Run, c.Disturb = []string{"parallel/two-tools.yaml", "session/two-turns.yaml"}, scenarios.Disturbances()
		r := certifyAll(c, &submitting{Handler: workerAtOnce(), at: endpoint})
		Expect(troubled(r)).To(BeEmpty(), unmet(r))
	})
})
