// Package handbook writes what people read about the requirements: the page of
// one for a terminal, docs/requirements.md about all of them, and
// docs/coverage.md, which shows what stands behind each.
package handbook
