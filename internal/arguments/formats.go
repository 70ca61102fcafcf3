package arguments

import (
	"fmt"
	"strings"
	"time"
)

// formatted is the nth text of a format; false for a format that is not known
// here.
func formatted(format string, nth int) (string, bool) {
	const day = 24 * time.Hour
	at := time.Date(2026, 8, 28, 12, 0, 0, 0, time.UTC).Add(time.Duration(nth%1000) * (day + time.Minute))
	// later is the tail that tells one name from another.
	later := ""
	if nth > 0 {
		later = fmt.Sprint(nth + 1)
	}
	switch strings.TrimPrefix(format, "idn-") {
	case "date":
		return at.Format("2006-01-02"), true
	case "date-time":
		return at.Format("2006-01-02T15:04:05Z"), true
	case "time":
		return at.Format("15:04:05Z"), true
	case "duration":
		return fmt.Sprintf("PT%dH", nth+1), true
	case "email":
		return "ada" + later + "@example.com", true
	case "hostname":
		return strings.TrimPrefix(later+".example.com", "."), true
	case "ipv4":
		return fmt.Sprintf("192.0.2.%d", nth%254+1), true
	case "ipv6":
		return fmt.Sprintf("2001:db8::%x", nth%0xffff+1), true
	case "uuid":
		return fmt.Sprintf("0198f0a0-0000-7000-8000-%012x", nth), true
	case "uri", "url", "iri":
		return "https://example.com/" + later, true
	case "uri-reference", "iri-reference", "json-pointer":
		return "/example" + later, true
	case "relative-json-pointer":
		return fmt.Sprintf("%d/example", nth), true
	case "uri-template":
		return "/example" + later + "/{id}", true
	case "regex":
		return "^a" + later + "$", true
	case "byte", "base64":
		return "aGFsbG1hcms=", true
	}
	return "", false
}
