package workertest_test

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/workertest"
)

// slowly calls h for a tool only after d.
func slowly(h http.Handler, d time.Duration) http.Handler {
	return onExecute(h, func(r *http.Request) {
		select {
		case <-time.After(d):
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		}
	})
}

// goroutines counts those that are inside the server or the client, or in a
// handler of this file.
func goroutines() int {
	stacks := make([]byte, 1<<20)
	text := string(stacks[:runtime.Stack(stacks, true)])
	n := 0
	for one := range strings.SplitSeq(text, "\n\n") {
		if strings.Contains(one, "synctest bubble") && strings.Contains(one, "net/http.") {
			n++
		}
	}
	return n
}

// inBubble runs f, and wants it to leave nothing behind and to take the given
// time of the bubble.
func inBubble(t *testing.T, took time.Duration, f func(*testing.T, Gomega)) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		began := time.Now()
		f(t, g)
		g.Expect(time.Since(began)).To(BeNumerically("~", took, took/10))
		synctest.Wait()
		g.Expect(goroutines()).To(BeZero())
	})
}

func TestBubble(t *testing.T) {
	t.Run("a tool that takes ten minutes costs none, and passes when nothing is bounded", func(t *testing.T) {
		inBubble(t, 10*time.Minute, func(t *testing.T, g Gomega) {
			target := workertest.Handler(slowly(studio(), 10*time.Minute))
			r, err := workertest.Check(t.Context(), target, workertest.Config{
				Run: []string{"execute/valid.yaml"}, OnlyTools: []string{"list_kilns"}, Patience: -1,
			})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(r.Exit).To(Equal(reports.ExitGood), "%v", troubled(r))
			g.Expect(r.Summary.Cases.Pass).To(BeNumerically(">", 1))
		})
	})

	t.Run("a tool that takes half of its deadline passes the same", func(t *testing.T) {
		inBubble(t, 10*time.Second, func(t *testing.T, g Gomega) {
			x := workertest.Execute(t, workertest.Handler(slowly(studio(), 10*time.Second)), "list_kilns", "{}")
			g.Expect(x.Findings()).To(BeEmpty())
			g.Expect(statusOf(x, "delivery.answers-in-time")).To(Equal(spec.StatusPass))
		})
	})

	t.Run("a handler that hangs is red, and ends with the run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			r, err := workertest.Check(t.Context(), workertest.Handler(slowly(studio(), time.Hour)), workertest.Config{Run: []string{"execute/valid.yaml"}})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(r.Exit).To(Equal(reports.ExitFailed))
			g.Expect(troubled(r)).To(ContainElement("delivery.answers-in-time"))
			synctest.Wait()
			g.Expect(goroutines()).To(BeZero())
		})
	})

	t.Run("a handler that reads nothing and waits for its context ends too", func(t *testing.T) {
		inBubble(t, 2*time.Second, func(t *testing.T, g Gomega) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			hangs := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
			_, err := workertest.Send(ctx, workertest.Handler(hangs), start())
			g.Expect(err).To(MatchError(context.DeadlineExceeded))
		})
	})

	t.Run("a handler that heeds no context is waited for a little", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			began := time.Now()
			deaf := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(time.Hour) })
			_, err := workertest.Send(ctx, workertest.Handler(deaf), start())
			g.Expect(err).To(HaveOccurred())
			g.Expect(time.Since(began)).To(Equal(6 * time.Second))
			g.Expect(goroutines()).NotTo(BeZero(), "the count can tell")
			time.Sleep(2 * time.Hour)
			g.Expect(goroutines()).To(BeZero())
		})
	})
}
