package replay_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/spec"
)

var update = flag.Bool("update", false, "make the recordings that must diverge anew")

// diverging are the recordings that must diverge, each made from a good one by
// one change, with what is to be said of it.
var diverging = []struct {
	name, of string
	change   func(events []spec.Event) []spec.Event
	// code, at (session and exchange), in and pointer are the verdict.
	code, at, in, pointer string
}{
	{"request-says-more", plain, body("d2", `"pending_calls":0`, `"pending_calls":1`), replay.CodeRequest, "s1/d2", "body", "/pending_calls"},
	{"request-lacks-a-message", plain, body("d2", `"new_from":0`, `"new_from":1`), replay.CodeRequest, "s1/d2", "body", "/trigger/new_from"},
	{"request-spelled-otherwise", plain, body("d2", `"pending_calls":0`, `"pending_calls": 0`), replay.CodeRequest, "s1/d2", "body", ""},
	{"request-at-another-time", plain, request("d2", func(r *spec.RequestEvent) { r.Now = "2026-08-28T12:00:01.000Z" }), replay.CodeEvent, "s1/d2", "event", "/now"},
	{"request-with-another-header", plain, request("d2", func(r *spec.RequestEvent) { r.Headers[1][1] = "*/*" }), replay.CodeEvent, "s1/d2", "event", "/headers/1/1"},
	{"answer-says-another-thing", plain, answer("d2", `"role":"user"`, `"role":"system"`), replay.CodeRequest, "s1/d3", "body", "/proposed/messages/0/role"},
	{"answer-of-a-tool-is-another", called, func(all []spec.Event) []spec.Event {
		return each(all, func(p *spec.PieceEvent) bool {
			held := strings.Contains(*p.Body.Text, `"text":"`)
			if p.Body = spec.BodyOf([]byte(strings.Replace(*p.Body.Text, `"text":"Open`, `"text":"Shut`, 1))); !held {
				panic("the first piece holds no text")
			}
			return true
		})
	}, replay.CodeRequest, "s1/d5", "body", "/trigger/result/content/0/text"},
	{"answer-missing", called, drop(func(d spec.EventData) bool { r, ok := d.(*spec.ResponseEvent); return ok && r.D == "d4" }), replay.CodeKind, "s1/d4", "", ""},
	{"answer-failed", called, response("d4", func(r *spec.ResponseEvent) { r.Status = 500 }), replay.CodeEvent, "s1/d4", "event", "/as"},
	{"outcome-is-another", called, outcome("d4", func(o *spec.OutcomeEvent) { o.As = spec.OutcomeDropped }), replay.CodeEvent, "s1/d4", "event", "/as"},
	{"step-missing", plain, drop(func(d spec.EventData) bool { s, ok := d.(*spec.StepEvent); return ok && s.Step == 1 }), replay.CodeKind, "s1/", "", ""},
	{"seed-is-another", plain, header(func(h *spec.HeaderEvent) { h.Seed = 8 }), replay.CodeEvent, "s1/", "event", "/session_id"},
	{"scenario-says-another-thing", plain, header(func(h *spec.HeaderEvent) {
		c := *h.Case
		c.Text = strings.Replace(c.Text, "user: ", "user: Well, ", 1)
		h.Case = &c
	}), replay.CodeEvent, "s1/", "body of the input", "/message/content"},
	{"ends-early", called, func(all []spec.Event) []spec.Event {
		i := slices.IndexFunc(all, func(e spec.Event) bool { r, ok := e.Data.(*spec.RequestEvent); return ok && r.D == "d4" })
		return append(slices.Clone(all[:i]), all[len(all)-1])
	}, replay.CodeExtra, "s1/d4", "", ""},
	{"ends-for-another-reason", plain, func(all []spec.Event) []spec.Event {
		last := all[len(all)-1]
		c := *last.Data.(*spec.CloseEvent)
		c.Why = spec.CloseTurnFailed
		last.Data = &c
		return append(slices.Clone(all[:len(all)-1]), last)
	}, replay.CodeEnd, "/", "", ""},
	{"settles-in-another-order", async, swapInputs, replay.CodeRequest, "s1/d6", "body", "/trigger/id"},
	{"settle-is-another", async, func(all []spec.Event) []spec.Event {
		return each(all, func(in *spec.InputEvent) bool {
			b, _ := in.Body.Bytes()
			changed := strings.Replace(string(b), `"tool.result"`, `"tool.error"`, 1)
			if in.From == "worker" {
				in.Body = spec.BodyOf([]byte(changed))
			}
			return in.From == "worker"
		})
	}, replay.CodeEvent, "s1/", "event", "/status"},
}

// The good recordings that they are made from.
const (
	plain  = "session/plain-talk.yaml#default"
	called = "execute/valid.yaml#default [studio_notice]"
	async  = "async/out-of-order.yaml#default"
)

// each changes a copy of the first event of its kind that change takes.
func each[D any, P interface {
	*D
	spec.EventData
}](all []spec.Event, change func(d P) bool) []spec.Event {
	out := slices.Clone(all)
	for i, e := range out {
		if d, ok := e.Data.(P); ok {
			c := *d
			if change(&c) {
				out[i].Data = P(&c)
				return out
			}
		}
	}
	panic("nothing to change")
}

func request(d string, change func(*spec.RequestEvent)) func([]spec.Event) []spec.Event {
	return func(all []spec.Event) []spec.Event {
		return each(all, func(r *spec.RequestEvent) bool {
			if r.D == d {
				r.Headers = slices.Clone(r.Headers)
				change(r)
			}
			return r.D == d
		})
	}
}

func body(d, old, with string) func([]spec.Event) []spec.Event {
	return request(d, func(r *spec.RequestEvent) { r.Body = replaced(r.Body, old, with) })
}

func response(d string, change func(*spec.ResponseEvent)) func([]spec.Event) []spec.Event {
	return func(all []spec.Event) []spec.Event {
		return each(all, func(r *spec.ResponseEvent) bool {
			if r.D == d {
				change(r)
			}
			return r.D == d
		})
	}
}

func answer(d, old, with string) func([]spec.Event) []spec.Event {
	return response(d, func(r *spec.ResponseEvent) {
		r.Body = replaced(r.Body, old, with)
		r.Bytes = int64(len(*r.Body.Text))
	})
}

func outcome(d string, change func(*spec.OutcomeEvent)) func([]spec.Event) []spec.Event {
	return func(all []spec.Event) []spec.Event {
		return each(all, func(o *spec.OutcomeEvent) bool {
			if o.D == d {
				change(o)
			}
			return o.D == d
		})
	}
}

func header(change func(*spec.HeaderEvent)) func([]spec.Event) []spec.Event {
	return func(all []spec.Event) []spec.Event {
		return each(all, func(h *spec.HeaderEvent) bool { change(h); return true })
	}
}

func drop(is func(spec.EventData) bool) func([]spec.Event) []spec.Event {
	return func(all []spec.Event) []spec.Event {
		return without(all, slices.IndexFunc(all, func(e spec.Event) bool { return is(e.Data) }))
	}
}

// swapInputs lets two settles arrive the other way round.
func swapInputs(all []spec.Event) []spec.Event {
	out := slices.Clone(all)
	i := slices.IndexFunc(out, fromWorker)
	j := i + 1 + slices.IndexFunc(out[i+1:], fromWorker)
	out[i], out[j] = out[j], out[i]
	return out
}

func replaced(b spec.Body, old, with string) spec.Body {
	text := *b.Text
	if !strings.Contains(text, old) {
		panic("the body does not hold " + old)
	}
	return spec.BodyOf([]byte(strings.Replace(text, old, with, 1)))
}

var _ = Describe("a recording in which one thing was changed", func() {
	for _, c := range diverging {
		It(c.name+" diverges there", func() {
			file := filepath.Join("testdata", "diverge", c.name+".jsonl")
			if *update {
				path, _, _ := strings.Cut(c.of, "#")
				Expect(os.WriteFile(file, written(c.change(recordingOf(run(chosen(path)), c.of))), 0o644)).To(Succeed())
			}
			r, err := replay.File(context.Background(), file)
			Expect(err).NotTo(HaveOccurred())
			d := r.Divergence
			Expect(d).NotTo(BeNil())
			Expect([]string{d.Code, d.Session + "/" + d.Exchange, d.In, d.Pointer}).
				To(Equal([]string{c.code, c.at, c.in, c.pointer}), d.String())
		})
	}

	It("is one of these, and no other file is kept", func() {
		files, err := filepath.Glob("testdata/diverge/*")
		Expect(err).NotTo(HaveOccurred())
		var names []string
		for _, c := range diverging {
			names = append(names, filepath.Join("testdata", "diverge", c.name+".jsonl"))
		}
		Expect(files).To(ConsistOf(names))
	})
})
