package proxy_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder/proxy"
	"github.com/hallmarkdev/hallmark/spec"
)

// badDisk is a disk that is full, slow or wedged when the test says so.
type badDisk struct {
	full atomic.Bool
	// gate, while it is locked, holds every write up.
	gate sync.RWMutex
	// torn lets a full disk take half of a write.
	torn bool
}

type badFile struct {
	*os.File
	d *badDisk
}

func (d *badDisk) open(name string) (io.WriteCloser, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return badFile{f, d}, nil
}

func (f badFile) Write(p []byte) (int, error) {
	f.d.gate.RLock()
	defer f.d.gate.RUnlock()
	if !f.d.full.Load() {
		return f.File.Write(p)
	}
	n := 0
	if f.d.torn {
		n, _ = f.File.Write(p[:len(p)/2])
	}
	return n, syscall.ENOSPC
}

// metric reads one line of the metrics.
func (r *rig) metric(name string) string {
	GinkgoHelper()
	w := httptest.NewRecorder()
	r.Admin().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for line := range strings.Lines(w.Body.String()) {
		if value, ok := strings.CutPrefix(line, "hallmark_proxy_"+name+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func (r *rig) health() (int, string) {
	w := httptest.NewRecorder()
	r.Admin().ServeHTTP(w, httptest.NewRequest("GET", "/healthz", nil))
	return w.Code, strings.TrimSpace(w.Body.String())
}

func bigOf(n int) string {
	return decision("big", "d", "client.action", `,"name":"`+strings.Repeat("x", n)+`"`)
}

var _ = Describe("a disk that fails", func() {
	for _, torn := range []bool{false, true} {
		It("and is full holds up no traffic; what did not fit is written later, and no line is torn", func() {
			d := &badDisk{torn: torn}
			var said []string
			var mu sync.Mutex
			r := front(echoWorker(fine), func(c *proxy.Config) {
				c.Open, c.Flush = d.open, time.Millisecond
				c.Log = func(line string) {
					mu.Lock()
					defer mu.Unlock()
					said = append(said, line)
				}
			})
			r.send(decision("s", "d1", "session.start", ""))
			d.full.Store(true)
			for i := range 20 {
				Expect(r.send(decision("s", "d"+itoa(i+2), "client.action", ""))).To(Equal("{}"))
			}
			Eventually(func() string { _, text := r.health(); return text }).WithTimeout(10 * time.Second).Should(ContainSubstring("not recording: no space left on device"))
			code, _ := r.health()
			Expect(code).To(Equal(200), "traffic passes")
			Expect(r.metric("write_errors_total")).NotTo(Equal("0"))
			d.full.Store(false)
			Eventually(func() string { _, text := r.health(); return text }).WithTimeout(10 * time.Second).Should(Equal("passing; recording"))
			events := r.events()
			Expect(exchanges(events)).To(HaveLen(21))
			Expect(of[*spec.GapEvent](events)).To(BeEmpty())
			mu.Lock()
			defer mu.Unlock()
			Expect(said[0]).To(ContainSubstring("no space left on device; traffic goes on"))
		})
	}

	It("and stays full costs whole exchanges, which the file tells once it can", func() {
		d := &badDisk{}
		r := front(echoWorker(fine), func(c *proxy.Config) { c.Open, c.Queue, c.Flush = d.open, 200_000, time.Millisecond })
		r.send(decision("big", "d", "session.start", ""))
		d.full.Store(true)
		for range 40 {
			Expect(r.send(bigOf(20_000))).To(Equal("{}"))
		}
		d.full.Store(false)
		Eventually(func() string { _, text := r.health(); return text }).WithTimeout(10 * time.Second).Should(Equal("passing; recording"))
		Eventually(func() string { return r.metric("queue_bytes") }).WithTimeout(10 * time.Second).Should(Equal("0"))
		r.send(decision("big", "d", "client.action", ""))
		events := r.events()
		var lost int64
		for _, g := range of[*spec.GapEvent](events) {
			Expect(g.Reason).To(Equal("queue full"))
			lost += g.Lost
		}
		Expect(lost).To(BeNumerically(">", 0))
		Expect(int(lost) + len(exchanges(events))).To(BeNumerically(">=", 42))
		Expect(r.metric(`lost_total{reason="queue full"}`)).To(Equal(itoa(int(lost))))
	})

	It("and hangs holds up no traffic, and the memory stays bounded", func() {
		d := &badDisk{}
		r := front(echoWorker(fine), func(c *proxy.Config) { c.Open, c.Queue, c.Flush = d.open, 100_000, time.Millisecond })
		r.send(decision("big", "d", "session.start", ""))
		d.gate.Lock()
		for range 50 {
			Expect(r.send(bigOf(10_000))).To(Equal("{}"))
		}
		Expect(r.Queued()).To(BeNumerically("<", 400_000))
		d.gate.Unlock()
		events := r.events()
		Expect(of[*spec.GapEvent](events)).NotTo(BeEmpty())
	})

	It("cannot be opened: that is counted, and the loss is an error at the end", func() {
		r := front(echoWorker(fine), func(c *proxy.Config) {
			c.Open = func(string) (io.WriteCloser, error) { return nil, errors.New("no such disk") }
		})
		Expect(r.send(decision("s", "d", "session.start", ""))).To(Equal("{}"))
		r.once.Do(func() {
			Expect(r.Shutdown(GinkgoT().Context())).To(MatchError(ContainSubstring("bytes were not written")))
			Expect(<-r.served).To(Succeed())
		})
	})

	It("and a recorder that errs cost one exchange each, and no traffic", func() {
		calls := 0
		r := front(echoWorker(fine), func(c *proxy.Config) {
			c.Open = func(name string) (io.WriteCloser, error) {
				if calls++; calls == 1 {
					panic("a fault of the recorder")
				}
				return os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
			}
		})
		Expect(r.send(decision("s", "d1", "session.start", ""))).To(Equal("{}"))
		Eventually(func() string { return r.metric("recorder_errors_total") }).WithTimeout(10 * time.Second).Should(Equal("1"))
		Expect(r.send(decision("s", "d2", "client.action", ""))).To(Equal("{}"))
		events := r.events()
		Expect(exchanges(events)).To(HaveLen(2))
		Expect(of[*spec.GapEvent](events)[0].Reason).To(Equal("the recorder erred"))
	})
})

var _ = Describe("large bodies", func() {
	// through sends a body of a size to a worker that echoes it, and gives what
	// was sent and recorded.
	through := func(size int, limit int64) ([]byte, *spec.Exchange) {
		GinkgoHelper()
		body := []byte(bigOf(size))
		for i := range body[1000 : size-1000] {
			body[1000+i] = "abcdefghijklmnopqrstuvwxyz 0123456789"[i*7%37]
		}
		worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			b, _ := io.ReadAll(req.Body)
			sum := sha256.Sum256(b)
			w.Header().Set("X-Sum", hex.EncodeToString(sum[:]))
			_, _ = w.Write(b[:min(len(b), 2<<20)])
		}))
		DeferCleanup(worker.Close)
		r := front(worker.URL, func(c *proxy.Config) { c.MaxBody, c.Queue = limit, 256<<20 })
		resp, err := http.Post("http://"+r.addr, "application/json", bytes.NewReader(body))
		Expect(err).NotTo(HaveOccurred())
		back, err := io.ReadAll(resp.Body)
		Expect(err).NotTo(HaveOccurred())
		Expect(resp.Body.Close()).To(Succeed())
		sum := sha256.Sum256(body)
		Expect(resp.Header.Get("X-Sum")).To(Equal(hex.EncodeToString(sum[:])))
		Expect(bytes.Equal(back, body[:min(len(body), 2<<20)])).To(BeTrue())
		x := exchanges(r.events())
		Expect(x).To(HaveLen(1))
		return body, x[0]
	}

	It("pass and are recorded exactly", func() {
		body, x := through(50<<20, 64<<20)
		Expect(x.Damage).To(BeEmpty())
		Expect(bytes.Equal(x.RequestBody, body)).To(BeTrue())
		Expect(bytes.Equal(x.ResponseBody, body[:2<<20])).To(BeTrue())
		Expect(x.Request.Pieces).To(BeNumerically(">", 100))
	})

	It("over the limit pass, and are recorded by their size", func() {
		body, x := through(3<<20, 1<<20)
		Expect(x.Request.End).To(Equal(spec.EndOverLimit))
		Expect(x.Request.Bytes).To(BeEquivalentTo(len(body)))
		Expect(x.Request.Reason).To(Equal("body of " + itoa(len(body)) + " bytes over the limit of 1048576"))
		Expect(x.Response.End).To(Equal(spec.EndOverLimit))
		Expect(x.ResponseBody).To(BeEmpty())
	})

	It("that are gzip bombs are left out with a reason", func() {
		bomb := zipped(strings.Repeat("0", 20<<20))
		worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb)
		}))
		DeferCleanup(worker.Close)
		r := front(worker.URL, func(c *proxy.Config) { c.MaxBody = 1 << 20 })
		Expect(r.send(decision("s", "d", "session.start", ""))).To(HaveLen(20 << 20))
		d := of[*spec.ResponseEvent](r.events())[0]
		Expect(d.End).To(Equal(spec.EndOmitted))
		Expect(d.Reason).To(Equal("unpacked, the gzip is over the limit of 1048576 bytes"))
	})
})

var _ = Describe("stopping", func() {
	It("finishes what is under way and takes nothing new", func() {
		asked, goOn := make(chan struct{}), make(chan struct{})
		r := front(echoWorker(func(string) (int, string) {
			close(asked)
			<-goOn
			return 200, "{}"
		}), nil)
		answered := make(chan string, 1)
		go func() {
			defer GinkgoRecover()
			answered <- r.send(decision("s", "d", "session.start", ""))
		}()
		<-asked
		stopped := make(chan struct{})
		go func() {
			defer GinkgoRecover()
			r.stop()
			close(stopped)
		}()
		Eventually(func() int { code, _ := r.health(); return code }).Should(Equal(503))
		Consistently(stopped, "50ms").ShouldNot(BeClosed())
		close(goOn)
		Eventually(answered).WithTimeout(10 * time.Second).Should(Receive(Equal("{}")))
		Eventually(stopped).WithTimeout(10 * time.Second).Should(BeClosed())
		Expect(exchanges(r.events())[0].Response.End).To(Equal(spec.EndWhole))
	})
})
