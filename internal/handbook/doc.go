// Package handbook writes what people read about the requirements: the page of
// one for a terminal, docs/requirements.md about all of them,
// docs/coverage.md, which shows what stands behind each, and docs/divergences.md
// about what a replay may say.
//
// The files are made by go generate, and a test holds them to what they are
// made from.
package handbook

//go:generate go run ./write ../..
