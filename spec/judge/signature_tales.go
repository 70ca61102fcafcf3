package judge

import (
	"fmt"

	"github.com/hallmarkdev/hallmark/spec"
)

// tale is what is kept of one call, to be held against the same call of a twin.
type tale struct {
	call string
	// forged names the exchange of the copy of its request that was refused
	// ahead of it, "" for none.
	forged string
	// settled says that the worker has answered with a settle, plain that this
	// is a plain result; place and n are where, got what.
	settled, plain bool
	place          spec.Finding
	n              int
	got            string
}

// maxTales bounds the calls of one session that are kept.
const maxTales = 256

// tale returns what is kept of a call, from the first time that it is asked.
func (s *session) tale(call string) *tale {
	for _, t := range s.tales {
		if t.call == call {
			return t
		}
	}
	t := &tale{call: call}
	if len(s.tales) < maxTales {
		s.tales = append(s.tales, t)
	}
	return t
}

// telling takes the answer to a rightly signed call.
func (s *session) telling(x *exchange) {
	t, ok := x.asked()
	if !ok || x.Request.Signature != spec.SignatureValid {
		return
	}
	is := s.tale(t.ID)
	for _, settle := range x.settles() {
		if settle.call == t.ID && !is.settled {
			is.settled, is.plain, is.got = true, x.plain(settle), show(x.text)
			is.place, is.n = x.place(checksFirst, spec.Finding{}), x.N
		}
	}
}

// sumChecksFirst holds each call, a copy of whose request was refused ahead of
// it, against the same call of a twin without such a copy: what was refused
// must have left nothing behind.
func sumChecksFirst(j *Judge, l *ledger) {
	for _, alias := range j.aliases {
		for k, t := range j.sessions[alias].tales {
			if t.forged == "" || !t.settled {
				continue
			}
			twin := j.twinTale(alias, k)
			switch {
			case twin == nil || !twin.plain:
				l.because(checksFirst, "the same call did not run in a twin without a forged copy, so nothing can be compared")
			case t.plain:
				l.enter([]note{{id: checksFirst, n: t.n}})
			default:
				found := t.place
				found.Got = t.got
				found.Want = "a result, as where nobody forged a copy of the request (" + twin.place.Session + "/" + twin.place.Exchange + ")"
				found.Hint = fmt.Sprintf("the refused request %s was acted on: compute the HMAC first, and read nothing of the body before", t.forged)
				l.enter([]note{{id: checksFirst, n: t.n, finding: &found}})
			}
		}
	}
}

// twinTale is the k-th call of a twin of a session, nil when there is none.
func (j *Judge) twinTale(of string, k int) *tale {
	for _, alias := range j.aliases {
		if s := j.sessions[alias]; s.twinOf == of && k < len(s.tales) && s.tales[k].settled {
			return s.tales[k]
		}
	}
	return nil
}
