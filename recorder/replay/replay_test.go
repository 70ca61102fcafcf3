package replay_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// fromWorker reports whether an event is a call of the engine by the worker.
func fromWorker(e spec.Event) bool {
	in, ok := e.Data.(*spec.InputEvent)
	return ok && in.From == "worker"
}

var _ = Describe("a recording of hallmark's own, played again", func() {
	It("sends every request again, signed with a secret that it does not know", func() {
		folder := run(func(c *certify.Config) {
			c.Run, c.Secret = []string{"execute/valid.yaml", "signature/*", "robustness/cut-short.yaml"}, []byte("a secret of the kiln")
			c.SignatureHeader = "X-Own-Signature"
			c.Headers = [][2]string{{"X-One", "1"}, {"X-Two", "2"}}
		})
		Expect(driven(folder)).To(BeNumerically(">", 50))
	})

	It("does so with a worker that does things wrong", func() {
		for _, fault := range []string{"answers-html", "answers-500", "always-empty", "cuts-the-body", "closes-the-connection", "stalls", "hangs", "never-settles"} {
			folder := run(func(c *certify.Config) {
				c.Run, c.Patience = []string{"execute/valid.yaml", "async/eight.yaml", "retry/lost-answer.yaml", "stream/*"}, 50_000_000
			}, fault)
			Expect(driven(folder)).To(BeNumerically(">", 1), fault)
		}
	})

	It("takes an answer that was whole just when the case had ended for no answer", func() {
		// The first delivery of a call is refused once the second is out, which ends
		// the turn; the second is never answered.
		second := make(chan struct{})
		front := func(worker http.Handler) http.Handler {
			var calls atomic.Int64
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(b))
				switch {
				case !bytes.Contains(b, []byte(`"trigger":{"type":"tool.execute"`)):
					worker.ServeHTTP(w, r)
				case calls.Add(1) == 1:
					<-second
					w.WriteHeader(http.StatusTeapot)
				default:
					close(second)
					<-r.Context().Done()
				}
			})
		}
		const id = "execute/valid.yaml#default [studio_notice]"
		events := recordingOf(runBehind(front, func(c *certify.Config) {
			c.Run, c.Patience, c.Jobs = []string{id}, 1_000_000_000, 1
		}), id)
		last := events[len(events)-2]
		closed, ok := last.Data.(*spec.ResponseEvent)
		Expect(ok).To(BeTrue())
		Expect(closed.Reason).To(Equal("closed by hallmark: turn failed"))
		last.Data = &spec.ResponseEvent{D: closed.D, Status: 200, Proto: "HTTP/1.1", Body: spec.BodyOf([]byte("{}")), Bytes: 2, End: spec.EndWhole}
		for _, e := range []spec.Event{events[len(events)-2], last} {
			events[len(events)-2] = e
			r, err := replay.Run(context.Background(), bytes.NewReader(written(events)))
			Expect(err).NotTo(HaveOccurred())
			Expect(r.Divergence).To(BeNil(), "%+v", r.Divergence)
		}
	})

	It("is the same run, each time", func() {
		events := recordingOf(run(chosen("async/eight.yaml")), "async/eight.yaml#default")
		last := events[len(events)-1].Data.(*spec.CloseEvent)
		for range 3 {
			r, err := replay.Events(context.Background(), events)
			Expect(err).NotTo(HaveOccurred())
			Expect(r.Divergence).To(BeNil())
			Expect(r.Asked).To(Equal(last.Asked))
		}
		c := *last
		c.Asked = "0"
		events[len(events)-1].Data = &c
		r, err := replay.Events(context.Background(), events)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Divergence.Code).To(Equal(replay.CodeDigest))
	})

	It("diverges whatever is missing, and never hangs", func() {
		for _, id := range []string{"execute/valid.yaml#default [studio_notice]", "async/out-of-order.yaml#default", "retry/lost-answer.yaml#of the call", "sessions/two-at-once.yaml#default"} {
			path, _, _ := bytes.Cut([]byte(id), []byte("#"))
			events := recordingOf(run(chosen(string(path))), id)
			for n := 1; n < len(events)-1; n++ {
				r, err := replay.Events(context.Background(), without(events, n))
				Expect(err).NotTo(HaveOccurred())
				Expect(r.Divergence).NotTo(BeNil(), "%s without line %d, %#v", id, n+1, events[n].Data)
			}
		}
	})

	It("diverges when two events of a session change places, and never hangs", func() {
		for _, id := range []string{"async/out-of-order.yaml#default", "retry/lost-answer.yaml#of the call"} {
			path, _, _ := bytes.Cut([]byte(id), []byte("#"))
			events := recordingOf(run(chosen(string(path))), id)
			for n := 1; n+1 < len(events)-1; n++ {
				swapped := slices.Clone(events)
				swapped[n], swapped[n+1] = swapped[n+1], swapped[n]
				r, err := replay.Events(context.Background(), swapped)
				Expect(err).NotTo(HaveOccurred())
				if fromWorker(events[n]) == fromWorker(events[n+1]) {
					// What a worker sends may well come a little later.
					Expect(r.Divergence).NotTo(BeNil(), "%s with lines %d and %d swapped", id, n+1, n+2)
				}
			}
		}
	})

	It("refuses what is no case of its own, and what it cannot trust", func() {
		_, err := replay.Events(context.Background(), []spec.Event{{Data: &spec.HeaderEvent{Source: spec.SourceCapture}}})
		var cannot *simulator.NotReplayedError
		Expect(errors.As(err, &cannot)).To(BeTrue())
		Expect(err.Error()).To(Equal(`a recording of source "capture" has no case that could be driven again`))
		Expect(cannot.Hint()).NotTo(BeEmpty())

		whole := written(recordingOf(run(chosen("session/plain-talk.yaml")), "session/plain-talk.yaml#default"))
		r, err := replay.Run(context.Background(), bytes.NewReader(whole))
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Reproduced).To(Equal(r.Requests))
		_, err = replay.Run(context.Background(), bytes.NewReader(whole[:len(whole)-10]))
		var cut *recorder.CutError
		Expect(errors.As(err, &cut)).To(BeTrue())
		whole[bytes.Index(whole, []byte(`"session.start"`))+3] ^= 1
		_, err = replay.Run(context.Background(), bytes.NewReader(whole))
		var damaged *recorder.DamageError
		Expect(errors.As(err, &damaged)).To(BeTrue())
	})

	It("ends when it is told to", func() {
		events := recordingOf(run(chosen("session/plain-talk.yaml")), "session/plain-talk.yaml#default")
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		r, err := replay.Events(ctx, events)
		Expect(err).NotTo(HaveOccurred())
		Expect(r.Divergence.Got).To(Equal("the end: not run: the run was stopped"))
	})
})
