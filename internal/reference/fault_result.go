package reference

import "bytes"

// resultDefects break what a settle holds: its form, its blocks, its text, and
// the output that the tool declares (F5 to F12, wire 6).
func resultDefects() []defect {
	const (
		blocks   = "result.blocks-are-valid"
		envelope = "result.is-a-tool-result"
		base64   = "result.bytes-are-base64"
		matches  = "output.matches-schema"
		swatches = "glaze_swatch"
		reading  = "kiln_temperature"
	)
	return []defect{
		{
			Fault:  named("both-forms", "Fills result and content of one tool.result.", "result.one-form"),
			at:     running(quietTool),
			answer: says(`{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"east"}]},"content":[{"type":"text","text":"east"}]}]}`),
		},
		{
			Fault:  named("unknown-block", "Sends a block of a kind that does not exist.", blocks),
			at:     running(swatches),
			answer: resultOf(`{"content":[{"type":"text","text":"A swatch."},{"type":"video","data":"AAAA","mimeType":"video/mp4"}]}`),
		},
		{
			Fault:  named("snake-case-mime", "Writes mime_type for mimeType in an image.", blocks),
			at:     running(swatches),
			answer: replaced(`"mimeType"`, `"mime_type"`),
		},
		{
			Fault:  named("provider-block", "Puts a block of a model provider into content.", blocks),
			at:     running(swatches),
			answer: says(`{"actions":[{"type":"tool.result","content":[{"type":"image_url","image_url":{"url":"https://studio.example/celadon.png"}}]}]}`),
		},
		{
			Fault:  named("snake-case-is-error", "Writes is_error for isError inside a result.", envelope),
			at:     running(quietTool),
			answer: resultOf(`{"content":[{"type":"text","text":"the list is being rewritten"}],"is_error":true}`),
		},
		{
			Fault:  named("flag-without-content", "Sends a result that holds a failure flag and nothing else.", envelope),
			at:     running(quietTool),
			answer: resultOf(`{"isError":true}`),
		},
		{
			Fault:  named("key-beside-content", "Adds a key of its own to a result, beside its blocks.", envelope),
			at:     running(quietTool),
			answer: resultOf(`{"content":[{"type":"text","text":"east: firing"}],"took_ms":3}`),
		},
		{
			Fault:  named("bare-result", "Sends what the tool returned as it is.", "result.is-explicit"),
			at:     running(quietTool),
			answer: resultOf(`{"kilns":["east","west","raku"]}`),
		},
		{
			Fault:  named("data-uri", "Puts a data URI where plain base64 belongs.", base64),
			at:     running(swatches),
			answer: replaced(`"data":"`, `"data":"data:image/png;base64,`),
		},
		{
			Fault:  named("url-safe-bytes", "Writes bytes in the URL-safe alphabet.", base64),
			at:     running(swatches),
			answer: resultOf(`{"content":[{"type":"text","text":"A swatch."},{"type":"image","data":"_-8=","mimeType":"image/png"}]}`),
		},
		{
			Fault:  named("link-for-bytes", "Puts a link where bytes belong.", base64),
			at:     running(swatches),
			answer: resultOf(`{"content":[{"type":"text","text":"A swatch."},{"type":"image","data":"https://studio.example/celadon.png","mimeType":"image/png"}]}`),
		},
		{
			Fault:  named("no-content", "Ends a call with a result that holds nothing.", "result.says-something"),
			at:     running(quietTool),
			answer: says(`{"actions":[{"type":"tool.result"}]}`),
		},
		{
			Fault:  named("blank-error", "Fails with a text of white space.", "result.error-has-text"),
			at:     running(quietTool),
			answer: says(`{"actions":[{"type":"tool.error","error":" "}]}`),
		},
		{
			Fault:  named("envelope-in-text", "Writes a whole result into a text block.", "result.no-nested-envelope"),
			at:     running(quietTool),
			answer: resultOf(`{"content":[{"type":"text","text":"{\"content\":[{\"type\":\"text\",\"text\":\"east: firing\"}]}"}]}`),
		},
		{
			Fault:  named("breaks-output", "Sends a structured value that its output schema refuses.", matches),
			at:     running(reading),
			answer: resultOf(`{"content":[{"type":"text","text":"1180 degrees"}],"structuredContent":{"kiln":"east","celsius":"1180 degrees","state":"firing"}}`),
		},
		{
			Fault:  named("words-for-output", "Answers in words where an output schema wants a value.", matches),
			at:     running(reading),
			answer: resultOf(`{"content":[{"type":"text","text":"It is firing at 1180 degrees."}]}`),
		},
		{
			Fault:  named("flagged-against-output", "Flags a failure in a result that its output schema refuses.", "output.failure-keeps-its-reason"),
			at:     running(reading),
			answer: resultOf(`{"content":[{"type":"text","text":"the probe is broken"}],"structuredContent":{"error":"the probe is broken"},"isError":true}`),
		},
	}
}

// replaced answers rightly but for one piece of text.
func replaced(before, after string) func(*exchange) []byte {
	return func(x *exchange) []byte {
		return bytes.ReplaceAll(x.answer, []byte(before), []byte(after))
	}
}
