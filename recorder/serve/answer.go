package serve

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// answer is what goes back for one request.
type answer struct {
	status  int
	headers [][2]string
	// parts are the body as it came; streams says that each goes out by itself.
	parts   []part
	streams bool
}

type part struct {
	body []byte
	// after is how long after the part before it came.
	after time.Duration
}

func (a *answer) size() (n int) {
	for _, p := range a.parts {
		n += len(p.body)
	}
	return n
}

// passed are the headers of an answer that are served as they were: those that an
// engine reads. What is of the connection of then is not, and a redirect would
// lead away from here.
var passed = []string{"content-type", "cache-control", "retry-after", "www-authenticate"}

// whole is the answer as it was recorded, with the ids of now.
func (s *Server) whole(x *recorded) *answer {
	r := x.x.Response
	a := &answer{status: r.Status, streams: x.x.Answer().Streams()}
	for _, h := range r.Headers {
		if slices.Contains(passed, strings.ToLower(h[0])) {
			a.headers = append(a.headers, h)
		}
	}
	var by time.Duration
	if then, err := time.Parse(time.RFC3339Nano, x.x.Request.Now); err == nil {
		by = s.cfg.Now().Sub(then).Truncate(time.Millisecond)
	}
	text := x.session.family.ids.RenewAnswer(x.x.ResponseBody, a.streams, by)
	from, last := 0, int64(0)
	for i, p := range x.pieces {
		to := text.Moved(min(p.end, len(x.x.ResponseBody)))
		if to <= from {
			continue
		}
		one := part{body: text.Body[from:to]}
		if i > 0 {
			one.after = time.Duration(max(0, p.w-last)) * time.Microsecond
		}
		a.parts = append(a.parts, one)
		from, last = to, p.w
	}
	if from < len(text.Body) {
		a.parts = append(a.parts, part{body: text.Body[from:]})
	}
	return a
}

// The statuses of errors. An engine tries again after the first and shows the
// text of the others as the error of the turn (D2).
const (
	statusAsThen  = 503
	statusGone    = 410
	statusUnknown = 404
)

// failure is an error in the form in which engines read one: the text under
// `error`, of which they show 300 characters.
func failure(status int, text string) *answer {
	const most = 300
	text = "hallmark replay --serve: " + text
	if r := []rune(text); len(r) > most {
		text = string(r[:most-1]) + "…"
	}
	body := append(append([]byte(`{"error":`), jsonv.Quote(text)...), '}')
	return &answer{status: status, headers: [][2]string{{"content-type", "application/json"}}, parts: []part{{body: body}}}
}

// notServed is the error in place of an answer that is not whole: of the class
// that the failure had then.
func notServed(x *recorded) *answer {
	status := statusGone
	if _, f := x.x.Decided(); f != nil && f.Class == spec.FailureRetryable && x.again {
		status = statusAsThen
	}
	return failure(status, fmt.Sprintf("the answer to %s is not served, since %s", x.key, x.cannot))
}

// compared is a request as it is held against another, ids put in place already.
func compared(body []byte) jsontext.Value {
	v := recorder.Timeless(body)
	members := jsonv.SoundMembers(v)
	at := slices.IndexFunc(members, func(m jsonv.Member) bool { return m.Name == "calls" })
	if at < 0 {
		return v
	}
	// They are listed by their ids, which were others.
	calls := jsonv.SoundElements(members[at].Value)
	slices.SortStableFunc(calls, func(a, b jsontext.Value) int {
		x, _ := jsonv.Get(a, "/id")
		y, _ := jsonv.Get(b, "/id")
		return strings.Compare(string(x), string(y))
	})
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, jsonv.Quote(m.Name)...), ':')
		if i != at {
			out = append(out, m.Value...)
			continue
		}
		for n, c := range calls {
			out = append(append(out, "[,"[min(n, 1)]), c...)
		}
		out = append(out, ']')
	}
	return append(out, '}')
}
