package certify_test

import (
	"flag"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"

	_ "github.com/hallmarkdev/hallmark/internal/outgoing/fits"
)

// TestMain lets more tests run side by side than there are processors, unless
// -parallel says how many. Many wait: a worker that holds a call is given real
// time to settle it. A larger heap is collected less often.
func TestMain(m *testing.M) {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		// Set past the flag package, since Ginkgo refuses a run in which the flag
		// was given.
		if err := flag.Lookup("test.parallel").Value.Set(strconv.Itoa(4 * runtime.GOMAXPROCS(0))); err != nil {
			panic(err)
		}
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
