package spec

// RequestEvent is one delivery of a decision to the worker, byte for byte.
type RequestEvent struct {
	// D names the exchange within its session: d1, d2 …
	D        string      `json:"d"`
	Decision string      `json:"decision,omitzero"`
	Delivery int         `json:"delivery,omitzero"`
	Trigger  TriggerType `json:"trigger,omitzero"`
	Call     string      `json:"call,omitzero"`
	// Try is the attempt of the call, from 1 whatever the wire counts from.
	Try     int         `json:"try,omitzero"`
	Method  string      `json:"method"`
	Target  string      `json:"target"`
	Proto   string      `json:"proto"`
	Conn    string      `json:"conn,omitzero"`
	Now     string      `json:"now,omitzero"`
	Headers [][2]string `json:"headers"`
	Body    Body        `json:",embed"`
	// Pieces is the number of piece events that hold the body instead.
	Pieces int   `json:"pieces,omitzero"`
	Bytes  int64 `json:"bytes,omitzero"`
	// End says how the body ended, "" for a whole one; captures and requests
	// outside the protocol have others. Reason says more.
	End    BodyEnd `json:"end,omitzero"`
	Reason string  `json:"reason,omitzero"`
	// Was names the content coding that was undone before the body was written,
	// since what is packed cannot be redacted (R9). The headers are as they were.
	Was string `json:"was,omitzero"`
	// Signature is one of [SignatureValid] and its like, "" when none is sent.
	Signature string `json:"signature,omitzero"`
	// Broken says what is wrong with the request on purpose, as
	// [BrokenSignature], [BrokenRaw] and [BrokenAdds] write it.
	Broken string `json:"broken,omitzero"`
	// Ahead marks a copy that goes out before the delivery itself and that no
	// engine knows of.
	Ahead    bool   `json:"ahead,omitzero"`
	Trace    string `json:"trace,omitzero"`
	Redacted int    `json:"redacted,omitzero"`
}

// PieceEvent is a part of a body that was streamed or is too large for a line.
type PieceEvent struct {
	D string `json:"d"`
	// Of is request or response.
	Of     string `json:"of"`
	Offset int64  `json:"offset"`
	Body   Body   `json:",embed"`
}

// ResponseEvent is what came back for a delivery, byte for byte. Status is 0
// when no response head came.
type ResponseEvent struct {
	D       string      `json:"d"`
	Status  int         `json:"status,omitzero"`
	Proto   string      `json:"proto,omitzero"`
	Headers [][2]string `json:"headers,omitzero"`
	Body    Body        `json:",embed"`
	Pieces  int         `json:"pieces,omitzero"`
	Bytes   int64       `json:"bytes"`
	End     BodyEnd     `json:"end"`
	Reason  string      `json:"reason,omitzero"`
	// Was names the content coding that was undone, as in a [RequestEvent].
	Was string `json:"was,omitzero"`
	// Assumed lists what an import did not find in its source and took for
	// granted, in the words of [AssumedStatus] and its like. Nothing that depends
	// on it is observed.
	Assumed []string `json:"assumed,omitzero"`
	// Redacted counts the places of a captured response that hold a stand-in,
	// its pieces included.
	Redacted int `json:"redacted,omitzero"`
}

// What an import may not have found of an answer.
const (
	// AssumedStatus: the status, which is taken to be 200.
	AssumedStatus = "status"
	// AssumedHeaders: the headers; there are none.
	AssumedHeaders = "headers"
	// AssumedTime: when it came.
	AssumedTime = "time"
)
