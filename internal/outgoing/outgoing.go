// Package outgoing lets the tests of this project look at each request that the
// simulator sends, wherever in the program it is driven.
package outgoing

import "sync/atomic"

// Misfit is the environment variable that names a file, for a test that starts a
// program and wants it to fail: a request that should not have been sent is told
// there too.
const Misfit = "HALLMARK_TEST_MISFIT"

var watch atomic.Pointer[func(body []byte, broken string)]

// Watch has look called with the body of each request of the protocol from now
// on, as it goes out, and with what is wrong with it on purpose, "" for nothing.
// look must be safe for concurrent use and must keep no body.
func Watch(look func(body []byte, broken string)) { watch.Store(&look) }

// Say tells who watches of a request.
func Say(body []byte, broken string) {
	if look := watch.Load(); look != nil {
		(*look)(body, broken)
	}
}
