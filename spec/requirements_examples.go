package spec

import (
	"fmt"
	"strings"
)

// The pieces that several examples share. They are what an engine sends in a
// session whose worker declares one tool, get_weather.
const (
	exampleStart    = `{"type":"session.start"}`
	exampleTurnEnds = `{"type":"turn.finished","turn_id":"t1","data":"Sunny.","cost":"0","usage":{"input":1,"output":1,"uncached_input":1,"cache_read":0,"cache_write":0,"total":2}}`

	exampleExecute     = `{"type":"tool.execute","id":"c1","name":"get_weather","arguments":"{\"city\":\"Oslo\"}","input":{"status":"valid","value":{"city":"Oslo"}},"attempt":0}`
	exampleInvalid     = `{"type":"tool.execute","id":"c1","name":"get_weather","arguments":"{\"town\":\"Oslo\"}","input":{"status":"invalid","value":{"town":"Oslo"},"error":"\"city\" is required"},"attempt":0}`
	exampleBroken      = `{"type":"tool.execute","id":"c1","name":"get_weather","arguments":"{\"city\":","input":{"status":"malformed","error":"EOF while parsing a value at line 1 column 8"},"attempt":0}`
	exampleBrokenAgain = `{"type":"tool.execute","id":"c2","name":"get_weather","arguments":"{\"city\":","input":{"status":"malformed","error":"EOF while parsing a value at line 1 column 8"},"attempt":0}`
	exampleNested      = `{"type":"tool.execute","id":"c1","name":"get_weather","arguments":"{\"arguments\":{\"arguments\":{\"city\":\"Oslo\"}}}","input":{"status":"invalid","value":{"arguments":{"arguments":{"city":"Oslo"}}},"error":"\"city\" is required"},"attempt":0}`
	exampleUnknown     = `{"type":"tool.execute","id":"c2","name":"get_whether","arguments":"{}","input":{"status":"valid","value":{}},"attempt":0}`

	exampleUnknownProposed = `{"proposed":{"actions":[{"type":"tool.error","id":"c2","error":"unknown tool: get_whether","retryable":false}]}}`
	exampleInvalidProposed = `{"proposed":{"actions":[{"type":"tool.error","id":"c1","error":"invalid tool arguments: \"city\" is required","retryable":false}]}}`

	exampleResult  = `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"Sunny in Oslo."}]}}]}`
	exampleRefusal = `{"actions":[{"type":"tool.error","error":"city is missing: send {\"city\": \"Oslo\"}"}]}`

	// One call has been made and has ended; the engine proposes to record it
	// and to ask the model again.
	exampleUser      = `{"id":"m1","role":"user","content":"How is Oslo?"}`
	exampleAssistant = `{"id":"l1","role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}]}`
	exampleTool      = `{"role":"tool","tool_call_id":"c1","name":"get_weather","content":"Sunny in Oslo."}`
	exampleAsk       = `{"type":"llm.call","model":"m","llm":"main"}`
	exampleCall      = `{"type":"tool.call","id":"c1","name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}`

	exampleFinished = `{"type":"tool.finished","id":"c1","ok":true,"name":"get_weather","result":{"content":[{"type":"text","text":"Sunny in Oslo."}]}}`
	exampleRecorded = `"messages":[{"id":"m1","role":"user","content":"How is Oslo?","tool_calls":[]},{"id":"l1","role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}]}]`
	exampleProceed  = `{"messages":[` + exampleUser + `,` + exampleAssistant + `,` + exampleTool + `],"actions":[` + exampleAsk + `]}`
	exampleAfter    = `{"proposed":` + exampleProceed + `,` + exampleRecorded + `}`
	exampleWaiting  = `{"proposed":{"messages":[` + exampleUser + `,` + exampleAssistant + `,` + exampleTool + `]},"pending_calls":1,"calls":[{"id":"c2","kind":"tool_call","status":"pending","attempt":0,"name":"get_weather","arguments":"{}","handler":"worker"}],` + exampleRecorded + `}`

	// The model has answered with one call.
	exampleAsked   = `{"type":"llm.finished","id":"l1","ok":true,"message":` + exampleAssistant + `,"truncated":false}`
	exampleBegin   = `{"messages":[` + exampleUser + `,` + exampleAssistant + `],"actions":[` + exampleCall + `]}`
	exampleCalling = `{"proposed":` + exampleBegin + `,"messages":[{"id":"m1","role":"user","content":"How is Oslo?","tool_calls":[]}]}`

	// A tool whose results have a schema.
	exampleOutputAgent = `{"agent":{"model":"m","tools":[{"name":"get_weather","input":{"type":"object"},"output":{"type":"object","properties":{"celsius":{"type":"number"}},"required":["celsius"]}}]}}`
)

// declaring is an answer to session.start with these tools.
func declaring(tools string) string {
	return `{"agent":{"model":"m","tools":[` + tools + `]}}`
}

// resulting is an answer with one tool.result that holds this result.
func resulting(result string) string {
	return `{"actions":[{"type":"tool.result","result":` + result + `}]}`
}

// failing is an answer with one tool.error of this text, as it stands in JSON.
func failing(text string) string {
	return `{"actions":[{"type":"tool.error","error":"` + text + `"}]}`
}

// manyTools are the declarations of n tools.
func manyTools(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`{"name":"route_%d","description":"Calls route %d of the service."}`, i, i)
	}
	return strings.Join(all, ",")
}
