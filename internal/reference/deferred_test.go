package reference_test

import "github.com/hallmarkdev/hallmark/spec"

// playDeferred calls a deferred tool outright, through call_tool, and outright
// again, and brings the ends of what the engine ran itself.
func (p *tape) playDeferred() {
	t := p.talk("deferred")
	const tool, arguments = "studio_notice", `{}`
	t.says("When is it open?")
	for _, made := range []toolCall{
		{"d1", tool, arguments}, {"d2", "call_tool", `{"name":"` + tool + `","arguments":` + arguments + `}`}, {"d3", tool, arguments},
	} {
		t.replies("", made)
		p.run(t, toolCall{made.id, tool, arguments}, valid(arguments), false, 0)
	}
	search, own := toolCall{"d4", "tool_search", `{"query":"opening hours"}`}, toolCall{"d5", tool, arguments}
	t.replies("", search, own)
	p.openAt(t.session, own.id, 0)
	ended := p.ended(t, own, t.send(t.executing(own, valid(arguments), false)))
	t.finishes(search, 1, nil)
	t.finishes(own, 0, ended)
	refused := toolCall{"d6", "call_tool", "{}"}
	t.replies("", refused)
	t.finishes(refused, 0, nil)
	t.replies("done")
	t.ends()
}

// written is a valid call of the swatch that the model wrote by another name.
func written(name string) string {
	return `{"session_id":"s1","decision_id":"d1","trigger":{"type":"tool.execute","id":"c1","name":"glaze_swatch","arguments":"{\"glaze\":\"oribe\"}",` +
		`"input":{"status":"valid","value":{"glaze":"oribe"}},"attempt":0},"proposed":{},` +
		`"messages":[{"id":"l1","role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"` + name + `","arguments":"{}"}}]}]}`
}

// endedHere is the end of a call that the engine ran.
func endedHere(name string) string {
	return raw(`{"type":"tool.finished","id":"c1","ok":true,"name":"`+name+`"}`, `{"messages":[{"id":"l1"},{"role":"tool"}],"actions":[{"type":"llm.call"}]}`)
}

// failed is a model call that gave no answer, as newer engines tell of it.
func failed() string {
	return raw(`{"type":"`+string(spec.OnLlmFinished)+`","id":"l1","ok":false}`, `{"messages":[{"id":"m1"}],"actions":[{"type":"fail","error":{"message":"busy","code":"internal"}}]}`)
}
