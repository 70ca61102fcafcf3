package replay_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/proxy"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// captured runs scenarios against the reference worker through a proxy, and
// returns the files that the proxy wrote: captures of an engine that happens to
// be ours.
func captured(c recorder.PolicyConfig, change func(c *certify.Config)) []string {
	GinkgoHelper()
	worker, err := reference.NewRestartable(reference.Options{})
	Expect(err).NotTo(HaveOccurred())
	server := httptest.NewServer(worker)
	DeferCleanup(server.Close)
	to, err := proxy.ParseAddress(server.URL)
	Expect(err).NotTo(HaveOccurred())
	c.Key = []byte("the key of the tests")
	policy, err := recorder.NewPolicy(c)
	Expect(err).NotTo(HaveOccurred())
	dir := filepath.Join(GinkgoT().TempDir(), "captures")
	p, err := proxy.New(proxy.Config{To: to, Dir: dir, Redact: policy})
	Expect(err).NotTo(HaveOccurred())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	served := make(chan error, 1)
	go func() { served <- p.Serve(l) }()

	t, err := simulator.NewTransport(simulator.TransportConfig{URL: "http://" + l.Addr().String() + "/"})
	Expect(err).NotTo(HaveOccurred())
	docs, err := scenarios.Load(scenarios.Corpus(), ".")
	Expect(err).NotTo(HaveOccurred())
	run := certify.Config{Corpus: docs, Consent: simulator.ConsentOptions{Started: true}, Jobs: 2}
	run.Worker = spec.WorkerHeader{URL: "http://" + l.Addr().String() + "/"}
	run.Features = scenarios.HostedFeatures(spec.HostedForms()...)
	change(&run)
	_, err = certify.Run(context.Background(), run, t)
	Expect(err).NotTo(HaveOccurred())
	t.Close()
	Expect(p.Shutdown(context.Background())).To(Succeed())
	Expect(<-served).To(Succeed())
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl*"))
	Expect(err).NotTo(HaveOccurred())
	return slices.DeleteFunc(files, func(name string) bool { return !recorder.IsRecordingName(filepath.Base(name)) })
}

func running(patterns ...string) func(c *certify.Config) {
	return func(c *certify.Config) { c.Run = patterns }
}

// unpacked returns the events of a capture.
func unpacked(name string) []spec.Event {
	GinkgoHelper()
	f, err := recorder.Open(name)
	Expect(err).NotTo(HaveOccurred())
	defer f.Close()
	var events []spec.Event
	for e, err := range recorder.NewReader(f).All() {
		Expect(err).NotTo(HaveOccurred(), name)
		events = append(events, e)
	}
	return events
}

func stepped(events []spec.Event) replay.Steps {
	GinkgoHelper()
	s, err := replay.StepThrough(context.Background(), bytes.NewReader(written(events)))
	Expect(err).NotTo(HaveOccurred())
	return s
}

// none fails where a step differs.
func none(s replay.Steps, of string) {
	GinkgoHelper()
	for _, step := range s.Steps {
		Expect(step.Verdict).NotTo(Equal(replay.StepDiffers), "%s: %+v", of, step)
	}
}

// longest is the capture with the most events.
func longest(files []string) []spec.Event {
	GinkgoHelper()
	var out []spec.Event
	for _, name := range files {
		if events := unpacked(name); len(events) > len(out) {
			out = events
		}
	}
	return out
}

var _ = Describe("a capture, played step by step", func() {
	It("agrees with the engine that was captured", func() {
		files := captured(recorder.PolicyConfig{}, running("execute/valid.yaml", "execute/malformed.yaml*[list_kilns]*", "parallel/two-tools.yaml", "session/*", "hosted/uses-a-tool.yaml", "stream/*", "model/*", "client/acts.yaml"))
		agrees, unexplained := 0, 0
		for _, name := range files {
			s, err := replay.StepFile(context.Background(), name)
			Expect(err).NotTo(HaveOccurred())
			none(s, name)
			agrees, unexplained = agrees+s.Agrees, unexplained+s.Unexplained
		}
		Expect(agrees).To(BeNumerically(">", 100))
		Expect(unexplained).To(BeNumerically("<", agrees/20))
	})

	It("follows an engine that counts from one and proposes little", func() {
		files := captured(recorder.PolicyConfig{}, func(c *certify.Config) {
			c.Run = []string{"execute/valid.yaml", "retry/*", "model/fails.yaml"}
			var err error
			c.Dialects, err = scenarios.ParseDialects([]string{"first-attempt=1,empty-proposed=short,failed-call=fail,identity=older"})
			Expect(err).NotTo(HaveOccurred())
		})
		agrees := 0
		for _, name := range files {
			s, err := replay.StepFile(context.Background(), name)
			Expect(err).NotTo(HaveOccurred())
			none(s, name)
			agrees += s.Agrees
		}
		Expect(agrees).To(BeNumerically(">", 50))
	})

	It("can be joined in the middle, and have holes", func() {
		events := longest(captured(recorder.PolicyConfig{}, running("session/two-turns.yaml")))
		exchanges := stepped(events).Requests
		Expect(exchanges).To(BeNumerically(">", 5))
		for n := 1; n <= exchanges; n++ {
			gone := 0
			holed := slices.DeleteFunc(slices.Clone(events), func(e spec.Event) bool {
				switch e.Data.(type) {
				case *spec.RequestEvent:
					gone++
					return gone%n == 0
				case *spec.ResponseEvent, *spec.PieceEvent:
					return gone%n == 0
				}
				return false
			})
			none(stepped(holed), "without each n-th exchange")
		}
		whole := stepped(events)
		joined := slices.DeleteFunc(slices.Clone(events), func(e spec.Event) bool {
			return e.N > 3 && int(e.N) < len(events)/2
		})
		s := stepped(joined)
		none(s, "joined in the middle")
		Expect(s.Agrees).To(BeNumerically(">", 0))
		Expect(s.Agrees).To(BeNumerically("<", whole.Agrees))
	})

	It("keeps two engines apart", func() {
		one := longest(captured(recorder.PolicyConfig{}, running("session/two-turns.yaml")))
		two := longest(captured(recorder.PolicyConfig{}, func(c *certify.Config) {
			c.Run, c.Seed = []string{"execute/valid.yaml"}, 9
			var err error
			c.Dialects, err = scenarios.ParseDialects([]string{"first-attempt=1,identity=older"})
			Expect(err).NotTo(HaveOccurred())
		}))
		a, b := stepped(one), stepped(two)
		mixed := []spec.Event{one[0]}
		last := one[len(one)-1]
		one, two = one[1:len(one)-1], two[1:len(two)-1]
		for len(one) > 0 || len(two) > 0 {
			if len(one) > 0 {
				mixed, one = append(mixed, one[0]), one[1:]
			}
			if len(two) > 0 {
				e := two[0]
				e.Session = "s9"
				mixed, two = append(mixed, e), two[1:]
			}
		}
		s := stepped(append(mixed, last))
		none(s, "two engines")
		Expect(s.Agrees).To(Equal(a.Agrees + b.Agrees))
	})

	It("holds a stand-in for what it stands for", func() {
		files := captured(recorder.PolicyConfig{Secrets: []string{"celadon", "Open Tuesday to Saturday"}}, running("execute/valid.yaml"))
		agrees := 0
		for _, name := range files {
			s, err := replay.StepFile(context.Background(), name)
			Expect(err).NotTo(HaveOccurred())
			none(s, name)
			agrees += s.Agrees
		}
		Expect(agrees).To(BeNumerically(">", 20))
	})

	It("says what it cannot see, and what it took for given", func() {
		events := recordingOf(run(chosen("execute/valid.yaml")), called)
		s := stepped(body("d5", `{"type":"tool.finished"`, `{"type":"from.tomorrow"`)(events))
		Expect(s.Differs).To(BeZero())
		Expect(s.Steps[0].Reason).To(ContainSubstring("from.tomorrow"))
		Expect(s.Steps[0].Verdict).To(Equal(replay.StepUnexplained))
		assumedBy := func(steps []replay.Step) (all []string) {
			for _, step := range steps {
				all = append(all, step.Assumed...)
			}
			return all
		}
		Expect(assumedBy(stepped(body("d7", `"state":null`, `"state":1`)(events)).Steps)).NotTo(BeEmpty())
		Expect(assumedBy(stepped(body("d5", `"ok":true`, `"ok":false`)(events)).Steps)).
			NotTo(ContainElement(ContainSubstring("by another way")), "the answer settled the call")
	})

	It("takes no harm from requests and answers of any kind", func() {
		events := recordingOf(run(chosen("execute/valid.yaml")), called)
		random := rand.New(rand.NewPCG(7, 7))
		words := []string{`null`, `[]`, `{}`, `-1`, `1e400`, `"x"`, `true`, `""`, `[[[[]]]]`, `"blob://a"`, `4294967295`}
		value := regexp.MustCompile(`:("[^"\\]*"|[0-9]+|null|true|false|\[\]|\{\})`)
		spoil := func(b spec.Body) spec.Body {
			text, _ := b.Bytes()
			for range 1 + random.IntN(4) {
				all := value.FindAllIndex(text, -1)
				if len(all) == 0 {
					break
				}
				at := all[random.IntN(len(all))]
				text = slices.Concat(text[:at[0]+1], []byte(words[random.IntN(len(words))]), text[at[1]:])
			}
			return spec.BodyOf(text)
		}
		told := 0
		rounds := 150
		if underRace {
			rounds = 30
		}
		for range rounds {
			spoiled := slices.Clone(events)
			for i, e := range spoiled {
				switch d := e.Data.(type) {
				case *spec.RequestEvent:
					if c := *d; random.IntN(3) == 0 {
						c.Body = spoil(d.Body)
						spoiled[i].Data = &c
					}
				case *spec.ResponseEvent:
					if c := *d; d.Pieces == 0 && random.IntN(3) == 0 {
						c.Body = spoil(d.Body)
						spoiled[i].Data = &c
					}
				}
			}
			s := stepped(spoiled)
			told += s.Agrees + s.Differs + s.Unexplained
			_, err := replay.Events(context.Background(), spoiled)
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(told).To(BeNumerically(">", 3*rounds))
	})

	It("says that a capture is cut, and what it showed until then", func() {
		whole := written(recordingOf(run(chosen("session/plain-talk.yaml")), plain))
		s, err := replay.StepThrough(context.Background(), bytes.NewReader(whole[:len(whole)-10]))
		var cut *recorder.CutError
		Expect(errors.As(err, &cut)).To(BeTrue())
		Expect(s.Agrees).To(BeNumerically(">", 0))
		_, err = replay.StepThrough(context.Background(), strings.NewReader("nonsense\n"))
		Expect(err).To(HaveOccurred())
	})
})
