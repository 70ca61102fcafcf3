package workertest

import (
	"context"
	"io/fs"
	"net/http"
	"time"

	"github.com/hallmarkdev/hallmark/spec"
)

// Config says what to run and how. The zero Config runs the built-in corpus
// once, calm, with seed 1, against every tool that the target declares. A
// Config is only read and may be shared by goroutines.
type Config struct {
	// Run and Skip are patterns over case ids, scenario paths, tag:NAME and
	// the requirement ids that scenarios list, as on the command line; *
	// stands for anything. Empty Run means all. A pattern that fits no case
	// fails the test (R10).
	Run, Skip []string

	// Scenarios adds scenario files (*.yaml, any depth). Nil adds none.
	Scenarios fs.FS

	// Vars are the values of $var.NAME in scenarios.
	Vars map[string]string

	// WithoutCorpus leaves the built-in corpus out, so that only Scenarios,
	// and those that File names, run.
	WithoutCorpus bool

	// File is a hallmark.yaml to start from. Fields set here win over it, and
	// the target takes the place of its url and start. Empty reads none: a
	// test never picks up a file by chance.
	File string

	// Seed picks ids and generated values (R20). 0 means 1. The failure text
	// of a case names the seed.
	Seed uint64

	// Dialect runs each case in these dialects of the protocol, as --dialect on
	// the command line: "each", "all", or settings such as
	// "first-attempt=1,identity=older". Nil runs the default alone, or those of
	// File.
	Dialect []string

	// AgentID is the agent that requests name, "agent" when empty. Agent is
	// the config that an engine would propose at session.start; nil tries a
	// small default and then none, and keeps the form that the target starts
	// from (R2).
	AgentID string
	Agent   *spec.AgentConfig

	// OnlyTools and SkipTools bound which tools are ever called. They take
	// exact names; a name that the target does not declare fails the test.
	// A [URL] that is not on loopback needs OnlyTools, or AllTools, or a tools
	// section in File: without consent none is called and the test fails (R3).
	// OnlyTools and AllTools exclude each other.
	OnlyTools, SkipTools []string
	AllTools             bool

	// Secret signs each request (D10), and wins over the secret of File. Nil
	// sends no signature. It never reaches a recording or a report.
	Secret []byte

	// SignatureHeader is the header that carries the signature, in place of
	// X-Substructure-Signature (wire 1). It wins over that of File, and needs a
	// secret.
	SignatureHeader string

	// Header is added to each request. Its values, and those that File takes
	// from the environment, never reach a recording or a report: a stand-in
	// does (R9). The curl lines of a report take the value of X-Key from the
	// variable HALLMARK_X_KEY, for you to set.
	Header http.Header

	// Reset, when set, puts the worker's world back before each case. Cases
	// then run one by one. It wins over the reset of File. Its error is told
	// at the end of the run, as one of the harness.
	Reset func(context.Context) error

	// Jobs is how many sessions run side by side; 0 means GOMAXPROCS. A case
	// that fails in company is run once more alone before it is reported (R18).
	Jobs int

	// Disturb runs each case that allows it calm twice and once under each of the
	// named disturbances, and wants the same session (R6): lose-answer,
	// lose-request, repeat, overlap, late, slow, restart, or all. restart takes a
	// [Factory] or a [Command]. Cases with trouble, exact moments or broken
	// traffic of their own are run once. It wins over that of File.
	Disturb []string

	// Engine is where the worker settles the calls that it keeps: give the same
	// to the worker. Nil has none, but a worker that [Command] starts is given
	// one; without, such calls run into their deadline, and what is about
	// settling them is not observed (R19). The worker's config says by features
	// in File that it is asynchronous.
	Engine *Engine

	// Patience bounds the real time that one answer may take, and the settle of
	// a call that the worker keeps (R7). 0 means the protocol's own deadline, and
	// for a settle what the scenario says or 5 seconds; negative means no bound,
	// and deadlines an hour away on the wire, for debuggers (R16). A worker that misses only a bound
	// shorter than its deadline is warned, not failed.
	Patience time.Duration

	// Record is a folder for the recordings of all cases. Empty keeps those of
	// failed cases: [Run] in the test's ArtifactDir, which go test -artifacts
	// keeps, [Check] nowhere.
	Record string

	// Baseline is a file of known failures. A known failure is reported as
	// such; one that passes, or an entry that names nothing, fails the test.
	// It wins over the baseline of File.
	Baseline string

	// Strict makes a SHOULD that does not hold, and a requirement of the
	// profile claimed in File that was never observed, a failure.
	Strict bool
}
