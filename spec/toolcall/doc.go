// Package toolcall is what one tool call means, without an engine around it:
// how a call's arguments are classed (E1), how a worker's result is read,
// stored and shown to the model (F5 to F10), how it is held against the tool's
// output schema (F11), and how retries are counted and spaced (H1, H2, H5).
//
// Everything is a pure function of its arguments and safe for concurrent use.
// Schemas are compiled once and kept, a bounded number of them. Nothing panics,
// whatever a worker or a model wrote.
package toolcall
