// Package reports holds the result of a run as one model, and renders it in
// many forms. It knows results only: what a worker is, how it was driven and
// how a verdict was reached are other packages' matters.
//
// A [Report] is a function of the recordings of a run: reading the same
// recordings again gives the same report. Measured times stand under members
// named measured, and nowhere else.
package reports

import "github.com/hallmarkdev/hallmark/spec"

// Format and Version are what a report in JSON says it is.
const (
	Format  = "hallmark-report"
	Version = 1
)

// Report is everything that a run found out.
type Report struct {
	Format  string      `json:"format"`
	Version int         `json:"version"`
	MadeBy  spec.MadeBy `json:"made_by"`
	Worker  Worker      `json:"worker"`
	// Exit is the exit code that the results ask for (R10).
	Exit int `json:"exit"`
	// Ended says why a run stopped early, "" when it did not; a report of such
	// a run is partial.
	Ended        string        `json:"ended,omitzero"`
	Summary      Summary       `json:"summary"`
	Requirements []Requirement `json:"requirements"`
	Cases        []Case        `json:"cases"`
	// Hints are lines that name one cause of many findings.
	Hints []string `json:"hints,omitzero"`
	// Stale are the entries of the baseline that no longer hold. Each fails
	// the run.
	Stale    []Stale  `json:"stale,omitzero"`
	Measured Measured `json:"measured"`
	// Production says that it is about what production showed, and not about a
	// run: the recordings are captures.
	Production bool `json:"production,omitzero"`
	// Played says that it is about recordings that were played again: each case is
	// a recording, and there are no requirements.
	Played bool `json:"played,omitzero"`

	unreachable bool
	// unreadable is how many recordings could not be read.
	unreadable int
}

// Stale is one entry of a baseline that no longer holds.
type Stale struct {
	// Place is file:line, Entry what the entry names.
	Place string `json:"place"`
	Entry string `json:"entry"`
	Got   string `json:"got"`
	Hint  string `json:"hint"`
}

// Worker says what was certified and how it was spoken to.
type Worker struct {
	URL     string `json:"url,omitzero"`
	Name    string `json:"name,omitzero"`
	Version string `json:"version,omitzero"`
	// Start is the command that started it, "" when it ran already.
	Start   string `json:"start,omitzero"`
	AgentID string `json:"agent_id,omitzero"`
	// Form is the form of session.start that the cases used: agent or bare (R2).
	Form    string        `json:"form,omitzero"`
	Seed    uint64        `json:"seed"`
	Clock   string        `json:"clock,omitzero"`
	Dialect *spec.Dialect `json:"dialect,omitzero"`
	Tools   []Tool        `json:"tools,omitzero"`
}

// Tool is one declared tool and what was done with it.
type Tool struct {
	Name    string       `json:"name"`
	Handler spec.Handler `json:"handler"`
	Output  bool         `json:"output"`
	// Calls is how many tool.execute were delivered for it.
	Calls int `json:"calls"`
	// Invalid and Malformed are what it was seen to do with arguments of these
	// classes: refused, repaired, run, or unknown where its refusals prove
	// nothing; "" where none was tried (E8, R11).
	Invalid   string `json:"invalid,omitzero"`
	Malformed string `json:"malformed,omitzero"`
}

// Summary counts requirements and cases by status.
type Summary struct {
	Requirements Counts `json:"requirements"`
	Cases        Counts `json:"cases"`
	// Exchanges is how many requests were sent; of recordings that were played
	// again, how many they hold.
	Exchanges int `json:"exchanges"`
	// Replay counts the recordings that were played again, by the way in which they
	// were.
	Replay []Replay `json:"replay,omitzero"`
}

// Counts is how many there are of each status.
type Counts struct {
	Fail          int `json:"fail"`
	Error         int `json:"error"`
	KnownFailing  int `json:"known_failing"`
	Warn          int `json:"warn"`
	Pass          int `json:"pass"`
	NotObserved   int `json:"not_observed"`
	NotApplicable int `json:"not_applicable"`
}

// Add counts one more of s.
func (c *Counts) Add(s spec.Status) {
	switch s {
	case spec.StatusFail:
		c.Fail++
	case spec.StatusError:
		c.Error++
	case spec.StatusKnownFailing:
		c.KnownFailing++
	case spec.StatusWarn:
		c.Warn++
	case spec.StatusPass:
		c.Pass++
	case spec.StatusNotObserved:
		c.NotObserved++
	case spec.StatusNotApplicable:
		c.NotApplicable++
	}
}

// Total is how many were counted.
func (c Counts) Total() int {
	return c.Fail + c.Error + c.KnownFailing + c.Warn + c.Pass + c.NotObserved + c.NotApplicable
}

// Requirement is what all cases together say of one requirement.
type Requirement struct {
	ID     string      `json:"id"`
	Level  spec.Level  `json:"level"`
	Text   string      `json:"text"`
	Status spec.Status `json:"status"`
	// Count is how many times the moment came, over all cases.
	Count int `json:"count"`
	// Reason says why it was not observed or does not apply.
	Reason string `json:"reason,omitzero"`
	// weak says that the moment of the reason came and proved nothing.
	weak bool
	// Cases are the ids of the cases in which it did not hold.
	Cases []string `json:"cases,omitzero"`
	// Failed counts the places where it did not hold, and Example is one, or
	// else one where it held; both are told of production only.
	Failed  int      `json:"failed,omitzero"`
	Example *Example `json:"example,omitzero"`
	// Evidence is what a recording must hold to show it, told of production only.
	Evidence spec.Evidence `json:"evidence,omitzero"`
}

// Example is an exchange of production that shows a requirement.
type Example struct {
	Recording string `json:"recording"`
	spec.Place
}

// Case is one run of a scenario.
type Case struct {
	// ID is path#case, with the tool in brackets where one scenario runs for
	// several tools.
	ID     string      `json:"id"`
	Title  string      `json:"title,omitzero"`
	About  string      `json:"about,omitzero"`
	Status spec.Status `json:"status"`
	// Reason says why it was not run, not observed or does not apply.
	Reason string `json:"reason,omitzero"`
	// End is why the case ended.
	End string `json:"end,omitzero"`
	// Alone says that the case ran once more with no other beside it, after it
	// had failed in company (R18).
	Alone bool `json:"alone,omitzero"`
	// Own says that the scenario is the user's, not of the built-in corpus.
	Own bool `json:"own,omitzero"`
	// Findings are the places where requirements did not hold, Expectations
	// the items of the scenario that did not.
	Findings     []Finding `json:"findings,omitzero"`
	Expectations []Finding `json:"expectations,omitzero"`
	Exchanges    int       `json:"exchanges"`
	// Replay counts what came of playing the recording again, Divergences are the
	// places at which it went another way, Unexplained those of which nothing could
	// be told. MadeBy is the version of Hallmark that made it.
	Replay      *Replay      `json:"replay,omitzero"`
	Divergences []Divergence `json:"divergences,omitzero"`
	Unexplained []Divergence `json:"unexplained,omitzero"`
	MadeBy      string       `json:"made_by,omitzero"`
	// Recording is the file that holds the case, "" when none was kept.
	Recording string `json:"recording,omitzero"`
	// Repeat is the command that runs this case again.
	Repeat   string   `json:"repeat,omitzero"`
	Measured Measured `json:"measured"`
}

// Finding is a finding with the level of its requirement and the request that
// repeats it.
type Finding struct {
	spec.Finding
	// Status is fail, known-failing or warn.
	Status spec.Status `json:"status"`
	// Curl is a line for a shell that sends the exchange's request again, ""
	// when the finding is about no single exchange.
	Curl string `json:"curl,omitzero"`
}

// Measured is what a clock said. It differs from run to run.
type Measured struct {
	// Ms is a duration in milliseconds.
	Ms int64 `json:"ms"`
}

// The exit codes (R10).
const (
	// ExitGood: all good.
	ExitGood = 0
	// ExitFailed: a requirement or an expectation failed, a replay diverged, a
	// baseline is stale.
	ExitFailed = 1
	// ExitUsage: a bad invocation, scenario or config, or nothing was observed.
	ExitUsage = 2
	// ExitUnreachable: the worker could not be reached or started.
	ExitUnreachable = 3
	// ExitIO: I/O failed under way, or a recording is damaged.
	ExitIO = 4
	// ExitHarness: the harness erred.
	ExitHarness = 5
)
