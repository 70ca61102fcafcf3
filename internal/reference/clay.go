package reference

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// orderTool is the tool that asks a person before some of its calls run.
const orderTool = "order_clay"

// pallet is the weight of an order that somebody has to agree to.
const pallet = 500

// orderClay orders at once what can be carried. A whole pallet needs a person
// who takes it in, so the call waits for one (M5): see [asksFirst].
func orderClay() tool {
	return tool{
		AgentTool: spec.AgentTool{
			Name:        orderTool,
			Description: "Orders clay from the supplier. Use it only when a member has named both the clay and the weight. An order of one whole pallet, 500 kilos, waits for the head of the studio to agree.",
			Input: jsontext.Value(`{"type":"object","properties":{` +
				`"clay":{"type":"string","enum":["stoneware","porcelain"],"description":"Which clay to order."},` +
				`"kilos":{"type":"integer","minimum":1,"maximum":1000,"description":"The weight of the order in kilograms."}},"required":["clay","kilos"]}`),
		},
		run: func(c *call) spec.Action {
			clay, kilos, why := c.order()
			if why != "" {
				return refusal(why)
			}
			return result(nil, textBlock(strconv.FormatUint(kilos, 10)+" kilos of "+clay+" are ordered."))
		},
	}
}

// order reads the arguments of an order, or says what is wrong with them.
func (c *call) order() (clay string, kilos uint64, why string) {
	clay, ok := c.text("clay")
	if !ok || clay != "stoneware" && clay != "porcelain" {
		return "", 0, orderTool + `: clay must be "stoneware" or "porcelain"`
	}
	v, _ := jsonv.Get(c.input, "/kilos")
	// A schema takes 500.0 for a whole number.
	n, err := strconv.ParseFloat(string(v), 64)
	if err != nil || n < 1 || n > 1000 || n != float64(uint64(n)) {
		return "", 0, orderTool + ": kilos must be a whole number from 1 to 1000"
	}
	return clay, uint64(n), ""
}

// asking is how the ids of the studio's interrupts begin; the call's id follows.
const asking = "order:"

// questionPayload is what the studio's interrupts carry (wire 11).
type questionPayload struct {
	Message    string `json:"message"`
	ToolCallID string `json:"toolCallId"`
}

// asksFirst returns the interrupt with which a call is answered that a person
// has to agree to. It is worked out from the call alone, so each delivery of the
// decision raises the same one (D5).
func (w *worker) asksFirst(a *asked) (jsontext.Value, bool) {
	if a.text("name") != orderTool || a.status() != spec.InputValid {
		return nil, false
	}
	input, _ := jsonv.Get(a.trigger, "/input/value")
	clay, kilos, why := (&call{input: input}).order()
	if why != "" || kilos != pallet {
		return nil, false
	}
	id, question := asking+a.text("id"), "Shall the studio order a whole pallet of "+clay+"?"
	return encode(spec.InterruptAction{
		InterruptID: &id, Reason: question,
		Payload: encode(questionPayload{question, a.text("id")}),
	}), true
}

// resumed settles the call that waited for a person, by its id (M5). What was
// asked is in the request, so the worker remembers nothing of it (O7). Anything
// but a plain yes is a no. Other interrupts, and calls that have ended meanwhile,
// are the engine's to go on from.
func (w *worker) resumed(a *asked) ([]byte, bool) {
	id, ours := strings.CutPrefix(a.text("interrupt_id"), asking)
	if !ours {
		return nil, false
	}
	for _, c := range a.list("/calls") {
		name, _ := textAt(c, "/name")
		if call, _ := textAt(c, "/id"); call != id || name != orderTool {
			continue
		}
		arguments, _ := textAt(c, "/arguments")
		yes, _ := jsonv.Get(a.trigger, "/payload/approved")
		action := w.answers.once(fingerprint(a.session, a.decision, id), func() []byte {
			return with(encode(w.answerOrder(a, id, arguments, jsonv.Kind(yes) == 't')), "id", jsonv.Quote(id))
		})
		return answering(a, action), true
	}
	return nil, false
}

// answerOrder runs an order that was agreed to, or says that it was not.
func (w *worker) answerOrder(a *asked, id, arguments string, agreed bool) spec.Action {
	if !agreed {
		return refusal(orderTool + ": the head of the studio said no; order less than a whole pallet, or ask the member what to do")
	}
	if w.options.Ran != nil {
		w.options.Ran(Run{Session: a.session, Call: id, Tool: orderTool, Arguments: arguments})
	}
	return orderClay().run(&call{input: jsontext.Value(arguments)})
}
