package spec

// Finding is one place where a requirement or an expectation did not hold.
type Finding struct {
	// Requirement is the id of the requirement, "" for an expectation of a
	// scenario.
	Requirement string `json:"requirement,omitzero"`
	// Expectation is the place of the expectation in its scenario:
	// "steps[1].expect[0]" or "finally[2]"; Line is its line in the file.
	Expectation string `json:"expectation,omitzero"`
	Line        int    `json:"line,omitzero"`
	// Session and Exchange name the exchange: "s1", "d4"; "" when it is about
	// no single one.
	Session  string `json:"session,omitzero"`
	Exchange string `json:"exchange,omitzero"`
	// At is the line of the exchange's request in its recording, 0 where it is
	// not known, as while the recording is made.
	At int64 `json:"-"`
	// Step is the scenario step that was acting, from 0; nil when unknown.
	Step *int `json:"step,omitzero"`
	// Trigger is the trigger of the exchange.
	Trigger TriggerType `json:"trigger,omitzero"`
	// Pointer is a JSON pointer into the answer; into the request when it begins
	// with "request:", and into what was sent to the settle endpoint when it
	// begins with "settle:". The exchange is then the one that asked for the
	// call.
	Pointer string `json:"pointer"`
	// Got and Want are short texts fit for a line; long values are cut and
	// say how much is missing.
	Got  string `json:"got"`
	Want string `json:"want"`
	// Hint says what to do, "" when Want says it all.
	Hint string `json:"hint,omitzero"`
}

// Status is what is known of a requirement, for one case or for a run.
type Status string

// The statuses, worst first (R10). See [WorseStatus].
const (
	StatusFail          Status = "fail"
	StatusError         Status = "error"
	StatusKnownFailing  Status = "known-failing"
	StatusWarn          Status = "warn"
	StatusPass          Status = "pass"
	StatusNotObserved   Status = "not-observed"
	StatusNotApplicable Status = "not-applicable"
)

// Statuses lists the statuses, worst first.
func Statuses() []Status {
	return []Status{StatusFail, StatusError, StatusKnownFailing, StatusWarn, StatusPass, StatusNotObserved, StatusNotApplicable}
}

// WorseStatus returns the one of a and b that a sum shows: fail before error
// before known-failing before warn before pass before not-observed before
// not-applicable (R10). The empty status loses to any other.
func WorseStatus(a, b Status) Status {
	for _, s := range Statuses() {
		if a == s || b == s {
			return s
		}
	}
	return a
}

// Observation is what one recording says of one requirement.
type Observation struct {
	Requirement string `json:"requirement"`
	Status      Status `json:"status"`
	// Count is how many times the moment came.
	Count int `json:"count,omitzero"`
	// Reason says why it was not observed or does not apply.
	Reason string `json:"reason,omitzero"`
	// Weak says of what was not observed that the moment came and proved
	// nothing: a refusal by a worker that refuses everything (R11).
	Weak     bool      `json:"weak,omitzero"`
	Findings []Finding `json:"findings,omitzero"`
	// Example is an exchange that shows it: the first that broke it, or else the
	// first where it held; nil where none is known.
	Example *Place `json:"-"`
}

// Place names an exchange of a recording. Line is that of its request, from 1;
// 0 is not known.
type Place struct {
	Session  string `json:"session"`
	Exchange string `json:"exchange"`
	Line     int64  `json:"line"`
}

// Place is where f was found, nil when it is about no single exchange.
func (f *Finding) Place() *Place {
	if f.Exchange == "" {
		return nil
	}
	return &Place{Session: f.Session, Exchange: f.Exchange, Line: f.At}
}
