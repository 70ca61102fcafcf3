package renew

import (
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// words are the strings that the protocol itself writes: the names of members
// and the values that one of its lists names. An id that is equal to one cannot
// be told from it, so it stays.
var words = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, name := range spec.SchemaNames() {
		text, _ := spec.Schema(name)
		wordsOf(text, out)
	}
	return out
})

func wordsOf(v jsontext.Value, out map[string]bool) {
	for _, m := range jsonv.SoundMembers(v) {
		switch m.Name {
		case "properties":
			for _, p := range jsonv.SoundMembers(m.Value) {
				out[p.Name] = true
			}
		case "const":
			if text, is := jsonv.SoundText(m.Value); is {
				out[text] = true
			}
		case "enum":
			for _, e := range jsonv.SoundElements(m.Value) {
				if text, is := jsonv.SoundText(e); is {
					out[text] = true
				}
			}
		}
		wordsOf(m.Value, out)
	}
	for _, e := range jsonv.SoundElements(v) {
		wordsOf(e, out)
	}
}
