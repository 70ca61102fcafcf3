package spec

import "iter"

// Readings keeps what the bodies of one recording say, so that several readers
// of the same events decode each body once: the judge of the requirements and
// that of a scenario's expectations. It holds all that it has decoded, so it is
// for readers that hold the events anyway. A nil *Readings keeps nothing. It is
// not safe for concurrent use.
type Readings struct {
	requests map[*RequestEvent]*askedOnce
	answers  map[answerKey]*decidedOnce
	// said is what was read in the requests.
	said memo
}

// An answer is read by the request that it is to.
type answerKey struct {
	request  *RequestEvent
	response *ResponseEvent
}

// NewReadings returns Readings that hold nothing yet.
func NewReadings() *Readings {
	return &Readings{requests: map[*RequestEvent]*askedOnce{}, answers: map[answerKey]*decidedOnce{}}
}

// Exchanges is [Exchanges] with bodies that r keeps.
func (r *Readings) Exchanges(events iter.Seq[Event]) iter.Seq[*Exchange] {
	return func(yield func(*Exchange) bool) {
		for x := range Exchanges(events) {
			x.Readings = r
			if !yield(x) {
				return
			}
		}
	}
}

// asked reads the request of x. A body that is not its event's own, since
// pieces hold it, is left to x alone: how much of one is put together is its
// reader's to say.
func (r *Readings) asked(x *Exchange) *askedOnce {
	if r == nil || x.Request == nil || !x.Request.Body.is(x.RequestBody) {
		return x.readRequest(nil)
	}
	once := r.requests[x.Request]
	if once == nil {
		once = x.readRequest(&r.said)
		r.requests[x.Request] = once
	}
	return once
}

func (r *Readings) decided(x *Exchange) *decidedOnce {
	if r == nil || x.Request == nil || x.Response == nil || !x.Request.Body.is(x.RequestBody) || !x.Response.Body.is(x.ResponseBody) {
		return x.readAnswer()
	}
	key := answerKey{x.Request, x.Response}
	once := r.answers[key]
	if once == nil {
		once = x.readAnswer()
		r.answers[key] = once
	}
	return once
}

// is reports whether b holds exactly this text.
func (b Body) is(text []byte) bool { return b.Text != nil && *b.Text == string(text) }
