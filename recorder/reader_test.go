package recorder_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("Reader", func() {
	It("gives every event and then io.EOF, for good", func() {
		in := recorder.NewReader(iotest.OneByteReader(bytes.NewReader(example())))
		for n := int64(1); n <= 42; n++ {
			e, err := in.Next()
			Expect(err).NotTo(HaveOccurred())
			Expect(e.N).To(Equal(n))
		}
		for range 2 {
			_, err := in.Next()
			Expect(err).To(Equal(io.EOF))
		}
	})

	It("keeps the first error", func() {
		in := recorder.NewReader(bytes.NewReader(example()[:2000]))
		_, err := in.Next()
		Expect(err).NotTo(HaveOccurred())
		for err == nil {
			_, err = in.Next()
		}
		_, again := in.Next()
		Expect(again).To(BeIdenticalTo(err))
	})

	It("tells an error of reading from a cut", func() {
		broken := errors.New("bad sector")
		events, err := func() (out []spec.Event, err error) {
			in := recorder.NewReader(io.MultiReader(bytes.NewReader(example()[:2000]), iotest.ErrReader(broken)))
			for e, err := range in.All() {
				if err != nil {
					return out, err
				}
				out = append(out, e)
			}
			return out, nil
		}()
		Expect(events).To(HaveLen(4))
		Expect(err).To(MatchError(broken))
		Expect(err).To(MatchError(ContainSubstring("read recording: line 5")))

		rep, err := recorder.Verify(io.MultiReader(bytes.NewReader(example()[:2000]), iotest.ErrReader(broken)), "x.jsonl")
		Expect(err).To(MatchError(broken))
		Expect(err).To(MatchError(ContainSubstring("x.jsonl: line 5")))
		Expect(rep.Lines).To(Equal(int64(4)))

		_, err = recorder.Recover(io.MultiReader(bytes.NewReader(example()[:2000]), iotest.ErrReader(broken)), io.Discard)
		Expect(err).To(MatchError(broken))
	})

	It("may be left in the middle and taken up again", func() {
		in := recorder.NewReader(bytes.NewReader(example()))
		n := 0
		for range in.All() {
			if n++; n == 10 {
				break
			}
		}
		e, err := in.Next()
		Expect(err).NotTo(HaveOccurred())
		Expect(e.N).To(Equal(int64(11)))
	})
})

var _ = Describe("A cut file", func() {
	It("is never taken for a whole one, at any byte", func() {
		file, start, crc := example(), 0, "00000000"
		for i, l := range lines(file) {
			for at := start; at < min(start+len(l)+1, len(file)); at++ {
				in := recorder.ResumeReader(bytes.NewReader(file[start:at]), crc, int64(i))
				_, err := in.Next()
				if at > start && file[at-1] == '\n' {
					if err != nil {
						Fail(fmt.Sprintf("line %d is whole, but %v", i+1, err))
					}
					_, err = in.Next()
				}
				want := &recorder.CutError{Line: int64(bytes.Count(file[:at], []byte("\n")))}
				want.Partial = int64(at) - linesLen(file[:at])
				if got, ok := errors.AsType[*recorder.CutError](err); !ok || *got != *want {
					Fail(fmt.Sprintf("cut at byte %d: %v", at, err))
				}
			}
			start += len(l)
			crc = string(l[bytes.LastIndex(l, []byte(`,"crc":"`))+8:][:8])
		}
		Expect(start).To(Equal(len(file) - 1))
	})

	It("reads, verifies and recovers up to the cut", func() {
		file := example()
		want, err := read(file)
		Expect(err).NotTo(HaveOccurred())
		for at := range file {
			if at%197 != 0 && file[max(at-1, 0)] != '\n' && file[at] != '\n' {
				continue
			}
			part := file[:at]
			good := int64(bytes.Count(part, []byte("\n")))
			events, err := read(part)
			cut, ok := errors.AsType[*recorder.CutError](err)
			Expect(ok).To(BeTrue(), "at %d: %v", at, err)
			Expect(cut.Line).To(Equal(good))
			Expect(events).To(Equal(append([]spec.Event(nil), want[:good]...)))
			rep := verify(part)
			Expect(rep.State).To(Equal(recorder.StateCut), "at %d", at)
			Expect(rep.Good).To(Equal(good))
			Expect(rep.Faults).To(ConsistOf(SatisfyAll(HaveField("Kind", recorder.FaultCut), HaveField("Line", good+1))))

			var out bytes.Buffer
			done, err := recorder.Recover(bytes.NewReader(part), &out)
			if good == 0 {
				Expect(err).To(MatchError(ContainSubstring("recover recording: recording is cut before its first line ends")))
				continue
			}
			Expect(err).NotTo(HaveOccurred())
			Expect(done.Lines).To(Equal(good))
			Expect(done.Cause).To(BeAssignableToTypeOf(cut))
			rep = verify(out.Bytes())
			Expect(rep.Faults).To(BeEmpty(), "at %d", at)
			Expect(rep.Close.Why).To(HavePrefix("recovered: cut after line "))
			lost := int64(0)
			if file[at-1] != '\n' {
				lost = 1 // the unfinished line, in a gap of its own
			}
			Expect(rep.Lost).To(Equal(lost))
			Expect(rep.Lines).To(Equal(good + 1 + lost))
		}
	})

	It("says what to do", func() {
		_, err := read(example()[:5000])
		cut, ok := errors.AsType[*recorder.CutError](err)
		Expect(ok).To(BeTrue())
		Expect(cut.Error()).To(Equal("recording is cut after line 9: it has no closing line"))
		Expect(cut.Hint()).To(Equal("the first 9 lines are good: recover them, or record again"))
		Expect(cut.Partial).To(BeNumerically(">", 0))
	})
})

var _ = Describe("Recover", func() {
	It("copies a whole file as it is", func() {
		var out bytes.Buffer
		done, err := recorder.Recover(bytes.NewReader(example()), &out)
		Expect(err).NotTo(HaveOccurred())
		Expect(done).To(Equal(recorder.Recovered{Whole: true, Lines: 41}))
		Expect(out.Bytes()).To(Equal(example()))
	})

	It("keeps what stands before a damaged line, and says how much it drops", func() {
		all := lines(example())
		all[29] = bytes.Clone(all[29])
		all[29][100] ^= 1
		var out bytes.Buffer
		done, err := recorder.Recover(bytes.NewReader(join(all)), &out)
		Expect(err).NotTo(HaveOccurred())
		Expect(done.Lines).To(Equal(int64(29)))
		rep := verify(out.Bytes())
		Expect(rep.Faults).To(BeEmpty())
		Expect(rep.Close.Why).To(Equal("recovered: damaged at line 30"))
		Expect(rep.Close.Lost).To(Equal(int64(13)))
		Expect(lines(out.Bytes())[:29]).To(Equal(lines(example())[:29]), "the kept lines are the same bytes")
	})

	It("gives the error of writing", func() {
		_, err := recorder.Recover(bytes.NewReader(example()), &brittle{left: 3})
		Expect(err).To(MatchError(errFull))
		Expect(err).To(MatchError(ContainSubstring("write line 4")))
		_, err = recorder.Recover(bytes.NewReader(example()[:2000]), &brittle{left: 5})
		Expect(err).To(MatchError(ContainSubstring("write line 6")))
	})
})

var _ = Describe("SameRun", func() {
	same := func(a, b []byte) bool {
		GinkgoHelper()
		ok, err := recorder.SameRun(bytes.NewReader(a), bytes.NewReader(b))
		Expect(err).NotTo(HaveOccurred())
		return ok
	}

	It("looks at what was sent, and at nothing else", func() {
		Expect(same(example(), example())).To(BeTrue())
		Expect(same(example(), rewrite(func(e []spec.Event) []spec.Event {
			e[9].Data.(*spec.RequestEvent).Conn = "new"
			e[6].Data.(*spec.ResponseEvent).Body = spec.BodyOf([]byte("other"))
			e[20].W++
			return e
		}))).To(BeTrue())
		Expect(same(example(), rewrite(func(e []spec.Event) []spec.Event {
			e[9].Data.(*spec.RequestEvent).Body = spec.BodyOf([]byte("other"))
			return e
		}))).To(BeFalse())
	})

	It("does not mind how sessions interleave, and minds which said what", func() {
		run := func(order ...string) []byte {
			events := []spec.Event{header()}
			for _, s := range order {
				e := request("d1", []byte("from "+s))
				e.Session = s
				events = append(events, e)
			}
			return record(append(events, spec.Event{Data: &spec.CloseEvent{Why: "x"}}))
		}
		Expect(same(run("s1", "s2", "s10"), run("s10", "s1", "s2"))).To(BeTrue())
		Expect(same(run("s1", "s2"), run("s1", "s3"))).To(BeFalse())
		Expect(same(run("s1", "s2"), run("s1"))).To(BeFalse())
	})

	It("does not compare a beginning, nor take a closing line's word", func() {
		_, err := recorder.SameRun(bytes.NewReader(example()), bytes.NewReader(example()[:9000]))
		Expect(err).To(MatchError(ContainSubstring("second recording: recording is cut after line")))
		lie := reseal(example(), 42, func(e spec.Event) { e.Data.(*spec.CloseEvent).Asked = "0" })
		_, err = recorder.SameRun(bytes.NewReader(lie), bytes.NewReader(example()))
		Expect(err).To(MatchError(ContainSubstring("first recording: recording line 42: asked is 0; the lines before give ad29")))
	})
})

func FuzzReader(f *testing.F) {
	file := example()
	f.Add(file)
	f.Add(file[:3000])
	f.Add([]byte("{}\n"))
	all := lines(file)
	all[3], all[4] = all[4], all[3]
	f.Add(join(all))
	f.Fuzz(func(t *testing.T, in []byte) {
		agree(t, in)
		agree(t, chained(lines(in))) // past the checksums
	})
}

// underWay reports whether a recording is a capture that has no end yet.
func underWay(events []spec.Event, err error) bool {
	_, cut := errors.AsType[*recorder.CutError](err)
	if !cut || len(events) == 0 {
		return false
	}
	h, ok := events[0].Data.(*spec.HeaderEvent)
	return ok && h.Source != spec.SourceTest
}

// agree checks that Reader, Verify, Recover, Show and the
// others are of one mind.
func agree(t *testing.T, in []byte) {
	events, err := read(in)
	rep, verr := recorder.Verify(bytes.NewReader(in), "f")
	if verr != nil {
		t.Fatal(verr)
	}
	if rep.State == recorder.StateWhole && err != nil {
		t.Fatalf("whole, but reads with %v", err)
	}
	if err == nil && (rep.Lines != int64(len(events)) || rep.Close == nil) {
		t.Fatalf("reads %d events; Verify sees %d lines", len(events), rep.Lines)
	}
	if cut, ok := errors.AsType[*recorder.CutError](err); ok && cut.Line != int64(len(events)) {
		t.Fatalf("cut after line %d, with %d events", cut.Line, len(events))
	}
	var out bytes.Buffer
	if done, err := recorder.Recover(bytes.NewReader(in), &out); err == nil && !done.Whole {
		if _, err := read(out.Bytes()); err != nil {
			t.Fatalf("recovered, but reads with %v", err)
		}
	}
	var found error
	for _, ferr := range recorder.Find(recorder.NewReader(bytes.NewReader(in)).All(), recorder.Query{Failed: true}) {
		found = ferr
	}
	if (found == nil) != (err == nil) {
		t.Fatalf("finds with %v, reads with %v", found, err)
	}
	if c, derr := recorder.Diff(recorder.NewReader(bytes.NewReader(in)).All(), recorder.NewReader(bytes.NewReader(in)).All(), recorder.DiffOptions{}); err == nil && (derr != nil || c.First != nil) {
		t.Fatalf("differs from itself: %v, %+v", derr, c.First)
	}
	policy, perr := recorder.NewPolicy(recorder.PolicyConfig{Key: []byte("k")})
	if perr != nil {
		t.Fatal(perr)
	}
	var clean bytes.Buffer
	if _, rerr := policy.Rewrite(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(in)), nil }, &clean); rerr == nil {
		if _, err := read(clean.Bytes()); err != nil {
			t.Fatalf("rewritten, but reads with %v", err)
		}
	}
	if shown := recorder.Show(io.Discard, recorder.NewReader(bytes.NewReader(in)).All(), recorder.ShowOptions{}); (shown == nil) != (err == nil) && !underWay(events, err) {
		t.Fatalf("shows with %v, reads with %v", shown, err)
	}
}

// TestChangedAtRandom holds them to it for files with a few bytes changed, the
// same each time.
func TestChangedAtRandom(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 120 {
		in := bytes.Clone(example())
		for range 1 + r.IntN(5) {
			in[r.IntN(len(in))] = byte(r.IntN(256))
		}
		agree(t, in)
		agree(t, chained(lines(in))) // past the checksums
	}
}

var _ = Describe("a Reader that skips", func() {
	It("leaves lines out unread, and still minds each of them", func() {
		text := example()
		skip := func(kind spec.EventKind, _ []byte) bool { return kind == spec.KindResponse || kind == spec.KindHeader }
		kinds := func(text []byte) (seen []spec.EventKind, err error) {
			in := recorder.NewReader(bytes.NewReader(text))
			in.Skip(skip)
			for e, err := range in.All() {
				if err != nil {
					return seen, err
				}
				seen = append(seen, e.Data.EventKind())
			}
			return seen, nil
		}
		seen, err := kinds(text)
		Expect(err).NotTo(HaveOccurred())
		Expect(seen).To(ContainElements(spec.KindHeader, spec.KindRequest, spec.KindClose))
		Expect(seen).NotTo(ContainElement(spec.KindResponse))

		at := bytes.Index(text, []byte(`"k":"response"`))
		damaged := bytes.Clone(text)
		damaged[at+30] ^= 1
		_, err = kinds(damaged)
		var harmed *recorder.DamageError
		Expect(errors.As(err, &harmed)).To(BeTrue())
		Expect(harmed.Line).To(Equal(int64(1 + bytes.Count(text[:at], []byte("\n")))))
	})
})
