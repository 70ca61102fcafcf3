package toolcall

import (
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// Store keeps the bytes of content blocks, so that no recorded result holds any
// (F8).
type Store interface {
	// Put keeps data of a mime type and returns its uri, see [BlobURI]. Name is
	// nil when the bytes have none; an empty name is a name. An error means that
	// the store refuses them.
	Put(mime string, name *string, data []byte) (uri string, err error)
}

// BlobURI returns the uri of stored bytes (wire 6): size in bytes, values form
// encoded, no name part when name is nil.
func BlobURI(tenant, id, mime string, size int, name *string) string {
	uri := "blob://" + tenant + "/" + id + "?mime=" + formEncode(mime) + "&size=" + strconv.Itoa(size)
	if name != nil {
		uri += "&name=" + formEncode(*name)
	}
	return uri
}

// formEncode differs from Go's own in two characters, as forms do.
func formEncode(s string) string {
	return strings.NewReplacer("%2A", "*", "~", "%7E").Replace(url.QueryEscape(s))
}

// ReadResult turns a worker's answer into the result that the engine records
// (F5 to F8). The action must already have parsed, so it names at most one of
// result and content. A nil store refuses everything.
func ReadResult(a spec.ToolResultAction, s Store) spec.StoredResult {
	r := spec.ToolResult{Content: a.Content}
	if a.Result != nil && jsonv.Kind(a.Result) != 'n' {
		r = lift(a.Result)
	}
	if v := present(a.StructuredContent); v != nil {
		r.StructuredContent = v
	}
	if a.IsError != nil && *a.IsError {
		r.IsError = true
	}
	out := spec.StoredResult{
		Content:           make([]spec.StoredContent, 0, len(r.Content)),
		StructuredContent: r.StructuredContent,
		IsError:           r.IsError,
	}
	for _, b := range r.Content {
		out.Content = append(out.Content, stored(b, s))
	}
	return out
}

// lift reads a plain `result`: a ToolResult, or one text block (F6).
func lift(raw jsontext.Value) spec.ToolResult {
	if r, _, ok := AsToolResult(raw); ok {
		return r
	}
	text, ok := jsonv.Text(raw)
	if !ok {
		text = string(jsonv.Sorted(raw))
	}
	return spec.ToolResult{Content: []spec.ToolContent{{Type: spec.BlockText, Text: &text}}}
}

// stored turns one block into what is recorded (F8).
func stored(b spec.ToolContent, s Store) spec.StoredContent {
	switch b.Type {
	case spec.BlockResourceLink:
		return spec.StoredContent{Type: spec.BlockLink, URI: value(b.URI), Name: b.Name, MimeType: b.MimeType}
	case spec.BlockImage, spec.BlockAudio:
		return blob(s, value(b.MimeType), nil, value(b.Data))
	case spec.BlockResource:
		if r := b.Resource; r != nil && r.Blob != nil {
			mime := "application/octet-stream"
			if r.MimeType != nil {
				mime = *r.MimeType
			}
			name := r.URI[strings.LastIndexByte(r.URI, '/')+1:]
			return blob(s, mime, &name, *r.Blob)
		} else if r != nil {
			return text(value(r.Text))
		}
	}
	return text(value(b.Text))
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func text(s string) spec.StoredContent {
	return spec.StoredContent{Type: spec.BlockText, Text: &s}
}

// blob stores base64 text, or says in a text block why it cannot.
func blob(s Store, mime string, name *string, data string) spec.StoredContent {
	b, err := base64.StdEncoding.Strict().DecodeString(data)
	// Go's decoder skips line breaks; an engine's does not.
	if err != nil || strings.ContainsAny(data, "\r\n") {
		return text("[unreadable " + family(mime) + " content]")
	}
	if s != nil {
		if uri, err := s.Put(mime, name, b); err == nil {
			return spec.StoredContent{Type: spec.BlockBlob, URI: uri}
		}
	}
	return text("[unstored " + family(mime) + " content]")
}

// family returns the first half of a mime type, for a person to read (F8).
func family(mime string) string {
	mime, _, _ = strings.Cut(mime, ";")
	mime, _, _ = strings.Cut(mime, "/")
	if mime = strings.TrimSpace(mime); mime == "" {
		return "file"
	}
	return mime
}
