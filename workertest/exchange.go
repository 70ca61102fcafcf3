package workertest

import (
	"slices"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// An Exchange is one delivery and the worker's answer to it, with what the
// judge says. It is not safe for concurrent first use, as the [spec.Exchange]
// that it embeds.
type Exchange struct {
	*spec.Exchange
	findings     []reports.Finding
	observations []spec.Observation
}

// Findings returns the places in this exchange where requirements do not hold,
// in the order of the registry: those of status fail, and warnings. The slice
// is the caller's own.
func (x *Exchange) Findings() []reports.Finding { return slices.Clone(x.findings) }

// Observations returns what the whole session of the exchange says of each
// requirement, in the order of the registry. It tells a requirement that held
// from one whose moment never came. The slice is the caller's own, what it
// holds is shared.
func (x *Exchange) Observations() []spec.Observation { return slices.Clone(x.observations) }
