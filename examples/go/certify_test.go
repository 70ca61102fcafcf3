package main

import (
	"net/http"
	"testing"

	"github.com/hallmarkdev/hallmark/workertest"
)

// Certify a worker of your own in the same way: one subtest a case.
func TestCertified(t *testing.T) {
	workertest.Run(t, workertest.Factory(func() http.Handler {
		return &worker{tools: observatory()}
	}), workertest.Config{Strict: true})
}
