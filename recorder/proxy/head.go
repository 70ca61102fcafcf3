package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// What the head of a message can be instead of one. All are passed on unread.
var (
	errNotHTTP   = errors.New("not HTTP/1")
	errAmbiguous = errors.New("the head does not say where the body ends")
)

// requestHead is what the traffic needs of a request's head.
type requestHead struct {
	head, connect bool
	upgrade       bool
	// close says that the connection ends after the exchange.
	close bool
	body  framer
}

// responseHead is what the traffic needs of a response's head.
type responseHead struct {
	status int
	// close says that the connection ends after the exchange.
	close bool
	// stream says that the body is an event stream, recorded as it comes.
	stream bool
	body   framer
}

// fields are those of a head that say how its body and its connection end.
type fields struct {
	length      int64 // -1: none
	chunked     bool
	coded       bool
	closing     bool
	keepAlive   bool
	upgrade     bool
	eventStream bool
	// packed says that the body has a content coding.
	packed bool
}

// parseRequest reads the head of a request, its empty line included.
func parseRequest(raw []byte) (requestHead, error) {
	var h requestHead
	line, rest := firstLine(raw)
	method, after, ok := bytes.Cut(line, []byte(" "))
	at := bytes.LastIndexByte(after, ' ')
	if !ok || at < 1 || !isToken(method) {
		return h, errNotHTTP
	}
	http10, ok := isVersion(after[at+1:])
	if !ok || bytes.ContainsAny(after[:at], " \t\r") {
		return h, errNotHTTP
	}
	f, err := parseFraming(rest)
	if err != nil {
		return h, err
	}
	h.head, h.connect = string(method) == "HEAD", string(method) == "CONNECT"
	h.upgrade = f.upgrade
	h.close = f.closing || http10 && !f.keepAlive
	switch {
	case f.coded && (!f.chunked || f.length >= 0):
		// Two readers may disagree about what this is: it is no place to guess.
		return h, errAmbiguous
	case f.chunked:
		h.body.kind = byChunks
	case f.length > 0:
		h.body.kind, h.body.left = byLength, f.length
	}
	return h, nil
}

// parseResponse reads the head of a response, its empty line included. req is
// the request that it answers.
func parseResponse(raw []byte, req *requestHead) (responseHead, error) {
	var h responseHead
	line, rest := firstLine(raw)
	version, after, ok := bytes.Cut(line, []byte(" "))
	http10, known := isVersion(version)
	if !ok || !known || len(after) < 3 || len(after) > 3 && after[3] != ' ' {
		return h, errNotHTTP
	}
	status, err := strconv.ParseUint(string(after[:3]), 10, 16)
	if err != nil || status < 100 {
		return h, errNotHTTP
	}
	h.status = int(status)
	f, err := parseFraming(rest)
	h.close = f.closing || http10 && !f.keepAlive || req.close
	// What is packed is recorded when it is whole: only then can it be redacted.
	h.stream = f.eventStream && !f.packed && status/100 == 2
	switch {
	case status/100 == 1 || status == 204 || status == 304 || req.head:
	case err != nil || f.coded && !f.chunked:
		h.body.kind = byClose
	case f.chunked:
		h.body.kind = byChunks
	case f.length >= 0:
		h.body.kind, h.body.left = byLength, f.length
	default:
		h.body.kind = byClose
	}
	h.close = h.close || h.body.kind == byClose
	return h, nil
}

// firstLine cuts the first line off a head; empty lines before it are skipped,
// as servers do (RFC 9112, 2.2).
func firstLine(raw []byte) (line, rest []byte) {
	for {
		line, rest, _ = bytes.Cut(raw, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) > 0 || len(rest) == 0 {
			return line, rest
		}
		raw = rest
	}
}

// isVersion reads HTTP/1.0 and HTTP/1.1.
func isVersion(b []byte) (http10, ok bool) {
	switch string(b) {
	case "HTTP/1.1":
		return false, true
	case "HTTP/1.0":
		return true, true
	}
	return false, false
}

func isToken(b []byte) bool {
	for _, c := range b {
		if c <= ' ' || c >= 0x7f || bytes.IndexByte([]byte(`"(),/:;<=>?@[\]{}`), c) >= 0 {
			return false
		}
	}
	return len(b) > 0
}

// parseFraming looks through the fields of a head for those that matter here.
func parseFraming(b []byte) (fields, error) {
	f := fields{length: -1}
	for len(b) > 0 {
		var line []byte
		line, b, _ = bytes.Cut(b, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 {
			break
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok || !isToken(name) {
			// A folded line, a space before the colon, no colon: readers differ.
			return f, errAmbiguous
		}
		if err := f.take(name, bytes.Trim(value, " \t")); err != nil {
			return f, err
		}
	}
	return f, nil
}

// take reads one field.
func (f *fields) take(name, value []byte) error {
	// The length tells most fields apart without comparing.
	switch len(name) {
	case len("Content-Length"):
		if bytes.EqualFold(name, []byte("Content-Length")) {
			n, err := strconv.ParseUint(string(value), 10, 62)
			if err != nil || f.length >= 0 && f.length != int64(n) {
				return fmt.Errorf("%w: content-length %q", errAmbiguous, value)
			}
			f.length = int64(n)
		}
	case len("Transfer-Encoding"):
		if bytes.EqualFold(name, []byte("Transfer-Encoding")) {
			f.chunked = !f.coded && bytes.EqualFold(value, []byte("chunked"))
			f.coded = true
		}
	case len("Connection"):
		if bytes.EqualFold(name, []byte("Connection")) {
			f.closing = f.closing || hasWord(value, "close")
			f.keepAlive = f.keepAlive || hasWord(value, "keep-alive")
		}
	case len("Upgrade"):
		if bytes.EqualFold(name, []byte("Upgrade")) {
			f.upgrade = true
		}
	case len("Content-Encoding"):
		if bytes.EqualFold(name, []byte("Content-Encoding")) {
			f.packed = len(value) > 0 && !bytes.EqualFold(value, []byte("identity"))
		}
	case len("Content-Type"):
		const stream = "text/event-stream"
		if bytes.EqualFold(name, []byte("Content-Type")) && len(value) >= len(stream) {
			f.eventStream = bytes.EqualFold(value[:len(stream)], []byte(stream))
		}
	}
	return nil
}

// hasWord looks for a word in a comma-separated list.
func hasWord(list []byte, word string) bool {
	for len(list) > 0 {
		var item []byte
		item, list, _ = bytes.Cut(list, []byte(","))
		if bytes.EqualFold(bytes.Trim(item, " \t"), []byte(word)) {
			return true
		}
	}
	return false
}

// parseFields gives the fields of a head in their order and spelling.
func parseFields(raw []byte) [][2]string {
	_, b := firstLine(raw)
	var out [][2]string
	for len(b) > 0 {
		var line []byte
		line, b, _ = bytes.Cut(b, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		out = append(out, [2]string{string(name), string(bytes.Trim(value, " \t"))})
	}
	return out
}

// header returns the first field of that name in any case, "" when there is
// none.
func header(list [][2]string, name string) string {
	for _, h := range list {
		if len(h[0]) == len(name) && bytes.EqualFold([]byte(h[0]), []byte(name)) {
			return h[1]
		}
	}
	return ""
}
