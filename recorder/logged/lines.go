package logged

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// maxLine bounds a line of a log.
const maxLine = 64 << 20

// line is the form of a line: an object of which request is needed.
type line struct {
	Time           string         `json:"time"`
	TookMs         float64        `json:"took_ms"`
	Method         string         `json:"method"`
	Target         string         `json:"target"`
	Request        jsontext.Value `json:"request"`
	RequestBase64  string         `json:"request_base64"`
	RequestHeaders jsontext.Value `json:"request_headers"`
	Status         int            `json:"status"`
	Answer         jsontext.Value `json:"response"`
	AnswerBase64   string         `json:"response_base64"`
	AnswerHeaders  jsontext.Value `json:"response_headers"`
	Error          string         `json:"error"`
}

var options = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

const fixLine = "a line is an object such as {\"time\": …, \"request\": {…}, \"status\": 200, \"response\": {…}}; see hallmark help recording import"

// Lines reads a log of one JSON object a line:
//
//	time              RFC 3339
//	took_ms           how long the answer took
//	method, target    POST and / where they are left out
//	request           the decision request: an object as it was sent, or its text
//	request_base64    the same as bytes
//	request_headers   {"name": "value"} or [["name", "value"], …]
//	status            of the answer
//	response          the answer: any value as it came, or its text in a string
//	response_base64   the same as bytes
//	response_headers  as request_headers
//	error             why there was no answer: timeout, or any text
//
// Members that are not known are ignored, empty lines passed over. name stands in
// errors, which end the sequence.
func Lines(r io.Reader, name string) iter.Seq2[Exchange, error] {
	return func(yield func(Exchange, error) bool) {
		in := bufio.NewScanner(r)
		in.Buffer(make([]byte, 64<<10), maxLine)
		n := 0
		for in.Scan() {
			n++
			text := bytes.TrimSpace(in.Bytes())
			if len(text) == 0 {
				continue
			}
			x, err := readLine(bytes.Clone(text))
			if err != nil {
				yield(x, &Error{File: name, Place: fmt.Sprintf("line %d", n), Err: err, Fix: fixLine})
				return
			}
			if !yield(x, nil) {
				return
			}
		}
		if err := in.Err(); errors.Is(err, bufio.ErrTooLong) {
			yield(Exchange{}, &Error{File: name, Place: fmt.Sprintf("line %d", n+1), Err: fmt.Errorf("the line is over the limit of %d bytes", maxLine), Fix: "take the line out, or import the exchange as a pair of files"})
		} else if err != nil {
			yield(Exchange{}, &Error{File: name, Err: err})
		}
	}
}

func readLine(text []byte) (Exchange, error) {
	if fault := jsonv.Valid(text, jsonv.Deepest); fault != nil {
		return Exchange{}, fault
	}
	var l line
	if err := json.Unmarshal(text, &l, options); err != nil {
		return Exchange{}, err
	}
	x := Exchange{Method: l.Method, Target: l.Target, Status: l.Status, Took: tookOf(l.TookMs)}
	var err error
	if l.Time != "" {
		if x.At, err = parseTime(l.Time); err != nil {
			return x, err
		}
	}
	if x.Request, err = bodyOf(l.Request, l.RequestBase64); err != nil {
		return x, fmt.Errorf("request: %w", err)
	}
	if x.Request == nil {
		return x, errors.New("no request")
	}
	if x.Answer, err = bodyOf(l.Answer, l.AnswerBase64); err != nil {
		return x, fmt.Errorf("response: %w", err)
	}
	if x.Headers, err = headersOf(l.RequestHeaders); err != nil {
		return x, fmt.Errorf("request_headers: %w", err)
	}
	if x.AnswerHeaders, err = headersOf(l.AnswerHeaders); err != nil {
		return x, fmt.Errorf("response_headers: %w", err)
	}
	switch {
	case l.Error == "timeout":
		x.End = spec.EndTimeout
	case l.Error != "":
		x.End, x.Reason = spec.EndReset, l.Error
	case x.Answer == nil && l.Status != 204:
		x.End, x.Reason = spec.EndOmitted, "the log does not hold the answer"
	}
	x.settle()
	return x, nil
}

// bodyOf is a body: a value as it is spelled, the text of a string, or bytes.
func bodyOf(v jsontext.Value, encoded string) ([]byte, error) {
	if encoded != "" {
		return base64.StdEncoding.DecodeString(encoded)
	}
	if text, ok := jsonv.Text(v); ok {
		return []byte(text), nil
	}
	if v == nil {
		return nil, nil
	}
	return v, nil
}

// headersOf reads headers in either form; nil for none.
func headersOf(v jsontext.Value) ([][2]string, error) {
	switch jsonv.Kind(v) {
	case '{':
		list, err := jsonv.Members(v)
		out := [][2]string{}
		for _, m := range list {
			text, ok := jsonv.Text(m.Value)
			if !ok {
				return nil, fmt.Errorf("%q has no text", m.Name)
			}
			out = append(out, [2]string{m.Name, text})
		}
		return out, err
	case '[':
		out := [][2]string{}
		return out, json.Unmarshal(v, &out, options)
	case 0, 'n':
		return nil, nil
	}
	return nil, errors.New("want an object or a list of pairs")
}
