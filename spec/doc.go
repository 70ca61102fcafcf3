// Package spec is the protocol between an agent engine and a tool-call worker,
// as data: Go types for all that goes over the wire, the parser that reads a
// worker's answer exactly as an engine does, JSON Schemas, the events of a
// recording, and the registry of requirements.
//
// An engine POSTs a [DecisionRequest] to a worker before each step of a turn;
// the worker answers with a [Decision]. Values whose shape the protocol leaves
// open (arguments, state, results, schemas) are kept as the JSON text that was
// sent, so that no number is rounded and no string mended.
//
// Everything here is a pure value or a pure function. Values may be read by
// several goroutines at once; nothing here is safe to change concurrently.
package spec

// ProtocolVersion is the protocol that this package describes: the engine
// line of 28 August 2026.
const ProtocolVersion = "0.9.1"
