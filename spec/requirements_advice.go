package spec

import (
	"cmp"
	"strings"
)

// adviceRequirements are about what makes a tool easy to use rightly (P1 to
// P5). None of them fails a run: the protocol permits all that they speak of.
func adviceRequirements() []Requirement {
	all := append(adviceOnDeclarations(), adviceOnFailures()...)
	all = append(all, adviceOnResults()...)
	for i := range all {
		all[i].Level, all[i].Added, all[i].Evidence = Advice, cmp.Or(all[i].Added, thirdRegistry), EvidenceExchange
	}
	return all
}

func adviceOnDeclarations() []Requirement {
	return []Requirement{
		{
			ID:     "advice.tools-are-described",
			Text:   "Each tool says in its description what it does and when to use it.",
			Why:    "Name, description and schema are all that a model knows of a tool; without a description it guesses from the name.",
			Source: []string{"rule:P1"},
			Good:   Example{Trigger: exampleStart, Answer: declaring(`{"name":"get_weather","description":"Says what the weather is like in one city now. For the days to come use get_forecast.","input":{"type":"object"}}`)},
			Bad:    Example{Trigger: exampleStart, Answer: declaring(`{"name":"get_weather","description":"get weather","input":{"type":"object"}}`)},
			Cause:  "The description was left out, or repeats the name.",
		},
		{
			ID:     "advice.parameters-are-described",
			Text:   "Each parameter of a tool has a description, or values that explain themselves.",
			Why:    "A model that is told nothing of a parameter guesses, and guesses are where bad arguments come from.",
			Source: []string{"rule:P1"},
			Good:   Example{Trigger: exampleStart, Answer: declaring(`{"name":"get_weather","description":"Says what the weather is like now.","input":{"type":"object","properties":{"city":{"type":"string","description":"Name of the city, without its country."}}}}`)},
			Bad:    Example{Trigger: exampleStart, Answer: declaring(`{"name":"get_weather","description":"Says what the weather is like now.","input":{"type":"object","properties":{"city":{"type":"string"}}}}`)},
			Cause:  "The schema was made from types alone.",
		},
		{
			ID:     "advice.formats-are-said",
			Text:   "A text parameter with a pattern or a format says in words, or shows by an example, what is to be sent.",
			Why:    "A pattern refuses what the model sends and does not tell it what to send; many providers do not even show it to the model.",
			Source: []string{"rule:P1"},
			Good:   Example{Trigger: exampleStart, Answer: declaring(`{"name":"get_order","description":"Looks one order up.","input":{"type":"object","properties":{"order":{"type":"string","pattern":"^ORD-[0-9]{5}$","description":"Number of the order, such as ORD-12345."}}}}`)},
			Bad:    Example{Trigger: exampleStart, Answer: declaring(`{"name":"get_order","description":"Looks one order up.","input":{"type":"object","properties":{"order":{"type":"string","pattern":"^ORD-[0-9]{5}$"}}}}`)},
			Cause:  "The pattern was written for the validator only.",
		},
		{
			ID:     "advice.tools-can-be-told-apart",
			Text:   "No two tools of a worker have the same description, or names that differ only in case, hyphens or underscores.",
			Why:    "A model that cannot tell two tools apart picks one by chance.",
			Source: []string{"rule:P1", "field-report:052"},
			Good:   Example{Trigger: exampleStart, Answer: declaring(`{"name":"get_order","description":"Looks an order up by its number."},{"name":"search_orders","description":"Finds orders by customer or day. Use get_order when you have a number."}`)},
			Bad:    Example{Trigger: exampleStart, Answer: declaring(`{"name":"get_order","description":"Looks up an order."},{"name":"search_orders","description":"Looks up an order."}`)},
			Cause:  "A tool was copied and its description kept.",
		},
		{
			ID:     "advice.many-tools-are-deferred",
			Text:   "A worker with more than forty tools defers those that are seldom needed.",
			Why:    "Every declared tool is in every request to the model: it costs tokens, and the more there are the more often the wrong one is called.",
			Source: []string{"rule:P1"},
			Good:   Example{Trigger: exampleStart, Answer: declaring(`{"name":"get_weather","description":"Says what the weather is like now."}`)},
			Bad:    Example{Trigger: exampleStart, Answer: declaring(manyTools(41))},
			Cause:  "All routes of an API became tools. Set defer_tools, or defer on single tools.",
		},
	}
}

func adviceOnFailures() []Requirement {
	return []Requirement{
		{
			ID:     "advice.error-text-without-stack-trace",
			Text:   "The text of a failure holds no stack trace.",
			Why:    "A model cannot act on a stack trace; it fills the conversation and tells users and logs how the worker is built.",
			Source: []string{"rule:P3", "field-report:076"},
			Good:   Example{Trigger: exampleExecute, Answer: failing(`no forecast for Oslo yet; ask again after 06:00`)},
			Bad:    Example{Trigger: exampleExecute, Answer: failing(`KeyError: 'Oslo'\nTraceback (most recent call last):\n  File \"weather.py\", line 12, in run`)},
			Cause:  "The exception was printed whole. Keep it for the log and write one sentence.",
		},
		{
			ID:     "advice.error-text-without-paths",
			Text:   "The text of a failure names no file of the machine that the worker runs on.",
			Why:    "The path means nothing to a model, and tells whoever reads the answer how the machine is laid out.",
			Source: []string{"rule:P3", "field-report:076"},
			Good:   Example{Trigger: exampleExecute, Answer: failing(`no data for Oslo today`)},
			Bad:    Example{Trigger: exampleExecute, Answer: failing(`cannot open /srv/weather/data/oslo.json`)},
			Cause:  "The message of a file error was passed on.",
		},
		{
			ID:     "advice.error-text-without-secrets",
			Text:   "The text of a failure holds nothing that looks like a key, a password or a token.",
			Why:    "What a model reads ends up in transcripts, logs and answers to users.",
			Source: []string{"rule:P3", "field-report:076"},
			Good:   Example{Trigger: exampleExecute, Answer: failing(`the weather service refuses our credentials; another try does not help`)},
			Bad:    Example{Trigger: exampleExecute, Answer: failing(`cannot connect to postgres://weather:hunter2secret@db/weather`)},
			Cause:  "A failed URL or request was printed whole.",
		},
		{
			ID:     "advice.error-text-is-short",
			Text:   "The text of a failure stays under two thousand characters.",
			Why:    "The text stays in the conversation for good, and what is to be changed is lost in it.",
			Source: []string{"rule:P3", "field-report:044"},
			Good:   Example{Trigger: exampleExecute, Answer: failing(`no such city; the nearest name is Oslo`)},
			Bad:    Example{Trigger: exampleExecute, Answer: failing(strings.Repeat("no such city ", 200))},
			Cause:  "The text quotes a whole page, a whole catalogue or what was sent.",
		},
		{
			ID:     "advice.error-text-says-what-happened",
			Text:   "The text of a failure tells a fault that the model can mend from one that it cannot.",
			Why:    "The text is all that a model sees of a failure; from one that says no more than error it can only try again, or give up too early.",
			Source: []string{"rule:P4", "rule:F14"},
			Good:   Example{Trigger: exampleExecute, Answer: failing(`the weather service is down; another try does not help before tomorrow`)},
			Bad:    Example{Trigger: exampleExecute, Answer: failing(`Internal error`)},
			Cause:  "One catch-all text for every exception.",
		},
		{
			ID:     "advice.error-text-does-not-repeat-the-call",
			Added:  fourthRegistry,
			Text:   "The text of a refusal says what to send, and does not repeat the arguments that it refuses.",
			Why:    "Models copy what stands in their conversation: a bad call that is quoted whole comes again, deeper each time.",
			Source: []string{"rule:P3", "field-report:008", "field-report:019"},
			Good:   Example{Trigger: exampleNested, Answer: failing(`city must be text: send {\"city\": \"Oslo\"}`)},
			Bad:    Example{Trigger: exampleNested, Answer: failing(`city is missing in {\"arguments\":{\"arguments\":{\"city\":\"Oslo\"}}}`)},
			Cause:  "The validator's message, which prints the value it was given, was passed on.",
		},
		{
			ID:     "advice.failure-is-not-a-success",
			Text:   "A result that tells of a failure is a tool.error or is flagged isError.",
			Why:    "A failure that looks like a success is built upon: nothing in the exchange says that the call did not work.",
			Source: []string{"rule:P2", "rule:F13", "field-report:073"},
			Good:   Example{Trigger: exampleExecute, Answer: resulting(`{"content":[{"type":"text","text":"Error: no such city"}],"isError":true}`)},
			Bad:    Example{Trigger: exampleExecute, Answer: resulting(`{"content":[{"type":"text","text":"Error: no such city"}]}`)},
			Cause:  "The tool catches its exceptions and returns their text.",
		},
	}
}

func adviceOnResults() []Requirement {
	return []Requirement{
		{
			ID:     "advice.results-have-words",
			Text:   "A result of images, audio or files has a few words beside them.",
			Why:    "A blob adds nothing to the text that a model reads, so it sees an empty result unless it is shown the bytes too.",
			Source: []string{"rule:F9", "rule:P2"},
			Good:   Example{Trigger: exampleExecute, Answer: resulting(`{"content":[{"type":"text","text":"A map of the rain over Oslo."},{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}]}`)},
			Bad:    Example{Trigger: exampleExecute, Answer: resulting(`{"content":[{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}]}`)},
			Cause:  "The picture was thought to say it all.",
		},
		{
			ID:     "advice.results-are-printed-values",
			Text:   "The text of a result or a failure is the value itself, and not what a language prints in place of one.",
			Why:    "A model reads [object Object], undefined or None as the answer.",
			Source: []string{"rule:P2", "field-report:061", "field-report:062"},
			Good:   Example{Trigger: exampleExecute, Answer: exampleResult},
			Bad:    Example{Trigger: exampleExecute, Answer: resulting(`{"content":[{"type":"text","text":"[object Object]"}]}`)},
			Cause:  "A value was joined to a text instead of being written out as JSON or in words.",
		},
		{
			ID:     "advice.results-fit-a-conversation",
			Text:   "The text of a result stays under 256 KiB, with a word on how to get the rest.",
			Why:    "The text is sent to the model again in every later turn; one that is too large ends the conversation.",
			Source: []string{"rule:P2", "field-report:077"},
			Good:   Example{Trigger: exampleExecute, Answer: exampleResult},
			Bad:    Example{Trigger: exampleExecute, Answer: resulting(`{"content":[{"type":"text","text":"` + strings.Repeat("sunny ", 50000) + `"}]}`)},
			Cause:  "A whole file or a whole table is returned. Cut it, and say how much there is.",
		},
		{
			ID:     "advice.keep-alive-outlives-idle",
			Text:   "A worker keeps an idle connection open for five seconds or more.",
			Why:    "A request that is sent just as the worker closes the connection fails, and an engine takes that for a crash: the turn ends.",
			Source: []string{"rule:D2", "gap:32"},
			Good:   Example{Trigger: exampleExecute, Answer: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nKeep-Alive: timeout=65\r\n\r\n" + exampleResult},
			Bad:    Example{Trigger: exampleExecute, Answer: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nKeep-Alive: timeout=1\r\n\r\n" + exampleResult},
			Cause:  "The server's keep-alive timeout is set too low, or the process ends after each request.",
		},
	}
}
