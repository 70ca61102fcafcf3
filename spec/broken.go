package spec

import "strings"

// What [RequestEvent.Broken] says of traffic that no engine sends; of a wrong
// signature see [BrokenSignature].
const (
	// brokenRaw begins what it says of a request outside the protocol.
	brokenRaw = "outside the protocol"
	// brokenAdds begins what it says of a request that holds more than the
	// protocol has.
	brokenAdds = "adds: "
)

// The things that a run adds on purpose to what an engine sends (gaps 13 and
// 14): members that no protocol has, and a copy whose trigger none has.
const (
	AddsFields  = "unknown-fields"
	AddsTrigger = "unknown-trigger"
)

// BrokenRaw is what [RequestEvent.Broken] says of a request outside the
// protocol, and of what happened to it on its way where something did.
func BrokenRaw(particulars string) string { return CloseReason(brokenRaw, particulars) }

// BrokenAdds is what [RequestEvent.Broken] says of [AddsFields] or
// [AddsTrigger].
func BrokenAdds(what string) string { return brokenAdds + what }

// IsRaw reports whether the request was made outside the protocol, by a `send`
// step: no engine knows of it, and it need not be a decision.
func (r *RequestEvent) IsRaw() bool { return strings.HasPrefix(r.Broken, brokenRaw) }

// Adds returns what the run added to the request on purpose, "" for nothing.
func (r *RequestEvent) Adds() string {
	if what, ok := strings.CutPrefix(r.Broken, brokenAdds); ok {
		return what
	}
	return ""
}
