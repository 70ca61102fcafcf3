package proxy_test

import (
	"bufio"
	"bytes"
	"compress/flate"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder/proxy"
	"github.com/hallmarkdev/hallmark/spec"
)

// What proxies were seen to do to what passes, and this one does not.
var _ = Describe("failures seen in public", func() {
	It("field-report:035, field-report:040: passes and keeps characters that are cut, and halves that are none", func() {
		body := decision("s", "d", "tool.execute", `,"id":"c1","name":"note","arguments":"{\"t\":\"é🌍\",\"half\":\"x\\ud835y\"}","input":{"status":"malformed","error":"x"},"attempt":0`)
		request := post(body)
		worker, got := script([]string{request}, []string{answer(`{"actions":[{"type":"tool.error","error":"é🌍 \ud835"}]}`)})
		r := front(worker, nil)
		c := r.dial()
		for i := range len(request) {
			_, err := c.Write([]byte(request[i : i+1]))
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(<-got).To(Equal(request))
		expectBytes(c, answer(`{"actions":[{"type":"tool.error","error":"é🌍 \ud835"}]}`))
		x := exchanges(r.events())
		Expect(x).To(HaveLen(1))
		Expect(string(x[0].RequestBody)).To(Equal(body))
		Expect(string(x[0].ResponseBody)).To(Equal(`{"actions":[{"type":"tool.error","error":"é🌍 \ud835"}]}`))
	})

	It("field-report:077: passes and keeps a result of twelve megabytes, or says by how much it is too large", func() {
		result := `{"actions":[{"type":"tool.result","result":"` + strings.Repeat("0123456789abcdef", 12<<16) + `"}]}`
		for _, most := range []int64{16 << 20, 4 << 20} {
			r := front(echoWorker(func(string) (int, string) { return 200, result }), func(c *proxy.Config) { c.MaxBody = most })
			Expect(r.send(decision("s", "d", "session.start", "")) == result).To(BeTrue(), "what passes is whole, whatever is kept")
			x := exchanges(r.events())[0]
			if most > int64(len(result)) {
				Expect(string(x.ResponseBody) == result).To(BeTrue())
				Expect(x.Response.End).To(Equal(spec.EndWhole))
				continue
			}
			Expect(x.Response.End).To(Equal(spec.EndOverLimit))
			Expect(x.Response.Bytes).To(BeEquivalentTo(len(result)))
			Expect(x.Response.Reason).To(Equal("body of " + itoa(len(result)) + " bytes over the limit of 4194304"))
		}
	})

	It("field-report:098: sends nothing twice, also where a request says that it may be", func() {
		body := decision("s", "d", "session.start", "")
		request := strings.Replace(post(body), "\r\n\r\n", "\r\nidempotency-key: k\r\n\r\n", 1)
		asked := make(chan string, 10)
		r := front(rawWorker(func(c net.Conn) {
			for i := range 2 {
				b := make([]byte, len(request))
				if _, err := io.ReadFull(c, b); err != nil {
					return
				}
				asked <- string(b)
				if i == 0 {
					_, _ = io.WriteString(c, answer("{}"))
				}
			}
		}), nil)
		c := r.dial()
		_, err := io.WriteString(c, request)
		Expect(err).NotTo(HaveOccurred())
		expectBytes(c, answer("{}"))
		_, err = io.WriteString(c, request)
		Expect(err).NotTo(HaveOccurred())
		all, err := io.ReadAll(c)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(all)).To(HavePrefix("HTTP/1.1 502 "))
		x := exchanges(r.events())
		Expect(x).To(HaveLen(2))
		Expect(x[1].Response.End).To(Equal(spec.EndStale))
		Expect(asked).To(HaveLen(2))
	})

	It("field-report:100: keeps half an answer as half an answer, and says who ended it", func() {
		const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n"
		whole := `{"actions":[]}` + strings.Repeat(" ", 86) // sixty bytes of it are an answer by themselves
		// The client takes sixty bytes and goes; the worker writes until it sees that.
		const long = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000000\r\n\r\n"
		left := make(chan struct{})
		gone := front(rawWorker(func(c net.Conn) {
			_ = readHead(bufio.NewReader(c))
			_, _ = io.WriteString(c, long+whole[:60])
			for {
				if _, err := io.WriteString(c, whole[60:]); err != nil {
					close(left)
					return
				}
			}
		}), nil)
		c := gone.dial()
		_, err := io.WriteString(c, "GET / HTTP/1.1\r\n\r\n")
		Expect(err).NotTo(HaveOccurred())
		expectBytes(c, long+whole[:60])
		Expect(c.Close()).To(Succeed())
		<-left

		cut := front(rawWorker(func(c net.Conn) {
			_ = readHead(bufio.NewReader(c))
			_, _ = io.WriteString(c, head+whole[:60])
		}), nil)
		c = cut.dial()
		_, err = io.WriteString(c, "GET / HTTP/1.1\r\n\r\n")
		Expect(err).NotTo(HaveOccurred())
		_, err = io.ReadAll(c)
		Expect(err).NotTo(HaveOccurred())

		large := front(echoWorker(func(string) (int, string) { return 200, whole }), func(c *proxy.Config) { c.MaxBody = 50 })
		Expect(large.send("")).To(Equal(whole))

		for end, r := range map[spec.BodyEnd]*rig{spec.EndClientGone: gone, spec.EndCut: cut, spec.EndOverLimit: large} {
			x := exchanges(r.events())
			Expect(x).To(HaveLen(1))
			Expect(x[0].Response.End).To(Equal(end))
			_, failure := x[0].Decided()
			Expect(failure).NotTo(BeNil(), "%s is taken for a whole answer", end)
		}
	})

	It("field-report:101: passes packed bodies as they are, and keeps them with headers that are true of them", func() {
		var squeezed bytes.Buffer
		w, _ := flate.NewWriter(&squeezed, 9)
		_, _ = io.WriteString(w, `{"actions":[]}`)
		_ = w.Close()
		for _, c := range []struct {
			coding, body, kept, was string
			end                     spec.BodyEnd
		}{
			{"gzip", string(zipped(`{"actions":[]}`)), `{"actions":[]}`, "gzip", spec.EndWhole},
			{"gzip", string(zipped("")), "", "gzip", spec.EndWhole},
			{"gzip", "", "", "", spec.EndWhole},
			{"deflate", squeezed.String(), "", "", spec.EndOmitted},
			{"br", "\x0b\x06\x80" + `{"actions":[]}` + "\x03", "", "", spec.EndOmitted},
		} {
			worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", c.coding)
				w.Header().Set("Content-Length", itoa(len(c.body)))
				_, _ = io.WriteString(w, c.body)
			}))
			DeferCleanup(worker.Close)
			r := front(worker.URL, nil)
			req, err := http.NewRequest("POST", "http://"+r.addr, strings.NewReader(decision("s", "d", "session.start", "")))
			Expect(err).NotTo(HaveOccurred())
			resp, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(req)
			Expect(err).NotTo(HaveOccurred())
			came, err := io.ReadAll(resp.Body)
			Expect(err).NotTo(HaveOccurred())
			Expect(resp.Body.Close()).To(Succeed())
			Expect(string(came)).To(Equal(c.body))
			Expect(resp.Header.Get("Content-Encoding")).To(Equal(c.coding))

			x := exchanges(r.events())[0]
			Expect(header(x.Response.Headers, "Content-Encoding")).To(Equal(c.coding), "the header stays")
			Expect(x.Response.Was).To(Equal(c.was), "%s: what is kept is said to be unpacked, or is not", c.coding)
			Expect(string(x.ResponseBody)).To(Equal(c.kept))
			Expect(x.Response.End).To(Equal(c.end))
			if c.end == spec.EndOmitted {
				Expect(x.Response.Reason).To(HavePrefix(`content coding "` + c.coding + `" is not undone`))
			}
		}
	})
})
