package reference

import (
	"net/http"
	"strings"
)

// bodyDefects break the body before it is a decision: no body, no JSON, no
// object (wire 3, gap 31).
func bodyDefects() []defect {
	const (
		hasBody = "response.has-a-body"
		isJSON  = "response.is-json"
		object  = "response.is-an-object"
	)
	return []defect{
		{
			Fault:  named("empty-body", "Answers with status 200 and no body.", hasBody),
			at:     running(quietTool),
			answer: says(""),
		},
		{
			Fault: named("answers-204", "Answers with status 204, which has no body.", hasBody),
			at:    closing,
			deliver: func(_ *exchange, rw http.ResponseWriter, _ *http.Request) {
				rw.WriteHeader(http.StatusNoContent)
			},
		},
		{
			Fault:   named("answers-html", "Answers with a page of HTML.", isJSON),
			at:      running(quietTool),
			deliver: status(http.StatusOK, "text/html", "<!doctype html><title>Studio</title><p>It works.</p>"),
		},
		{
			Fault:  named("bom", "Puts a byte-order mark before the decision.", isJSON),
			at:     running(quietTool),
			answer: func(x *exchange) []byte { return append([]byte("\xef\xbb\xbf"), x.answer...) },
		},
		{
			Fault:  named("two-json-values", "Sends the decision twice in one body.", isJSON),
			at:     running(quietTool),
			answer: func(x *exchange) []byte { return append(append([]byte(nil), x.answer...), x.answer...) },
		},
		{
			Fault:  named("logs-into-the-body", "Prints a line of its log before the decision.", isJSON),
			at:     running(quietTool),
			answer: func(x *exchange) []byte { return append([]byte("listening on 3000\n"), x.answer...) },
		},
		{
			Fault:  named("prints-an-object", "Prints the name of an object where its JSON should be.", isJSON),
			at:     running(quietTool),
			answer: says(`{"actions":[{"type":"tool.result","result":[object Object]}]}`),
		},
		{
			Fault:  named("latin-1", "Writes text in another encoding than UTF-8.", isJSON),
			at:     running(quietTool),
			answer: says("{\"actions\":[{\"type\":\"tool.error\",\"error\":\"four \xe0 gaz occup\xe9\"}]}"),
		},
		{
			Fault:  named("nests-too-deep", "Nests a value 200 levels deep.", isJSON),
			at:     running(quietTool),
			answer: says(`{"actions":[{"type":"tool.result","result":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}]}`),
		},
		{
			Fault:  named("array-body", "Answers with an empty list.", object),
			at:     closing,
			answer: says(`[]`),
		},
		{
			Fault:  named("text-body", "Answers with a JSON text.", object),
			at:     closing,
			answer: says(`"ok"`),
		},
	}
}

// says answers with a fixed body.
func says(body string) func(*exchange) []byte {
	return func(*exchange) []byte { return []byte(body) }
}
