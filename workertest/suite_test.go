package workertest_test

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
)

// asWorker, as the first argument of this test binary, makes it a worker: a
// real process for the tests of Command.
const asWorker = "be-a-worker"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == asWorker {
		beWorker(os.Args[2], os.Args[3:])
	}
	os.Exit(m.Run())
}

// beWorker serves the reference worker at a port until the process is ended.
func beWorker(port string, faults []string) {
	h, err := reference.New(reference.Options{Faults: faults, Exit: os.Exit})
	if err == nil {
		err = http.ListenAndServe("127.0.0.1:"+port, h)
	}
	fmt.Fprintln(os.Stderr, "no worker:", err)
	os.Exit(3)
}

func TestWorkertest(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Workertest")
}

// studio is the reference worker with faults.
func studio(faults ...string) http.Handler {
	h, err := reference.New(reference.Options{Faults: faults})
	if err != nil {
		panic(err)
	}
	return h
}
