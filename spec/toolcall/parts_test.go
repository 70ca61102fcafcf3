package toolcall_test

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// counting is a store that names what it keeps, and refuses what is called so.
type counting struct{ n int }

func (c *counting) Put(mime string, name *string, data []byte) (string, error) {
	if mime == "image/refused" {
		return "", errors.New("refused")
	}
	c.n++
	return toolcall.BlobURI("t", "b"+string(rune('0'+c.n)), mime, len(data), name), nil
}

func TestStoreContent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"text", `"data:image/png;base64,AAAA"`, ""},
		{"null", `null`, ""},
		{"parts of text", `[ {"type":"text","text":"data:image/png;base64,AAAA"} ]`, ""},
		{"a stored blob", `[{"type":"blob","uri":"blob://t/x?mime=a&size=1"}]`, ""},
		{"a link", `[{"type":"link","uri":"https://example.test/a","mimeType":"image/*"}]`, ""},
		{"a part nobody knows", `[{"type":"hologram","hologram":{"url":"data:a/b;base64,AAAA"}}]`, ""},
		{"audio in plain base64", `[{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}]`, ""},
		{"a file in plain base64", `[{"type":"file","file":{"filename":"a","file_data":"AAAA"}}]`, ""},
		{"an image without a url", `[{"type":"image_url","image_url":{}}]`, ""},
		{"an image", `[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]`,
			`[{"type":"text","text":"see"},{"type":"blob","uri":"blob://t/b1?mime=image%2Fpng&size=3"}]`},
		{"two of them", `[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"video_url","video_url":{"url":"data:video/mp4;base64,AA=="}}]`,
			`[{"type":"blob","uri":"blob://t/b1?mime=image%2Fpng&size=3"},{"type":"blob","uri":"blob://t/b2?mime=video%2Fmp4&size=1"}]`},
		{"a parameter of the type", `[{"type":"input_audio","input_audio":{"data":"data:audio/ogg; codecs=opus;base64,AAAA","format":"ogg"}}]`,
			`[{"type":"blob","uri":"blob://t/b1?mime=audio%2Fogg%3B+codecs%3Dopus&size=3"}]`},
		{"no type", `[{"type":"image_url","image_url":{"url":"data:;base64,AAAA"}}]`,
			`[{"type":"blob","uri":"blob://t/b1?mime=application%2Foctet-stream&size=3"}]`},
		{"a file with a name", `[{"type":"file","file":{"filename":"a b.pdf","file_data":"data:application/pdf;base64,AAAA"}}]`,
			`[{"type":"blob","uri":"blob://t/b1?mime=application%2Fpdf&size=3&name=a+b.pdf"}]`},
		{"a link to bytes", `[{"type":"link","uri":"data:image/png;base64,AAAA","mimeType":"image/*"}]`,
			`[{"type":"blob","uri":"blob://t/b1?mime=image%2Fpng&size=3"}]`},
		{"a url", `[{"type":"image_url","image_url":{"url":"https://example.test/a.png"}}]`,
			`[{"type":"link","uri":"https://example.test/a.png"}]`},
		{"the url of a file", `[{"type":"file","file":{"filename":"a.pdf","file_data":"https://example.test/a.pdf"}}]`,
			`[{"type":"link","uri":"https://example.test/a.pdf","name":"a.pdf"}]`},
		{"bytes that are no base64", `[{"type":"image_url","image_url":{"url":"data:image/png;base64,A?"}}]`,
			`[{"type":"text","text":"[unreadable image content]"}]`},
		{"bytes that the store refuses", `[{"type":"image_url","image_url":{"url":"data:image/refused;base64,AAAA"}}]`,
			`[{"type":"text","text":"[unstored image content]"}]`},
	} {
		want := c.want
		if want == "" {
			want = c.in
		}
		if got := toolcall.StoreContent(jsontext.Value(c.in), &counting{}); string(got) != want {
			t.Errorf("%s: got %s, want %s", c.name, got, want)
		}
	}
	if got := toolcall.StoreContent(nil, nil); got != nil {
		t.Errorf("nothing became %s", got)
	}
}
