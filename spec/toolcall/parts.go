package toolcall

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// StoreContent returns the content of a message as it is recorded (wire 7): in
// an array, a part with a data URI becomes a stored blob and one with any other
// URL a link, as for results (F8). Text, parts that are stored already, parts
// with bytes that are no URI, and unknown ones stay as they are spelled, and so
// does content that is no array. A nil store refuses all bytes.
func StoreContent(content jsontext.Value, s Store) jsontext.Value {
	items, err := jsonv.Elements(content)
	if err != nil || jsonv.Kind(content) != '[' {
		return content
	}
	changed := false
	for i, item := range items {
		if out, ok := storedPart(item, s); ok {
			items[i], changed = out, true
		}
	}
	if !changed {
		return content
	}
	list := make([][]byte, len(items))
	for i, item := range items {
		list[i] = item
	}
	return append(append(jsontext.Value("["), bytes.Join(list, []byte(","))...), ']')
}

// storedPart is what is recorded of a part, false where that is the part itself.
func storedPart(item jsontext.Value, s Store) (jsontext.Value, bool) {
	kind := member(item, "/type")
	if kind == nil {
		return nil, false
	}
	var uri, name *string
	switch *kind {
	case "link":
		// One that is a link already changes for its bytes only.
		if uri, name = member(item, "/uri"), member(item, "/name"); uri == nil || !isData(*uri) {
			return nil, false
		}
	case "image_url", "video_url":
		uri = member(item, "/"+*kind+"/url")
	case "file":
		uri, name = member(item, "/file/file_data"), member(item, "/file/filename")
	case "input_audio":
		uri = member(item, "/input_audio/data")
	}
	switch {
	case uri == nil:
		return nil, false
	case isData(*uri):
		head, data, _ := strings.Cut(*uri, ";base64,")
		mime := head[len("data:"):]
		if mime == "" {
			mime = "application/octet-stream"
		}
		return encoded(blob(s, mime, name, data))
	case *kind == "file" || *kind == "input_audio":
		// Plain base64 is no URI.
		if !strings.Contains(*uri, "://") {
			return nil, false
		}
	}
	return encoded(spec.StoredContent{Type: spec.BlockLink, URI: *uri, Name: name})
}

// isData reports whether a URI holds bytes of its own.
func isData(uri string) bool {
	head, _, ok := strings.Cut(uri, ",")
	return ok && strings.HasPrefix(uri, "data:") && strings.HasSuffix(head, ";base64")
}

func member(item jsontext.Value, pointer string) *string {
	v, ok := jsonv.Get(item, pointer)
	if !ok {
		return nil
	}
	if text, ok := jsonv.Text(v); ok {
		return &text
	}
	return nil
}

func encoded(c spec.StoredContent) (jsontext.Value, bool) {
	v, err := json.Marshal(c)
	return v, err == nil
}
