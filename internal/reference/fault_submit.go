package reference

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// submitDefects break what a worker that answers by the worker-submit endpoint
// sends there (I2, wire 11). It answers the request itself by the empty decision,
// and as it should where the engine refuses the other.
func submitDefects() []defect {
	submits := func(name, text, breaks, actions string) defect {
		return submitting(name, text, breaks, func(x *exchange, rw http.ResponseWriter) {
			if x.submit(actions) {
				x.answer = []byte("{}")
			}
			write(rw, http.StatusOK, "application/json", x.answer)
		})
	}
	const fine = `{"type":"tool.result","id":$id,"result":{"content":[{"type":"text","text":"east, west and raku"}]}}`
	return []defect{
		submits("submits-a-bare-result", "Submits its answer with what the tool returned as it is.", "result.is-explicit",
			`{"type":"tool.result","id":$id,"result":{"kilns":["east","west","raku"]}}`),
		submits("submits-an-unknown-block", "Submits its answer with a block of a kind that does not exist.", "result.blocks-are-valid",
			`{"type":"tool.result","id":$id,"content":[{"type":"video","data":"AAAA","mimeType":"video/mp4"}]}`),
		submits("submits-a-blank-error", "Submits its answer with an error of white space.", "result.error-has-text",
			`{"type":"tool.error","id":$id,"error":" "}`),
		submits("submits-settling-twice", "Submits an answer that settles the call two times.", "execute.settles-once", fine+","+fine),
		submitting("submits-and-answers", "Submits its answer, and answers the request with something else.", "async.settles-once",
			func(x *exchange, rw http.ResponseWriter) {
				x.submit(fine)
				write(rw, http.StatusOK, "application/json", []byte(`{"actions":[{"type":"tool.error","error":"the list is being rewritten"}]}`))
			}),
		submitting("submits-without-an-id", "Submits an answer whose settle names no call, and answers the request when that is refused.", "async.settles-through-endpoint",
			func(x *exchange, rw http.ResponseWriter) {
				x.submit(`{"type":"tool.result","result":{"content":[{"type":"text","text":"east, west and raku"}]}}`)
				write(rw, http.StatusOK, "application/json", x.answer)
			}),
	}
}

func submitting(name, text, breaks string, deliver func(x *exchange, rw http.ResponseWriter)) defect {
	return defect{
		Fault: laterFault(name, text, breaks),
		at: func(x *exchange) bool {
			return running(quietTool)(x) && x.worker.options.Engine.URL != ""
		},
		deliver: func(x *exchange, rw http.ResponseWriter, _ *http.Request) { deliver(x, rw) },
	}
}

// submit sends an answer with these actions, in which $id is the asked call, and
// reports whether the engine took it.
func (x *exchange) submit(actions string) bool {
	id := string(jsonv.Quote(x.asked.text("id")))
	body := with(jsontext.Value("{}"), "session_id", jsonv.Quote(x.asked.session))
	body = with(body, "decision_id", jsonv.Quote(x.asked.decision))
	body = with(body, "actions", jsontext.Value("["+strings.ReplaceAll(actions, "$id", id)+"]"))
	return x.worker.postTo("/api/machine/workers/submit", x.worker.options.Engine.Key, body)/100 == 2
}
