package simulator

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
