//go:build race

package certify_test

const underRace = true
