package recorder

import (
	"bytes"
	"fmt"

	"github.com/hallmarkdev/hallmark/spec"
)

// What can be wrong with a line, in one wording for [Reader] and [Verify].
const (
	notOurs     = "this is not a recording: the first line is no header"
	noChecksum  = "the line does not end in a checksum"
	doesNotRead = "the line does not read"
	fixWriter   = "tell the maker of the program that wrote it; its checksum fits, so it was written so"
	fixNewer    = "read it with a newer hallmark"
)

// headerStart is how the first line of every recording begins.
var headerStart = []byte(`{"n":1,"k":"header",`)

// beginsLikeHeader reports whether text is the beginning of a header, or could
// become one.
func beginsLikeHeader(text []byte) bool {
	n := min(len(text), len(headerStart))
	return bytes.Equal(text[:n], headerStart[:n])
}

func tooLong(size int64) string {
	return fmt.Sprintf("the line of %d bytes is over the limit of %d", size, MaxLine)
}

func wrongChecksum(want, got string) string {
	return fmt.Sprintf("the checksum does not fit: the line gives %s and says %s", want, got)
}

func wrongNumber(want, got int64) string {
	switch {
	case got == want+1:
		return fmt.Sprintf("line %d is missing: this one says %d", want, got)
	case got > want:
		return fmt.Sprintf("lines %d to %d are missing: this one says %d", want, got-1, got)
	case got == want-1:
		return fmt.Sprintf("line %d stands twice", got)
	}
	return fmt.Sprintf("line %d stands out of order, after line %d", got, want-1)
}

// checkPlace says what is wrong with an event that should be line want, ""
// when nothing is.
func checkPlace(e spec.Event, want int64) string {
	if e.N != want {
		return wrongNumber(want, e.N)
	}
	return checkHeader(e)
}

// checkHeader says whether the header, and nothing else, is line 1, and whether
// this version can read what it announces.
func checkHeader(e spec.Event) string {
	h, header := e.Data.(*spec.HeaderEvent)
	switch {
	case e.N == 1 && !header:
		return notOurs
	case e.N > 1 && header:
		return "a second header"
	case header && h.Format != spec.RecordingFormat:
		return fmt.Sprintf("the format is %q, not %q", h.Format, spec.RecordingFormat)
	case header && h.Version > spec.RecordingVersion:
		return fmt.Sprintf("the version is %d; this hallmark reads up to %d", h.Version, spec.RecordingVersion)
	case header && h.Version < 1:
		return fmt.Sprintf("the version is %d; the first is 1", h.Version)
	}
	return ""
}

// fixPlace says what to do about a fault of checkPlace.
func fixPlace(e spec.Event) string {
	if h, ok := e.Data.(*spec.HeaderEvent); ok && h.Version > spec.RecordingVersion {
		return fixNewer
	}
	return fixWriter
}
