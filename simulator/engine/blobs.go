package engine

import (
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// blobs is the store of a session (F8). The bytes are kept only where a worker
// hosts the model, since it alone is sent them again.
type blobs struct{ engine *Engine }

// Put implements [toolcall.Store].
func (b blobs) Put(mime string, name *string, data []byte) (string, error) {
	e := b.engine
	uri := toolcall.BlobURI(e.cfg.Tenant, e.mint(IDBlob), mime, len(data), name)
	if e.cfg.Hosted != "" {
		if e.stored == nil {
			e.stored = map[string][]byte{}
		}
		e.stored[uri] = append([]byte(nil), data...)
	}
	return uri, nil
}

// inlined returns messages with the bytes of their blobs put in (wire 7). A
// blob that this session did not store stays as it is. The messages themselves
// are not changed.
func (e *Engine) inlined(messages []spec.DraftMessage) []spec.DraftMessage {
	if len(e.stored) == 0 {
		return messages
	}
	out := append([]spec.DraftMessage(nil), messages...)
	for i, m := range out {
		if jsonv.Kind(m.Content) != '[' {
			continue
		}
		items, err := jsonv.Elements(m.Content)
		if err != nil {
			continue
		}
		for k, item := range items {
			if part, ok := e.inlinedPart(item); ok {
				items[k] = part
			}
		}
		if content, err := spec.Marshal(items); err == nil {
			out[i].Content = content
		}
	}
	return out
}

// inlinedPart is the content part that stands for a stored blob.
func (e *Engine) inlinedPart(item jsontext.Value) (jsontext.Value, bool) {
	if kind, _ := jsonv.Get(item, "/type"); string(kind) != `"blob"` {
		return nil, false
	}
	v, _ := jsonv.Get(item, "/uri")
	uri, _ := jsonv.Text(v)
	data, known := e.stored[uri]
	if !known {
		return nil, false
	}
	_, query, _ := strings.Cut(uri, "?")
	// The uri is of our own making, so it reads.
	values, _ := url.ParseQuery(query)
	part, err := spec.Marshal(contentPart(values.Get("mime"), values.Get("name"), base64.StdEncoding.EncodeToString(data)))
	return part, err == nil
}

// contentPart is bytes as a part of a message (wire 7), by the family of their
// type.
func contentPart(mime, name, data string) map[string]any {
	kind, format, _ := strings.Cut(mime, "/")
	uri := "data:" + mime + ";base64," + data
	switch kind {
	case "image":
		return map[string]any{"type": "image_url", "image_url": map[string]any{"url": uri}}
	case "audio":
		return map[string]any{"type": "input_audio", "input_audio": map[string]any{"data": data, "format": format}}
	case "video":
		return map[string]any{"type": "video_url", "video_url": map[string]any{"url": uri}}
	default:
		if name == "" {
			name = "file"
		}
		return map[string]any{"type": "file", "file": map[string]any{"filename": name, "file_data": uri}}
	}
}
