// Package scenarios is the scenario language: it reads YAML files, checks
// them, plans the cases that they expand to for one worker, and judges the
// expectations of a case from its events. It also holds the built-in corpus.
//
// The way through: [Parse] or [Load] gives a [Document], which mirrors the
// grammar one to one and leaves references such as $tool as they are written;
// [Plan] binds the document to what a worker declared and gives [Case] values,
// whose steps are resolved and ready to be driven. All of it is pure but Load,
// which reads from the file system that it is given.
package scenarios

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Document is one scenario file as it is written. Scalars that hold references
// keep them: a text field holds "$case.raw" or "Use ${tool}.", a JSON value
// holds them inside its strings. A number, word or list that is wholly a
// reference is absent (nil or zero) here and present in the steps of a planned
// [Case]. A Document is not changed after Parse and may be read by several
// goroutines.
type Document struct {
	Pos
	// Name is the slash path that the file was read under.
	Name string
	// Title is the value of the key scenario.
	Title        string
	About        string
	Refs, Tags   []string
	Requirements []Requirement
	Needs        Needs
	Engine       Engine
	Given        Given
	// Cases has one entry called "default" when the file writes none.
	Cases   []CaseEntry
	Vary    []Variation
	Twins   []Twin
	Copies  int
	Steps   []Step
	Finally []Check
	Limits  Limits
	// Warnings are remarks that do not keep the scenario from running, for
	// instance a plain 2026-05-14, which is text here and a date elsewhere.
	Warnings Problems
	// Source is the file as it was read, byte for byte.
	Source []byte

	root *node
}

// Requirement is one id of the requirements list: it must be observed.
type Requirement struct {
	Pos
	ID string
}

// Needs is what the worker must offer for the scenario to apply.
type Needs struct {
	Pos
	// Tool binds $tool. Nil asks for nothing.
	Tool *ToolNeed
	// Tools binds $label each, every one to another tool, in the order written.
	Tools    []ToolNeed
	Features []string
}

// ToolNeed is a demand on one declared tool.
type ToolNeed struct {
	Pos
	// Label is the name it is bound to; "tool" for needs.tool.
	Label string
	// Name is the exact tool name; empty takes any.
	Name string
	// Handler is worker or client.
	Handler string
	// Output, when set, asks for a tool with (or without) an output schema.
	Output *bool
	// Input is any, none, object or required.
	Input string
	// Deferred, when set, asks for a tool that is (or is not) deferred.
	Deferred *bool
	// Sample is the kind of sample call needed; empty asks for none.
	Sample string
	// Each runs the scenario once per fitting tool.
	Each bool
}

// Engine says how the simulated engine is set.
type Engine struct {
	Pos
	AgentID string
	// Identity is an object, or nil for the default.
	Identity jsontext.Value
	// Start is "agent", "bare" or empty; StartAgent is a config of its own.
	Start      string
	StartAgent jsontext.Value
	// Retry holds the layers that are written, in the order written.
	Retry []RetryLayer
	// Dialects has one entry per run of the case; empty means the default.
	Dialects []Dialect
	// Hosted are the forms in which the worker hosts the model, one run of the
	// case in each: native, openai or anthropic. Empty lets the script answer.
	Hosted []string
	// Signature says how requests are signed.
	Signature Signature
	Headers   []Header
	// Adds is what requests hold beyond the protocol, [spec.AddsFields] or
	// [spec.AddsTrigger]; empty is nothing. Such traffic is marked so.
	Adds string
	// CutLetters sends each body in several writes that end inside letters.
	CutLetters bool
	// SpareReplies is how often a model that ran out of steps answers "done".
	SpareReplies int
}

// RetryLayer is one entry of engine.retry: Kind is default, tool, client, llm,
// subagent or decision. Fields that are nil are not overridden (H2).
type RetryLayer struct {
	Pos
	Kind                             string
	QueueTimeoutSecs, RunTimeoutSecs *int
	TotalTimeoutSecs, MaxAttempts    *int
	BackoffBaseSecs, BackoffMaxSecs  *int
}

// Header is one request header or one other name with its text.
type Header struct {
	Pos
	Name, Value string
}

// Given is planted after session.start has been answered.
type Given struct {
	Pos
	Messages []Message
	// State and Agent are nil when absent.
	State, Agent jsontext.Value
}

// Message is a message of a transcript, written by hand.
type Message struct {
	Pos
	Role, ID string
	// Content is nil when absent.
	Content jsontext.Value
	Calls   []Call
	// Call is the label of the call that a tool message answers.
	Call string
	Name string
}

// CaseEntry is one entry of cases. Values are the keys beside name, in the
// order written.
type CaseEntry struct {
	Pos
	Name   string
	Values []NamedValue
}

// NamedValue is a key with a JSON value.
type NamedValue struct {
	Pos
	Name  string
	Value jsontext.Value
}

// Variation is one entry of vary: a list of values, or a generator.
type Variation struct {
	Pos
	Name      string
	Values    []jsontext.Value
	Generator *Generator
}

// Generator makes up raw argument texts for a tool.
type Generator struct {
	Pos
	// Class is valid, invalid, boundary or malformed.
	Class string
	// Kinds are those of the class that are wanted, none for all.
	Kinds []string
	// Tool is a tool name or a reference to one.
	Tool  string
	Count int
}

// Twin is the one thing put right in the twin of a case (R11).
type Twin struct {
	Pos
	Call, Tool string
	Arguments  jsontext.Value
	Raw        *Text
	// Generate is valid or empty.
	Generate string
	// Signature is valid or empty.
	Signature string
	Given     *Given
	// Is is runs or answers.
	Is string
}

// Limits bounds a case.
type Limits struct {
	Pos
	// Decisions is the largest number of decisions.
	Decisions int
	// Real is the largest real time of a case, Patience the real time that one
	// settle of an asynchronous worker may take (R7).
	Real, Patience time.Duration
}

// Text is a text field: parts, joined. In a planned case it has at most one
// part, which is plain.
type Text struct {
	Pos
	Parts []TextPart
}

// TextPart is plain text (Times 0), or Repeat written Times times.
type TextPart struct {
	Plain  string
	Repeat string
	Times  int
}
