// Package serve answers an engine as a recorded worker did, so that the engine
// can be run with no worker and no network. It never sends anything anywhere.
//
// A request is found in the recordings by its replay key: which session, why the
// engine asks, about which call, which attempt and which delivery; where several
// have one key, their order tells them apart. What a request says beside that
// does not decide: where it differs from what was recorded, that is told.
//
// An engine makes ids of its own. A session of it is bound to the next recorded
// one that nobody has and that begins alike, at the latest when it says its first
// word; ids are learned from equal places of both stories, and those of now stand
// in the answers, as whole strings only (R8).
//
// Only a whole answer is served (rule 6 of the format). A request whose answer
// was cut, late or left out, and one that no recording knows, get an error that
// an engine shows.
package serve
