package renew

import (
	"fmt"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// spell writes to in place of a string that is spelled as raw and stands for
// text. Escapes are kept where both have the same length; exact is false where
// the way back would spell it otherwise.
func spell(raw []byte, text, to string) (out []byte, exact bool) {
	if string(raw[1:len(raw)-1]) == text {
		return jsonv.Quote(to), true
	}
	if len(text) != len(to) {
		return jsonv.Quote(to), false
	}
	exact = true
	out = append(out, '"')
	at := 0
	for i := 1; i < len(raw)-1; {
		size := 1
		if raw[i] == '\\' {
			if size = 2; raw[i+1] == 'u' {
				size = len(`\u0000`)
			}
		}
		one := raw[i : i+size]
		width := 1
		if size > 1 {
			// What is replaced is ASCII, and so is every escape of it.
			decoded, _ := jsonv.SoundText([]byte(`"` + string(one) + `"`))
			if width = len(decoded); width != 1 {
				// Whatever it is, both texts must have it.
				return jsonv.Quote(to), false
			}
		}
		switch {
		case at >= len(text):
			return jsonv.Quote(to), false
		case text[at] == to[at]:
			out = append(out, one...)
		case size == 1:
			out = append(out, to[at])
		default:
			was := fmt.Sprintf(`\u%04x`, text[at])
			exact = exact && was == string(one)
			out = fmt.Appendf(out, `\u%04x`, to[at])
		}
		at, i = at+width, i+size
	}
	return append(out, '"'), exact
}
