//go:build race

package replay_test

// underRace says that the race detector watches, which makes everything about ten
// times slower: the specs over the whole corpus then take a sample of it, and the
// run without the detector takes all.
const underRace = true
