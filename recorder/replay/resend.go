package replay

import (
	"context"
	"time"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/simulator"
)

// ResendConfig says how recorded requests are sent to a worker.
type ResendConfig struct {
	// Consent bounds which tools are called (R3). The zero value calls all.
	Consent simulator.Consent
	// Jobs is how many recordings are sent side by side; 0 means GOMAXPROCS. The
	// order inside a recording is kept.
	Jobs int
	// SameIDs sends the ids as they were recorded. A worker that remembers what
	// it answered to a decision then answers that again.
	SameIDs bool
	// Seed makes the new ids: with another one they are others.
	Seed uint64
	// Headers replace those that were recorded under the same name, or are added.
	Headers [][2]string
	// Secret signs each request; nil signs none. SignatureHeader is the header
	// of the signature, [simulator.SignatureHeader] when empty.
	Secret          []byte
	SignatureHeader string
	// Patience bounds one answer in real time, within what the deadline leaves. 0
	// is the deadline itself, a negative one no bound at all (R16).
	Patience time.Duration
	// Exact wants the bytes of answers to be equal, once the recorded ids are
	// put back.
	Exact bool
	// Ignore are places of answers that may differ, nil for none.
	Ignore *recorder.Rules
	// Accept, when set, takes answers that are not as recorded and are to be: they
	// then agree.
	Accept *Acceptance
	// Clock is [simulator.SystemClock] when nil.
	Clock simulator.Clock
	// Differ, when set, is told of every answer that is not as it was, except
	// where nothing can be said of it. It is called from several goroutines, never
	// twice at once.
	Differ func(Answered)
	// Heard, when set, is told of every answer that could be held against a
	// recorded one, in the same way.
	Heard func(Heard)
}

// Resent is what came of sending recorded requests to a worker.
type Resent struct {
	// Sessions are those of the recordings, in their order, and in a recording in
	// the order in which they begin.
	Sessions []ResentSession `json:"sessions"`
	// Recordings counts files, Requests what they hold, Sent what went out.
	Recordings int `json:"recordings"`
	Requests   int `json:"requests"`
	Sent       int `json:"sent"`
	// Agree counts answers as they were recorded. Differ counts the sessions that
	// diverge.
	Agree  int `json:"agree"`
	Differ int `json:"differ"`
	// Ended is one of the Ended constants when not everything was gone through.
	Ended string `json:"ended,omitzero"`
	// EndedBy says more of it.
	EndedBy string `json:"ended_by,omitzero"`
}

// Why sending ended before everything was gone through.
const (
	// EndedUnreachable: nobody listens at the worker's address.
	EndedUnreachable = "unreachable"
	// EndedHung: three sessions in a row had no answer in time (R16).
	EndedHung = "hung"
	// EndedStopped: the context was cancelled.
	EndedStopped = "stopped"
)

// ResentSession is what came of one recorded session.
type ResentSession struct {
	// Recording is its first file, Of the id in its header.
	Recording string `json:"recording"`
	Of        string `json:"of,omitzero"`
	// Session is its alias in the recording, ID its id there.
	Session string `json:"session"`
	ID      string `json:"id,omitzero"`
	// Verdict is one of the Session constants.
	Verdict string `json:"verdict"`
	// Requests is how many were recorded, Sent how many of them went out, Agree
	// how many answers were as recorded.
	Requests int `json:"requests"`
	Sent     int `json:"sent"`
	Agree    int `json:"agree"`
	// Divergence is the first answer that was not, nil for none. After and
	// AfterDiffer count what was compared after it, and what of that was not as
	// recorded either.
	Divergence  *Divergence `json:"divergence,omitzero"`
	After       int         `json:"after,omitzero"`
	AfterDiffer int         `json:"after_differ,omitzero"`
	// Notes say what was not sent or not compared, and what is to be known of the
	// rest; each kind once, in the order in which they came up.
	Notes []ResentNote `json:"notes,omitzero"`
}

// The verdicts on sessions.
const (
	// SessionAgrees: every answer that could be compared is as recorded.
	SessionAgrees = "agrees"
	// SessionDiverges: one is not.
	SessionDiverges = "diverges"
	// SessionUntold: no answer could be compared.
	SessionUntold = "untold"
)

// ResentNote is a named outcome that is no divergence.
type ResentNote struct {
	// Code is one of the Note constants, Text says it of the first time.
	Code string `json:"code"`
	Text string `json:"text"`
	// Exchange is where that was, Count how often it came up.
	Exchange string `json:"exchange,omitzero"`
	Count    int    `json:"count"`
}

// What may be said of a session that was sent again.
const (
	// NoteNotAllowed: a request calls what may not be called, and nothing of the
	// session was sent from there on (R3).
	NoteNotAllowed = "not-allowed"
	// NoteOtherWay: after its divergence the engine would have gone another way,
	// so the rest was not sent.
	NoteOtherWay = "other-way"
	// NoteHung: no answer came in time, and the rest was not sent (R16).
	NoteHung = "hung"
	// NoteNotRun: the run had ended before.
	NoteNotRun = "not-run"
	// NoteNoBody: the request was not recorded whole, so it cannot be sent.
	NoteNoBody = "no-body"
	// NoteUnreadable: the request is no decision request, so nobody knows what it
	// calls.
	NoteUnreadable = "unreadable"
	// NoteOutside: a request outside the protocol, which is not sent.
	NoteOutside = "outside-the-protocol"
	// NoteSignedWrong: a request that was signed wrongly on purpose.
	NoteSignedWrong = "signed-wrong"
	// NoteLost: a request that was lost on purpose; it was never sent.
	NoteLost = "lost"
	// NoteNoAnswer: the recording has no answer to compare with.
	NoteNoAnswer = "no-answer"
	// NoteSettledOtherwise: the worker settles a call at once that it settled later,
	// or the other way round.
	NoteSettledOtherwise = "settled-otherwise"
	// NoteStandIns: the request was sent with stand-ins in place of secrets, or
	// without a header that is one.
	NoteStandIns = "stand-ins"
	// NoteUnsure: the answer differs, and the request holds stand-ins where the
	// recorded one held what they stand for.
	NoteUnsure = "unsure"
	// NoteJoined: the recording begins in the middle of the session.
	NoteJoined = "joined"
	// NoteGap: the recording lacks something of the session.
	NoteGap = "gap"
	// NoteRestart: the worker was restarted here, and was not now.
	NoteRestart = "restart"
	// NoteIDs: a new id may stand where a text only looked like an id, or an id
	// stays.
	NoteIDs = "ids"
	// NoteAccepted: the answer is not as recorded, and was accepted.
	NoteAccepted = "accepted"
	// NoteUnreached: no connection was made.
	NoteUnreached = "unreached"
)

// NoteCodes lists the codes of notes.
func NoteCodes() []Code {
	return []Code{
		{NoteNotAllowed, "a request calls what may not be called, so nothing of the session was sent from there on"},
		{NoteOtherWay, "an engine goes another way after the divergence, so the rest was not sent"},
		{NoteHung, "no answer came in time, so the rest was not sent"},
		{NoteNotRun, "the run had ended"},
		{NoteNoBody, "the request was not recorded whole, so it cannot be sent"},
		{NoteUnreadable, "the request is no decision request, so nobody knows what it calls"},
		{NoteOutside, "the request is outside the protocol and is not sent"},
		{NoteSignedWrong, "the request was signed wrongly and is not sent"},
		{NoteLost, "the request was lost on purpose, so the worker never had it"},
		{NoteNoAnswer, "no answer was recorded to compare with"},
		{NoteSettledOtherwise, "the worker settles a call at once that it settled later, or the other way round, which is free"},
		{NoteStandIns, "secrets were redacted, so stand-ins were sent, or a header was not"},
		{NoteUnsure, "the answer differs, and stand-ins may be the cause"},
		{NoteJoined, "the recording begins in the middle of the session"},
		{NoteGap, "the recording lacks something"},
		{NoteRestart, "the worker was restarted in the recording, and was not now"},
		{NoteIDs, "a new id may stand where a text only looks like an id, or an id stays"},
		{NoteAccepted, "the answer is not as recorded, and was accepted"},
		{NoteUnreached, "no connection was made"},
	}
}

// Uncompared counts the requests that were not sent or whose answers were not
// compared.
func (s ResentSession) Uncompared() int { return s.Requests - s.Agree - s.AfterDiffer - s.diverged() }

func (s ResentSession) diverged() int {
	if s.Divergence != nil {
		return 1
	}
	return 0
}

// note adds to a kind of note.
func (s *ResentSession) note(code, exchange, text string) {
	for i := range s.Notes {
		if s.Notes[i].Code == code {
			s.Notes[i].Count++
			return
		}
	}
	s.Notes = append(s.Notes, ResentNote{Code: code, Text: text, Exchange: exchange, Count: 1})
}

// sum counts what came of all sessions.
func (r *Resent) sum() {
	for _, s := range r.Sessions {
		r.Requests, r.Sent, r.Agree = r.Requests+s.Requests, r.Sent+s.Sent, r.Agree+s.Agree
		if s.Verdict == SessionDiverges {
			r.Differ++
		}
	}
}

// Compared counts the answers that were compared.
func (r Resent) Compared() int {
	n := r.Agree + r.Differ
	for _, s := range r.Sessions {
		n += s.AfterDiffer
	}
	return n
}

// Resend plans and sends in one; see [PlanResend] and [ResendPlan.Send]. A file
// that cannot be read is an error.
func Resend(ctx context.Context, files []string, t simulator.Poster, cfg ResendConfig) (Resent, error) {
	p, err := PlanResend(ctx, files, cfg.Consent)
	if err != nil {
		return Resent{}, err
	}
	if len(p.Unread) > 0 {
		return Resent{}, p.Unread[0]
	}
	return p.Send(ctx, t, cfg)
}
