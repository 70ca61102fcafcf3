// Package fits holds each request that the simulator sends against the schema of
// requests, in the tests of whoever imports it: one that an engine would not send
// ends the test program, whatever the test was about. What is broken on purpose
// is marked so, and passed over.
package fits

import (
	"fmt"
	"os"

	"github.com/hallmarkdev/hallmark/internal/outgoing"
	"github.com/hallmarkdev/hallmark/internal/schema"
	"github.com/hallmarkdev/hallmark/spec"
)

func init() {
	text, _ := spec.Schema("request")
	request, err := schema.Compile(text)
	if err != nil {
		panic(err)
	}
	before := newSeen()
	outgoing.Watch(func(body []byte, broken string) {
		if (&spec.RequestEvent{Broken: broken}).Adds() != "" {
			return
		}
		like := before.of(body)
		if before.fits(like) {
			return
		}
		if err := check(request, body, broken); err != nil {
			stop(err)
		}
		before.remember(like)
	})
}

// stop ends the program past whoever would recover from a panic.
func stop(err error) {
	fmt.Fprintln(os.Stderr, err)
	if name := os.Getenv(outgoing.Misfit); name != "" {
		_ = os.WriteFile(name, []byte(err.Error()), 0o600)
	}
	os.Exit(70)
}

// check says what is wrong with a request that claims to be one of the protocol.
func check(request *schema.Schema, body []byte, broken string) error {
	if (&spec.RequestEvent{Broken: broken}).Adds() != "" {
		return nil
	}
	if found := request.Validate(body); len(found) > 0 {
		return fmt.Errorf("a request was sent that does not fit the schema of requests, and is not marked as broken: %v in %.2000s", found, body)
	}
	return nil
}
