// Package yardstick is what benchmarks measure Hallmark against: a plain client
// that posts the same bodies to the same worker.
package yardstick

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"testing"
)

// Jobs is how many sessions both sides of a comparison keep going.
const Jobs = 2

// Post posts the bodies of each session to url, one after the other, as many
// sessions side by side as [Jobs] says. What fails is an error of the benchmark.
func Post(b *testing.B, url string, sessions [][][]byte) {
	b.Helper()
	work := make(chan [][]byte)
	var jobs sync.WaitGroup
	for range Jobs {
		jobs.Go(func() {
			for bodies := range work {
				for _, body := range bodies {
					post(b, url, body)
				}
			}
		})
	}
	for _, s := range sessions {
		work <- s
	}
	close(work)
	jobs.Wait()
}

func post(b *testing.B, url string, body []byte) {
	resp, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		b.Error(err)
		return
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
}
