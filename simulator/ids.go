package simulator

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"

	"github.com/hallmarkdev/hallmark/simulator/engine"
)

// Ids makes up the ids of one session. Each is H(seed, case, session, kind,
// ordinal) and nothing else, so filters, shards and jobs change none of them
// (R20). The zero Ids works; Ids is safe for concurrent use.
type Ids struct {
	Seed uint64
	// Case and Session name what the ids are for.
	Case, Session string
	// At is the moment from which the ids take their time part: engine time,
	// never the wall.
	At time.Time
}

// sum is H. Each part is preceded by its length, so that no two lists of parts
// read alike.
func (i Ids) sum(kind string, ordinal int) [sha256.Size]byte {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 256), i.Seed)
	for _, part := range []string{i.Case, i.Session, kind} {
		b = binary.BigEndian.AppendUint64(b, uint64(len(part)))
		b = append(b, part...)
	}
	return sha256.Sum256(binary.BigEndian.AppendUint64(b, uint64(ordinal)))
}

// UUID returns an id in the form of a UUIDv7. Ids of one kind sort by ordinal:
// the time part is At and one millisecond for each.
func (i Ids) UUID(kind string, ordinal int) string {
	h := i.sum(kind, ordinal)
	var u [16]byte
	copy(u[6:], h[:])
	ms := uint64(i.At.UnixMilli() + int64(ordinal))
	for n := range 6 {
		u[n] = byte(ms >> (40 - 8*n))
	}
	u[6] = 0x70 | u[6]&0x0f
	u[8] = 0x80 | u[8]&0x3f
	text := make([]byte, 0, 36)
	for n, part := range [][]byte{u[:4], u[4:6], u[6:8], u[8:10], u[10:]} {
		if n > 0 {
			text = append(text, '-')
		}
		text = hex.AppendEncode(text, part)
	}
	return string(text)
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Call returns the id of a tool call, in the form in which models write them.
func (i Ids) Call(kind string, ordinal int) string {
	h := i.sum(kind, ordinal)
	b := []byte("call_")
	for _, c := range h[:24] {
		b = append(b, base62[int(c)%len(base62)])
	}
	return string(b)
}

// Trace returns the trace id of the session as 32 hex digits.
func (i Ids) Trace() string {
	h := i.sum("trace", 0)
	return hex.EncodeToString(h[:16])
}

// Traceparent returns the W3C trace context of the ordinal-th exchange.
func (i Ids) Traceparent(ordinal int) string {
	h := i.sum("span", ordinal)
	return "00-" + i.Trace() + "-" + hex.EncodeToString(h[:8]) + "-01"
}

// Engine returns the source of ids that an engine takes. asks are the ids that
// a scenario gives to the calls of its model, by their ordinal; an empty one
// is made up.
func (i Ids) Engine(asks ...string) func(engine.IDKind, int) string {
	return func(kind engine.IDKind, ordinal int) string {
		switch {
		case kind == engine.IDLlmCall && ordinal <= len(asks) && asks[ordinal-1] != "":
			return asks[ordinal-1]
		case kind == engine.IDCall:
			return i.Call(string(kind), ordinal)
		default:
			return i.UUID(string(kind), ordinal)
		}
	}
}
