package judge_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

// inPieces writes the body of the last request in two pieces before it, as a
// recorder does with one that is too large for a line.
func (t *tape) inPieces() *tape {
	last := t.events[len(t.events)-1]
	r := *last.Data.(*spec.RequestEvent)
	body, _ := r.Body.Bytes()
	r.Body, r.Pieces, r.Bytes = spec.Body{}, 2, int64(len(body))
	t.events = t.events[:len(t.events)-1]
	half := len(body) / 2
	t.add(last.Session, &spec.PieceEvent{D: r.D, Of: "request", Body: spec.BodyOf(body[:half])})
	t.add(last.Session, &spec.PieceEvent{D: r.D, Of: "request", Offset: int64(half), Body: spec.BodyOf(body[half:])})
	return t.add(last.Session, &r)
}

var _ = Describe("A request in pieces", func() {
	It("is judged as one in a line is", func() {
		t := newTape()
		d := t.ask("s1", onExecute, "")
		v := t.inPieces().reply("s1", d, `{"actions":[{"type":"tool.result","result":null},{"type":"tool.result","result":null}]}`).verdict()
		Expect(broken(v)).To(ContainElement("execute.settles-once"))
	})

	It("of which one is missing is not judged", func() {
		t := newTape()
		d := t.ask("s1", onExecute, "")
		t.inPieces()
		t.events = append(t.events[:1], t.events[2:]...)
		v := t.reply("s1", d, `{"actions":5}`).verdict()
		Expect(broken(v)).To(BeEmpty())
	})
})
