package recorder

import (
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// IndexLine is what index.jsonl says of one closed recording, so that one of
// ten thousand is found without opening the others. Lists are in order of
// appearance and hold at most 1000 entries.
type IndexLine struct {
	// File is the name of the recording, in the folder of the index.
	File string `json:"file"`
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
	// Exchanges, Lost and Why are those of the closing line.
	Exchanges int64  `json:"exchanges"`
	Lost      int64  `json:"lost,omitzero"`
	Why       string `json:"why"`
	Continues string `json:"continues,omitzero"`
}

// maxIndexed bounds the lists of an [IndexLine].
const maxIndexed = 1000

// Summarize reads the recording in r to its end and returns its line of the
// index; file is its name. Memory is bounded. The error is that of reading.
func Summarize(r io.Reader, file string) (IndexLine, error) {
	line := IndexLine{File: file, Statuses: map[string]int64{}}
	var started time.Time
	for e, err := range NewReader(r).All() {
		if err != nil {
			return line, err
		}
		switch d := e.Data.(type) {
		case *spec.HeaderEvent:
			line.From, line.Continues = d.Started, d.Continues
			started, _ = time.Parse(time.RFC3339Nano, d.Started)
		case *spec.SessionEvent:
			include(&line.Sessions, d.SessionID)
			include(&line.Agents, d.AgentID)
		case *spec.RequestEvent:
			include(&line.Traces, d.Trace)
			line.request(d)
		case *spec.ResponseEvent:
			if d.Status > 0 {
				line.Statuses[strconv.Itoa(d.Status)]++
			}
			if d.End != spec.EndWhole {
				if line.Ends == nil {
					line.Ends = map[string]int64{}
				}
				line.Ends[string(d.End)]++
			}
		case *spec.CloseEvent:
			line.Exchanges, line.Lost, line.Why = d.Exchanges, d.Lost, d.Why
		}
		if !started.IsZero() {
			line.To = spec.At(started.Add(time.Duration(e.T) * time.Millisecond)).String()
		}
	}
	return line, nil
}

// request takes the turn and the tool of a request.
func (l *IndexLine) request(d *spec.RequestEvent) {
	body, err := d.Body.Bytes()
	if err != nil || len(body) == 0 {
		return
	}
	dec := newDecoder(body)
	if dec.PeekKind() != jsontext.KindBeginObject {
		return
	}
	members(dec, func(name string) bool {
		switch name {
		case "turn_id":
			includeText(&l.Turns, readString(dec))
		case "trigger":
			if d.Trigger != spec.OnToolExecute || dec.PeekKind() != jsontext.KindBeginObject {
				return dec.SkipValue() == nil
			}
			members(dec, func(name string) bool {
				if name == "name" {
					includeText(&l.Tools, readString(dec))
					return true
				}
				return dec.SkipValue() == nil
			})
		default:
			return dec.SkipValue() == nil
		}
		return true
	})
}

// include adds s to a list that does not have it.
func include(list *[]string, s string) {
	if s != "" && len(*list) < maxIndexed && !slices.Contains(*list, s) {
		*list = append(*list, s)
	}
}

func includeText(list *[]string, s *string) {
	if s != nil {
		include(list, *s)
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
