package recorder_test

import (
	"bytes"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// rewrite reads the example, lets change change its events, and writes it with
// checksums and sums that fit, as a tool that means well would.
func rewrite(change func([]spec.Event) []spec.Event) []byte {
	GinkgoHelper()
	events, err := read(example())
	Expect(err).NotTo(HaveOccurred())
	return record(change(events))
}

var _ = Describe("Verify", func() {
	It("finds nothing wrong with the published example, digests included", func() {
		rep := verify(example())
		Expect(rep.Faults).To(BeEmpty())
		Expect(rep.State).To(Equal(recorder.StateWhole))
		Expect(rep.Lines).To(Equal(int64(42)))
		Expect(rep.Good).To(Equal(int64(42)))
		Expect(rep.Exchanges).To(Equal(int64(8)))
		Expect(rep.Pieces).To(Equal(int64(3)))
		Expect(rep.Asked).To(Equal("ad29ddcde632f3bdfe6bad30d9b32702"))
		Expect(rep.Answered).To(Equal("ea0a4dd8a80aebbbc58de9d40e810651"))
		Expect(rep.Header.ID).To(Equal("rooms/busy.yaml#default"))
		Expect(rep.String()).To(Equal("x.jsonl: whole: 42 lines, 1 session, 8 exchanges"))
	})

	It("sees a flipped bit in every line, and only there", func() {
		all := lines(example())
		for i := range all {
			for _, at := range []int{3, len(all[i]) / 2, len(all[i]) - 15, len(all[i]) - 5} {
				bad := lines(example())
				bad[i] = bytes.Clone(bad[i])
				bad[i][at] ^= 1
				rep := verify(join(bad))
				Expect(rep.State).To(Equal(recorder.StateDamaged), "line %d byte %d", i+1, at)
				for _, f := range rep.Faults {
					if i == len(all)-1 && f.Kind == recorder.FaultCut {
						continue // the closing line itself may not be known any more
					}
					Expect(f.Line).To(Equal(int64(i+1)), "byte %d: %+v", at, rep.Faults)
					Expect(f.Hint).NotTo(BeEmpty())
				}
				_, err := read(join(bad))
				var damage *recorder.DamageError
				Expect(err).To(BeAssignableToTypeOf(damage))
				Expect(err).To(HaveField("Line", int64(i+1)))
			}
		}
	})

	It("does not take a changed number for missing lines", func() {
		all := lines(example())
		all[11] = bytes.Replace(all[11], []byte(`{"n":12,`), []byte(`{"n":92,`), 1)
		rep := verify(join(all))
		Expect(rep.Faults).To(ConsistOf(SatisfyAll(
			HaveField("Line", int64(12)),
			HaveField("Message", ContainSubstring("checksum cannot be proven")))))
	})

	It("checks a line after one whose crc member is damaged", func() {
		all := lines(example())
		all[9] = bytes.Replace(all[9], []byte(`,"crc":"`), []byte(`,"Crc":"`), 1)
		all[10] = bytes.Replace(all[10], []byte(`"status":200`), []byte(`"status":201`), 1)
		rep := verify(join(all))
		Expect(rep.Faults).To(HaveLen(2))
		Expect(rep.Faults[0]).To(HaveField("Message", "the line does not end in a checksum"))
		Expect(rep.Faults[1]).To(HaveField("Line", int64(11)))
		Expect(rep.Faults[1].Message).To(HavePrefix("the checksum does not fit"))
	})

	It("sees a lost line feed", func() {
		all := lines(example())
		all[9] = bytes.TrimSuffix(all[9], []byte("\n"))
		rep := verify(append(bytes.Join(all, nil), '\n'))
		Expect(rep.State).To(Equal(recorder.StateDamaged))
		Expect(rep.Faults[0].Line).To(Equal(int64(10)))
	})

	It("sees two swapped lines and says which", func() {
		for i := range 41 {
			all := lines(example())
			all[i], all[i+1] = all[i+1], all[i]
			rep := verify(join(all))
			Expect(rep.State).To(Equal(recorder.StateDamaged))
			Expect(rep.Faults[0].Line).To(Equal(int64(i+1)), "swap at %d: %+v", i+1, rep.Faults)
			Expect(rep.Faults[0].Message).To(ContainSubstring(fmt.Sprintf("line %d is missing: this one says %d", i+1, i+2)))
			Expect(rep.Faults[1].Message).To(SatisfyAny(ContainSubstring("out of order"), ContainSubstring("after the closing line")))
		}
	})

	It("sees a doubled line, and no other", func() {
		for i := range 41 {
			all := lines(example())
			all = append(all[:i+1], append([][]byte{all[i]}, all[i+1:]...)...)
			rep := verify(join(all))
			Expect(rep.Faults).To(ConsistOf(SatisfyAll(
				HaveField("Line", int64(i+2)),
				HaveField("Kind", recorder.FaultPlace),
				HaveField("Message", fmt.Sprintf("line %d stands twice", i+1)))))
		}
	})

	It("sees a missing line, and no other", func() {
		for i := 1; i < 41; i++ {
			all := lines(example())
			all = append(all[:i], all[i+1:]...)
			rep := verify(join(all))
			Expect(rep.Faults).To(HaveLen(1), "line %d: %+v", i+1, rep.Faults)
			Expect(rep.Faults[0].Line).To(Equal(int64(i + 1)))
			Expect(rep.Faults[0].Message).To(HavePrefix(fmt.Sprintf("line %d is missing", i+1)))
		}
	})

	It("does not let one damaged line hide those after it", func() {
		all := lines(example())
		for _, i := range []int{4, 20, 30} {
			all[i] = bytes.Clone(all[i])
			all[i][len(all[i])/2] ^= 1
		}
		rep := verify(join(all))
		Expect(rep.Faults).To(HaveLen(3))
		for j, want := range []int64{5, 21, 31} {
			Expect(rep.Faults[j].Line).To(Equal(want))
			Expect(rep.Faults[j].Kind).To(Equal(recorder.FaultChecksum))
		}
		Expect(rep.Good).To(Equal(int64(4)))
		Expect(rep.String()).To(HavePrefix("x.jsonl: damaged: line 5: the checksum does not fit"))
		Expect(rep.String()).To(HaveSuffix("(and 2 more)"))
	})

	DescribeTable("sees a closing line that does not fit, though its checksum does",
		func(member string, change func(*spec.CloseEvent)) {
			file := reseal(example(), 42, func(e spec.Event) { change(e.Data.(*spec.CloseEvent)) })
			rep := verify(file)
			Expect(rep.Faults).To(ConsistOf(SatisfyAll(
				HaveField("Line", int64(42)),
				HaveField("Kind", recorder.FaultSum),
				HaveField("Message", HavePrefix(member+" is ")))))
		},
		Entry("events", "events", func(c *spec.CloseEvent) { c.Events++ }),
		Entry("sessions", "sessions", func(c *spec.CloseEvent) { c.Sessions++ }),
		Entry("exchanges", "exchanges", func(c *spec.CloseEvent) { c.Exchanges-- }),
		Entry("pieces", "pieces", func(c *spec.CloseEvent) { c.Pieces = 0 }),
		Entry("lost", "lost", func(c *spec.CloseEvent) { c.Lost = 1 }),
		Entry("sha256", "sha256", func(c *spec.CloseEvent) { c.SHA256 = strings.Repeat("0", 64) }),
		Entry("asked", "asked", func(c *spec.CloseEvent) { c.Asked = c.Answered }),
		Entry("answered", "answered", func(c *spec.CloseEvent) { c.Answered = "" }),
	)

	DescribeTable("sees an index that differs from the body, which is right",
		func(line int, member string, change func(*spec.RequestEvent)) {
			file := rewrite(func(events []spec.Event) []spec.Event {
				change(events[line-1].Data.(*spec.RequestEvent))
				return events
			})
			rep := verify(file)
			Expect(rep.Faults).To(ConsistOf(SatisfyAll(
				HaveField("Line", int64(line)),
				HaveField("Kind", recorder.FaultIndex),
				HaveField("Message", SatisfyAll(HavePrefix(member+" of request"), ContainSubstring("its body says"))),
				HaveField("Hint", ContainSubstring("the body is right")))))
		},
		Entry("decision", 6, "decision", func(d *spec.RequestEvent) { d.Decision = "other" }),
		Entry("trigger", 10, "trigger", func(d *spec.RequestEvent) { d.Trigger = spec.OnClientAction }),
		Entry("call", 19, "call", func(d *spec.RequestEvent) { d.Call = "call_other" }),
		Entry("try", 23, "try", func(d *spec.RequestEvent) { d.Try = 1 }),
	)

	It("takes a body that is broken on purpose, and members that are absent", func() {
		file := rewrite(func(events []spec.Event) []spec.Event {
			d := events[18].Data.(*spec.RequestEvent)
			d.Body = spec.BodyOf([]byte(`{"decision_id": 7, "trigger": {"type": [], "attempt": -1`))
			e := events[22].Data.(*spec.RequestEvent)
			e.Decision, e.Trigger, e.Call, e.Try = "", "", "", 0
			return events
		})
		Expect(verify(file).Faults).To(BeEmpty())
	})

	DescribeTable("sees pieces that do not make a body",
		func(line int, want string, change func([]spec.Event) []spec.Event) {
			rep := verify(rewrite(change))
			Expect(rep.Faults).NotTo(BeEmpty())
			Expect(rep.Faults[0].Line).To(Equal(int64(line)))
			Expect(rep.Faults[0].Kind).To(Equal(recorder.FaultPiece))
			Expect(rep.Faults[0].Message).To(Equal(want))
		},
		Entry("the first is missing", 24, "the piece of response d5 begins at 11; the pieces before it end at 0",
			func(e []spec.Event) []spec.Event { return append(e[:23], e[24:]...) }),
		Entry("one in the middle is missing", 25, "the piece of response d5 begins at 80; the pieces before it end at 11",
			func(e []spec.Event) []spec.Event { return append(e[:24], e[25:]...) }),
		Entry("the last is missing", 26, "response d5 counts 3 pieces; 2 stand before it",
			func(e []spec.Event) []spec.Event { return append(e[:25], e[26:]...) }),
		Entry("all are missing", 24, "response d5 counts 3 pieces; none stands before it",
			func(e []spec.Event) []spec.Event { return append(e[:23], e[26:]...) }),
		Entry("the size is wrong", 27, "response d5 says 143 bytes; its pieces end at 142",
			func(e []spec.Event) []spec.Event { e[26].Data.(*spec.ResponseEvent).Bytes++; return e }),
		Entry("the line that counts them is missing", 41, "the pieces of response d5 of session s1 have no response line",
			func(e []spec.Event) []spec.Event { return append(e[:26], e[27:]...) }),
		Entry("it is of nothing known", 24, `a piece of "reply"; it must be of request or response`,
			func(e []spec.Event) []spec.Event { e[23].Data.(*spec.PieceEvent).Of = "reply"; return e }),
		Entry("a body in the line is not of its size", 7, "response d1 says 319 bytes; its body has 318",
			func(e []spec.Event) []spec.Event { e[6].Data.(*spec.ResponseEvent).Bytes++; return e }),
	)

	It("sees a response without a request, and a request twice", func() {
		rep := verify(rewrite(func(e []spec.Event) []spec.Event { return append(e[:5], e[6:]...) }))
		Expect(rep.Faults).To(ConsistOf(HaveField("Message", "response d1 has no request before it")))
		rep = verify(rewrite(func(e []spec.Event) []spec.Event { e[9].Data = e[5].Data; return append(e[:6], e[9:]...) }))
		Expect(rep.Faults[0]).To(HaveField("Message", "request d1 stands twice"))
	})

	It("counts kinds that it does not know, and minds none", func() {
		file := rewrite(func(e []spec.Event) []spec.Event {
			x := spec.Event{T: 2009, Data: &spec.UnknownEvent{Kind: "omen", Raw: []byte(`{"seen":[1.0,"\ud800"]}`)}}
			return append(e[:41:41], x, x, e[41])
		})
		rep := verify(file)
		Expect(rep.Faults).To(BeEmpty())
		Expect(rep.Unknown).To(Equal([]recorder.KindCount{{Kind: "omen", Count: 2}}))
		Expect(string(file)).To(ContainSubstring(`{"seen":[1.0,"\ud800"]`[1:]))
	})

	DescribeTable("says what is no recording, or not one for this version",
		func(file, want string) {
			rep := verify([]byte(file))
			Expect(rep.State).To(Equal(recorder.StateDamaged))
			Expect(rep.Faults[0].Message).To(ContainSubstring(want))
			_, err := read([]byte(file))
			Expect(err).To(MatchError(ContainSubstring(want)))
		},
		Entry("text", "hello\n", "not a recording"),
		Entry("text without a line feed", "hello", "not a recording"),
		Entry("another JSON", "{\"a\":1}\n", "not a recording"),
		Entry("a later version", string(reseal(nil, 1, func(e spec.Event) { e.Data.(*spec.HeaderEvent).Version = 2 })), "the version is 2"),
		Entry("no version", string(reseal(nil, 1, func(e spec.Event) { e.Data.(*spec.HeaderEvent).Version = 0 })), "the version is 0"),
		Entry("another format", string(reseal(nil, 1, func(e spec.Event) { e.Data.(*spec.HeaderEvent).Format = "x" })), `the format is "x"`),
	)

	It("sees text after the closing line", func() {
		for _, tail := range []string{"x", "x\n", "\n", string(example())} {
			file := append(bytes.Clone(example()), tail...)
			rep := verify(file)
			Expect(rep.State).To(Equal(recorder.StateDamaged))
			Expect(rep.Faults[0]).To(HaveField("Line", int64(43)))
			Expect(rep.Faults[0].Message).To(Equal("there is text after the closing line"))
			_, err := read(file)
			Expect(err).To(MatchError(ContainSubstring("line 43: there is text after the closing line")))
		}
	})

	It("passes a line over the limit and goes on", func() {
		all := lines(example())
		all[11] = append(bytes.Repeat([]byte("x"), recorder.MaxLine), '\n')
		rep := verify(join(all))
		Expect(rep.Faults).To(HaveLen(1), "%+v", rep.Faults)
		Expect(rep.Faults[0].Line).To(Equal(int64(12)))
		Expect(rep.Faults[0].Message).To(ContainSubstring("over the limit"))
	})

	It("keeps a bounded number of faults", func() {
		all := [][]byte{lines(example())[0]}
		for range 1500 {
			all = append(all, []byte("x"))
		}
		rep := verify(join(all))
		Expect(rep.Faults).To(HaveLen(1000))
		Expect(rep.More).To(Equal(int64(501)))
	})
})
