// Package judge reads the events of one recording and says of every
// requirement of the registry whether it held (R4). A live run, a capture and
// a replay are read by the same code, so the same recording always gives the
// same verdict.
//
// Each exchange climbs a ladder: transport, status, encoding, body, JSON,
// shape, decision, resolution, meaning. The first rung on which a must does
// not hold ends the climb: what stands above it is not observed by that
// exchange. So one flaw has one name.
//
// The judge is pure: no clock, no I/O, and nothing kept of an exchange but
// what a later one is measured by. Its memory grows with the number of
// sessions and open calls, not with the number of exchanges.
package judge
