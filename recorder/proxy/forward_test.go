package proxy_test

import (
	"bufio"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder/proxy"
	"github.com/hallmarkdev/hallmark/spec"
)

func itoa(n int) string { return strconv.Itoa(n) }

var _ = Describe("what passes", func() {
	It("is the same, byte for byte, in both directions and on one connection", func() {
		requests := []string{
			"POST /a%2Fb//c?x=1&x=%zz&y HTTP/1.1\r\nHOST: Some.Host:1\r\nX-oDD-case:  two spaces \r\naccept: b\r\nAccept: a\r\nContent-Length: 5\r\n\r\n{\"a\":",
			"PUT /\xc3\xa9 HTTP/1.1\r\nhost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;ext=\"a b\"\r\nabc\r\n00A\r\n0123456789\r\n0\r\nTrailer-Field: t\r\n\r\n",
			"GET / HTTP/1.1\r\nhost: h\r\n\r\n",
			"HEAD /x HTTP/1.1\r\nhost: h\r\n\r\n",
			"POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 4\r\n\r\n\x00\xff\xfe\x80",
		}
		answers := []string{
			"HTTP/1.1 200 Fine by me\r\nX-B: 2\r\nx-a: 1\r\nX-B: 3\r\nContent-Length: 3\r\n\r\nabc",
			"HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n1\r\nx\r\n0005 ;q\r\nhello\r\n0\r\n\r\n",
			"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 204 No Content\r\nx-y: z\r\n\r\n",
			"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n",
			"HTTP/1.1 404 \r\ncontent-length: 2\r\n\r\n\x80\x81",
		}
		worker, got := script(requests, answers)
		r := front(worker, nil)
		c := r.dial()
		for i := range requests {
			_, err := io.WriteString(c, requests[i])
			Expect(err).NotTo(HaveOccurred())
			Expect(<-got).To(Equal(requests[i]))
			expectBytes(c, answers[i])
		}
		Expect(c.Close()).To(Succeed())

		x := exchanges(r.events())
		Expect(x).To(HaveLen(5))
		Expect(x[0].Request.Headers).To(Equal([][2]string{{"HOST", "Some.Host:1"}, {"X-oDD-case", "two spaces"}, {"accept", "b"}, {"Accept", "a"}, {"Content-Length", "5"}}))
		Expect(x[0].Request.Target).To(Equal("/a%2Fb//c?x=1&x=%zz&y"))
		Expect(string(x[0].RequestBody)).To(Equal(`{"a":`))
		Expect(x[0].Request.Conn).To(Equal("new"))
		Expect(x[1].Request.Conn).To(Equal("reused"))
		Expect(string(x[1].RequestBody)).To(Equal("abc0123456789"))
		Expect(string(x[1].ResponseBody)).To(Equal("xhello"))
		Expect(x[2].Response.Status).To(Equal(204))
		Expect(x[3].Response.End).To(Equal(spec.EndWhole))
		Expect(x[4].RequestBody).To(Equal([]byte("\x00\xff\xfe\x80")))
		Expect(x[4].Request.Body.Base64).NotTo(BeEmpty())
		Expect(x[4].ResponseBody).To(Equal([]byte("\x80\x81")))
	})

	It("comes whole however the bytes are cut, whatever they are", func() {
		request := post(decision("s", "d", "session.start", "")) + "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n5\r\na\xc3\xa9\xf0\x9f\r\n2\r\n\x8c\x8d\r\n0\r\n\r\n"
		worker, got := script([]string{request[:strings.LastIndex(request, "POST")], request[strings.LastIndex(request, "POST"):]}, []string{answer("{}"), answer("null")})
		r := front(worker, nil)
		c := r.dial()
		for i := range len(request) {
			_, err := c.Write([]byte(request[i : i+1]))
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(<-got + <-got).To(Equal(request))
		expectBytes(c, answer("{}")+answer("null"))
		x := exchanges(r.events())
		Expect(x).To(HaveLen(2))
		Expect(string(x[1].RequestBody) + string(x[0].RequestBody)).To(ContainSubstring("aé🌍"))
	})

	DescribeTable("keeps a signature that the worker checks, and says that it held", func(name string) {
		carrier := cmp.Or(name, "X-Substructure-Signature")
		secret := []byte("the-secret-of-the-worker")
		checked := make(chan bool, 1)
		worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			body, _ := io.ReadAll(req.Body)
			mac := hmac.New(sha256.New, secret)
			mac.Write(body)
			checked <- req.Header.Get(carrier) == "sha256="+hex.EncodeToString(mac.Sum(nil))
			_, _ = io.WriteString(w, "{}")
		}))
		DeferCleanup(worker.Close)
		r := front(worker.URL, func(c *proxy.Config) {
			c.SigningSecrets, c.SignatureHeader = [][]byte{[]byte("another-secret-that-was"), secret}, name
		})
		send := func(body, signature string) {
			req, err := http.NewRequest("POST", "http://"+r.addr, strings.NewReader(body))
			Expect(err).NotTo(HaveOccurred())
			if signature != "" {
				req.Header.Set(carrier, signature)
			}
			resp, err := http.DefaultClient.Do(req)
			Expect(err).NotTo(HaveOccurred())
			_, _ = io.Copy(io.Discard, resp.Body)
			Expect(resp.Body.Close()).To(Succeed())
		}
		body := decision("s", "d1", "session.start", `,"note":"\u00e9 é  <&> 1.0 1e400"`)
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(body))
		send(body, "sha256="+hex.EncodeToString(mac.Sum(nil)))
		Expect(<-checked).To(BeTrue())
		send(body, "sha256="+strings.Repeat("0", 64))
		Expect(<-checked).To(BeFalse())
		send(body, "")
		Expect(<-checked).To(BeFalse())
		events := r.events()
		var said []string
		for _, d := range of[*spec.RequestEvent](events) {
			said = append(said, d.Signature)
		}
		Expect(said).To(Equal([]string{"valid", "wrong", "absent"}))
		Expect(*of[*spec.HeaderEvent](events)[0].Signing).To(Equal("hmac-sha256"))
	},
		Entry("in the usual header", ""),
		Entry("in another", "x-studio-Signature"),
	)

	It("passes an event stream piece by piece, and records it so", func() {
		step := make(chan struct{})
		worker := rawWorker(func(c net.Conn) {
			_ = readHead(bufio.NewReader(c))
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\ncontent-type: Text/Event-Stream; x\r\ntransfer-encoding: chunked\r\n\r\n")
			for _, frame := range []string{"data: 1\n\n", "data: 2\n\nda", "ta: 3\n\n"} {
				<-step
				_, _ = io.WriteString(c, strconv.FormatInt(int64(len(frame)), 16)+"\r\n"+frame+"\r\n")
			}
			<-step
			_, _ = io.WriteString(c, "0\r\n\r\n")
		})
		r := front(worker, nil)
		c := r.dial()
		_, err := io.WriteString(c, "GET / HTTP/1.1\r\n\r\n")
		Expect(err).NotTo(HaveOccurred())
		in := bufio.NewReader(c)
		_ = readHead(in)
		// The worker waits for each step, so nothing here was buffered.
		for _, want := range []string{"9\r\ndata: 1\n\n\r\n", "b\r\ndata: 2\n\nda\r\n", "7\r\nta: 3\n\n\r\n", "0\r\n\r\n"} {
			step <- struct{}{}
			expectBytes(in, want)
		}
		events := r.events()
		var pieces []string
		for _, p := range of[*spec.PieceEvent](events) {
			text, _ := p.Body.Bytes()
			pieces = append(pieces, string(text))
		}
		Expect(pieces).To(Equal([]string{"data: 1\n\n", "data: 2\n\n", "data: 3\n\n"}))
		Expect(of[*spec.ResponseEvent](events)[0].End).To(Equal(spec.EndWhole))
	})

	It("passes early answers, half-closed clients and bodies without an announced end", func() {
		worker := rawWorker(func(c net.Conn) {
			b, _ := io.ReadAll(c)
			_, _ = io.WriteString(c, "HTTP/1.0 200 OK\r\n\r\n"+itoa(len(b)))
		})
		r := front(worker, nil)
		c := r.dial()
		_, err := io.WriteString(c, "POST / HTTP/1.1\r\ncontent-length: 3\r\n\r\nabc")
		Expect(err).NotTo(HaveOccurred())
		Expect(c.(*net.TCPConn).CloseWrite()).To(Succeed())
		all, err := io.ReadAll(c)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(all)).To(Equal("HTTP/1.0 200 OK\r\n\r\n41"))

		early := front(rawWorker(func(c net.Conn) {
			_ = readHead(bufio.NewReader(c))
			_, _ = io.WriteString(c, "HTTP/1.1 413 Too Much\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno")
		}), nil)
		e := early.dial()
		_, err = io.WriteString(e, "POST / HTTP/1.1\r\ncontent-length: 1000000\r\n\r\nabc")
		Expect(err).NotTo(HaveOccurred())
		all, err = io.ReadAll(e)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(all)).To(HaveSuffix("\r\n\r\nno"))
		Expect(e.Close()).To(Succeed())
		x := exchanges(early.events())
		Expect(x[0].Request.End).To(Equal(spec.EndCut))
		Expect(x[0].Response.End).To(Equal(spec.EndWhole))
	})

	It("waits for nobody: heads go out before bodies, and requests sent at once one by one", func() {
		r := front(rawWorker(func(c net.Conn) {
			in := bufio.NewReader(c)
			_ = readHead(in)
			_, _ = io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\n")
			expectBytes(in, "abc")
			_, _ = io.WriteString(c, answer("1"))
			for _, want := range []string{"2", "3"} {
				_ = readHead(in)
				Expect(in.Buffered()).To(BeZero(), "the next request waits for the answer to this one")
				_, _ = io.WriteString(c, answer(want))
			}
		}), nil)
		c := r.dial()
		_, err := io.WriteString(c, "POST / HTTP/1.1\r\nexpect: 100-continue\r\ncontent-length: 3\r\n\r\n")
		Expect(err).NotTo(HaveOccurred())
		expectBytes(c, "HTTP/1.1 100 Continue\r\n\r\n")
		_, err = io.WriteString(c, "abc")
		Expect(err).NotTo(HaveOccurred())
		expectBytes(c, answer("1"))
		_, err = io.WriteString(c, "GET /2 HTTP/1.1\r\n\r\nGET /3 HTTP/1.1\r\n\r\n")
		Expect(err).NotTo(HaveOccurred())
		expectBytes(c, answer("2")+answer("3"))
		Expect(exchanges(r.events())).To(HaveLen(3))
	})

	It("becomes a pipe for what is not HTTP/1, and for a connection that changes its protocol", func() {
		echo := rawWorker(func(c net.Conn) { _, _ = io.Copy(c, c) })
		r := front(echo, nil)
		for _, odd := range []string{
			"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01", "POST / HTTP/1.1\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n",
			"POST / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", "GET / HTTP/1.1\r\nx : y\r\n\r\n", "GET / HTTP/1.1\r\na: b\r\n folded\r\n\r\n",
			"GET / HTTP/1.1\r\nx: " + strings.Repeat("y", 70_000),
		} {
			c := r.dial()
			_, err := io.WriteString(c, odd)
			Expect(err).NotTo(HaveOccurred())
			if odd[0] == 0x16 {
				// No head is in sight; nothing can be said before the client ends.
				Expect(c.Close()).To(Succeed())
				continue
			}
			expectBytes(c, odd)
			_, err = io.WriteString(c, "and more")
			Expect(err).NotTo(HaveOccurred())
			expectBytes(c, "and more")
			Expect(c.Close()).To(Succeed())
		}
		gaps := of[*spec.GapEvent](r.events())
		Expect(gaps).NotTo(BeEmpty())
		Expect(gaps[0].Reason).To(HavePrefix("a connection was passed on unread: "))

		up := front(rawWorker(func(c net.Conn) {
			in := bufio.NewReader(c)
			_ = readHead(in)
			_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n")
			_, _ = io.Copy(c, in)
		}), nil)
		c := up.dial()
		_, err := io.WriteString(c, "GET / HTTP/1.1\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n")
		Expect(err).NotTo(HaveOccurred())
		expectBytes(c, "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n")
		_, err = io.WriteString(c, "raw")
		Expect(err).NotTo(HaveOccurred())
		expectBytes(c, "raw")
		Expect(c.Close()).To(Succeed())
		Expect(of[*spec.ResponseEvent](up.events())[0].End).To(Equal(spec.EndOmitted))
	})

	It("goes through unix sockets, and with the worker's own host when asked to", func() {
		path := filepath.Join(GinkgoT().TempDir(), "w.sock")
		l, err := net.Listen("unix", path)
		Expect(err).NotTo(HaveOccurred())
		hosts := make(chan string, 1)
		server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) { hosts <- req.Host })}
		go func() { _ = server.Serve(l) }()
		DeferCleanup(server.Close)
		r := front("unix:"+path, func(c *proxy.Config) { c.RewriteHost = true })
		resp, err := http.Get("http://" + r.addr + "/")
		Expect(err).NotTo(HaveOccurred())
		Expect(resp.Body.Close()).To(Succeed())
		Expect(<-hosts).To(Equal("localhost"))
		x := exchanges(r.events())
		Expect(x[0].RequestHeader("host")).To(Equal(r.addr))
	})

	It("serves many connections at once, each with its own session", func() {
		worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			body, _ := io.ReadAll(req.Body)
			_, _ = w.Write(body)
		}))
		DeferCleanup(worker.Close)
		r := front(worker.URL, nil)
		const clients, each = 64, 20
		var wait sync.WaitGroup
		wrong := make(chan string, clients*each)
		transport := &http.Transport{MaxIdleConnsPerHost: clients}
		DeferCleanup(transport.CloseIdleConnections)
		for i := range clients {
			wait.Go(func() {
				for k := range each {
					body := decision("session-"+itoa(i), "d-"+itoa(k), "client.action", `,"name":"`+strings.Repeat("x", i*k*10)+`"`)
					resp, err := (&http.Client{Transport: transport}).Post("http://"+r.addr, "application/json", strings.NewReader(body))
					if err != nil {
						wrong <- err.Error()
						return
					}
					got, err := io.ReadAll(resp.Body)
					_ = resp.Body.Close()
					if err != nil || string(got) != body {
						wrong <- "not the same"
					}
				}
			})
		}
		wait.Wait()
		Expect(wrong).To(BeEmpty())
		events := r.events()
		Expect(r.files()).To(HaveLen(clients))
		x := exchanges(events)
		Expect(x).To(HaveLen(clients * each))
		for _, one := range x {
			Expect(one.ResponseBody).To(Equal(one.RequestBody))
		}
		Expect(of[*spec.GapEvent](events)).To(BeEmpty())
		for _, d := range of[*spec.SessionEvent](events) {
			Expect(d.Origin).To(Equal("joined"))
		}
	})
})

var _ = Describe("a worker that does not answer", func() {
	ask := func(r *rig, request string) string {
		GinkgoHelper()
		c := r.dial()
		_, err := io.WriteString(c, request)
		Expect(err).NotTo(HaveOccurred())
		all, err := io.ReadAll(c)
		Expect(err).NotTo(HaveOccurred())
		return string(all)
	}

	It("is answered for with 502, once, and the recording says what came of it", func() {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		Expect(l.Close()).To(Succeed())
		body := decision("s", "d", "session.start", "")
		gone := front("http://"+l.Addr().String(), nil)
		got := ask(gone, post(body))
		Expect(got).To(HavePrefix("HTTP/1.1 502 Bad Gateway\r\n"))
		Expect(got).To(HaveSuffix("connection refused; the request was not sent again\n"))
		x := exchanges(gone.events())
		Expect(x[0].Response.Status).To(BeZero())
		Expect(x[0].Response.Reason).To(Equal(spec.ReasonRefused))

		for _, c := range []struct {
			says, reason string
		}{{"", spec.ReasonClosed}, {"SSH-2.0-x\r\n\r\n", spec.ReasonNotHTTP}, {"HTTP/1.1 200", spec.ReasonClosed}, {"HTTP/1.1 200 OK\r\nx: " + strings.Repeat("y", 70_000), spec.ReasonHeadTooBig}} {
			asked := make(chan struct{}, 10)
			r := front(rawWorker(func(conn net.Conn) {
				b := make([]byte, len(post(body)))
				_, _ = io.ReadFull(conn, b)
				asked <- struct{}{}
				_, _ = io.WriteString(conn, c.says)
			}), nil)
			Expect(ask(r, post(body))).To(HavePrefix("HTTP/1.1 502 "))
			x := exchanges(r.events())
			Expect(x).To(HaveLen(1))
			Expect(x[0].Response.End).To(Equal(spec.EndReset))
			Expect(x[0].Response.Reason).To(Equal(c.reason))
			Expect(asked).To(HaveLen(1), "nothing is sent twice")
		}
	})

	It("gets no second try when it ends an idle connection as a request comes", func() {
		asked := make(chan string, 10)
		first := answer("{}")
		body := post(decision("s", "d", "session.start", ""))
		r := front(rawWorker(func(c net.Conn) {
			for i := range 2 {
				b := make([]byte, len(body))
				if _, err := io.ReadFull(c, b); err != nil {
					return
				}
				asked <- string(b)
				if i == 1 {
					return
				}
				_, _ = io.WriteString(c, first)
			}
		}), nil)
		c := r.dial()
		_, err := io.WriteString(c, body)
		Expect(err).NotTo(HaveOccurred())
		expectBytes(c, first)
		_, err = io.WriteString(c, body)
		Expect(err).NotTo(HaveOccurred())
		all, err := io.ReadAll(c)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(all)).To(HavePrefix("HTTP/1.1 502 "))
		x := exchanges(r.events())
		Expect(x).To(HaveLen(2))
		Expect(x[1].Response.End).To(Equal(spec.EndStale))
		Expect(x[1].Request.Delivery).To(Equal(2))
		Expect(asked).To(HaveLen(2))
	})

	It("may end idle connections: the next request gets a new one", func() {
		ended := make(chan struct{})
		body := post(decision("s", "d", "session.start", ""))
		r := front(rawWorker(func(c net.Conn) {
			b := make([]byte, len(body))
			if _, err := io.ReadFull(c, b); err == nil {
				_, _ = io.WriteString(c, answer("{}"))
				_ = c.Close()
				ended <- struct{}{}
			}
		}), nil)
		c := r.dial()
		for range 3 {
			_, err := io.WriteString(c, body)
			Expect(err).NotTo(HaveOccurred())
			expectBytes(c, answer("{}"))
			<-ended
			Eventually(r.IdleUpstreams).Should(BeZero())
		}
	})

	It("may break off: the client sees that too, and the recording says so", func() {
		r := front(rawWorker(func(c net.Conn) {
			_ = readHead(bufio.NewReader(c))
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"actions\":[],\"note\":\"half of a")
		}), nil)
		Expect(ask(r, "GET / HTTP/1.1\r\n\r\n")).To(HaveSuffix(`"half of a`))
		d := of[*spec.ResponseEvent](r.events())[0]
		Expect(d.End).To(Equal(spec.EndCut))
		Expect(d.Bytes).To(BeEquivalentTo(31))
		text, _ := d.Body.Bytes()
		Expect(string(text)).To(Equal(`{"actions":[],"note":`), "a token that is cut off may be half a secret")
	})
})

var _ = Describe("a client that leaves", func() {
	It("is said in the recording, and the worker sees it", func() {
		gone := make(chan struct{})
		r := front(rawWorker(func(c net.Conn) {
			in := bufio.NewReader(c)
			_ = readHead(in)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: 1\n\n")
			_, _ = io.ReadAll(in)
			close(gone)
			for {
				if _, err := io.WriteString(c, "data: 2\n\n"); err != nil {
					return
				}
			}
		}), nil)
		c := r.dial()
		_, err := io.WriteString(c, "GET / HTTP/1.1\r\n\r\n")
		Expect(err).NotTo(HaveOccurred())
		in := bufio.NewReader(c)
		_ = readHead(in)
		expectBytes(in, "data: 1\n\n")
		Expect(c.Close()).To(Succeed())
		<-gone
		d := of[*spec.ResponseEvent](r.events())
		Expect(d).To(HaveLen(1))
		Expect(d[0].End).To(Equal(spec.EndClientGone))
	})
})

var _ = Describe("the address of a worker", func() {
	DescribeTable("that does not read is refused, with what to do",
		func(raw, text string) {
			_, err := proxy.ParseAddress(raw)
			Expect(err).To(MatchError(ContainSubstring(text)))
		},
		Entry(nil, "ftp://x", "want http://, https:// or unix:PATH"),
		Entry(nil, "http://", "no host"),
		Entry(nil, "http://u:p@h", "a user name"),
		Entry(nil, "http://h/agent?x=1", "let the client ask for /agent?x=1 at the proxy"),
		Entry(nil, "unix:", "no path"),
		Entry(nil, ":", "not a URL"),
	)
	It("has the usual ports", func() {
		for raw, want := range map[string]string{"http://h": "http://h:80", "https://h": "https://h:443", "http://[::1]:8/": "http://[::1]:8", "unix:/a/b": "unix:/a/b"} {
			a, err := proxy.ParseAddress(raw)
			Expect(err).NotTo(HaveOccurred())
			Expect(a.String()).To(Equal(want))
		}
	})
})
