package simulator

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/simulator/engine"
	"github.com/hallmarkdev/hallmark/spec"
)

// field-report:089: ids come from the seed and a counter. However many are made
// at one moment, no two are alike, and none depends on when it is made.
func TestIdsDoNotComeFromTheClockAlone(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	at := time.Date(2026, 8, 28, 12, 0, 0, 0, time.UTC)
	seen := map[string]bool{}
	for session := range 64 {
		ids := Ids{Seed: 1, Case: "a.yaml#default", Session: "s" + strconv.Itoa(session), At: at}
		again := ids
		for _, kind := range []engine.IDKind{engine.IDDecision, engine.IDMessage, engine.IDCall, engine.IDTurn} {
			for n := range 64 {
				id := ids.Engine()(kind, n)
				g.Expect(seen[id]).To(BeFalse(), id)
				seen[id] = true
				g.Expect(again.Engine()(kind, n)).To(Equal(id))
			}
		}
	}
}

// field-report:092: a model that asks for the same again asks under a new id,
// unless a scenario wants one: a worker that knows repeated calls by their ids
// passes otherwise.
func TestTheModelGivesEachCallANewID(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	idsOf := func(id string) []string {
		got := drive(t.Context(), input(planned(strings.ReplaceAll(`
scenario: The same twice
steps:
  - user: Go.
  - model: {calls: [{as: c1, ID tool: toll, arguments: {}}]}
  - model: Done.
  - user: Go again.
  - model: {calls: [{as: c2, tool: toll, arguments: {}}]}
  - model: Done.
`, "ID ", id))[0]), &scripted{})
		var ids []string
		for _, e := range got.events {
			if q, ok := e.Data.(*spec.RequestEvent); ok && q.Trigger == spec.OnToolExecute {
				ids = append(ids, q.Call)
			}
		}
		return ids
	}
	fresh := idsOf("")
	g.Expect(fresh).To(HaveLen(2))
	g.Expect(fresh[0]).NotTo(Equal(fresh[1]))
	g.Expect(idsOf("")).To(Equal(fresh), "by seed and counter")
	g.Expect(idsOf("id: call_0, ")[0]).To(Equal("call_0"))
}

// field-report:098: net/http repeats a POST by itself where it can have the body
// again and the request says that repeating does no harm. One record is one
// delivery, so nothing is sent that nobody asked to send.
func TestTransportSendsNothingAgainByItself(t *testing.T) {
	t.Parallel()
	for _, headers := range [][][2]string{nil, {{"Idempotency-Key", "k"}}, {{"X-Idempotency-Key", "k"}}} {
		g := NewWithT(t)
		var requests atomic.Int32
		tr := pipeTransport(t, func(conn int, c *pipeConn) {
			for n := 1; c.request() != nil; n++ {
				requests.Add(1)
				if conn == 1 && n == 2 {
					return // closed as the request came
				}
				c.send(okHead + "content-length: 2\r\n\r\n{}")
			}
		}, TransportConfig{})
		p := Post{Body: []byte("{}"), Headers: WireHeaders("00-aa-bb-01", headers)}
		g.Expect(tr.Post(context.Background(), p).Answer.End).To(Equal(spec.EndWhole))
		g.Expect(tr.Post(context.Background(), p).Answer.End).To(Equal(spec.EndStale))
		g.Expect(requests.Load()).To(BeEquivalentTo(2), "%v", headers)
		req, err := tr.request(context.Background(), p)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(req.GetBody).To(BeNil())
	}
}

// field-report:101: a packed body is kept as it came, beside the header that says
// how it is packed.
func TestTransportKeepsPackedBodiesWithTheirHeaders(t *testing.T) {
	t.Parallel()
	packed := func(to func(io.Writer) io.WriteCloser, text string) string {
		var b bytes.Buffer
		w := to(&b)
		_, _ = io.WriteString(w, text)
		_ = w.Close()
		return b.String()
	}
	zip := func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
	deflate := func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 9); return f }
	for name, c := range map[string][2]string{
		"gzip":                  {"gzip", packed(zip, "{}")},
		"gzip of nothing":       {"gzip", packed(zip, "")},
		"no body at all":        {"gzip", ""},
		"deflate":               {"deflate", packed(deflate, "{}")},
		"one that is not known": {"br", "\x0b\x01\x80{}\x03"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			tr := pipeTransport(t, once(okHead+"content-encoding: "+c[0]+"\r\ncontent-length: "+strconv.Itoa(len(c[1]))+"\r\n\r\n"+c[1]), TransportConfig{})
			got := tr.Post(context.Background(), post("{}"))
			g.Expect(string(got.Answer.Body)).To(Equal(c[1]))
			g.Expect(got.Answer.End).To(Equal(spec.EndWhole))
			g.Expect(got.Answer.Headers).To(ContainElement([2]string{"content-encoding", c[0]}))
		})
	}
}
