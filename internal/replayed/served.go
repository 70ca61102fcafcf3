package replayed

import (
	"fmt"

	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/recorder/serve"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// Served are the results of recordings that answered an engine. A request that no
// recording knows counts against the one that comes closest, or else the first.
// strict says that what drifted, was not asked for or was not whole is held against
// the recordings too. command are the words that serve them again.
func Served(r serve.Report, strict bool, command ...string) []reports.Result {
	results := make([]reports.Result, len(r.Recordings))
	at := map[string]*reports.Case{}
	for i, one := range r.Recordings {
		c := newCase(one.File, "", "", append(command[:len(command):len(command)], one.File))
		c.Exchanges = one.Exchanges
		c.Replay = &reports.Replay{
			How: reports.PlayedEngine, Requests: one.Exchanges,
			Agree: one.Served - one.Drifted, Differ: one.Drifted, Unexplained: one.Exchanges - one.Served,
		}
		results[i].Case = c
		at[one.File] = &results[i].Case
	}
	if len(results) == 0 {
		return nil
	}
	for _, f := range r.Unknown {
		c := at[f.Recording]
		if c == nil {
			c = &results[0].Case
		}
		d := served(f)
		d.Reason = fmt.Sprintf("%s, session %s, decision %s", f.Request, f.LiveSession, f.LiveDecision)
		c.Divergences = append(c.Divergences, d)
	}
	for _, list := range [][]serve.Finding{r.NotServed, r.Drifted, r.Unused} {
		for _, f := range list {
			c := at[f.Recording]
			if strict || f.Lost {
				c.Divergences = append(c.Divergences, served(f))
			} else {
				c.Unexplained = append(c.Unexplained, served(f))
			}
		}
	}
	for _, n := range r.Notes {
		if c := at[n.Recording]; c != nil {
			c.Unexplained = append(c.Unexplained, reports.Divergence{Code: n.Code, Text: meaning(n.Code), Reason: n.Text})
		}
	}
	for i := range results {
		switch c := &results[i].Case; {
		case c.Divergences != nil:
			c.Status = spec.StatusFail
		case c.Exchanges == 0:
			c.Status, c.Reason = spec.StatusNotObserved, "the recording holds no request"
		case c.Replay.Agree+c.Replay.Differ == 0:
			c.Status, c.Reason = spec.StatusNotObserved, "nothing of it was asked for"
		}
	}
	return results
}

func served(f serve.Finding) reports.Divergence {
	d := Divergence(f.Divergence)
	d.Text = meaning(f.Code)
	return d
}

// meaning says what a code of serving means.
func meaning(code string) string {
	for _, list := range [][]replay.Code{serve.Codes(), serve.NoteCodes()} {
		for _, c := range list {
			if c.Name == code {
				return c.Text
			}
		}
	}
	return code
}
