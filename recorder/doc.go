// Package recorder writes, reads, checks and mends recordings: plain files of
// one JSON object a line, from which a run is judged and played again.
//
// # The file
//
// The first line is a `header`, the last a `close`; see [spec.Event] for what
// stands between. Each line carries its number (`n`), and ends in a checksum
// (`crc`) that is chained to the line before it, so that a missing, doubled,
// swapped or changed line is seen, and one damaged line hides none of those
// after it. A file without a whole `close` line, its line feed included, is
// cut: it reads up to the cut and then gives a [CutError].
//
// Bodies larger than [PieceSize] are `piece` events. They stand before the
// line that counts them, as the pieces of a streamed answer do, so a reader
// needs memory for one line and never for a file or a body.
//
// # Digests
//
// `close.sha256` is the SHA-256 of every byte before the closing line.
// `close.asked` and `close.answered` are digests of what was sent and of what
// came back, each the first 32 hex digits of a SHA-256 over rows in file order:
//
//	asked     request  "s d body\n"         piece of a request   "s d body"
//	answered  response "s d status body\n"  piece of a response  "s d body"
//
// s is the alias of the session and d the name of the exchange; the body of a
// request or response that was written in pieces is empty, and the status of
// an answer without a response head is 0. With several sessions each has a
// digest of its own, since sessions run side by side in no promised order; the
// file's digest is then that of the rows "s hex\n" in the order of the aliases
// (s2 before s10), where hex is the whole SHA-256 of the session. Two runs are
// the same run when `asked` is equal (R20): see [SameRun].
//
// # Finding one of many
//
// index.jsonl has a line for each closed capture ([IndexLine]), with the size and
// the last bytes of the file that it is about. Those end in a sum over all that
// is before, so a line that does not fit the file is told without reading it, and
// counts for nothing: see [IndexLine.Describes] and [Query.May].
//
// # Secrets
//
// A [Policy] says what is kept out. A proxy applies it before it writes, and
// [Policy.Rewrite] to a recording that is there. What stands in place of a secret
// begins with [StandInPrefix] and is equal where secrets were.
//
// # Compatibility
//
// Kinds and members that this version does not know are kept and counted, never
// refused. A file whose `version` is higher than [spec.RecordingVersion] is
// refused, because the version rises only when an old reader would misjudge.
package recorder
