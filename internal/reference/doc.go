// Package reference holds the reference worker: a small pottery studio that
// keeps every rule a worker is certified for, and a table of named faults each
// of which breaks exactly the requirements that it names.
//
// The worker shows that the harness calls a good worker good; the faults show
// that each requirement can go red, and for its own reason. Nothing in the
// worker reads a clock or a random source, so equal requests get equal
// answers.
package reference
