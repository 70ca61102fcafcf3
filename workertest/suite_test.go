package workertest_test

import (
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	_ "github.com/hallmarkdev/hallmark/internal/outgoing/fits"
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

// asPress, in place of faults, makes that process a worker which settles later.
const asPress = "press"

// beWorker serves the reference worker at a port until the process is ended.
func beWorker(port string, faults []string) {
	if len(faults) == 1 && faults[0] == asPress {
		err := http.ListenAndServe("127.0.0.1:"+port, &press{
			url: os.Getenv("HALLMARK_ENGINE_URL"), key: os.Getenv("HALLMARK_API_KEY"), client: &http.Client{},
			takes: map[string]time.Duration{"print": 0, "bind": 0},
		})
		fmt.Fprintln(os.Stderr, "no worker:", err)
		os.Exit(3)
	}
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
