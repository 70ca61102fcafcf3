package replay_test

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// change makes a recording that must diverge from a good one. It copies what it
// changes.
type change = func(events []spec.Event) []spec.Event

// then does one change after the other.
func then(changes ...change) change {
	return func(events []spec.Event) []spec.Event {
		for _, c := range changes {
			events = c(events)
		}
		return events
	}
}

// atTheDoor is what a proxy would have captured of some exchanges of the first
// session, and nothing else: the rest was lost, or is of no matter.
func atTheDoor(exchanges ...string) change {
	return func(events []spec.Event) []spec.Event {
		kept := only(exchanges, spec.KindRequest, spec.KindPiece, spec.KindResponse)(events)
		return header(func(h *spec.HeaderEvent) {
			h.Source, h.Case, h.Engine, h.Seed, h.ID = spec.SourceCapture, nil, nil, 0, "captured"
			h.Evidence = []spec.Evidence{spec.EvidenceExchange, spec.EvidenceSession}
		})(kept)
	}
}

// only keeps the events of kinds that are of some exchanges of the first session,
// its beginning, and the first and the last line.
func only(exchanges []string, kinds ...spec.EventKind) change {
	return func(events []spec.Event) (kept []spec.Event) {
		for i, e := range events {
			switch kind := e.Data.EventKind(); {
			case i == 0, i == len(events)-1, kind == spec.KindSession && e.Session == "s1":
				kept = append(kept, e)
			case slices.Contains(kinds, kind) && e.Session == "s1" && slices.Contains(exchanges, exchangeOf(e)):
				kept = append(kept, e)
			}
		}
		return kept
	}
}

func exchangeOf(e spec.Event) string {
	switch d := e.Data.(type) {
	case *spec.RequestEvent:
		return d.D
	case *spec.PieceEvent:
		return d.D
	case *spec.ResponseEvent:
		return d.D
	}
	return ""
}

// gapBefore says that something is missing before the request of an exchange.
func gapBefore(d string) change {
	return func(events []spec.Event) []spec.Event {
		i := slices.IndexFunc(events, func(e spec.Event) bool { return exchangeOf(e) == d })
		return slices.Insert(slices.Clone(events), i, spec.Event{Data: &spec.GapEvent{Lost: 2, Reason: "queue full"}})
	}
}

// trigger puts another trigger into the request of an exchange.
func trigger(d, with string) change {
	return request(d, func(r *spec.RequestEvent) {
		b, err := r.Body.Bytes()
		if err != nil {
			panic(err)
		}
		old, ok := jsonv.Get(jsontext.Value(b), "/trigger")
		if !ok {
			panic("the body has no trigger")
		}
		r.Body = spec.BodyOf(bytes.Replace(b, old, []byte(with), 1))
	})
}

// answeredInView lets the client answer the first call of the path by a whole view
// of it, with content.
func answeredInView(d, content string) change {
	return func(events []spec.Event) []spec.Event {
		i := slices.IndexFunc(events, func(e spec.Event) bool { return exchangeOf(e) == d })
		b, err := events[i].Data.(*spec.RequestEvent).Body.Bytes()
		if err != nil {
			panic(err)
		}
		path, _ := jsonv.Get(b, "/messages")
		call, ok := jsonv.Get(b, "/messages/1/tool_calls/0/id")
		if !ok {
			panic("the path holds no call")
		}
		view := strings.TrimSuffix(string(path), "]") + `,{"role":"tool","tool_call_id":` + string(call) + `,"content":` + content + `}]`
		return trigger(d, `{"type":"client.messages","messages":`+view+`,"new_from":2,"client":{}}`)(events)
	}
}

// startAgain delivers session.start once more, with the turn of an input that came
// meanwhile: the first answer was cut off.
func startAgain(events []spec.Event) []spec.Event {
	out := response("d1", func(r *spec.ResponseEvent) { r.End = spec.EndCut })(events)
	i := slices.IndexFunc(out, func(e spec.Event) bool { return exchangeOf(e) == "d1" })
	again := out[i]
	r := *again.Data.(*spec.RequestEvent)
	r.D, r.Delivery = "d2", 2
	r.Body = replaced(replaced(r.Body, `"attempts":0`, `"attempts":1`), `"turn_id":null`, `"turn_id":"01a0483d-ba01-7000-8000-000000000001"`)
	again.Data = &r
	return slices.Insert(out, len(out)-1, again)
}

// each changes a copy of the first event of its kind that set takes.
func each[D any, P interface {
	*D
	spec.EventData
}](events []spec.Event, set func(d P) bool) []spec.Event {
	out := slices.Clone(events)
	for i, e := range out {
		if d, ok := e.Data.(P); ok {
			c := *d
			if set(&c) {
				out[i].Data = P(&c)
				return out
			}
		}
	}
	panic("nothing to change")
}

func request(d string, set func(*spec.RequestEvent)) change {
	return func(events []spec.Event) []spec.Event {
		return each(events, func(r *spec.RequestEvent) bool {
			if r.D == d {
				r.Headers = slices.Clone(r.Headers)
				set(r)
			}
			return r.D == d
		})
	}
}

func body(d, old, with string) change {
	return request(d, func(r *spec.RequestEvent) { r.Body = replaced(r.Body, old, with) })
}

func response(d string, set func(*spec.ResponseEvent)) change {
	return func(events []spec.Event) []spec.Event {
		return each(events, func(r *spec.ResponseEvent) bool {
			if r.D == d {
				set(r)
			}
			return r.D == d
		})
	}
}

func answer(d, old, with string) change {
	return response(d, func(r *spec.ResponseEvent) {
		r.Body = replaced(r.Body, old, with)
		r.Bytes = int64(len(*r.Body.Text))
	})
}

func outcome(d string, set func(*spec.OutcomeEvent)) change {
	return func(events []spec.Event) []spec.Event {
		return each(events, func(o *spec.OutcomeEvent) bool {
			if o.D == d {
				set(o)
			}
			return o.D == d
		})
	}
}

func header(set func(*spec.HeaderEvent)) change {
	return func(events []spec.Event) []spec.Event {
		return each(events, func(h *spec.HeaderEvent) bool { set(h); return true })
	}
}

func drop(is func(spec.EventData) bool) change {
	return func(events []spec.Event) []spec.Event {
		return without(events, slices.IndexFunc(events, func(e spec.Event) bool { return is(e.Data) }))
	}
}

// swapInputs lets two settles arrive the other way round.
func swapInputs(events []spec.Event) []spec.Event {
	out := slices.Clone(events)
	i := slices.IndexFunc(out, fromWorker)
	j := i + 1 + slices.IndexFunc(out[i+1:], fromWorker)
	out[i], out[j] = out[j], out[i]
	return out
}

func replaced(b spec.Body, old, with string) spec.Body {
	text := *b.Text
	if !strings.Contains(text, old) {
		panic("the body does not hold " + old)
	}
	return spec.BodyOf([]byte(strings.Replace(text, old, with, 1)))
}
