package scenarios_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// inputs are what the client sent, as the recording holds it.
func (t told) inputs() (all []*spec.InputEvent) {
	for _, e := range t.events {
		if d, ok := e.Data.(*spec.InputEvent); ok {
			all = append(all, d)
		}
	}
	return all
}

func (t told) closed() string { return t.events[len(t.events)-1].Data.(*spec.CloseEvent).Why }

var _ = Describe("a client that does more than talk", func() {
	// confirming is a talk in which the model asks the client and the worker.
	confirming := func(steps string) string {
		return `scenario: Two places
steps:
  - user: Send it.
  - model:
      calls:
        - {as: c1, tool: confirm, raw: '{"a":'}
        - {as: c2, tool: say, raw: ` + string(jsonv.Quote(resultOf(`"two"`))) + `}
    expect:
      - {trigger: tool.execute, call: c2, open: 2, calls: {c1: {handler: client, is: open}}, answer: settles}
      - {trigger: tool.finished, call: c2, open: 1, answer: waits}
      - {trigger: tool.execute, call: c1, never: true}
` + steps
	}

	It("answers its tool after ten minutes", func() {
		t := tell(confirming(`
  - wait: 10m
    expect: [{calls: {c1: {is: open}}}, {turn: open}]
  - client: {call: c1, result: "yes"}
    expect: EXPECT
  - model: On its way.
finally: FINALLY
`), puppet{})
		t.holds(`{trigger: tool.finished, call: c1, ok: true, open: 0, answer: asks-model}, {calls: {c1: {is: done, text: "yes"}}}`,
			`{turn: completed}, {transcript: [{role: tool, call: c2}, {role: tool, call: c1, text: "yes"}]}`, true)
		t.holds(`{calls: {c1: {is: open}}}`, ``, false)
		in := t.inputs()[1]
		Expect([]any{in.From, in.Status, in.Call != "", in.TurnID != ""}).To(Equal([]any{"client", 202, true, true}))
		Expect(*in.Body.Text).To(MatchJSON(`{"type":"tool.result","id":"` + in.Call + `","result":{"content":[{"type":"text","text":"yes"}]}}`))
	})

	It("fails its tool, and says what an engine wants said", func() {
		t := tell(confirming(`
  - client: {call: c1, error: closed the page}
    expect: EXPECT
  - model: Never mind.
finally: FINALLY
`), puppet{})
		t.holds(`{trigger: tool.finished, call: c1, ok: false, error: {message: closed the page, code: handler_error}, answer: proposed}`,
			`{calls: {c1: {is: failed}}}, {turn: completed}`, true)
		Expect(*t.inputs()[1].Body.Text).To(ContainSubstring(`"error":"closed the page","retryable":false`))
	})

	It("tells with a missing exchange why the engine took nothing", func() {
		t := tell(confirming(`
  - client: {call: c1, result: {content: [{type: text, text: x}], structured: {ok: true}, is_error: true}}
    expect: [{trigger: tool.finished, call: c1, ok: true, request: {/trigger/result/isError: true}}]
  - client: {call: c1, error: "no", retryable: true, attempt: 0}
    expect: EXPECT
finally: FINALLY
`), puppet{})
		Expect(t.unmet(`{trigger: tool.finished, call: c1}`, ``)).To(ConsistOf(
			ContainSubstring("did not happen in this window; the engine refused the client with 409: effect is not pending")))
	})

	DescribeTable("waits for a call that a lost answer still owes",
		func(answer string) {
			t := tell(`scenario: Late
steps:
  - disturb: {do: lose-answer, trigger: llm.finished}
  - user: {text: Send it., id: u1}
  - model: {id: m1, calls: [{as: c1, tool: confirm, raw: "{}"}]}
  - `+answer+`
    expect: EXPECT
  - model: On its way.
finally: FINALLY
`, puppet{})
			t.holds(`{trigger: tool.finished, call: c1, ok: true}`, `{turn: completed}, {trigger: llm.finished, delivery: 2}`, true)
			Expect(t.inputs()[1].Status).To(Equal(202))
		},
		Entry("to answer it", `client: {call: c1, result: "yes"}`),
		Entry("to answer it by view", `user: {now: true, view: [{role: user, id: u1}, {role: assistant, id: m1}, {role: tool, call: c1, content: "yes"}]}`),
	)

	It("tells what an engine says to a call that never was", func() {
		t := tell(`scenario: Never
steps:
  - user: Send it.
  - model: Sent.
  - model: {calls: [{as: c1, tool: confirm, raw: "{}"}]}
  - client: {call: c1, result: "yes"}
`, puppet{})
		Expect([]any{t.inputs()[1].Status, t.inputs()[1].Reply}).To(Equal([]any{404, "effect not found"}))
		Expect(t.closed()).To(Equal(spec.CloseScriptDone))
	})

	It("answers its tool in a view of its own", func() {
		t := tell(`scenario: By view
steps:
  - user: {text: Send it., id: u1}
  - model: {id: m1, calls: [{as: c1, tool: confirm, raw: "{}"}]}
  - user: {now: true, view: [{role: user, id: u1}, {role: assistant, id: m1}, {role: tool, call: c1, content: "yes"}]}
    expect: EXPECT
  - model: On its way.
finally: FINALLY
`, puppet{})
		t.holds(`{trigger: tool.finished, call: c1, ok: true, answer: asks-model}, {trigger: client.messages, never: true}, {calls: {c1: {is: done, text: "yes"}}}`,
			`{turn: completed}, {trigger: client.messages, times: 1}`, true)
		Expect(t.closed()).To(Equal(spec.CloseScriptDone))
	})

	It("answers its tool and goes on in the same view", func() {
		t := tell(`scenario: By view
steps:
  - user: {text: Send it., id: u1}
  - model: {id: m1, calls: [{as: c1, tool: confirm, raw: "{}"}]}
  - user: {now: true, view: [{role: user, id: u1}, {role: assistant, id: m1}, {role: tool, call: c1, content: [{type: text, text: "yes"}]}, {role: user, content: And soon.}]}
    expect: EXPECT
  - model: On its way.
finally: FINALLY
`, puppet{})
		t.holds(`{trigger: client.messages, request: {/trigger/new_from: 2, /pending_calls: 0}, answer: proposed}, {calls: {c1: {is: done, text: "yes"}}}`,
			`{turn: completed}, {trigger: tool.finished, never: true}`, true)
	})

	It("offers tools, context and state with its words", func() {
		t := tell(`scenario: Offers
steps:
  - user: {text: Show it., tools: [{name: show_map, handler: client}], context: [{a: 1}], state: {zoom: 2}}
    expect: EXPECT
  - model: {calls: [{as: c1, tool: show_map, raw: "{}"}]}
  - client: {call: c1, result: shown}
  - model: There.
finally: FINALLY
`, puppet{})
		t.holds(`{trigger: client.messages, request: {/trigger/client/tools/0/name: show_map, /trigger/client/context/0/a: 1, /trigger/client/state/zoom: 2, /proposed/agent/tools/5/name: show_map}}`,
			`{turn: completed}, {agent: {subset: {tools: [{}, {}, {}, {}, {}, {name: show_map}]}}}, {calls: {c1: {is: done, handler: client}}}`, true)
	})

	It("holds a message until the turn is over, and refuses one that is not to be held", func() {
		t := tell(confirming(`
  - user: {text: Another., now: true}
    expect: [{trigger: client.messages, never: true}]
  - user: {text: Next., queue: true, now: true}
    expect: [{trigger: client.messages, never: true}, {turn: open}]
  - client: {call: c1, result: "yes"}
  - model: On its way.
    expect: EXPECT
  - model: The next.
finally: FINALLY
`), puppet{})
		t.holds(`{trigger: turn.finished}, {trigger: client.messages, request: {/trigger/messages/5/content: Next.}}`, `{turn: completed}, {trigger: client.messages, times: 2}`, true)
		Expect(t.inputs()[1].Status).To(Equal(409))
		Expect(t.inputs()[2].Status).To(Equal(202))
	})

	It("acts, and appends", func() {
		t := tell(`scenario: Acts
steps:
  - client: {action: refresh, args: {quay: 2}}
    expect: [{trigger: session.start}, {trigger: client.action, request: {/trigger/name: refresh, /trigger/args/quay: 2}, proposed: empty}]
  - user: {append: [{role: user, content: a, id: u1}, {role: user, content: b}]}
    expect: EXPECT
  - model: c
finally: FINALLY
`, puppet{})
		t.holds(`{trigger: client.messages, request: {/trigger/new_from: 0, /trigger/messages/1/content: b}}`, `{turn: completed}`, true)
	})

	It("shows the branch that an edit leads to", func() {
		t := tell(`scenario: Edit
given:
  messages: [{role: user, id: u1, content: a}, {role: assistant, id: m1, content: b}, {role: user, id: u2, content: c}]
  state: {at: u2}
steps:
  - user: {view: [{role: user, id: u1}, {role: assistant, id: m1}, {role: user, content: d}]}
    expect: EXPECT
  - model: e
finally: FINALLY
`, puppet{})
		t.holds(`{trigger: client.messages, request: {/trigger/new_from: 2, /state/at: u2}}`,
			`{turn: completed}, {transcript: [{role: user, text: a}, {role: assistant, text: b}, {role: user, text: d}, {role: assistant, text: e}]}, {state: {absent: true}}`, true)
		t.holds(``, `{state: {subset: {at: u2}}}`, false)
	})
})
