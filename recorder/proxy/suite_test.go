package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/proxy"
	"github.com/hallmarkdev/hallmark/spec"
)

func TestProxy(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "proxy")
}

// rig is a proxy in front of a worker of a test.
type rig struct {
	*proxy.Proxy
	dir    string
	addr   string
	served chan error
	once   sync.Once
}

func policy(c recorder.PolicyConfig) *recorder.Policy {
	GinkgoHelper()
	c.Key = []byte("the key of the tests")
	p, err := recorder.NewPolicy(c)
	Expect(err).NotTo(HaveOccurred())
	return p
}

// front starts a proxy in front of a worker that listens at to.
func front(to string, change func(*proxy.Config)) *rig {
	GinkgoHelper()
	cfg := proxy.Config{Dir: filepath.Join(GinkgoT().TempDir(), "captures")}
	var err error
	cfg.To, err = proxy.ParseAddress(to)
	Expect(err).NotTo(HaveOccurred())
	if change != nil {
		change(&cfg)
	}
	if cfg.Redact == nil {
		cfg.Redact = policy(recorder.PolicyConfig{})
	}
	p, err := proxy.New(cfg)
	Expect(err).NotTo(HaveOccurred())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	r := &rig{Proxy: p, dir: cfg.Dir, addr: l.Addr().String(), served: make(chan error, 1)}
	go func() { r.served <- p.Serve(l) }()
	DeferCleanup(r.stop)
	return r
}

// stop stops the proxy in good order and checks that it does.
func (r *rig) stop() {
	GinkgoHelper()
	r.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		Expect(r.Shutdown(ctx)).To(Succeed())
		Expect(<-r.served).To(Succeed())
	})
}

// files are the recordings in the folder.
func (r *rig) files() []string {
	GinkgoHelper()
	all, err := filepath.Glob(filepath.Join(r.dir, "*.jsonl*"))
	Expect(err).NotTo(HaveOccurred())
	return slices.DeleteFunc(all, func(name string) bool { return !recorder.IsRecordingName(filepath.Base(name)) })
}

// read unpacks a recording.
func read(name string) []byte {
	GinkgoHelper()
	f, err := recorder.Open(name)
	Expect(err).NotTo(HaveOccurred())
	text, err := io.ReadAll(f)
	Expect(err).NotTo(HaveOccurred())
	Expect(f.Close()).To(Succeed())
	return text
}

// events stops the proxy and reads everything that it recorded; each file must
// be whole.
func (r *rig) events() []spec.Event {
	GinkgoHelper()
	r.stop()
	var all []spec.Event
	for _, name := range r.files() {
		text := read(name)
		rep, err := recorder.Verify(bytes.NewReader(text), name)
		Expect(err).NotTo(HaveOccurred())
		Expect(rep.Faults).To(BeEmpty(), name)
		for e, err := range recorder.NewReader(bytes.NewReader(text)).All() {
			Expect(err).NotTo(HaveOccurred())
			all = append(all, e)
		}
	}
	return all
}

// of gives the data of one kind.
func of[D spec.EventData](events []spec.Event) []D {
	var out []D
	for _, e := range events {
		if d, ok := e.Data.(D); ok {
			out = append(out, d)
		}
	}
	return out
}

// exchanges puts exchanges together.
func exchanges(events []spec.Event) []*spec.Exchange {
	var out []*spec.Exchange
	for x := range spec.Exchanges(func(yield func(spec.Event) bool) {
		for _, e := range events {
			if !yield(e) {
				return
			}
		}
	}) {
		out = append(out, x)
	}
	return out
}

// rawWorker listens and hands each connection to serve.
func rawWorker(serve func(net.Conn)) string {
	GinkgoHelper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer GinkgoRecover()
				defer func() { _ = c.Close() }()
				serve(c)
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// script is a worker that takes so many bytes on one connection and then
// answers with others.
func script(requests []string, answers []string) (string, <-chan string) {
	got := make(chan string, len(requests))
	return rawWorker(func(c net.Conn) {
		for i, want := range requests {
			b := make([]byte, len(want))
			n, err := io.ReadFull(c, b)
			got <- string(b[:n])
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, answers[i])
		}
	}), got
}

// dial connects to the proxy.
func (r *rig) dial() net.Conn {
	GinkgoHelper()
	c, err := net.Dial("tcp", r.addr)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { _ = c.Close() })
	return c
}

// expectBytes reads exactly what is wanted.
func expectBytes(r io.Reader, want string) {
	GinkgoHelper()
	b := make([]byte, len(want))
	n, err := io.ReadFull(r, b)
	Expect(string(b[:n])).To(Equal(want))
	Expect(err).NotTo(HaveOccurred())
}

// decision is a request of a session as an engine sends it, in few words.
func decision(session, id, trigger, rest string) string {
	return `{"session_id":"` + session + `","decision_id":"` + id + `","agent_id":"agent","identity":{"visibility":"shared","metadata":{}},` +
		`"trigger":{"type":"` + trigger + `"` + rest + `},"proposed":{"messages":[],"actions":[],"state":null},"state":null,"agent":null,` +
		`"calls":[],"pending_calls":0,"messages":[],"message_tree":{"nodes":[]},"ancestry":[],"attempts":0,"deadline":null,"turn_id":null}`
}

// post is a request with a body, as bytes.
func post(body string) string {
	var b strings.Builder
	b.WriteString("POST / HTTP/1.1\r\nhost: worker\r\ncontent-type: application/json\r\ncontent-length: ")
	b.WriteString(itoa(len(body)) + "\r\n\r\n" + body)
	return b.String()
}

// answer is a response with a body, as bytes.
func answer(body string) string {
	return "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: " + itoa(len(body)) + "\r\n\r\n" + body
}

// readResponse reads one response of a client's connection.
func readHead(r *bufio.Reader) string {
	GinkgoHelper()
	var head string
	for !strings.HasSuffix(head, "\r\n\r\n") {
		line, err := r.ReadString('\n')
		Expect(err).NotTo(HaveOccurred())
		head += line
	}
	return head
}
