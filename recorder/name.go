package recorder

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// FileName is the name of the file for a session (rule 8): the time in UTC to
// the millisecond, 16 hex digits of the SHA-256 of the session's id, and the
// first 24 safe characters of the id, so that names sort by time, never clash,
// and can be found by eye. Safe are ASCII letters, digits, `-` and `_`; the part
// ends with none of the last two, and an id without any gives a name without it.
func FileName(started time.Time, sessionID string) string {
	sum := sha256.Sum256([]byte(sessionID))
	parts := []string{
		started.UTC().Format("20060102T150405.000Z"),
		hex.EncodeToString(sum[:])[:16],
	}
	if safe := strings.TrimRight(safeCharacters(sessionID, 24), "-_"); safe != "" {
		parts = append(parts, safe)
	}
	return strings.Join(parts, "-") + ".jsonl"
}

// safeCharacters returns the first limit characters of s that are safe in the
// name of a file on every system.
func safeCharacters(s string, limit int) string {
	var b strings.Builder
	for _, r := range s {
		if b.Len() == limit {
			break
		}
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			b.WriteRune(r)
		}
	}
	return b.String()
}
