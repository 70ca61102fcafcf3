package reports

import "slices"

// The ways in which recordings are played again.
const (
	// PlayedWhole: driven from the first event to the last, with no worker.
	PlayedWhole = "end-to-end"
	// PlayedSteps: each request held against the one before it, with no worker.
	PlayedSteps = "step-by-step"
	// PlayedWorker: sent to a worker, whose answers are held against the recorded
	// ones.
	PlayedWorker = "to-a-worker"
	// PlayedEngine: served to an engine in place of the worker. What agrees was asked
	// for as it was recorded, what differs in other words; unexplained is what was not
	// asked for, or not served.
	PlayedEngine = "to-an-engine"
)

// Replay counts what came of playing one recording again, or in the summary of
// all that were played in the same way.
type Replay struct {
	// How is one of the Played constants.
	How string `json:"how"`
	// Recordings, Diverged and Untold are told in the summary only: how many
	// recordings there are, how many of them diverged, and of how many nothing could
	// be told.
	Recordings int `json:"recordings,omitzero"`
	Diverged   int `json:"diverged,omitzero"`
	Untold     int `json:"untold,omitzero"`
	// Requests is how many requests the recordings hold.
	Requests int `json:"requests"`
	// Reproduced is how many came out again byte for byte.
	Reproduced int `json:"reproduced"`
	// Agree, Differ and Unexplained count steps, or answers of a worker, that were
	// held against what was expected; of a worker the last also counts requests that
	// were not sent.
	Agree       int `json:"agree"`
	Differ      int `json:"differ"`
	Unexplained int `json:"unexplained"`
	// Times is how often each recording was played, and the same came of it; absent
	// for once.
	Times int `json:"times,omitzero"`
	// Sent is how many requests went to a worker.
	Sent int `json:"sent"`
}

// Divergence is one place at which a replay went another way than its recording,
// or of which nothing could be told.
type Divergence struct {
	// Code is a stable name of what happened, Text says it in words.
	Code string `json:"code"`
	Text string `json:"text"`
	// Session, Exchange and Line say where it is in the recording; "" and 0 where
	// it is no place of it. About says what stands there: "tool.execute of call_1".
	Session  string `json:"session,omitzero"`
	Exchange string `json:"exchange,omitzero"`
	Line     int64  `json:"line,omitzero"`
	About    string `json:"about,omitzero"`
	// In says what Pointer points into: "body" of a request, "event" for the line
	// as a whole.
	In      string `json:"in,omitzero"`
	Pointer string `json:"pointer"`
	// Got is what was found there, Want what was expected. Of a recording that is
	// driven again the recording is what is expected; of a capture, what the
	// simulated engine makes of the request before.
	Got  string `json:"got"`
	Want string `json:"want"`
	// Rules are the rules of the protocol that speak of the place.
	Rules string `json:"rules,omitzero"`
	// After is the last that came out the same, "" when nothing did.
	After string `json:"after,omitzero"`
	// Reason says why nothing could be told, Assumed what a request does not say and
	// was taken for given.
	Reason  string   `json:"reason,omitzero"`
	Assumed []string `json:"assumed,omitzero"`
}

// add takes one recording's counts into a sum.
func (r *Replay) add(c *Case) {
	p := c.Replay
	r.Recordings++
	switch {
	case len(c.Divergences) > 0:
		r.Diverged++
	case p.Reproduced+p.Agree == 0:
		r.Untold++
	}
	r.Requests += p.Requests
	r.Reproduced += p.Reproduced
	r.Agree += p.Agree
	r.Differ += p.Differ
	r.Unexplained += p.Unexplained
	if r.Recordings == 1 || p.Times < r.Times {
		r.Times = p.Times
	}
	r.Sent += p.Sent
}

// replays sums the recordings up that were played again, by the way in which they
// were, in the order of first mention.
func replays(cases []Case) (sums []Replay) {
	for i := range cases {
		c := &cases[i]
		if c.Replay == nil {
			continue
		}
		at := slices.IndexFunc(sums, func(s Replay) bool { return s.How == c.Replay.How })
		if at < 0 {
			at = len(sums)
			sums = append(sums, Replay{How: c.Replay.How})
		}
		sums[at].add(c)
	}
	return sums
}
