package simulator

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

func TestSplitCommand(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		`node server.mjs`:            {"node", "server.mjs"},
		"  a\tb\n c ":                {"a", "b", "c"},
		`go run ./cmd --port={port}`: {"go", "run", "./cmd", "--port={port}"},
		`a 'b c' "d e" f\ g`:         {"a", "b c", "d e", "f g"},
		`a"b"'c'd`:                   {"abcd"},
		`'' ""`:                      {"", ""},
		`"a\"b\\c\d\$e"`:             {`a"b\c\d$e`},
		`'a\b"c'`:                    {`a\b"c`},
		`echo $HOME *.go ~ a|b`:      {"echo", "$HOME", "*.go", "~", "a|b"},
		`\é "é"`:                     {"é", "é"},
	} {
		got, err := SplitCommand(line)
		if err != nil || strings.Join(got, "\x00") != strings.Join(want, "\x00") || len(got) != len(want) {
			t.Errorf("%s: got %q, %v, want %q", line, got, err, want)
		}
	}
	for _, line := range []string{"", "  ", `a 'b`, `a "b`, `a "b\`, `a\`} {
		if got, err := SplitCommand(line); err == nil {
			t.Errorf("%s: got %q, want an error", line, got)
		}
	}
}

func TestTailKeepsTheLastLines(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	out := &tail{limit: 20}
	for _, line := range []string{"first line\n", "second line\n", "third\xff\n"} {
		_, _ = out.Write([]byte(line))
	}
	g.Expect(out.String()).To(Equal("second line\nthird\uFFFD"))
	_, _ = out.Write([]byte(strings.Repeat("x", 50) + "\nend\n"))
	g.Expect(out.String()).To(Equal("end"))
	short := &tail{limit: 20}
	_, _ = short.Write([]byte("a\nb"))
	g.Expect(short.String()).To(Equal("a\nb"))
}

// The test binary plays the worker that is started.
const playing = "HALLMARK_TEST_WORKER"

func TestMain(m *testing.M) {
	switch os.Getenv(playing) {
	case "":
		os.Exit(m.Run())
	case "dies":
		os.Stderr.WriteString("no database\n")
		os.Exit(7)
	case "deaf":
		select {}
	case "serves":
		// Ends when its input does.
		go func() { _, _ = os.Stdin.Read(make([]byte, 1)); os.Exit(0) }()
		fallthrough
	case "stays":
		mux := http.NewServeMux()
		mux.HandleFunc("/", httpWorker)
		mux.HandleFunc("/crash", func(http.ResponseWriter, *http.Request) {
			os.Stderr.WriteString("crashed\n")
			os.Exit(3)
		})
		_ = http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), mux)
	}
}

type happened struct {
	mu     sync.Mutex
	events []spec.WorkerEvent
}

func (h *happened) add(e spec.WorkerEvent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
}

func (h *happened) names() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var names []string
	for _, e := range h.events {
		names = append(names, e.Event)
	}
	return strings.Join(names, " ")
}

func startWorker(t *testing.T, as string, cfg ProcessConfig) (*Process, *happened, error) {
	t.Helper()
	h := &happened{}
	cfg.Command = "'" + os.Args[0] + "' -port={port}"
	cfg.Env = append(cfg.Env, playing+"="+as)
	cfg.Event = h.add
	p, err := Start(t.Context(), cfg)
	if p != nil {
		t.Cleanup(p.Stop)
	}
	return p, h, err
}

func TestProcessServesAndStops(t *testing.T) {
	t.Parallel()
	for _, as := range []string{"serves", "stays"} {
		t.Run(as, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			p, h, err := startWorker(t, as, ProcessConfig{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(h.names()).To(Equal("started ready"))
			tr, err := NewTransport(TransportConfig{URL: p.URL})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(drive(t.Context(), input(planned(one)[0]), tr).Why).To(Equal("script done"))
			p.Stop()
			g.Expect(p.Exited()).To(BeClosed())
			g.Eventually(h.names).Should(Equal("started ready exited"))
			p.Stop()
			g.Expect(tr.Post(t.Context(), post("{}")).Answer.End).To(BeElementOf(spec.EndReset, spec.EndStale))
		})
	}
}

func TestProcessIsMissedWhileItIsDriven(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p, _, err := startWorker(t, "stays", ProcessConfig{})
	g.Expect(err).NotTo(HaveOccurred())
	tr, err := NewTransport(TransportConfig{URL: p.URL + "crash"})
	g.Expect(err).NotTo(HaveOccurred())
	in := input(planned(one)[0])
	in.Process = p
	tr.Post(t.Context(), post("{}"))
	<-p.Exited()
	got := drive(t.Context(), in, tr)
	var ended *spec.WorkerEvent
	for _, e := range got.events {
		if w, ok := e.Data.(*spec.WorkerEvent); ok {
			ended = w
		}
	}
	g.Expect(ended).NotTo(BeNil())
	g.Expect(ended.Exit).To(Equal("exit status 3"))
	g.Expect(ended.Stderr).To(Equal("crashed"))
}

func TestProcessThatDoesNotStart(t *testing.T) {
	t.Parallel()
	t.Run("it dies", func(t *testing.T) {
		t.Parallel()
		g := NewWithT(t)
		_, h, err := startWorker(t, "dies", ProcessConfig{})
		var start *StartError
		g.Expect(errors.As(err, &start)).To(BeTrue())
		g.Expect(start.Error()).To(Equal("start worker: it ended before it was ready: exit status 7"))
		g.Expect(start.Stderr).To(Equal("no database"))
		g.Eventually(h.names).Should(Equal("started exited"))
	})
	t.Run("it never listens", func(t *testing.T) {
		t.Parallel()
		g := NewWithT(t)
		_, _, err := startWorker(t, "deaf", ProcessConfig{ReadyTimeout: 50 * time.Millisecond})
		g.Expect(err).To(MatchError(ContainSubstring("nothing listens at 127.0.0.1:")))
	})
	t.Run("the port is taken", func(t *testing.T) {
		t.Parallel()
		g := NewWithT(t)
		l, err := net.Listen("tcp", "127.0.0.1:0")
		g.Expect(err).NotTo(HaveOccurred())
		defer l.Close()
		_, h, err := startWorker(t, "serves", ProcessConfig{URL: "http://" + l.Addr().String() + "/"})
		g.Expect(err).To(MatchError("start worker: something already listens at " + l.Addr().String()))
		g.Expect(h.names()).To(BeEmpty())
	})
	t.Run("there is no such program", func(t *testing.T) {
		t.Parallel()
		g := NewWithT(t)
		_, err := Start(t.Context(), ProcessConfig{Command: "./no-such-program"})
		g.Expect(err).To(BeAssignableToTypeOf(&StartError{}))
		_, err = Start(t.Context(), ProcessConfig{Command: "'open"})
		g.Expect(err).To(MatchError("start worker: command: the quote ' is not closed"))
		_, err = Start(t.Context(), ProcessConfig{Command: "x", URL: "nonsense"})
		g.Expect(err).To(BeAssignableToTypeOf(&StartError{}))
	})
	t.Run("the run is stopped", func(t *testing.T) {
		t.Parallel()
		g := NewWithT(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		h := func(e spec.WorkerEvent) {
			if e.Event == "started" {
				cancel(errors.New("enough"))
			}
		}
		_, err := Start(ctx, ProcessConfig{Command: "'" + os.Args[0] + "'", Env: []string{playing + "=deaf"}, Event: h})
		g.Expect(err).To(MatchError("enough"))
	})
}

func TestRestartStartsTheProcessAnew(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p, h, err := startWorker(t, "serves", ProcessConfig{})
	g.Expect(err).NotTo(HaveOccurred())
	defer p.Stop()
	first, url := p.Exited(), p.URL
	g.Expect(p.Restart(t.Context())).To(Succeed())
	g.Expect(first).To(BeClosed())
	g.Expect(p.Exited()).NotTo(BeClosed())
	g.Expect(p.URL).To(Equal(url))
	g.Expect(h.names()).To(Equal("started ready exited started ready"))
	resp, err := http.Post(p.URL, "application/json", strings.NewReader(`{}`))
	g.Expect(err).NotTo(HaveOccurred())
	_ = resp.Body.Close()
	p.Stop()
	g.Expect(p.Restart(t.Context())).To(MatchError("start worker: it was stopped"))
}

func TestAnotherIsOneLikeTheFirst(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p, h, err := startWorker(t, "serves", ProcessConfig{})
	g.Expect(err).NotTo(HaveOccurred())
	own, err := p.Another(TransportConfig{})(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(own.Process.URL).NotTo(Equal(p.URL))
	g.Expect(own.Restart(t.Context())).To(Succeed())
	got := own.Poster.Post(t.Context(), Post{Body: []byte(`{}`)})
	g.Expect(got.Answer.End).To(Equal(spec.EndWhole))
	ended := own.Process.Exited()
	own.Close()
	g.Expect(ended).To(BeClosed())
	g.Expect(p.Exited()).NotTo(BeClosed())
	g.Expect(h.names()).To(Equal("started ready"))
	fixed, _, err := startWorker(t, "serves", ProcessConfig{URL: own.Process.URL})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(fixed.Another(TransportConfig{})).To(BeNil())
	nowhere := &Process{cfg: ProcessConfig{Command: "worker"}}
	g.Expect(nowhere.Another(TransportConfig{})).To(BeNil())
}

// Two cases that restart their workers may ask for one of their own at once.
func TestTwoOthersStartedAtOnceDoNotMeet(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	p, _, err := startWorker(t, "serves", ProcessConfig{})
	g.Expect(err).NotTo(HaveOccurred())
	another := p.Another(TransportConfig{})
	var started sync.WaitGroup
	own, errs := make([]*Instance, 4), make([]error, 4)
	for i := range own {
		started.Go(func() { own[i], errs[i] = another(t.Context()) })
	}
	started.Wait()
	for i, in := range own {
		g.Expect(errs[i]).NotTo(HaveOccurred())
		defer in.Close()
	}
	// Each poster reaches its own worker: one that is closed leaves the others.
	own[0].Close()
	g.Expect(own[0].Poster.Post(t.Context(), Post{Body: []byte(`{}`)}).Answer.End).NotTo(Equal(spec.EndWhole))
	for _, in := range own[1:] {
		g.Expect(in.Poster.Post(t.Context(), Post{Body: []byte(`{}`)}).Answer.End).To(Equal(spec.EndWhole))
	}
}

func TestRestartByACommand(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	defer l.Close()
	url := "http://" + l.Addr().String() + "/"
	restart, err := RestartBy("true", url, time.Minute)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(restart(t.Context())).To(Succeed())
	fails, err := RestartBy(`sh -c "echo one; echo no such service >&2; exit 3"`, url, time.Minute)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(fails(t.Context())).To(MatchError(HaveSuffix("exit status 3: no such service")))
	// Nobody listens at port 1, and no other test can come to.
	gone, err := RestartBy("true", "http://127.0.0.1:1/", 3*time.Second)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(gone(t.Context())).To(MatchError(ContainSubstring("nothing listens at")))
	_, err = RestartBy("sh 'x", url, 0)
	g.Expect(err).To(MatchError(ContainSubstring("restart command")))
}
