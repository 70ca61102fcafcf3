package certify_test

import (
	"net/http"
	"sync/atomic"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// referenceThen answers n requests rightly and hands the rest to next.
func referenceThen(next http.Handler, n int64) http.Handler {
	right, err := reference.New(reference.Options{})
	if err != nil {
		panic(err)
	}
	var count atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if count.Add(1) > n {
			next.ServeHTTP(w, r)
			return
		}
		right.ServeHTTP(w, r)
	})
}

func hangConfig() certify.Config {
	docs, err := loaded()
	if err != nil {
		panic(err)
	}
	c := certify.Config{Corpus: docs, Run: []string{"execute/valid.yaml", "parallel/*", "session/*", "stream/*", "hosted/plain-talk.yaml"}, Consent: simulator.ConsentOptions{Started: true}, Jobs: 1}
	c.Features = scenarios.HostedFeatures(spec.HostedForms()...)
	c.Seed, c.Worker = 1, spec.WorkerHeader{URL: workerURL}
	return c
}
