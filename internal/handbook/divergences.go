package handbook

import (
	"fmt"
	"strings"

	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/recorder/serve"
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
	b.WriteString(`
## Served to an engine

` + "`hallmark replay --serve ADDRESS`" + ` answers an engine in place of the worker. With
` + "`--json`" + ` it ends with a summary of its own: how many of the recorded answers were served,
and as ` + "`unknown`, `drifted`, `not_served` and `unused`" + ` what was not as recorded. Each of
these has a code, the recorded exchange (of an unknown request the closest), the first
place that differs, with recorded ids in ` + "`got`" + ` as well, and the session and the decision
of the engine. ` + "`--report`" + ` writes the common report, where each is a divergence that fails
its recording or else ` + "`unexplained`" + `.

`)
	table(&b, serve.Codes())
	b.WriteString(`
An unknown request is answered with status 404 and ` + "`{\"error\": TEXT}`" + `: an engine does not
try again, and shows the text as the error of the turn (D2). Only a whole answer is
served. In place of one that was cut, late, or lost with its connection the engine
gets the class of failure that it had then: 503, after which it tries again, or 410,
after which it does not. An answer that the recording does not hold (left out, over a
limit, damaged) is a 410 too, and fails as an unknown request does: exit 1. What
drifted, is unused, or was not whole then either is told, and fails with ` + "`--strict`" + ` only.

An id that stands inside a longer text stays what it was (R8), such as the session of
a subagent in the text that its model reads (L3).

The last of the lists are ` + "`notes`" + ` on the recordings, with codes of their own:

`)
	table(&b, serve.NoteCodes())
	return b.String()
}

func table(b *strings.Builder, codes []replay.Code) {
	b.WriteString("| code | what it says |\n|---|---|\n")
	for _, c := range codes {
		fmt.Fprintf(b, "| `%s` | %s |\n", c.Name, c.Text)
	}
}
