package spec

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// commonMembers are the members that every event may have, beside those of its
// kind.
var commonMembers = []string{"n", "k", "s", "t", "w", "crc"}

// MarshalEvent returns the line of e in a recording, without its checksum and
// without a newline: n, k, s (left out when empty), t (not in a header), the
// members of the kind, w. A recorder puts the checksum before the closing
// brace. The same event always gives the same bytes. It is safe for concurrent
// use.
func MarshalEvent(e Event) ([]byte, error) {
	if e.Data == nil {
		return nil, errors.New("write event: no data")
	}
	kind := e.Data.EventKind()
	line := append([]byte(`{"n":`), strconv.FormatInt(e.N, 10)...)
	line = append(append(line, `,"k":`...), jsonv.Quote(string(kind))...)
	if e.Session != "" {
		line = append(append(line, `,"s":`...), jsonv.Quote(e.Session)...)
	}
	if kind != KindHeader {
		line = strconv.AppendInt(append(line, `,"t":`...), e.T, 10)
	}
	var data []byte
	var err error
	if u, ok := e.Data.(*UnknownEvent); ok {
		data = jsonv.Compact(u.Raw)
	} else if data, err = Marshal(e.Data); err != nil {
		return nil, fmt.Errorf("write event %d (%s): %w", e.N, kind, err)
	}
	if jsonv.Kind(data) != '{' {
		return nil, fmt.Errorf("write event %d (%s): data is no object", e.N, kind)
	}
	if len(data) > len("{}") {
		line = append(append(line, ','), data[1:len(data)-1]...)
	}
	line = strconv.AppendInt(append(line, `,"w":`...), e.W, 10)
	return append(line, '}'), nil
}

// eventLine is a line of a known kind.
type eventLine[D any] struct {
	N    int64     `json:"n"`
	K    EventKind `json:"k"`
	S    string    `json:"s"`
	T    int64     `json:"t"`
	W    int64     `json:"w"`
	Data D         `json:",embed"`
}

// eventReaders reads the lines of each kind in one pass.
var eventReaders = map[EventKind]func(line []byte) (Event, error){
	KindHeader:   readEvent[HeaderEvent],
	KindSession:  readEvent[SessionEvent],
	KindStep:     readEvent[StepEvent],
	KindInput:    readEvent[InputEvent],
	KindAsk:      readEvent[AskEvent],
	KindReply:    readEvent[ReplyEvent],
	KindRequest:  readEvent[RequestEvent],
	KindPiece:    readEvent[PieceEvent],
	KindResponse: readEvent[ResponseEvent],
	KindOutcome:  readEvent[OutcomeEvent],
	KindTime:     readEvent[TimeEvent],
	KindDisturb:  readEvent[DisturbEvent],
	KindTurn:     readEvent[TurnEvent],
	KindWorker:   readEvent[WorkerEvent],
	KindGap:      readEvent[GapEvent],
	KindClose:    readEvent[CloseEvent],
}

// readEvent reads a line whose data is D.
func readEvent[D any, P interface {
	*D
	EventData
}](line []byte) (Event, error) {
	l := &eventLine[D]{}
	err := unmarshalEvent(line, l)
	return Event{N: l.N, Session: l.S, T: l.T, W: l.W, Data: P(&l.Data)}, err
}

// readUnknown reads a line of a kind that this version does not know.
func readUnknown(line []byte) (Event, error) {
	l := &eventLine[struct{}]{}
	err := unmarshalEvent(line, l)
	return Event{N: l.N, Session: l.S, T: l.T, W: l.W, Data: &UnknownEvent{Kind: l.K, Raw: withoutCommon(line)}}, err
}

// UnmarshalEvent reads one line of a recording. Unknown members are ignored and
// an unknown kind gives an [UnknownEvent], since a later version may have
// written them; a wrong type is an error that names the member. The checksum is
// not looked at. It is safe for concurrent use.
func UnmarshalEvent(line []byte) (Event, error) {
	if !utf8.Valid(line) {
		return Event{}, errors.New("read event: not UTF-8")
	}
	kind, err := eventKind(line)
	if err != nil {
		return Event{}, fmt.Errorf("read event: %w", err)
	}
	read := eventReaders[kind]
	if read == nil {
		read = readUnknown
	}
	e, err := read(line)
	if err != nil {
		if syntax := jsonv.Valid(line, jsonv.Deepest); syntax != nil {
			err = syntax
		}
		return Event{}, fmt.Errorf("read event (%s): %w", kind, err)
	}
	return e, nil
}

// eventKind returns the kind of a line, reading no further than it must.
func eventKind(line []byte) (EventKind, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(line), jsonOptions)
	open, err := d.ReadToken()
	for err == nil && open.Kind() == '{' && d.PeekKind() == '"' {
		var name, value jsontext.Value
		if name, err = d.ReadValue(); err != nil {
			break
		}
		isKind := string(name) == `"k"`
		if value, err = d.ReadValue(); err == nil && isKind {
			k, ok := jsonv.Text(value)
			if !ok {
				return "", fmt.Errorf("member /k: expected a string, got %s", describe(value))
			}
			return EventKind(k), nil
		}
	}
	if syntax := jsonv.Valid(line, jsonv.Deepest); syntax != nil {
		return "", syntax
	}
	if jsonv.Kind(line) != '{' {
		return "", errors.New("not a JSON object")
	}
	return "", errors.New(`no kind (member "k")`)
}

// unmarshalEvent decodes line into to and names the member of a wrong type.
func unmarshalEvent(line []byte, to any) error {
	err := json.Unmarshal(line, to, jsonOptions)
	var wrong *json.SemanticError
	if !errors.As(err, &wrong) {
		return err
	}
	got, _ := jsonv.Get(line, string(wrong.JSONPointer))
	return fmt.Errorf("member %s: expected %s, got %s", wrong.JSONPointer, wanted(wrong.GoType), describe(got))
}

// wanted says in words which JSON a Go type is read from.
func wanted(t reflect.Type) string {
	if t == nil {
		return "another value"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64, reflect.Uint32, reflect.Uint64:
		return "an integer"
	case reflect.Slice:
		return "an array"
	case reflect.Array:
		return "an array of " + strconv.Itoa(t.Len())
	}
	return "an object"
}

// withoutCommon returns line as an object of the members of its kind only.
func withoutCommon(line []byte) jsontext.Value {
	members, err := jsonv.Members(line)
	if err != nil {
		return nil
	}
	out := []byte{'{'}
	for _, m := range members {
		if slices.Contains(commonMembers, m.Name) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, jsonv.Quote(m.Name)...), ':')
		out = append(out, m.Value...)
	}
	return append(out, '}')
}
