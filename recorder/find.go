package recorder

import (
	"bytes"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/suggest"
	"github.com/hallmarkdev/hallmark/spec"
)

// Query says which exchanges are looked for. Every member that is set must hold
// of one and the same exchange; the zero value finds all.
type Query struct {
	// Session and Trace are ids or beginnings of such; Turn and Tool are whole.
	// Tool is the tool that a tool.execute or a tool.finished is about.
	Session, Turn, Trace, Tool string
	// Text stands in the body of the request or of the answer, as it is there or
	// as JSON spells it.
	Text string
	// Status is that of the answer: 500, 5xx for a class, or how a body ended
	// that did not end whole: cut, timeout and the like.
	Status string
	// Since is the earliest time at which the request was sent.
	Since time.Time
	// Failed wants exchanges of which [Failure] says something.
	Failed bool
}

// ends are the ends of bodies that Query.Status may name.
var ends = []string{
	string(spec.EndCut), string(spec.EndReset), string(spec.EndTimeout), string(spec.EndOverLimit),
	string(spec.EndClientGone), string(spec.EndStale), string(spec.EndOmitted),
}

// statusForm is a status or a class of them.
var statusForm = regexp.MustCompile(`^[1-5]([0-9]{2}|xx)$`)

// CheckStatus says what is wrong with a Query.Status, nil when nothing is.
func CheckStatus(s string) error {
	if s == "" || slices.Contains(ends, s) || statusForm.MatchString(s) {
		return nil
	}
	if near, ok := suggest.Nearest(s, ends); ok {
		return fmt.Errorf("status %q: no answer has that (did you mean %q?)", s, near)
	}
	return fmt.Errorf("status %q: want 500, 5xx, or one of %s", s, strings.Join(ends, ", "))
}

// May reports whether a recording that l describes may hold what is looked for.
// It never denies what an index line cannot tell.
func (q Query) May(l IndexLine) bool {
	has := func(list []string, want string, prefix bool) bool {
		return want == "" || len(list) >= maxIndexed || slices.ContainsFunc(list, func(s string) bool {
			return s == want || prefix && strings.HasPrefix(s, want)
		})
	}
	to, err := time.Parse(time.RFC3339Nano, l.To)
	// A timestamp of the index is cut to milliseconds.
	old := err == nil && to.Add(time.Millisecond).Before(q.Since)
	return has(l.Sessions, q.Session, true) && has(l.Traces, q.Trace, true) && has(l.Turns, q.Turn, false) &&
		has(l.Tools, q.Tool, false) && q.mayStatus(l) && !old && (!q.Failed || l.Failed > 0)
}

func (q Query) mayStatus(l IndexLine) bool {
	if q.Status == "" || l.Ends[q.Status] > 0 {
		return true
	}
	for s := range l.Statuses {
		if statusIs(s, q.Status) {
			return true
		}
	}
	return false
}

func statusIs(status, want string) bool {
	class, ok := strings.CutSuffix(want, "xx")
	return status == want || ok && len(status) == 3 && strings.HasPrefix(status, class)
}

// Match is one exchange that was found.
type Match struct {
	// Session and Exchange name it: "s1", "d4"; Line is that of its request.
	Session  string `json:"session"`
	Exchange string `json:"exchange"`
	Line     int64  `json:"line"`
	// SessionID is the id behind the alias, TurnID that of the turn.
	SessionID string `json:"session_id,omitzero"`
	TurnID    string `json:"turn_id,omitzero"`
	// At is when the request was sent, by the clock of whoever recorded it.
	At      string           `json:"at,omitzero"`
	Trace   string           `json:"trace,omitzero"`
	Trigger spec.TriggerType `json:"trigger,omitzero"`
	Tool    string           `json:"tool,omitzero"`
	Status  int              `json:"status,omitzero"`
	// End is how the answer ended when not whole, Failure what went wrong.
	End     spec.BodyEnd `json:"end,omitzero"`
	Failure string       `json:"failure,omitzero"`
}

// Find gives the exchanges of a recording that q looks for, in the order of
// their requests. An error among the events ends the sequence with it, after
// what was found before. Memory is that of the exchanges open.
func Find(events iter.Seq2[spec.Event, error], q Query) iter.Seq2[Match, error] {
	return func(yield func(Match, error) bool) {
		var fault error
		var started time.Time
		ids := map[string]string{}
		watch := func(yield func(spec.Event) bool) {
			for e, err := range events {
				if err != nil {
					fault = err
					return
				}
				switch d := e.Data.(type) {
				case *spec.HeaderEvent:
					started, _ = time.Parse(time.RFC3339Nano, d.Started)
				case *spec.SessionEvent:
					if len(ids) < maxOpen {
						ids[e.Session] = d.SessionID
					}
				}
				if !yield(e) {
					return
				}
			}
		}
		for x := range spec.Exchanges(watch) {
			if m, ok := q.match(x, ids[x.Session], started); ok && !yield(m, nil) {
				return
			}
		}
		if fault != nil {
			yield(Match{}, fault)
		}
	}
}

// match looks at one exchange, the cheapest first.
func (q Query) match(x *spec.Exchange, session string, started time.Time) (Match, bool) {
	m := Match{Session: x.Session, Exchange: x.D, Line: x.Line, SessionID: session, Trace: x.Request.Trace, Trigger: x.Request.Trigger}
	if !started.IsZero() {
		at := started.Add(time.Duration(x.W) * time.Microsecond)
		if at.Before(q.Since) {
			return m, false
		}
		m.At = spec.At(at).String()
	}
	if r := x.Response; r != nil {
		m.Status = r.Status
		if r.End != spec.EndWhole {
			m.End = r.End
		}
	}
	status := q.Status == "" || q.Status == string(m.End) || statusIs(strconv.Itoa(m.Status), q.Status)
	if !status || !strings.HasPrefix(m.Trace, q.Trace) || q.Text != "" && !holdsText(x, q.Text) {
		return m, false
	}
	in := readEnvelope(x.RequestBody)
	m.TurnID = in.turn
	if m.SessionID == "" {
		m.SessionID = in.session
	}
	if m.Trigger == spec.OnToolExecute || m.Trigger == spec.OnToolFinished {
		m.Tool = in.tool
	}
	if !strings.HasPrefix(m.SessionID, q.Session) || q.Turn != "" && q.Turn != m.TurnID || q.Tool != "" && q.Tool != m.Tool {
		return m, false
	}
	m.Failure = Failure(x)
	return m, !q.Failed || m.Failure != ""
}

// holdsText looks for a text in both bodies.
func holdsText(x *spec.Exchange, text string) bool {
	quoted := jsonv.Quote(text)
	for _, body := range [][]byte{x.RequestBody, x.ResponseBody} {
		if bytes.Contains(body, []byte(text)) || bytes.Contains(body, quoted[1:len(quoted)-1]) {
			return true
		}
	}
	return false
}
