package reference_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("the table of faults", func() {
	It("is sorted, and each name stands once", func() {
		var names []string
		for _, f := range reference.Faults() {
			names = append(names, f.Name)
		}
		Expect(names).NotTo(BeEmpty())
		Expect(slices.IsSorted(names)).To(BeTrue())
		Expect(slices.Compact(slices.Clone(names))).To(Equal(names))
	})

	It("says of each fault what it does and what it breaks", func() {
		for _, f := range reference.Faults() {
			Expect(f.Name).To(MatchRegexp(`^[a-z0-9]+(-[a-z0-9]+)*$`))
			Expect(f.Text).To(MatchRegexp(`^[A-Z].*\.$`), f.Name)
			Expect(f.Breaks).NotTo(BeEmpty(), f.Name)
			Expect(slices.IsSorted(f.Breaks)).To(BeTrue(), f.Name)
			for _, id := range f.Breaks {
				_, ok := spec.LookupRequirement(id)
				Expect(ok).To(BeTrue(), "%s breaks %s, which does not exist", f.Name, id)
			}
		}
	})

	It("can turn every must and every should red", func() {
		broken := map[string]bool{}
		for _, f := range reference.Faults() {
			for _, id := range f.Breaks {
				broken[id] = true
			}
		}
		for _, r := range spec.Requirements() {
			if r.Level != spec.Advice {
				Expect(broken[r.ID]).To(BeTrue(), "no fault breaks %s", r.ID)
			}
		}
	})

	It("cannot be changed by a caller", func() {
		reference.Faults()[0].Name = "changed"
		Expect(reference.Faults()[0].Name).NotTo(Equal("changed"))
	})

	DescribeTable("refuses a name that it does not have", func(name, hint string) {
		_, err := reference.New(reference.Options{Faults: []string{"hangs", name}})
		var unknown *reference.UnknownFaultError
		Expect(errors.As(err, &unknown)).To(BeTrue())
		Expect(unknown.Error()).To(Equal(`unknown fault "` + name + `"`))
		Expect(unknown.Hint).To(Equal(hint))
	},
		Entry("a slip", "setles-twice", `did you mean "settles-twice"?`),
		Entry("a word like no other", "zzzzzz", ""),
	)

	It("lets faults stand beside each other, one in each answer", func() {
		url := serving(reference.Options{Faults: []string{"extra-key", "array-body", "bom", "array-body"}})
		Expect(post(url, quietCall()).body).To(Equal("\xef\xbb\xbf{\"actions\":[" + quietAction + "]}"))
		Expect(post(url, turnEnds()).body).To(Equal(`[]`))
	})
})

// quietCall is the valid call that most faults wait for.
func quietCall() string { return call("list_kilns", `{}`) }

const quietAction = `{"type":"tool.result","result":{"content":[{"type":"text","text":"east: firing\nwest: cold\nraku: cold"}]},"id":"c1","attempt":0}`

// turnEnds is the last request of a turn, with the proposal of an engine.
func turnEnds() string {
	return raw(`{"type":"turn.finished","turn_id":"t1","cost":"0"}`, `{"messages":[{"id":"m1","role":"user"}],"actions":[{"type":"done","data":null}],"state":null}`)
}

func refused(status spec.InputStatus, tool, arguments string) string {
	return raw(`{"type":"tool.execute","id":"c1","name":"`+tool+`","arguments":"`+arguments+`","input":{"status":"`+string(status)+`","error":"x"},"attempt":0}`,
		`{"messages":[],"actions":[{"type":"tool.error","id":"c1","error":"invalid tool arguments: x","retryable":false}]}`)
}

// ended is a tool.finished with two messages recorded and a third proposed.
func ended(pending, actions string) string {
	return `{"session_id":"s1","decision_id":"d1","trigger":{"type":"tool.finished","id":"c1","ok":true,"name":"list_kilns"},` +
		`"proposed":{"messages":[{"id":"m1"},{"id":"l1"},{"role":"tool"}],"actions":` + actions + `},"messages":[{"id":"m1"},{"id":"l1"}],"pending_calls":` + pending + `}`
}

// answered is an llm.finished that begins calls.
func answered(actions string) string {
	return raw(`{"type":"llm.finished","id":"l1","ok":true}`, `{"messages":[{"id":"m1"},{"id":"l1","role":"assistant"}],"actions":`+actions+`}`)
}

func started(id, tool, arguments string) string {
	return `{"type":"tool.call","id":"` + id + `","name":"` + tool + `","arguments":"` + arguments + `"}`
}

// faultyAnswers hold each fault's answer against its text, byte for byte where
// that is short, so that none turns harmless in silence.
var faultyAnswers = []struct {
	fault, request string
	// want is the whole body, or a matcher of it.
	want any
}{
	{"empty-body", quietCall(), ""},
	{"asks-a-bare-question", raw(`{"type":"client.messages","messages":[{"role":"user","content":"Good evening."}],"new_from":0,"client":{}}`, `{}`), `{"actions":[{"type":"llm.call"}]}`},
	{"answers-html", quietCall(), HavePrefix("<!doctype html>")},
	{"bom", quietCall(), "\xef\xbb\xbf{\"actions\":[" + quietAction + "]}"},
	{"two-json-values", quietCall(), `{"actions":[` + quietAction + `]}{"actions":[` + quietAction + `]}`},
	{"logs-into-the-body", quietCall(), "listening on 3000\n{\"actions\":[" + quietAction + "]}"},
	{"prints-an-object", quietCall(), ContainSubstring("[object Object]")},
	{"latin-1", quietCall(), ContainSubstring("occup\xe9")},
	{"nests-too-deep", quietCall(), MatchRegexp(`\[{200}\]{200}`)},
	{"array-body", turnEnds(), `[]`},
	{"text-body", turnEnds(), `"ok"`},

	{"unknown-action", quietCall(), ContainSubstring(`"type":"tool.success"`)},
	{"null-actions", turnEnds(), `{"actions":null}`},
	{"unknown-code", quietCall(), ContainSubstring(`"code":"timeout"`)},
	{"fractional-attempt", quietCall(), ContainSubstring(`"attempt":0.0`)},
	{"actions-twice", quietCall(), `{"actions":[],"actions":[` + quietAction + `]}`},
	{"error-key", turnEnds(), `{"message":"ok"}`},
	{"idless-settle-elsewhere", turnEnds(), And(ContainSubstring(`"tool.result"`), Not(ContainSubstring(`"id"`)))},
	{"extra-key", quietCall(), `{"actions":[` + quietAction + `],"debug":{"took_ms":3}}`},
	{"misspells-an-optional-key", quietCall(), ContainSubstring(`"retriable":true`)},
	{"only-unknown-keys", turnEnds(), `{"status":"ok"}`},
	{"capital-actions", turnEnds(), `{"Actions":[{"type":"done"}]}`},

	{"no-config", raw(`{"type":"session.start"}`, `{"agent":{"model":"m"}}`), `{}`},
	{"needs-proposed-agent", raw(`{"type":"session.start"}`, `{}`), `{}`},
	{"needs-a-bare-start", raw(`{"type":"session.start"}`, `{"agent":{"model":"m"}}`), `{}`},
	{"duplicate-tool", raw(`{"type":"session.start"}`, `{}`), MatchRegexp(`"name":"list_kilns".*"name":"list_kilns"`)},
	{"dotted-tool-name", raw(`{"type":"session.start"}`, `{}`), ContainSubstring(`"name":"list.kilns"`)},
	{"string-input-schema", raw(`{"type":"session.start"}`, `{}`), ContainSubstring(`"input":{"type":"string"}`)},
	{"broken-schema", raw(`{"type":"session.start"}`, `{}`), ContainSubstring(`{"type":"int",`)},
	{"schema-elsewhere", raw(`{"type":"session.start"}`, `{}`), ContainSubstring(`"$ref":"file:///`)},
	{"bad-default", raw(`{"type":"session.start"}`, `{}`), ContainSubstring(`{"type":"string","default":null}`)},
	{"bad-example", raw(`{"type":"session.start"}`, `{}`), ContainSubstring(`"examples":["attic"]`)},
	{"server-handler", turnEnds(), And(ContainSubstring(`"handler":"server"`), ContainSubstring(`"model":"studio"`))},
	{"unknown-handler", turnEnds(), ContainSubstring(`"handler":"cloud"`)},

	{"never-settles", quietCall(), `{}`},
	{"settles-twice", quietCall(), `{"actions":[` + quietAction + `,` + quietAction + `]}`},
	{"settles-unknown-id", quietCall(), ContainSubstring(`"id":"call_of_yesterday","attempt":0`)},
	{"counts-attempts-from-0", strings.Replace(quietCall(), `"attempt":0`, `"attempt":1`, 1), ContainSubstring(`"id":"c1","attempt":0`)},
	{"counts-attempts-from-1", quietCall(), ContainSubstring(`"id":"c1","attempt":1`)},
	{"settles-old-attempt", quietCall(), ContainSubstring(`"id":"c1","attempt":7`)},
	{"swallows-invalid", refused(spec.InputInvalid, "book_kiln", "{}"), `{}`},
	{"swallows-malformed", refused(spec.InputMalformed, "list_kilns", "null"), `{}`},
	{"refuses-in-other-words", refused(spec.InputMalformed, "find_glaze", "["), ContainSubstring("these arguments are no JSON object")},
	{"repeats-the-call", refused(spec.InputMalformed, "find_glaze", `{\"goal\": \"ship it\", \"recap\": \"we have`), ContainSubstring(`cut off: {\"goal\": \"ship it\", \"recap\": \"we have"`)},
	{"retryable-unknown", call("find_glase", `{}`), ContainSubstring(`"retryable":true`)},
	{"retryable-refusal", refused(spec.InputMalformed, "find_glaze", "["), ContainSubstring(`"retryable":true`)},
	{"runs-undeclared", refused(spec.InputValid, "no_such_tool", "{}"), And(ContainSubstring(`"tool.result"`), Not(ContainSubstring("rror")))},

	{"runs-what-it-refuses", refused(spec.InputInvalid, "book_kiln", "{}"), `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"Booked."}]}}]}`},

	{"both-forms", quietCall(), MatchRegexp(`"result":\{.*\},"content":\[`)},
	{"unknown-block", call("glaze_swatch", `{"glaze":"oribe"}`), ContainSubstring(`{"type":"video"`)},
	{"snake-case-mime", call("glaze_swatch", `{"glaze":"oribe"}`), And(ContainSubstring(`"mime_type":"image/png"`), Not(ContainSubstring("mimeType")))},
	{"provider-block", call("glaze_swatch", `{"glaze":"oribe"}`), ContainSubstring(`"content":[{"type":"image_url"`)},
	{"snake-case-is-error", quietCall(), ContainSubstring(`,"is_error":true}}`)},
	{"flag-without-content", quietCall(), `{"actions":[{"type":"tool.result","result":{"isError":true}}]}`},
	{"key-beside-content", quietCall(), ContainSubstring(`],"took_ms":3}`)},
	{"bare-result", quietCall(), `{"actions":[{"type":"tool.result","result":{"kilns":["east","west","raku"]}}]}`},
	{"data-uri", call("glaze_swatch", `{"glaze":"oribe"}`), ContainSubstring(`"data":"data:image/png;base64,iVBOR`)},
	{"url-safe-bytes", call("glaze_swatch", `{"glaze":"oribe"}`), ContainSubstring(`"data":"_-8="`)},
	{"link-for-bytes", call("glaze_swatch", `{"glaze":"oribe"}`), ContainSubstring(`"data":"https://`)},
	{"no-content", quietCall(), `{"actions":[{"type":"tool.result"}]}`},
	{"blank-error", quietCall(), `{"actions":[{"type":"tool.error","error":" "}]}`},
	{"envelope-in-text", quietCall(), ContainSubstring(`"text":"{\"content\":[{\"type\":\"text\"`)},
	{"breaks-output", call("kiln_temperature", `{"kiln":"east"}`), ContainSubstring(`"celsius":"1180 degrees"`)},
	{"words-for-output", call("kiln_temperature", `{"kiln":"east"}`), Not(ContainSubstring("structuredContent"))},
	{"flagged-against-output", call("kiln_temperature", `{"kiln":"east"}`), ContainSubstring(`"structuredContent":{"error":"the probe is broken"},"isError":true`)},

	{"drops-tool-message", ended("0", `[{"type":"llm.call"}]`), `{"messages":[{"id":"m1"},{"id":"l1"}],"actions":[{"type":"llm.call"}]}`},
	{"records-a-delta", ended("0", `[{"type":"llm.call"}]`), `{"messages":[{"role":"tool"}],"actions":[{"type":"llm.call"}]}`},
	{"stalls", ended("0", `[{"type":"llm.call"}]`), `{"messages":[{"id":"m1"},{"id":"l1"},{"role":"tool"}],"actions":[]}`},
	{"asks-too-early", ended("1", `[]`), `{"messages":[{"id":"m1"},{"id":"l1"},{"role":"tool"}],"actions":[{"type":"llm.call"}]}`},
	{"forgets-the-history", spoken(), `{"messages":[{"role":"user"}],"actions":[{"type":"llm.call"}]}`},
	{"ignores-the-client", spoken(), `{"messages":[{"id":"m1"},{"role":"user"}],"actions":[]}`},
	{"swallows-a-call", answered(`[` + started("a", "x", "") + `,` + started("b", "x", "") + `]`),
		`{"messages":[{"id":"m1"},{"id":"l1","role":"assistant"}],"actions":[` + started("a", "x", "") + `]}`},
	{"renames-assistant-message", answered(`[` + started("a", "list_kilns", "{}") + `]`),
		`{"messages":[{"id":"m1"},{"id":"assistant_1","role":"assistant"}],"actions":[` + started("a", "list_kilns", "{}") + `]}`},
	{"changes-arguments", answered(`[` + started("a", "list_kilns", "{}") + `]`),
		`{"messages":[{"id":"m1"},{"id":"l1","role":"assistant"}],"actions":[` + started("a", "list_kilns", `{\"only_cold\":false}`) + `]}`},
	{"never-ends-the-turn", lastWord(), `{"messages":[{"id":"l2"}],"actions":[]}`},

	{"forgets-its-tools", turnEndsAfter("list_kilns"), `{"actions":[{"type":"done"}],"agent":{"model":"studio","llm":"main"}}`},
	{"forgets-its-tools", turnEndsAfter("book_kiln"), `{"actions":[{"type":"done"}]}`},

	{"no-description", raw(`{"type":"session.start"}`, `{}`), ContainSubstring(`{"name":"list_kilns","input"`)},
	{"bare-parameter", raw(`{"type":"session.start"}`, `{}`), ContainSubstring(`"only_cold":{"type":"boolean"}}`)},
	{"bare-pattern", raw(`{"type":"session.start"}`, `{}`), MatchRegexp(`"day":\{"type":"string","pattern":"[^"]*"\}\}\}`)},
	{"tools-alike", raw(`{"type":"session.start"}`, `{}`), MatchRegexp(`"description":"([^"]*)".*"name":"list_kilns","description":"[^"]*notice`)},
	{"crowd-of-tools", raw(`{"type":"session.start"}`, `{}`), ContainSubstring(`"name":"shelf_49"`)},
	{"stack-trace", quietCall(), ContainSubstring(`Traceback (most recent call last)`)},
	{"path-in-error", quietCall(), ContainSubstring(`/var/lib/studio`)},
	{"secret-in-error", quietCall(), ContainSubstring(`://studio:cone10reduction@`)},
	{"long-error", quietCall(), WithTransform(func(s string) int { return len(s) }, BeNumerically(">", 4000))},
	{"says-error-only", quietCall(), `{"actions":[{"type":"tool.error","error":"Internal error"}]}`},
	{"error-as-success", quietCall(), And(ContainSubstring(`"text":"Error: `), Not(ContainSubstring(`isError`)))},
	{"picture-without-words", call("glaze_swatch", `{"glaze":"oribe"}`), And(ContainSubstring(`"type":"image"`), Not(ContainSubstring(`"type":"text"`)))},
	{"object-in-text", quietCall(), ContainSubstring(`[object Object]`)},
	{"none-in-text", quietCall(), ContainSubstring(`"text":"None"`)},
	{"huge-result", quietCall(), WithTransform(func(s string) int { return len(s) }, BeNumerically(">", 256<<10))},
	{"drops-the-offered-tools", raw(`{"type":"client.messages"}`, `{"messages":[{"role":"user"}],"agent":{"model":"m","tools":[{"name":"x"}]}}`), `{"messages":[{"role":"user"}]}`},
	{"answers-for-the-client", besideTheClient(), MatchRegexp(`"id":"c1","attempt":0\},\{"type":"tool.result",.*says yes.*"id":"k1"\}\]`)},
	{"answers-for-the-client", quietCall(), `{"actions":[` + quietAction + `]}`},
	{"keeps-state-in-memory", lookup(`{"lookups":4}`, 2, true), HaveSuffix(`"state":{"lookups":1}}`)},
	{"keeps-state-in-memory", lookup(`{"lookups":4}`, 2, false), HaveSuffix(`"state":{"lookups":2}}`)},

	{"knows-one-agent", startOf("glazier"), `{}`},
	{"is-every-agent", startOf("glazier"), And(ContainSubstring(`"list_kilns"`), ContainSubstring(`"subagents"`))},
	{"drops-the-subagents-answer", surveyed(), `{"messages":[{"id":"m1"}],"actions":[{"type":"llm.call"}]}`},
	{"asks-another-agent", answered(`[{"type":"subagent.spawn","agent_id":"glazier","tool_call_id":"c1"}]`), ContainSubstring(`"agent_id":"agent","tool_call_id":"c1"`)},
	{"ignores-the-resume", resumedBy("someone", `true`), `{}`},
	{"asks-the-model-when-resumed", resumedBy("order:c1", `{"approved":true}`), `{"actions":[{"type":"llm.call"}]}`},
	{"settles-without-an-id-when-resumed", resumedBy("order:c1", `{"approved":true}`), And(ContainSubstring(`500 kilos`), Not(ContainSubstring(`"id"`)))},
	{"asks-without-a-reason", call("order_clay", `{"clay":"porcelain","kilos":500}`), ContainSubstring(`"interrupt_id":"order:c1","reason":"","payload"`)},
	{"reads-the-wrapper", written("call_tool"), `{"actions":[{"type":"tool.error","error":"there is no tool \"call_tool\" in this studio","id":"c1","attempt":0}]}`},
	{"reads-the-wrapper", written("glaze_swatch"), ContainSubstring(`"tool.result"`)},
	{"forgets-a-search", endedHere("tool_search"), `{"messages":[{"id":"l1"}],"actions":[{"type":"llm.call"}]}`},
	{"forgets-a-refused-call", endedHere("call_tool"), `{"messages":[{"id":"l1"}],"actions":[{"type":"llm.call"}]}`},
	{"drops-unknown-calls", answered(`[` + started("a", "tool_search", "") + `,` + started("b", "x", "") + `]`),
		`{"messages":[{"id":"m1"},{"id":"l1","role":"assistant"}],"actions":[` + started("b", "x", "") + `]}`},
	{"searches-itself", raw(`{"type":"session.start"}`, `{}`), ContainSubstring(`"name":"tool_search"`)},
	{"shrugs-at-a-failure", failed(), `{"messages":[{"id":"m1"}],"actions":[]}`},
	{"fails-without-a-word", failed(), `{"messages":[{"id":"m1"}],"actions":[{"type":"fail","error":{"message":"","code":"internal"}}]}`},

	{"echoes-proposed", raw(`{"type":"session.start"}`, hostile), hostile},
	{"always-empty", turnEnds(), `{}`},
}

// elsewhere are the faults whose answers are more than a body: each has a spec
// of its own.
var elsewhere = []string{
	"needs-a-full-proposal", "needs-a-visibility", "expects-an-interrupt",
	"acts-twice", "answers-204", "answers-another-session", "answers-400-on-malformed", "answers-500", "answers-500-on-undeclared", "answers-anew",
	"claims-to-repair", "claims-to-run", "closes-the-connection",
	"compresses", "cuts-the-body", "dies", "endless-body", "forgets-over-a-restart", "hangs", "notes-being-asked-again", "notices-a-lost-request", "redirects", "remembers-by-call-id", "shares-a-variable", "short-keep-alive", "speaks-no-http",
	// Those that end the process over something odd, in ordeals_test.go.
	"dies-of-broken-requests", "dies-of-deep-nesting", "dies-of-empty-text", "dies-of-large-arguments", "dies-of-long-history", "dies-of-many-calls", "dies-of-odd-ids", "dies-of-odd-names", "dies-of-odd-text", "dies-of-what-it-does-not-know",
	"refuses-unknown-fields", "refuses-unknown-triggers",
	// Those of hosted models and of streams, in host_faults_test.go.
	"model-settles-twice", "model-settles-another-call", "model-without-its-name", "model-in-its-own-form", "reuses-call-ids", "keeps-the-block-type", "ends-for-calls-it-has-not", "forgets-the-cache", "model-fails-without-a-word", "names-no-frame", "streams-its-progress", "streams-text-for-pieces", "fails-without-a-message", "ends-the-stream-early", "streams-a-tool", "decides-twice", "stalls-a-stream", "streams-its-own-pieces", "loses-the-last-piece",
}

var _ = Describe("the answer of a fault", func() {
	for _, a := range faultyAnswers {
		It(a.fault, func() {
			p := post(serving(reference.Options{Faults: []string{a.fault}}), a.request)
			Expect(p.status).To(Equal(http.StatusOK))
			if text, ok := a.want.(string); ok {
				Expect(p.body).To(Equal(text))
				return
			}
			Expect(p.body).To(a.want.(OmegaMatcher))
		})
	}

	It("is looked at for every fault", func() {
		looked := slices.Clone(elsewhere)
		for _, f := range reference.Faults() {
			if f.Later {
				// Looked at where there is an engine to settle at.
				looked = append(looked, f.Name)
			}
		}
		for _, a := range faultyAnswers {
			looked = append(looked, a.fault)
		}
		slices.Sort(looked)
		looked = slices.Compact(looked)
		var all []string
		for _, f := range reference.Faults() {
			// Those of signatures are looked at where there is a secret.
			if !f.Secret {
				all = append(all, f.Name)
			}
		}
		Expect(looked).To(ConsistOf(all))
	})

	It("is the right one outside the fault's moment", func() {
		everywhere := []string{"always-empty", "answers-500", "echoes-proposed"}
		for _, f := range reference.Faults() {
			if slices.Contains(everywhere, f.Name) {
				continue
			}
			url := serving(reference.Options{Faults: []string{f.Name}})
			Expect(post(url, raw(`{"type":"interrupt.resumed"}`, hostile)).body).To(Equal(hostile), f.Name)
		}
	})
})

// besideTheClient is a call while the client is asked another.
func besideTheClient() string {
	t := &talk{session: "s1", open: []spec.Call{{ID: "k1", Kind: spec.CallTool, Handler: spec.HandlerClient}}}
	return encoded(t.executing(toolCall{"c1", "list_kilns", "{}"}, valid("{}"), false))
}

// lookup is a call of the tool that is counted, on a path with so many of them,
// in a tree of more messages or of those alone.
func lookup(state string, asked int, more bool) string {
	t := &talk{session: "s1"}
	var calls []spec.ToolCall
	for n := range asked {
		calls = append(calls, spec.ToolCall{ID: fmt.Sprint("c", n+1), Type: "function", Function: spec.ToolFunction{Name: "find_glaze", Arguments: "{}"}})
	}
	t.record(spec.Message{ID: "m1", Role: spec.RoleAssistant, ToolCalls: calls})
	if more {
		t.left = []spec.Message{{ID: "m2", Role: spec.RoleUser}}
	}
	r := t.executing(toolCall{"c1", "find_glaze", `{"glaze":"oribe"}`}, valid(`{"glaze":"oribe"}`), false)
	r.State = jsontext.Value(state)
	return encoded(r)
}

// spoken is what a client says in a conversation with one message.
func spoken() string {
	return `{"trigger":{"type":"client.messages","new_from":1},"messages":[{"id":"m1"}],` +
		`"proposed":{"messages":[{"id":"m1"},{"role":"user"}],"actions":[{"type":"llm.call"}]}}`
}

// lastWord is the model's last word in a conversation with two messages of the
// user.
func lastWord() string {
	return `{"trigger":{"type":"llm.finished","id":"l2","ok":true},"messages":[{"role":"user"},{"role":"user"}],` +
		`"proposed":{"messages":[{"id":"l2"}],"actions":[{"type":"done"}]}}`
}
