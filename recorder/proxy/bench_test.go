package proxy_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/proxy"
)

// BenchmarkAgainstReverseProxy sends the same requests through the proxy and
// through a plain httputil.ReverseProxy, by turns in one run, and reports the
// ratios of the medians at one connection (p50) and of the throughputs at 64.
// lost is the number of exchanges that were not recorded: with the large queue
// of this test none, so the ratios are those of recording everything.
func BenchmarkAgainstReverseProxy(b *testing.B) {
	for _, size := range []int{4 << 10, 400 << 10} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) { compare(b, size) })
	}
}

// manyMessages is a request of about so many bytes, as a long session has it.
func manyMessages(session string, size int) []byte {
	var m strings.Builder
	for i := 0; m.Len() < size-600; i++ {
		fmt.Fprintf(&m, `{"id":"m-%d","role":"user","content":"What about order \"%d\"? It was sent on Monday, and the shop says it is lost; please look again.","tool_calls":[]},`, i, i)
	}
	return []byte(strings.Replace(decision(session, "d", "client.action", `,"name":"x"`), `"messages":[],"message_tree"`, `"messages":[`+strings.TrimSuffix(m.String(), ",")+`],"message_tree"`, 1))
}

func compare(b *testing.B, size int) {
	answer := []byte(`{"messages":[],"actions":[{"type":"llm.call"}],"note":"` + strings.Repeat("y", size/8) + `"}`)
	worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	}))
	defer worker.Close()
	to, _ := url.Parse(worker.URL)
	plain := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport: &http.Transport{MaxIdleConnsPerHost: 256},
	})
	defer plain.Close()
	redact, err := recorder.NewPolicy(recorder.PolicyConfig{Key: []byte("k"), Secrets: []string{"a-secret-of-the-worker"}})
	if err != nil {
		b.Fatal(err)
	}
	cfg := proxy.Config{Dir: b.TempDir(), Redact: redact, Queue: 1 << 30}
	if cfg.To, err = proxy.ParseAddress(worker.URL); err != nil {
		b.Fatal(err)
	}
	ours, err := proxy.New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go func() { _ = ours.Serve(l) }()
	defer func() { _ = ours.Shutdown(context.Background()) }()
	at := "http://" + l.Addr().String()

	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
	defer client.CloseIdleConnections()
	post := func(to string, body []byte) {
		resp, err := client.Post(to, "application/json", bytes.NewReader(body))
		if err != nil {
			b.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	body := manyMessages("one", size)
	median := func(to string, n int) time.Duration {
		took := make([]time.Duration, n)
		for i := range took {
			start := time.Now()
			post(to, body)
			took[i] = time.Since(start)
		}
		slices.Sort(took)
		return took[n/2]
	}
	throughput := func(to string, n int) float64 {
		bodies := make([][]byte, 64)
		for i := range bodies {
			bodies[i] = manyMessages(fmt.Sprintf("s-%d", i), size)
		}
		start := time.Now()
		var wait sync.WaitGroup
		for i := range 64 {
			wait.Go(func() {
				for range n / 64 {
					post(to, bodies[i])
				}
			})
		}
		wait.Wait()
		return float64(n) / time.Since(start).Seconds()
	}
	median(at, 20)
	median(plain.URL, 20)
	var p50, through []float64
	for b.Loop() {
		// In turns, so that what else the machine does hits both alike.
		p, o := median(plain.URL, 200), median(at, 200)
		p50 = append(p50, float64(o)/float64(p))
		n := 64 * max(2, min(50, 20<<20/size/64))
		a, c := throughput(plain.URL, n), throughput(at, n)
		through = append(through, c/a)
	}
	slices.Sort(p50)
	slices.Sort(through)
	b.ReportMetric(p50[len(p50)/2], "p50-ratio")
	b.ReportMetric(through[len(through)/2], "throughput-ratio")
	b.ReportMetric(float64(ours.Lost()), "lost")
	b.ReportMetric(0, "ns/op")
}
