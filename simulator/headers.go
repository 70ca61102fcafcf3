package simulator

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// WireHeaders returns the headers that an engine sends with a decision (wire
// 1), followed by extra ones, names spelled as they go out. An extra header
// does not replace one of the engine's own: both are sent, as they would be.
func WireHeaders(traceparent string, extra [][2]string) [][2]string {
	return append([][2]string{
		{"content-type", "application/json"},
		{"accept", "text/event-stream, application/json"},
		{"traceparent", traceparent},
	}, extra...)
}

// ownHeaders are those that an engine or the transport writes by itself.
var ownHeaders = []string{
	"content-type", "accept", "traceparent", "host", "user-agent",
	"content-length", "transfer-encoding", "connection", "trailer", "expect", "upgrade",
}

// CheckSignatureHeader says why signatures cannot be carried by a header of
// that name, nil when they can.
func CheckSignatureHeader(name string) error {
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return errors.New("no name of a header")
	case slices.Contains(ownHeaders, strings.ToLower(name)):
		return errors.New("an engine writes this header itself")
	}
	return nil
}
