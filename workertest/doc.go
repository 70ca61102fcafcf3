// Package workertest certifies a tool-call worker from inside Go tests.
//
// The whole suite, as subtests:
//
//	func TestWorker(t *testing.T) {
//		workertest.Run(t, workertest.Handler(newWorker()), workertest.Config{})
//	}
//
// One tool, one call:
//
//	x := workertest.Execute(t, target, "find_part", `{"bin": 7}`)
//
// [ExecuteWith] does so for an agent of your choice, signed, or with headers.
//
// The suite drives the target as an engine would and judges what it answers.
// It calls the tools that the target declares, so give it a worker whose tools
// may be called. Red means that a requirement of the protocol, or an
// expectation of a scenario, does not hold; a worker that cannot be reached, a
// pattern that fits no case, or a run in which nothing was observed is red too.
//
// # Fake time
//
// A [Handler] or [Factory] works inside a [testing/synctest] bubble: the
// network is in memory, so a tool that takes minutes costs none. Since a bubble
// allows no subtests, call [Check], [Execute] or [Send] there and not [Run].
// Make the handler inside the bubble too if it makes channels or timers.
package workertest
