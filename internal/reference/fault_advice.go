package reference

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// adviceDefects are tools that work and are hard to use rightly (P1 to P5).
func adviceDefects() []defect {
	const (
		values      = "advice.results-are-printed-values"
		repeatsCall = "advice.error-text-does-not-repeat-the-call"
	)
	return append(hardToChoose(), []defect{
		{
			Fault:  named("stack-trace", "Fails with the whole trace of an exception.", "advice.error-text-without-stack-trace"),
			at:     running(quietTool),
			answer: says(`{"actions":[{"type":"tool.error","error":"list_kilns: the ledger is locked\nTraceback (most recent call last):\n  File \"ledger.py\", line 88, in read"}]}`),
		},
		{
			Fault:  named("path-in-error", "Names a file of its machine in the text of a failure.", "advice.error-text-without-paths"),
			at:     running(quietTool),
			answer: says(`{"actions":[{"type":"tool.error","error":"list_kilns: cannot open /var/lib/studio/kilns.db"}]}`),
		},
		{
			Fault:  named("secret-in-error", "Puts the address of its database, password and all, into the text of a failure.", "advice.error-text-without-secrets"),
			at:     running(quietTool),
			answer: says(`{"actions":[{"type":"tool.error","error":"list_kilns: cannot connect to postgres://studio:cone10reduction@ledger/kilns"}]}`),
		},
		{
			Fault:  named("long-error", "Fails with a text of many thousand characters.", "advice.error-text-is-short"),
			at:     running(quietTool),
			answer: says(`{"actions":[{"type":"tool.error","error":"` + strings.Repeat("list_kilns: the ledger is locked. ", 120) + `"}]}`),
		},
		{
			Fault:  named("says-error-only", "Fails with a text that says no more than that.", "advice.error-text-says-what-happened"),
			at:     running(quietTool),
			answer: says(`{"actions":[{"type":"tool.error","error":"Internal error"}]}`),
		},
		{
			Fault: named("repeats-the-call", "Prints the arguments that it refuses into the refusal.", repeatsCall),
			at:    badly(spec.InputMalformed, written(`{"goal": "ship it", "recap": "we have`)),
			answer: func(x *exchange) []byte {
				text := jsonv.Quote("these arguments are cut off: " + x.asked.text("arguments"))
				return says(`{"actions":[{"type":"tool.error","error":` + string(text) + `}]}`)(x)
			},
		},
		{
			Fault:  named("error-as-success", "Tells of a failure in a result that is not flagged.", "advice.failure-is-not-a-success"),
			at:     running(quietTool),
			answer: resultOf(`{"content":[{"type":"text","text":"Error: the ledger of kilns is locked"}]}`),
		},
		{
			Fault:  named("picture-without-words", "Sends an image and no text beside it.", "advice.results-have-words"),
			at:     running("glaze_swatch"),
			answer: resultOf(`{"content":[{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}]}`),
		},
		{
			Fault:  named("object-in-text", "Prints the name of an object into a text.", values),
			at:     running(quietTool),
			answer: resultOf(`{"content":[{"type":"text","text":"east: [object Object]"}]}`),
		},
		{
			Fault:  named("none-in-text", "Answers with the word for no value.", values),
			at:     running(quietTool),
			answer: resultOf(`{"content":[{"type":"text","text":"None"}]}`),
		},
		{
			Fault:  named("huge-result", "Answers with several hundred kilobytes of text.", "advice.results-fit-a-conversation"),
			at:     running(quietTool),
			answer: resultOf(`{"content":[{"type":"text","text":"` + strings.Repeat("east: firing. ", 20_000) + `"}]}`),
		},
		{
			Fault: named("short-keep-alive", "Says that it closes idle connections after a second.", "advice.keep-alive-outlives-idle"),
			at:    running(quietTool),
			deliver: func(x *exchange, rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set("Keep-Alive", "timeout=1")
				rw.Header().Set("Content-Type", "application/json")
				_, _ = bytes.NewReader(x.answer).WriteTo(rw)
			},
		},
	}...)
}

// hardToChoose break what a model knows of the tools.
func hardToChoose() []defect {
	return []defect{
		{
			Fault:   named("no-description", "Declares a tool without a description.", "advice.tools-are-described"),
			declare: changing(func(t *tool) { t.Description = "" }),
		},
		{
			Fault: named("bare-parameter", "Declares a parameter and says nothing of it.", "advice.parameters-are-described"),
			declare: changing(func(t *tool) {
				t.Input = jsontext.Value(`{"type":"object","properties":{"only_cold":{"type":"boolean"}}}`)
			}),
		},
		{
			Fault: named("bare-pattern", "Declares a pattern and does not say in words what it asks for.", "advice.formats-are-said"),
			declare: changing(func(t *tool) {
				t.Input = jsontext.Value(`{"type":"object","properties":{"day":{"type":"string","pattern":"` + bookingPattern + `"}}}`)
			}),
		},
		{
			Fault: named("tools-alike", "Declares two tools with one description.", "advice.tools-can-be-told-apart"),
			declare: func(tools []tool) []tool {
				other, _ := find(tools, "studio_notice")
				return changing(func(t *tool) { t.Description = other.Description })(tools)
			},
		},
		{
			Fault: named("crowd-of-tools", "Declares sixty tools and defers none.", "advice.many-tools-are-deferred"),
			declare: func(tools []tool) []tool {
				for n := range 60 - len(tools) {
					tools = append(tools, shelf(n))
				}
				return tools
			},
		},
	}
}

// shelf is one of many tools that hardly differ.
func shelf(n int) tool {
	return tool{
		AgentTool: spec.AgentTool{
			Name: fmt.Sprintf("shelf_%d", n), Description: fmt.Sprintf("Says what stands on shelf %d.", n),
			Input: jsontext.Value(`{"type":"object","properties":{}}`),
		},
		run: func(*call) spec.Action { return result(nil, textBlock(fmt.Sprintf("Shelf %d is empty.", n))) },
	}
}
