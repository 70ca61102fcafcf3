package recorder_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// brittle is a writer that fails after some calls, with part of a line written.
type brittle struct {
	bytes.Buffer
	left int
}

var errFull = errors.New("no space left")

func (b *brittle) Write(p []byte) (int, error) {
	if b.left == 0 {
		b.Buffer.Write(p[:len(p)/2])
		return len(p) / 2, errFull
	}
	b.left--
	return b.Buffer.Write(p)
}

func (b *brittle) WriteString(s string) (int, error) { return b.Write([]byte(s)) }

func request(d string, body []byte) spec.Event {
	return spec.Event{Session: "s1", Data: &spec.RequestEvent{D: d, Method: "POST", Target: "/", Proto: "HTTP/1.1", Headers: [][2]string{}, Body: spec.BodyOf(body)}}
}

func response(d string, body []byte) spec.Event {
	return spec.Event{Session: "s1", Data: &spec.ResponseEvent{D: d, Status: 200, Body: spec.BodyOf(body), Bytes: int64(len(body)), End: spec.EndWhole}}
}

var _ = Describe("Writer", func() {
	It("writes the published example again, byte for byte", func() {
		events, err := read(example())
		Expect(err).NotTo(HaveOccurred())
		Expect(events).To(HaveLen(42))
		Expect(string(record(events))).To(Equal(string(example())))
	})

	It("puts a large request and a large response into pieces before their lines", func() {
		body := []byte("a" + strings.Repeat("é", recorder.PieceSize))
		var out bytes.Buffer
		w := recorder.NewWriter(&out, noClock)
		req, resp := request("d1", body), response("d1", append(bytes.Clone(body), 0xff))
		for _, e := range []spec.Event{header(), req, resp} {
			Expect(w.Write(e)).To(Succeed())
		}
		Expect(w.Close(spec.CloseScriptDone, 0)).To(Succeed())
		Expect(verify(out.Bytes()).State).To(Equal(recorder.StateWhole))

		events, err := read(out.Bytes())
		Expect(err).NotTo(HaveOccurred())
		Expect(bodyOf(events, "d1", "request")).To(Equal(body))
		Expect(bodyOf(events, "d1", "response")).To(Equal(append(bytes.Clone(body), 0xff)))
		Expect(events[1].Data.(*spec.PieceEvent).Body.Text).NotTo(BeNil(), "text stays text")
		Expect(events[4].Data).To(HaveField("Pieces", 3))
		Expect(events[4].Data).To(HaveField("Bytes", int64(len(body))))
		Expect(req.Data).To(HaveField("Pieces", 0), "the caller's event is left alone")
	})

	It("keeps a body of exactly the piece size in its line", func() {
		events, err := read(record([]spec.Event{header(), request("d1", bytes.Repeat([]byte("x"), recorder.PieceSize))}))
		Expect(err).To(HaveOccurred())
		Expect(events).To(HaveLen(2))
	})

	It("keeps the error of the underlying writer and returns it from then on", func() {
		out := &brittle{left: 2}
		w := recorder.NewWriter(out, noClock)
		Expect(w.Write(header())).To(Succeed())
		Expect(w.Write(request("d1", nil))).To(Succeed())
		err := w.Write(response("d1", nil))
		Expect(err).To(MatchError(errFull))
		Expect(err).To(MatchError(ContainSubstring("line 3")))
		out.left = 9
		Expect(w.Write(response("d1", nil))).To(MatchError(errFull))
		Expect(w.Close("x", 0)).To(MatchError(errFull))
		Expect(w.Err()).To(MatchError(errFull))

		events, err := read(out.Bytes())
		Expect(events).To(HaveLen(2))
		Expect(err).To(Equal(&recorder.CutError{Line: 2, Partial: int64(out.Len()) - linesLen(out.Bytes())}))
	})

	DescribeTable("refuses an event that may not stand there, and stays usable",
		func(e spec.Event, want string) {
			var out bytes.Buffer
			w := recorder.NewWriter(&out, noClock)
			Expect(w.Write(header())).To(Succeed())
			Expect(w.Write(e)).To(MatchError(ContainSubstring(want)))
			Expect(w.Close("x", 0)).To(Succeed())
			Expect(verify(out.Bytes()).Lines).To(Equal(int64(2)))
		},
		Entry("a second header", header(), "a second header"),
		Entry("a closing line", spec.Event{Data: &spec.CloseEvent{}}, "written by Close"),
		Entry("no data", spec.Event{}, "without data"),
		Entry("damaged base64", spec.Event{Data: &spec.PieceEvent{D: "d1", Of: "request", Body: spec.Body{Base64: "%"}}}, "body of a piece"),
		Entry("a body and pieces", spec.Event{Data: &spec.RequestEvent{D: "d1", Pieces: 1, Body: spec.BodyOf([]byte("x"))}}, "both a body and pieces"),
	)

	It("wants the header first", func() {
		w := recorder.NewWriter(&bytes.Buffer{}, noClock)
		Expect(w.Write(request("d1", nil))).To(MatchError(ContainSubstring("the first event is a request")))
		Expect(w.Close("x", 0)).To(MatchError(ContainSubstring("without a header")))
	})

	It("takes nothing after the closing line", func() {
		var out bytes.Buffer
		w := recorder.NewWriter(&out, noClock)
		Expect(w.Write(header())).To(Succeed())
		Expect(w.Close("x", 0)).To(Succeed())
		n := out.Len()
		Expect(w.Write(request("d1", nil))).To(MatchError(recorder.ErrClosed))
		Expect(w.Close("y", 0)).To(Succeed())
		Expect(out.Len()).To(Equal(n))
	})

	It("writes a gap where a line would be too long to read", func() {
		var out bytes.Buffer
		w := recorder.NewWriter(&out, noClock)
		Expect(w.Write(header())).To(Succeed())
		ask := spec.Event{Session: "s1", Data: &spec.AskEvent{Call: "l1", To: "script", Body: spec.BodyOf(make([]byte, recorder.MaxLine/6+1))}}
		err := w.Write(ask)
		long, ok := errors.AsType[*recorder.LineTooLongError](err)
		Expect(ok).To(BeTrue())
		Expect(long.Kind).To(Equal("ask"))
		Expect(w.Close("x", 0)).To(Succeed())
		rep := verify(out.Bytes())
		Expect(rep.State).To(Equal(recorder.StateWhole))
		Expect(rep.Lost).To(Equal(int64(1)))
		Expect(rep.Close.Lost).To(Equal(int64(1)))
	})

	It("makes the digests as the package says", func() {
		var events []spec.Event
		for _, s := range []string{"s10", "s1", "s2"} {
			req, resp := request("d1", []byte("ask "+s)), response("d1", []byte("say "+s))
			req.Session, resp.Session = s, s
			events = append(events, req, resp)
		}
		late := response("d2", nil)
		late.Data = &spec.ResponseEvent{D: "d2", End: spec.EndTimeout}
		events = append(events, request("d2", nil), late)
		rep := verify(record(append(append([]spec.Event{header()}, events...), spec.Event{Data: &spec.CloseEvent{Why: "x"}})))
		sum := func(rows string) string {
			h := sha256.Sum256([]byte(rows))
			return hex.EncodeToString(h[:])
		}
		Expect(rep.Asked).To(Equal(sum("s1 " + sum("s1 d1 ask s1\ns1 d2 \n") + "\ns2 " + sum("s2 d1 ask s2\n") + "\ns10 " + sum("s10 d1 ask s10\n") + "\n")[:32]))
		Expect(rep.Answered).To(Equal(sum("s1 " + sum("s1 d1 200 say s1\ns1 d2 0 \n") + "\ns2 " + sum("s2 d1 200 say s2\n") + "\ns10 " + sum("s10 d1 200 say s10\n") + "\n")[:32]))
	})

	It("may be used by several goroutines", func() {
		var out bytes.Buffer
		w := recorder.NewWriter(&out, noClock)
		Expect(w.Write(header())).To(Succeed())
		var wg sync.WaitGroup
		for _, s := range []string{"s1", "s2", "s3", "s10"} {
			wg.Go(func() {
				for range 20 {
					req, resp := request("d1", bytes.Repeat([]byte(s), recorder.PieceSize)), response("d1", []byte(s))
					req.Session, resp.Session = s, s
					if w.Write(req) != nil || w.Write(resp) != nil {
						panic("write")
					}
				}
			})
		}
		wg.Wait()
		Expect(w.Close("x", 0)).To(Succeed())
		rep := verify(out.Bytes())
		Expect(rep.Faults).To(BeEmpty())
		Expect(rep.Exchanges).To(Equal(int64(80)))
	})
})

// linesLen is the length of the whole lines of a file.
func linesLen(file []byte) int64 { return int64(bytes.LastIndexByte(file, '\n') + 1) }

// bodyOf puts the body of an exchange together again.
func bodyOf(events []spec.Event, d, of string) []byte {
	GinkgoHelper()
	var out []byte
	take := func(b spec.Body) {
		part, err := b.Bytes()
		Expect(err).NotTo(HaveOccurred())
		out = append(out, part...)
	}
	for _, e := range events {
		switch x := e.Data.(type) {
		case *spec.PieceEvent:
			if x.D == d && x.Of == of {
				Expect(x.Offset).To(Equal(int64(len(out))))
				take(x.Body)
			}
		case *spec.RequestEvent:
			if x.D == d && of == "request" {
				take(x.Body)
			}
		case *spec.ResponseEvent:
			if x.D == d && of == "response" {
				take(x.Body)
			}
		}
	}
	return out
}
