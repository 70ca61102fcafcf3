// Package simulator drives workers: it plays the engine of a planned case over
// HTTP, answers as the model, and gives out every event of the recording. It
// is the only package of a test run that does I/O, and it asserts nothing: what
// an exchange means is the judge's to say.
//
// The way through: [Discover] finds out how a worker starts and what it
// declares, the planner of package scenarios turns scenarios into cases for
// it, [Drive] runs one case, and [Run] runs many side by side. A worker that
// has to be started first is a [Process]; one that settles calls later does so at
// an [Endpoint].
//
// All that is made up here (ids, trace context) is a pure function of seed,
// case, session, kind and ordinal, so neither the number of jobs nor the order
// of the cases changes a byte (R20). Real time is read through a [Clock] only.
package simulator
