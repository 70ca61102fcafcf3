package engine

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("wire 7: bytes and URLs in messages", func() {
	const image = `{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}`
	const stored = `{"type":"blob","uri":"blob://simulated/blob-1?mime=image%2Fpng&size=3"}`
	said := func(content string) Input {
		in := user("")
		in.Input.Message.Content = jsontext.Value(content)
		return in
	}

	It("stores what a client sends before the worker sees it, once for all deliveries", func() {
		b := newBench(testConfig())
		b.step(said(`[` + image + `,{"type":"image_url","image_url":{"url":"https://example.test/a.png"}}]`))
		b.answer(harbourConfig)
		want := `[` + stored + `,{"type":"link","uri":"https://example.test/a.png"}]`
		trigger := b.last().Request.Trigger.(spec.ClientMessagesTrigger)
		Expect(string(trigger.Messages[0].Content)).To(Equal(want))
		b.fail(httpStatus(503))
		b.step(Tick{To: b.Now() + 2*time.Second})
		Expect(string(b.last().Request.Trigger.(spec.ClientMessagesTrigger).Messages[0].Content)).To(Equal(want))
		b.echo()
		Expect(string(b.tree.path[0].Content)).To(Equal(want))
		Expect(string(b.asked[0].Request.Messages[1].Content)).To(Equal(want))
	})

	It("stores what a worker records, and leaves what is recorded alone", func() {
		b := opened(testConfig())
		b.step(says(b.asked[0].Call, "Here it is."))
		d := b.last().Request.Proposed.Decision
		d.Messages[len(d.Messages)-1].Content = jsontext.Value(`[` + image + `]`)
		b.answer(string(marshal(d)))
		path := b.tree.path
		Expect(string(path[len(path)-1].Content)).To(Equal(`[` + stored + `]`))
		Expect(b.missing).To(BeEmpty())
	})

	It("stores what a client's view answers to a call", func() {
		b := asking(testConfig(), [2]string{"k", "ask_pilot"})
		m := answerOf("k", "")
		m.Content = jsontext.Value(`[` + image + `]`)
		b.step(b.sees(m))
		t := b.last().Request.Trigger.(spec.ToolFinishedTrigger)
		Expect(t.Result.Content).To(HaveLen(1))
		Expect(t.Result.Content[0].Type).To(Equal(spec.BlockBlob))
		Expect(b.missing).To(BeEmpty())
	})
})
