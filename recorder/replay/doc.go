// Package replay plays recordings again. Hallmark's own recordings are driven
// from end to end, with no worker and no model: every request must come out
// again byte for byte (R5).
package replay
