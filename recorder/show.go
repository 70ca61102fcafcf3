package recorder

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/hallmarkdev/hallmark/spec"
)

// ShowOptions says how [Show] prints. The zero value prints everything, lines
// as long as they are.
type ShowOptions struct {
	// ExchangesOnly leaves out what stands between the exchanges: steps, inputs,
	// model replies, turns and jumps of time.
	ExchangesOnly bool
	// Width cuts lines after that many characters, with an ellipsis; 0 cuts
	// none. Lines are never wrapped.
	Width int
}

// Show prints the story of a recording: what was run, one line an exchange in
// the order of the requests, with slimmer lines between, and how it ended. The
// columns of an exchange are engine time in seconds, session, exchange,
// trigger, call (label, tool, try, delivery), status and end, size of the
// answer, measured time and what was answered. Nothing that a worker sent
// reaches the terminal unescaped.
//
// A capture holds neither turns nor what client and model said; that is told
// from its requests. One without a closing line is being written, which is said
// and no error.
//
// Any other error among the events ends the story after the last good event and
// is returned, as is an error of w. A file may be of any length: lines are aligned
// a thousand at a time.
func Show(w io.Writer, events iter.Seq2[spec.Event, error], opts ShowOptions) error {
	s := &story{
		opts:  opts,
		out:   w,
		table: &table{out: w, limit: opts.Width},
		byReq: map[*spec.RequestEvent]*tableLine{},
		sent:  map[exchangeKey]int64{},
		took:  map[*spec.ResponseEvent]int64{},
		label: map[string]string{},
		turn:  map[string]string{},
	}
	for x := range spec.Exchanges(s.watch(events)) {
		s.exchange(x)
	}
	s.settle(true)
	if s.err == nil {
		s.err = s.table.flush()
	}
	if s.err == nil {
		s.err = s.foot()
	}
	if s.err != nil {
		return fmt.Errorf("show recording: %w", s.err)
	}
	return s.readErr
}

// foot says how the recording ends.
func (s *story) foot() error {
	var fields []field
	cut, ok := errors.AsType[*CutError](s.readErr)
	switch {
	case s.closing != nil:
		fields = closeFields(s.closing)
	case ok && s.capture:
		s.readErr = nil
		fields = []field{{"open", fmt.Sprintf("no closing line after line %d: it is being written, or was cut", cut.Line)}}
	default:
		return nil
	}
	if _, err := io.WriteString(s.out, "\n"); err != nil {
		return err
	}
	return writeFields(s.out, s.opts.Width, fields)
}

// maxQueue is how many lines wait for an exchange that is open.
const maxQueue = 5000

// story is a recording under way to the page.
type story struct {
	opts  ShowOptions
	out   io.Writer
	table *table

	// queue holds lines in the order of the file, until those before them are
	// ready.
	queue []*tableLine
	byReq map[*spec.RequestEvent]*tableLine
	// sent is when the request of an open exchange went out; took is how long
	// its response was on the way, in µs.
	sent map[exchangeKey]int64
	took map[*spec.ResponseEvent]int64
	// label is the label of a call, by its wire id.
	label map[string]string
	// turn is the turn under way, by session.
	turn map[string]string
	// engine says that the recording holds what the engine did, capture that it
	// is one of production.
	engine, capture bool

	closing *spec.CloseEvent
	// err is an error of writing, readErr one of reading.
	err, readErr error
}

// watch passes events on to be put together and makes a line of each that has
// one, in its place.
func (s *story) watch(events iter.Seq2[spec.Event, error]) iter.Seq[spec.Event] {
	return func(yield func(spec.Event) bool) {
		for e, err := range events {
			if err != nil {
				s.readErr = err
				return
			}
			s.event(e)
			if s.err != nil || !yield(e) {
				return
			}
		}
	}
}

// event makes the line of an event, or prepares that of an exchange.
func (s *story) event(e spec.Event) {
	switch d := e.Data.(type) {
	case *spec.HeaderEvent:
		s.err = writeFields(s.out, s.opts.Width, headFields(d))
		if s.err == nil {
			_, s.err = io.WriteString(s.out, "\n")
		}
		s.engine, s.capture = holdsEngine(d), d.Source == spec.SourceCapture || d.Source == spec.SourceImport
		if d.Case != nil {
			s.labels(d.Case.Labels)
		}
		return
	case *spec.CloseEvent:
		s.closing = d
		return
	case *spec.RequestEvent:
		l := &tableLine{request: d}
		l.cells[colTime], l.cells[colSession], l.cells[colExchange] = seconds(e.T), clean(e.Session), clean(d.D)
		l.cells[colTrigger], l.cells[colCall] = short(string(d.Trigger), 24), short(d.Call, 24)
		l.cells[colStatus], l.cells[colSummary] = "-", "the answer comes more than "+strconv.Itoa(maxQueue)+" lines later"
		s.byReq[d] = l
		s.sent[exchangeKey{e.Session, d.D}] = e.W
		s.queue = append(s.queue, l)
		return
	case *spec.ResponseEvent:
		key := exchangeKey{e.Session, d.D}
		if at, ok := s.sent[key]; ok {
			s.took[d] = e.W - at
			delete(s.sent, key)
		}
		return
	}
	text := slim(e, s.callName)
	if text == "" || s.opts.ExchangesOnly {
		return
	}
	s.queue = append(s.queue, s.slimLine(e.T, e.Session, text))
	s.settle(false)
}

// slimLine is a line that stands between exchanges.
func (s *story) slimLine(t int64, session, text string) *tableLine {
	l := &tableLine{slim: true, ready: true}
	l.cells[colTime], l.cells[colSession], l.cells[colSummary] = seconds(t), clean(session), text
	return l
}

// labels keeps the labels of calls by wire id.
func (s *story) labels(byLabel map[string]string) {
	for label, id := range byLabel {
		if old, ok := s.label[id]; !ok || label < old {
			s.label[id] = label
		}
	}
}

// callName is the label of a call, or else its wire id.
func (s *story) callName(id string) string {
	if label, ok := s.label[id]; ok {
		id = label
	}
	return short(id, 40)
}

// exchange fills the line of an exchange.
func (s *story) exchange(x *spec.Exchange) {
	l := s.byReq[x.Request]
	if l == nil {
		return
	}
	delete(s.byReq, x.Request)
	delete(s.sent, exchangeKey{x.Session, x.D})
	c := &l.cells
	c[colTime], c[colSession], c[colExchange] = seconds(x.T), clean(x.Session), clean(x.D)
	c[colTrigger], c[colCall] = s.what(x)
	c[colStatus], c[colSize] = "-", ""
	if r := x.Response; r != nil {
		c[colStatus] = statusText(r)
		c[colSize] = strconv.FormatInt(r.Bytes, 10) + " B"
		if us, ok := s.took[r]; ok {
			c[colTook] = fmt.Sprintf("%d.%d ms", us/1000, us%1000/100)
			delete(s.took, r)
		}
	}
	c[colSummary] = summary(x) + outcome(x)
	for _, text := range s.told(x) {
		l.before = append(l.before, s.slimLine(x.T, x.Session, text))
	}
	if text := s.readings(x); text != "" {
		l.before = append(l.before, s.slimLine(x.T, x.Session, text))
	}
	l.ready = true
	s.settle(false)
}

// settle passes on the lines that have nothing unready before them.
func (s *story) settle(all bool) {
	n := 0
	for n < len(s.queue) && s.err == nil {
		l := s.queue[n]
		if !l.ready && !all && len(s.queue)-n <= maxQueue {
			break
		}
		delete(s.byReq, l.request)
		for _, b := range l.before {
			s.err = errors.Join(s.err, s.table.add(b))
		}
		s.err = errors.Join(s.err, s.table.add(l))
		n++
	}
	s.queue = s.queue[n:]
}

// what names the trigger and the call of an exchange, by its body or else by
// its index.
func (s *story) what(x *spec.Exchange) (trigger, call string) {
	r := x.Request
	kind, id, name := r.Trigger, r.Call, ""
	if asked, fault := x.Asked(); fault == nil {
		kind, id = asked.Trigger.TriggerType(), asked.Trigger.CallID()
		switch t := asked.Trigger.(type) {
		case spec.ToolExecuteTrigger:
			name = t.Name
		case spec.ToolFinishedTrigger:
			name = t.Name
		}
	}
	var parts []string
	if _, labelled := s.label[id]; labelled || name == "" && id != "" {
		parts = append(parts, s.callName(id))
	}
	if name != "" {
		parts = append(parts, short(name, 40))
	}
	if r.Try > 1 {
		parts = append(parts, "try "+strconv.Itoa(r.Try))
	}
	if r.Delivery > 1 {
		parts = append(parts, "delivery "+strconv.Itoa(r.Delivery))
	}
	if r.IsRaw() {
		kind = spec.TriggerType(r.Method)
		parts = append(parts, short(r.Target, 40))
	}
	if r.Ahead {
		parts = append(parts, "copy ahead")
	}
	if r.Broken != "" {
		parts = append(parts, short(r.Broken, 40))
	}
	return short(string(kind), 24), strings.Join(parts, " ")
}

// statusText is the status and, when a body is not whole, how it ended.
func statusText(r *spec.ResponseEvent) string {
	status := "-"
	if r.Status != 0 {
		status = strconv.Itoa(r.Status)
	}
	if r.End != spec.EndWhole {
		status += " " + clean(string(r.End))
	}
	return status
}

// outcome words what the engine made of an answer, when it did not just take
// it.
func outcome(x *spec.Exchange) string {
	o := x.Outcome
	if o == nil {
		return ""
	}
	var parts []string
	if o.As != spec.OutcomeAccepted {
		as := strings.TrimSpace(clean(o.As) + " " + clean(o.Class))
		if o.Reason != "" {
			as += ": " + short(o.Reason, textLimit)
		}
		parts = append(parts, as)
	}
	for _, settled := range o.Settled {
		switch settled.Then {
		case "retry":
			parts = append(parts, "retry at "+seconds(settled.At))
		case "dropped":
			parts = append(parts, join("settle dropped", short(settled.Reason, textLimit)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " → " + strings.Join(parts, ", ")
}
