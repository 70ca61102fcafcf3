package reference_test

import (
	"bytes"
	"encoding/base64"
	"image/png"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

// blocksOf reads a result as an engine does.
func blocksOf(a spec.ToolResultAction) spec.ToolResult {
	GinkgoHelper()
	r, why, ok := toolcall.AsToolResult(a.Result)
	Expect(ok).To(BeTrue(), why)
	return r
}

var _ = Describe("the tools of the studio", func() {
	var url string
	BeforeEach(func() { url = serving(reference.Options{}) })

	DescribeTable("answer in words", func(tool, arguments, want string) {
		r := blocksOf(resulted(post(url, call(tool, arguments))))
		Expect(r.IsError).To(BeFalse())
		Expect(r.Content[0].Type).To(Equal(spec.BlockText))
		Expect(*r.Content[0].Text).To(Equal(want))
	},
		Entry("find_glaze", "find_glaze", `{"glaze":"oribe"}`, "oribe: a bright copper green. Fire it at cone 6."),
		Entry("find_glaze, keys that differ by case", "find_glaze", `{"glaze":"oribe","Glaze":"shino"}`, "oribe: a bright copper green. Fire it at cone 6."),
		Entry("book_kiln", "book_kiln", `{"kiln":"west","day":"2026-09-14"}`, "The west kiln is booked for 2026-09-14."),
		Entry("book_kiln, never busy", "book_kiln", `{"kiln":"west","day":"2026-09-14","busy_for":0.0}`, "The west kiln is booked for 2026-09-14."),
		Entry("list_kilns", "list_kilns", `{}`, "east: firing\nwest: cold\nraku: cold"),
		Entry("list_kilns, the cold ones", "list_kilns", `{"only_cold":true}`, "west: cold\nraku: cold"),
		Entry("list_kilns, a text is not true", "list_kilns", `{"only_cold":"false"}`, "east: firing\nwest: cold\nraku: cold"),
		Entry("studio_notice", "studio_notice", `{"anything":[1]}`, "Open Tuesday to Saturday from ten to six. Closed while the east kiln is unloaded."),
	)

	It("cut what is too long for a conversation, and say how to get the rest", func() {
		r := blocksOf(resulted(post(url, call("studio_notice", `{"page":2}`))))
		Expect(len(*r.Content[0].Text)).To(And(BeNumerically(">", 60<<10), BeNumerically("<", 70<<10)))
		Expect(*r.Content[0].Text).To(MatchRegexp(`\n\(\d+ of \d+ characters; the whole text is at https://studio\.example/rules\)$`))
	})

	It("flag a result that tells of a failure", func() {
		r := blocksOf(resulted(post(url, call("studio_notice", `{"page":7}`))))
		Expect(r.IsError).To(BeTrue())
		Expect(*r.Content[0].Text).To(Equal(`studio_notice: there is no such page; send {"page": 1} or {"page": 2}`))
	})

	DescribeTable("say what to send instead", func(tool, arguments, want string) {
		e := failedWith(post(url, call(tool, arguments)))
		Expect(e.Error).To(Equal(want))
		Expect(e.Retryable).To(BeNil())
	},
		Entry("a glaze with a slip", "find_glaze", `{"glaze":"seladon"}`, `find_glaze: glaze "seladon" is not on the shelf; did you mean celadon?`),
		Entry("a glaze like no other", "glaze_swatch", `{"glaze":"x"}`, `glaze_swatch: glaze "x" is not on the shelf; send one of celadon, tenmoku, shino, oribe`),
		Entry("no glaze", "find_glaze", `{}`, `find_glaze: glaze is missing or no text: send {"glaze": "celadon"}`),
		Entry("a glaze that is a number", "find_glaze", `{"glaze":1}`, `find_glaze: glaze is missing or no text: send {"glaze": "celadon"}`),
		Entry("no kiln", "kiln_temperature", `{}`, `kiln_temperature: kiln is missing or no text: send "east", "west" or "raku"`),
		Entry("a kiln that is not there", "kiln_temperature", `{"kiln":"north"}`, `kiln_temperature: there is no kiln "north": send "east", "west" or "raku"`),
		Entry("a kiln without a probe", "kiln_temperature", `{"kiln":"raku"}`, "kiln_temperature: the raku kiln has no probe, so its temperature cannot be read; another try does not help"),
		Entry("no kiln to book", "book_kiln", `{"day":"2026-09-14"}`, `book_kiln: kiln is missing or no text: send "east", "west" or "raku"`),
		Entry("a day that is none", "book_kiln", `{"kiln":"east","day":"2026-02-30"}`, `book_kiln: day "2026-02-30" is no day of the calendar: send YEAR-MONTH-DAY, such as "2026-09-14"`),
		Entry("busy for ever", "book_kiln", `{"kiln":"east","day":"2026-09-14","busy_for":1e1000000000}`, "book_kiln: busy_for must be a whole number from 0 to 9; leave it out"),
		Entry("busy in words", "book_kiln", `{"kiln":"east","day":"2026-09-14","busy_for":"2"}`, "book_kiln: busy_for must be a whole number from 0 to 9; leave it out"),
	)

	It("reads a temperature as its schema says, in words and as a value", func() {
		d := decided(post(url, raw(`{"type":"session.start"}`, `{}`)))
		tool, ok := d.Agent.Tool("kiln_temperature")
		Expect(ok).To(BeTrue())
		action := resulted(post(url, call("kiln_temperature", `{"kiln":"east"}`)))
		r := blocksOf(action)
		Expect(string(r.StructuredContent)).To(Equal(`{"celsius":1180,"kiln":"east","state":"firing"}`))
		Expect(*r.Content[0].Text).To(Equal(string(r.StructuredContent)))
		stored := toolcall.ReadResult(action, keeping{})
		message, fits := toolcall.CheckOutput(stored, tool.Output)
		Expect(fits).To(BeTrue(), message)
	})

	It("shows a swatch as an image beside words", func() {
		r := blocksOf(resulted(post(url, call("glaze_swatch", `{"glaze":"tenmoku"}`))))
		Expect(r.Content).To(HaveLen(2))
		Expect(*r.Content[0].Text).To(ContainSubstring("tenmoku"))
		Expect(r.Content[1].Type).To(Equal(spec.BlockImage))
		Expect(*r.Content[1].MimeType).To(Equal("image/png"))
		data, err := base64.StdEncoding.Strict().DecodeString(*r.Content[1].Data)
		Expect(err).NotTo(HaveOccurred())
		img, err := png.Decode(bytes.NewReader(data))
		Expect(err).NotTo(HaveOccurred())
		red, green, blue, _ := img.At(0, 0).RGBA()
		Expect([]uint32{red >> 8, green >> 8, blue >> 8}).To(Equal([]uint32{0x3b, 0x1f, 0x14}))
	})

	It("links the notice", func() {
		r := blocksOf(resulted(post(url, call("studio_notice", `{}`))))
		Expect(r.Content).To(HaveLen(2))
		Expect(r.Content[1].Type).To(Equal(spec.BlockResourceLink))
		Expect(*r.Content[1].URI).To(Equal("https://studio.example/notice"))
	})

	DescribeTable("find the desk busy for two tries, whatever attempts are counted from", func(first int) {
		t := &talk{session: "s1"}
		arguments := `{"kiln":"east","day":"2026-09-14","busy_for":2}`
		for try := range 4 {
			r := t.executing(toolCall{"c1", "book_kiln", arguments}, valid(arguments), false)
			trigger := r.Trigger.(spec.ToolExecuteTrigger)
			trigger.Attempt = uint32(first + try)
			r.Trigger = trigger
			p := post(url, encoded(r))
			if try < 2 {
				e := failedWith(p)
				Expect(*e.Retryable).To(BeTrue())
				Expect(e.Code).To(Equal(spec.CodeRateLimited))
				Expect(*e.Attempt).To(Equal(uint32(first + try)))
				continue
			}
			Expect(*blocksOf(resulted(p)).Content[0].Text).To(ContainSubstring("booked"))
		}
	},
		Entry("from 0", 0),
		Entry("from 1", 1),
	)

	It("counts the tries of each call by itself", func() {
		arguments := `{"kiln":"east","day":"2026-09-14","busy_for":1}`
		for _, session := range []string{"s1", "s2"} {
			for _, id := range []string{"c1", "c2"} {
				t := &talk{session: session}
				r := t.executing(toolCall{id, "book_kiln", arguments}, valid(arguments), false)
				Expect(failedWith(post(url, encoded(r))).Code).To(Equal(spec.CodeRateLimited))
			}
		}
	})
})

// keeping is a store that takes everything.
type keeping struct{}

func (keeping) Put(string, *string, []byte) (string, error) { return "blob://kept", nil }
