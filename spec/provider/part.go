package provider

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// part is one piece of a message's content, whichever of its spellings it came
// in (wire 7).
type part struct {
	// kind is text, image, file, audio or video.
	kind string
	// text is that of a text.
	text string
	// url is a data: URI or an address; for audio it is the base64 text alone.
	url string
	// name is the file's, format the audio's.
	name, format string
}

// parts reads the content of a message. What a provider has no part for becomes
// a text that names it.
func parts(content jsontext.Value) ([]part, error) {
	switch jsonv.Kind(content) {
	case 'n', 0:
		return nil, nil
	case '"':
		text, _ := jsonv.Text(content)
		return []part{{kind: "text", text: text}}, nil
	}
	items, err := jsonv.Elements(content)
	if err != nil {
		return nil, fmt.Errorf("content of a message: %w", err)
	}
	var all []part
	for _, item := range items {
		all = append(all, read(item))
	}
	return all, nil
}

func read(item jsontext.Value) part {
	at := func(pointer string) string {
		v, _ := jsonv.Get(item, pointer)
		s, _ := jsonv.Text(v)
		return s
	}
	switch kind := at("/type"); kind {
	case "text":
		return part{kind: "text", text: at("/text")}
	case "image_url":
		return part{kind: "image", url: at("/image_url/url")}
	case "file":
		return part{kind: "file", url: at("/file/file_data"), name: at("/file/filename")}
	case "input_audio":
		return part{kind: "audio", url: at("/input_audio/data"), format: at("/input_audio/format")}
	case "video_url":
		return part{kind: "video", url: at("/video_url/url")}
	case "link":
		if strings.HasPrefix(at("/mimeType"), "image/") {
			return part{kind: "image", url: at("/uri")}
		}
		return part{kind: "text", text: at("/uri")}
	default:
		return part{kind: "text", text: "[" + kind + " content]"}
	}
}

// plain is the text of parts that are all text; ok is false for others.
func plain(all []part) (text string, ok bool) {
	var lines []string
	for _, p := range all {
		if p.kind != "text" {
			return "", false
		}
		lines = append(lines, p.text)
	}
	return strings.Join(lines, "\n"), true
}

// dataURI takes a data: URI apart.
func dataURI(url string) (mime, data string, ok bool) {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, ";base64,")
}
