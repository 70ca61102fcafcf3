package renew

import (
	"regexp"
	"strings"
	"time"
)

// timeForm is RFC 3339 with as many digits as there may be.
var timeForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,30})?(Z|[+-]\d\d:\d\d)$`)

// shifted is a moment moved by so much, in the spelling that it has: as many
// digits of a second, the same zone. What the digits cannot hold is cut off. It
// is false for what is no RFC 3339 time and for what leaves the years that it
// can name.
func shifted(text string, by time.Duration) (string, bool) {
	parts := timeForm.FindStringSubmatch(text)
	if parts == nil {
		return "", false
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return "", false
	}
	at = at.Add(by)
	if year := at.Year(); year < 0 || year > 9999 {
		return "", false
	}
	out := at.Format("2006-01-02T15:04:05")
	if digits := len(parts[1]); digits > 0 {
		// A nanosecond is the least that moves.
		nanos := at.Format(".000000000")
		if digits <= len(nanos) {
			out += nanos[:digits]
		} else {
			out += nanos + parts[1][len(nanos):]
		}
	}
	return out + parts[2], true
}

// looksLikeTime says quickly that a string token is no time.
func looksLikeTime(raw []byte) bool {
	return len(raw) >= len(`"2006-01-02T15:04:05Z"`) && strings.IndexByte("0123456789", raw[1]) >= 0 && raw[5] == '-'
}
