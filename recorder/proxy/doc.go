// Package proxy stands in front of a real worker and records what passes.
//
// # Traffic first
//
// Each connection of a client gets one connection to the worker, and what comes
// on one goes out on the other as it is: the head with its spelling and order,
// the body with its chunks. The proxy reads along to know where a message ends,
// and writes nothing of its own but a 502 when the worker cannot be reached or
// hangs up before it answers. It sends nothing twice (R17). What it cannot
// read as HTTP/1 is passed on unread, counted and not recorded. Since no two
// clients share a connection to the worker, what one of them sends can never be
// taken for a part of what another does.
//
// # Recording second
//
// The traffic hands copies to a queue that is bounded in bytes, and never waits
// for it: when the queue is full, whole exchanges are left out, counted, and a
// `gap` event says so. One goroutine takes from the queue, redacts, and writes
// one file for a root session with its descendants; another turns closed files
// into zstd, writes index.jsonl, and keeps the folder within its bounds. A full
// disk, a slow one or a fault of the recorder itself costs recordings and no
// traffic.
//
// # What a capture holds
//
// The evidence of a capture is `exchange` and `session` (R4). `t` is in
// milliseconds since the header's `started`. An exchange that the proxy itself
// answered with 502 has a response without a status: what it says is what came
// from the worker. A request that is no decision is recorded in a file of its
// own, without a session.
//
// # Exchanges that others logged
//
// [Import] writes what the package logged reads as if it had passed here: the
// same files, the same redaction. Such recordings are marked as imported, say in
// `gap` events what their source lacks, and what an answer is taken for without
// proof stands in its `assumed`.
package proxy
