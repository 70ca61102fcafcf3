package serve

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/recorder/renew"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/spec"
)

// Report is what came of serving recordings.
type Report struct {
	// Recordings are the files that were served, Exchanges how many requests they
	// hold.
	Recordings []Recording `json:"recordings"`
	Exchanges  int         `json:"exchanges"`
	// Requests is how many came. Served counts the recorded answers that were
	// given, each once; Again how often one was given to a further delivery of its
	// decision.
	Requests int `json:"requests"`
	Served   int `json:"served"`
	Again    int `json:"again,omitzero"`
	// Unknown are the requests that no recording knows, Drifted those that say
	// something else than the recorded ones they were answered like, NotServed
	// those whose recorded answer was not whole, and Unused what was not asked for.
	// Of each at most [MaxFindings] are listed; the totals count all.
	Unknown        []Finding `json:"unknown,omitzero"`
	UnknownTotal   int       `json:"unknown_total"`
	Drifted        []Finding `json:"drifted,omitzero"`
	DriftedTotal   int       `json:"drifted_total"`
	NotServed      []Finding `json:"not_served,omitzero"`
	NotServedTotal int       `json:"not_served_total"`
	Unused         []Finding `json:"unused,omitzero"`
	UnusedTotal    int       `json:"unused_total"`
	// Lost counts those of NotServed that the engine of then got an answer to,
	// which the recording does not hold.
	Lost int `json:"lost,omitzero"`
	// Signatures says how requests were signed, nil where nobody asked.
	Signatures *Signatures `json:"signatures,omitzero"`
	// Notes tell what should be known of the recordings.
	Notes []Note `json:"notes,omitzero"`
}

// Recording says what came of one file.
type Recording struct {
	File string `json:"file"`
	// Exchanges is how many requests it holds, Served how many of their answers were
	// served, Drifted how many of these to other words.
	Exchanges int `json:"exchanges"`
	Served    int `json:"served"`
	Drifted   int `json:"drifted,omitzero"`
}

// Signatures counts how requests were signed.
type Signatures struct {
	Valid  int `json:"valid"`
	Wrong  int `json:"wrong"`
	Absent int `json:"absent"`
}

// Note is something that should be known of a recording.
type Note struct {
	// Code is one of the Note constants.
	Code      string `json:"code"`
	Recording string `json:"recording"`
	Text      string `json:"text"`
}

// What may be said of a recording.
const (
	// NoteRedacted: secrets were replaced in it.
	NoteRedacted = "redacted"
	// NoteGap: something is missing in it.
	NoteGap = "gap"
	// NoteSettled: the worker called the engine by itself.
	NoteSettled = "settled-by-itself"
	// NoteUnpacked: the answer was packed then and is not now.
	NoteUnpacked = "unpacked"
	// NoteRedirect: the answer led somewhere else.
	NoteRedirect = "redirect"
)

// Bounds on what is told.
const (
	MaxFindings = 1000
	maxNotes    = 100
)

// Finding is a request that came, or did not come, or the place where it differs
// from the recorded one.
type Finding struct {
	// Recording is the file of the recorded exchange, "" for none.
	Recording string `json:"recording,omitzero"`
	// LiveSession and LiveDecision are the ids of the engine's request, "" where
	// none came.
	LiveSession  string `json:"live_session,omitzero"`
	LiveDecision string `json:"live_decision,omitzero"`
	// Request says what it is about, or why it is none that could be found.
	Request string `json:"request,omitzero"`
	// Lost says that the engine of then got an answer which the recording lacks.
	Lost bool `json:"lost,omitzero"`
	// Divergence tells the recorded exchange, the closest one where none fits, and
	// the first place that differs: Got is what the engine sent, with recorded ids,
	// Want what was recorded.
	replay.Divergence
}

// The codes of findings.
const (
	CodeUnknown   = "unknown-request"
	CodeDrift     = "drift"
	CodeNotServed = "not-served"
	CodeUnused    = "unused"
)

// Codes lists the codes of findings with what they mean.
func Codes() []replay.Code {
	return []replay.Code{
		{Name: CodeUnknown, Text: "a request came that no recording knows"},
		{Name: CodeDrift, Text: "a request was answered as recorded, and says something else than the recorded one"},
		{Name: CodeNotServed, Text: "a request was found, and its recorded answer is not whole"},
		{Name: CodeUnused, Text: "a recorded request did not come"},
	}
}

// NoteCodes lists the codes of notes with what they mean.
func NoteCodes() []replay.Code {
	return []replay.Code{
		{Name: NoteRedacted, Text: "stand-ins for secrets are in it, and are served as they stand"},
		{Name: NoteGap, Text: "something is missing in it"},
		{Name: NoteSettled, Text: "the worker called the engine by itself, which is not done again"},
		{Name: NoteUnpacked, Text: "an answer was packed then, and is served as it reads"},
		{Name: NoteRedirect, Text: "an answer led to another address, which is left out"},
	}
}

// findings are what a server gathers.
type findings struct {
	requests, served, again      int
	unknown, drifted, notServed  []Finding
	unknowns, drifts, nots, lost int
	signed, forged, unsigned     int
	notes                        []Note
}

func (s *Server) say(code, file, text string) {
	for _, n := range s.report.notes {
		if n.Code == code && n.Recording == file && n.Text == text {
			return
		}
	}
	if len(s.report.notes) < maxNotes {
		s.report.notes = append(s.report.notes, Note{code, file, text})
	}
}

func (f *findings) note(code string, x *recorded, text string) {
	if len(f.notes) < maxNotes {
		f.notes = append(f.notes, Note{code, x.session.file, x.at() + ": " + text})
	}
}

// noted tells what is not as it was in an answer that is served.
func (f *findings) noted(x *recorded) {
	r := x.x.Response
	if r.Was != "" {
		f.note(NoteUnpacked, x, "the answer was packed ("+r.Was+") and is served as it reads")
	}
	if to := x.x.Answer().Header("location"); to != "" && r.Status/100 == 3 {
		f.note(NoteRedirect, x, "the answer led to another address, which is left out")
	}
}

// at is the place of an exchange in its recording.
func (x *recorded) at() string { return x.session.alias + "/" + x.x.D }

// name is the exchange for a person.
func (x *recorded) name() string {
	return fmt.Sprintf("%s of %s (%s)", x.at(), x.session.file, x.key)
}

// found is a finding about a recorded exchange.
func (x *recorded) found(code string) Finding {
	return Finding{Recording: x.session.file, Divergence: replay.Divergence{
		Code: code, Session: x.session.alias, Exchange: x.x.D, Line: x.line(), About: x.key.String(),
	}}
}

func add(list *[]Finding, n *int, f Finding) {
	if *n++; len(*list) < MaxFindings {
		*list = append(*list, f)
	}
}

func (f *findings) refused(x *recorded) {
	one := x.found(CodeNotServed)
	one.Got, one.Want = "an error", x.cannot
	if one.Lost = !x.again; one.Lost {
		f.lost++
	}
	add(&f.notServed, &f.nots, one)
}

// drift compares a request with the recorded one that it is answered like.
func (s *Server) drift(q *request, x *recorded) {
	one := x.found(CodeDrift)
	one.LiveSession, one.LiveDecision = clip(q.SessionID), clip(q.DecisionID)
	if x.drifted = one.differs(q, x, false); x.drifted {
		add(&s.report.drifted, &s.report.drifts, one)
	}
}

// withdraw takes back how the requests of a session differed.
func (f *findings) withdraw(l *live) {
	before := len(f.drifted)
	f.drifted = slices.DeleteFunc(f.drifted, func(one Finding) bool { return one.LiveSession == clip(l.id) })
	f.drifts -= before - len(f.drifted)
}

// differs fills in the first place where a request is not the recorded one. Until
// it is known which sessions are the same, ids at equal places are taken to be so.
func (f *Finding) differs(q *request, x *recorded, loose bool) bool {
	body := x.session.family.ids.Restore(q.body, false).Body
	if then, fault := spec.ParseRequest(x.x.RequestBody); fault == nil && loose {
		if now, fault := spec.ParseRequest(body); fault == nil {
			ids := renew.New(nil)
			pair(ids, &then, &now)
			body = ids.Restore(body, false).Body
		}
	}
	var equal bool
	f.Pointer, f.Got, f.Want, equal = jsonv.Diff(compared(body), compared(x.x.RequestBody))
	if !equal {
		f.In = "body"
	}
	return !equal
}

// unknown tells of a request that was not found, and answers it.
func (s *Server) unknown(q *request, near *recorded, why string) *answer {
	one := Finding{Divergence: replay.Divergence{Code: CodeUnknown}, Request: why}
	if near != nil {
		one = near.found(CodeUnknown)
	}
	if q != nil {
		k := q.key.String()
		one.Request = k + s.whyNot(q)
		one.LiveSession, one.LiveDecision = clip(q.SessionID), clip(q.DecisionID)
		if near != nil {
			if !one.differs(q, near, true) {
				one.Got, one.Want = k, "it was asked for already"
			}
		}
	}
	add(&s.report.unknown, &s.report.unknowns, one)
	text := "no recorded answer to " + one.Request
	if q == nil {
		text = "no recorded answer: " + why
	}
	if near != nil {
		text += fmt.Sprintf("; the closest is %s", near.name())
		if one.Pointer != "" {
			text += fmt.Sprintf(", which differs at %s: got %s, want %s", one.Pointer, one.Got, one.Want)
		}
	}
	s.cfg.Log(text)
	return failure(statusUnknown, text)
}

// whyNot says what keeps a session from being found.
func (s *Server) whyNot(q *request) string {
	if l := s.lives[q.SessionID]; l != nil {
		return fmt.Sprintf(" in the session that stands for %s of %s", l.to.alias, l.to.file)
	}
	agents, free := false, false
	for _, c := range s.sessions {
		agents = agents || c.agent == q.AgentID
		free = free || c.agent == q.AgentID && c.bound == nil
	}
	switch {
	case !agents:
		return fmt.Sprintf(" of agent %q, of which no session is recorded", clip(q.AgentID))
	case !free:
		return fmt.Sprintf(", since every recorded session of agent %q is taken", clip(q.AgentID))
	}
	return ""
}

// clip bounds what others wrote.
func clip(s string) string {
	const most = 200
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// recordings counts what came of each file.
func (s *Server) recordings() []Recording {
	all := make([]Recording, len(s.files))
	at := make(map[string]int, len(s.files))
	for i, name := range s.files {
		all[i].File, at[name] = name, i
	}
	for _, x := range s.everything() {
		r := &all[at[x.session.file]]
		r.Exchanges++
		if x.used > 0 && x.cannot == "" {
			r.Served++
		}
		if x.drifted {
			r.Drifted++
		}
	}
	return all
}

// Report sums up what came so far.
func (s *Server) Report() Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := &s.report
	r := Report{
		Recordings: s.recordings(), Exchanges: s.total, Requests: f.requests, Served: f.served, Again: f.again,
		Unknown: f.unknown, UnknownTotal: f.unknowns, DriftedTotal: f.drifts,
		NotServed: f.notServed, NotServedTotal: f.nots, Lost: f.lost, Notes: f.notes,
		// These may be withdrawn yet.
		Drifted: slices.Clone(f.drifted),
	}
	if len(s.cfg.Secrets) > 0 {
		r.Signatures = &Signatures{f.signed, f.forged, f.unsigned}
	}
	for _, x := range s.everything() {
		if x.used == 0 {
			add(&r.Unused, &r.UnusedTotal, x.found(CodeUnused))
		}
	}
	return r
}

// atomicBool is set once.
type atomicBool struct{ is atomic.Bool }

func (b *atomicBool) set() bool { return b.is.CompareAndSwap(false, true) }
