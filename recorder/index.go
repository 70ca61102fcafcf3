package recorder

import (
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/hallmarkdev/hallmark/spec"
)

// IndexLine is what index.jsonl says of one closed recording, so that one of
// ten thousand is found without opening the others. Lists are in order of
// appearance and hold at most 1000 entries.
type IndexLine struct {
	// File is the name of the recording, in the folder of the index.
	File string `json:"file"`
	// Bytes and Tail are the size of the file and its last bytes in hex. They end
	// in a sum over all that is before, of a plain file and of a packed one, so
	// they tell in two small reads whether the line is about the file that is
	// there; see [IndexLine.Describes].
	Bytes int64  `json:"bytes,omitzero"`
	Tail  string `json:"tail,omitzero"`
	// Source says what kind of recording it is.
	Source spec.Source `json:"source,omitzero"`
	// Sessions are the ids of its sessions, the root first.
	Sessions []string `json:"sessions"`
	Agents   []string `json:"agents"`
	// Turns, Tools and Traces are the ids and names that its requests hold.
	Turns  []string `json:"turns"`
	Tools  []string `json:"tools"`
	Traces []string `json:"traces"`
	// Statuses counts responses by status, Ends those that did not end whole.
	Statuses map[string]int64 `json:"statuses"`
	Ends     map[string]int64 `json:"ends,omitzero"`
	// From and To are the times of the first and the last event.
	From string `json:"from"`
	To   string `json:"to"`
	// Exchanges counts the requests, Lost what gaps say is lost, and Why is the
	// reason of the closing line. Failed counts the exchanges of which [Failure]
	// says something.
	Exchanges int64  `json:"exchanges"`
	Failed    int64  `json:"failed,omitzero"`
	Lost      int64  `json:"lost,omitzero"`
	Why       string `json:"why"`
	Continues string `json:"continues,omitzero"`
}

// maxIndexed bounds the lists of an [IndexLine].
const maxIndexed = 1000

// Summarize reads the recording in r to its end and returns its line of the
// index, but for Bytes and Tail; file is its name. Memory is that of the
// exchanges open. The error is that of reading; the line then tells of what
// was read before it, where Exchanges counts requests.
func Summarize(r io.Reader, file string) (IndexLine, error) {
	line := IndexLine{File: file, Statuses: map[string]int64{}}
	var fault error
	var started time.Time
	watch := func(yield func(spec.Event) bool) {
		for e, err := range NewReader(r).All() {
			if err != nil {
				fault = err
				return
			}
			if h, ok := e.Data.(*spec.HeaderEvent); ok {
				started, _ = time.Parse(time.RFC3339Nano, h.Started)
			}
			line.event(e)
			if !started.IsZero() {
				line.To = spec.At(started.Add(time.Duration(e.W) * time.Microsecond)).String()
			}
			if !yield(e) {
				return
			}
		}
	}
	for x := range spec.Exchanges(watch) {
		in := readEnvelope(x.RequestBody)
		include(&line.Turns, in.turn)
		if t := x.Request.Trigger; t == spec.OnToolExecute || t == spec.OnToolFinished {
			include(&line.Tools, in.tool)
		}
		if Failure(x) != "" {
			line.Failed++
		}
	}
	return line, fault
}

// event takes what an event by itself says.
func (l *IndexLine) event(e spec.Event) {
	switch d := e.Data.(type) {
	case *spec.HeaderEvent:
		l.From, l.Continues, l.Source = d.Started, d.Continues, d.Source
	case *spec.SessionEvent:
		include(&l.Sessions, d.SessionID)
		include(&l.Agents, d.AgentID)
	case *spec.RequestEvent:
		l.Exchanges++
		include(&l.Traces, d.Trace)
	case *spec.ResponseEvent:
		if d.Status > 0 {
			l.Statuses[strconv.Itoa(d.Status)]++
		}
		if d.End != spec.EndWhole {
			if l.Ends == nil {
				l.Ends = map[string]int64{}
			}
			l.Ends[string(d.End)]++
		}
	case *spec.GapEvent:
		l.Lost += d.Lost
	case *spec.CloseEvent:
		l.Why = d.Why
	}
}

// include adds s to a list that does not have it.
func include(list *[]string, s string) {
	if s != "" && len(*list) < maxIndexed && !slices.Contains(*list, s) {
		*list = append(*list, s)
	}
}

// MarshalIndexLine returns l as a line of index.jsonl, its line feed included.
// Equal lines give equal bytes.
func MarshalIndexLine(l IndexLine) ([]byte, error) {
	text, err := json.Marshal(l, json.Deterministic(true))
	return append(text, '\n'), err
}

// ReadIndexLine reads a line of index.jsonl. Members that this version does not
// know are ignored.
func ReadIndexLine(text []byte) (IndexLine, error) {
	var l IndexLine
	err := json.Unmarshal(text, &l)
	return l, err
}
