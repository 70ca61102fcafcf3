package handbook

import (
	"fmt"
	"strings"

	"github.com/hallmarkdev/hallmark/recorder/replay"
)

// Divergences is the page of what a replay may say, by its codes.
func Divergences() string {
	var b strings.Builder
	b.WriteString(`<!-- Made by go generate ./internal/handbook. Change the codes, not this page. -->

# What a replay may say

` + "`hallmark replay`" + ` writes the report that ` + "`hallmark test`" + ` writes: each recording is a
case, which fails where it diverged. In JSON its ` + "`divergences`" + ` are the places at which it
went another way than the recording says, and its ` + "`unexplained`" + ` the steps of which
nothing could be told. Each has a ` + "`code`" + `, the place in the recording (` + "`session`, `exchange`,\n`line`" + `), and where a place in JSON differs its ` + "`pointer`, `got` and `want`" + `.

Codes are stable. One that is renamed, or that comes to mean another thing, is a
breaking change and stands in the changelog.

## Divergences: exit 1

`)
	table(&b, replay.DivergenceCodes())
	b.WriteString(`
Of a recording that is driven again, ` + "`want`" + ` is what the recording holds and ` + "`got`" + ` what
happens now, or what a worker answers now. Of one that is played step by step, ` + "`got`" + ` is what was captured and ` + "`want`" + `
what the simulated engine makes of the request before.

## Unexplained: no divergence, and no agreement

A capture does not hold all that an engine knows. Where what led to a request
cannot be seen, the step is neither held against the recording nor counted for it.

`)
	table(&b, replay.UnexplainedCodes())
	b.WriteString(`
## Not sent or not compared: no divergence either

Of recordings that are sent to a worker, ` + "`unexplained`" + ` holds what is to be known of each
session: what was not sent or could not be compared, and why.

`)
	table(&b, replay.NoteCodes())
	return b.String()
}

func table(b *strings.Builder, codes []replay.Code) {
	b.WriteString("| code | what it says |\n|---|---|\n")
	for _, c := range codes {
		fmt.Fprintf(b, "| `%s` | %s |\n", c.Name, c.Text)
	}
}
