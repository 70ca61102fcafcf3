// Package handbook writes what people read about the requirements: the page of
// one for a terminal, docs/requirements.md about all of them, and
// docs/coverage.md, which shows what stands behind each.
//
// The two files are made by go generate, and a test holds them to what they are
// made from.
package handbook

//go:generate go run ./write ../..
