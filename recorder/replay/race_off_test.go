//go:build !race

package replay_test

// underRace says that the race detector watches, see race_on_test.go.
const underRace = false
