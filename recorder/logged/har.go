package logged

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec"
)

// maxHAR bounds an archive, maxEntry one of its entries, in bytes.
const (
	maxHAR   = 2 << 30
	maxEntry = 256 << 20
)

type harEntry struct {
	Started  string  `json:"startedDateTime"`
	Time     float64 `json:"time"`
	Request  harRequest
	Response harResponse
	Error    string `json:"_error"`
}

type harRequest struct {
	Method  string      `json:"method"`
	URL     string      `json:"url"`
	Proto   string      `json:"httpVersion"`
	Headers []harHeader `json:"headers"`
	Post    *harBody    `json:"postData"`
}

type harResponse struct {
	Status  int         `json:"status"`
	Proto   string      `json:"httpVersion"`
	Headers []harHeader `json:"headers"`
	Content harBody     `json:"content"`
	Error   string      `json:"_error"`
}

type harHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type harBody struct {
	Size     int64   `json:"size"`
	Text     *string `json:"text"`
	Encoding string  `json:"encoding"`
}

const fixHAR = "export the archive again, with the contents of requests and responses"

// HAR reads an HTTP archive (HAR 1.2), entry by entry, so that memory is that of
// one. Entries that are no POST with a body are no decisions and are passed over,
// counted by passed. A body that the archive does not hold, or not whole, is said
// with the exchange.
func HAR(r io.Reader, name string, passed func()) iter.Seq2[Exchange, error] {
	return func(yield func(Exchange, error) bool) {
		in := &allowance{in: r, entry: maxEntry, all: maxHAR}
		dec := jsontext.NewDecoder(in, options)
		n := 0
		fail := func(err error) {
			place := ""
			if n > 0 {
				place = fmt.Sprintf("entry %d", n)
			}
			yield(Exchange{}, &Error{File: name, Place: place, Err: err, Fix: fixHAR})
		}
		if err := toEntries(dec); err != nil {
			fail(err)
			return
		}
		for dec.PeekKind() != ']' {
			n++
			in.entry = maxEntry
			v, err := dec.ReadValue()
			if err != nil {
				fail(err)
				return
			}
			x, ok, err := readEntry(v)
			if err != nil {
				fail(err)
				return
			}
			if !ok {
				passed()
				continue
			}
			if !yield(x, nil) {
				return
			}
		}
	}
}

// allowance is a reader that ends with an error where it has given all that one
// entry, or the whole, may have.
type allowance struct {
	in         io.Reader
	entry, all int64
}

func (a *allowance) Read(p []byte) (int, error) {
	switch {
	case a.all <= 0:
		return 0, fmt.Errorf("the archive is over %d MiB: export fewer entries at a time", maxHAR>>20)
	case a.entry <= 0:
		return 0, fmt.Errorf("the entry is over %d MiB: export without it", maxEntry>>20)
	}
	n, err := a.in.Read(p[:min(int64(len(p)), a.entry, a.all)])
	a.entry -= int64(n)
	a.all -= int64(n)
	return n, err
}

// toEntries goes to the first entry.
func toEntries(dec *jsontext.Decoder) error {
	for _, want := range []string{"log", "entries"} {
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if tok.Kind() != '{' {
			return errors.New("not an HTTP archive")
		}
		for {
			name, err := dec.ReadToken()
			if err != nil {
				return err
			}
			if name.Kind() != '"' {
				return fmt.Errorf("not an HTTP archive: it has no %q", want)
			}
			if name.String() == want {
				break
			}
			if err := dec.SkipValue(); err != nil {
				return err
			}
		}
	}
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if tok.Kind() != '[' {
		return errors.New("not an HTTP archive: its entries are no list")
	}
	return nil
}

// readEntry reads one entry, and says whether it may be a decision.
func readEntry(v jsontext.Value) (Exchange, bool, error) {
	var e harEntry
	if err := json.Unmarshal(v, &e, options, json.MatchCaseInsensitiveNames(true)); err != nil {
		return Exchange{}, false, err
	}
	if e.Request.Method != "POST" || e.Request.Post == nil || e.Request.Post.Text == nil {
		return Exchange{}, false, nil
	}
	x := Exchange{Method: e.Request.Method, Proto: e.Request.Proto, Status: e.Response.Status, Took: tookOf(e.Time)}
	var err error
	if x.At, err = parseTime(e.Started); err != nil {
		return x, false, err
	}
	if u, err := url.Parse(e.Request.URL); err == nil {
		x.Target = u.RequestURI()
	}
	if x.Request, err = e.Request.Post.bytes(); err != nil {
		return x, false, fmt.Errorf("the request: %w", err)
	}
	if x.Answer, err = e.Response.Content.bytes(); err != nil {
		return x, false, fmt.Errorf("the response: %w", err)
	}
	x.Headers = harHeaders(e.Request.Headers)
	x.AnswerHeaders = x.answerHeaders(harHeaders(e.Response.Headers))
	x.end(e)
	x.settle()
	return x, true, nil
}

// end says how the answer of an entry ended.
func (x *Exchange) end(e harEntry) {
	c := e.Response.Content
	switch why := strings.TrimSpace(e.Response.Error + " " + e.Error); {
	case x.Status == 0 && why != "":
		x.End, x.Reason = spec.EndReset, why
	case x.Status == 0:
		x.End, x.Reason = spec.EndReset, "the archive has no status, so no answer came"
	case c.Text == nil && c.Size != 0:
		x.End, x.Reason = spec.EndOmitted, "the archive does not hold the body"
	case c.Text != nil && c.Size > int64(len(x.Answer)):
		x.End, x.Reason = spec.EndCut, fmt.Sprintf("the archive holds %d of %d bytes", len(x.Answer), c.Size)
	}
}

// answerHeaders leaves out what is no longer true of a body that was unpacked.
func (x *Exchange) answerHeaders(list [][2]string) [][2]string {
	var out [][2]string
	for _, h := range list {
		if name := strings.ToLower(h[0]); name == "content-encoding" && !strings.EqualFold(h[1], "identity") {
			x.lacks(LacksExactness)
			continue
		}
		out = append(out, h)
	}
	return out
}

func (b *harBody) bytes() ([]byte, error) {
	switch {
	case b.Text == nil:
		return nil, nil
	case b.Encoding == "base64":
		return base64.StdEncoding.DecodeString(*b.Text)
	}
	return []byte(*b.Text), nil
}

func harHeaders(list []harHeader) [][2]string {
	var out [][2]string
	for _, h := range list {
		if !strings.HasPrefix(h.Name, ":") {
			out = append(out, [2]string{h.Name, h.Value})
		}
	}
	return out
}
