// Package replay plays recordings again. Hallmark's own recordings are driven
// from end to end, with no worker and no model: every request must come out
// again byte for byte. Captures of a real engine are played step by step: each
// request is predicted from the one before it, and compared by meaning (R5).
package replay
