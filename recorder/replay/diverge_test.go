package replay_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/internal/replayed"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

var update = flag.Bool("update", false, "make the recordings that must diverge anew")

// The recordings of testdata/diverge must diverge, those of testdata/answers when
// they are sent to the reference worker, and those of testdata/unexplained must not
// be told: a replayer that says that all is well of
// one of them sees too little. Each is made from a good recording by one change, by
//
//	go test ./recorder/replay -run TestReplay -update
//
// which is done when what Hallmark records has changed. What is to be said of each
// stands beside them in expect.json, which is written by hand: making the
// recordings anew never changes what is expected of them.

// spoiled says how a recording is made: from the recording of a case, by a change.
type spoiled struct {
	name, of string
	change   change
}

// The good recordings that most are made from.
const (
	plain  = "session/plain-talk.yaml#default"
	called = "execute/valid.yaml#default [studio_notice]"
	async  = "async/out-of-order.yaml#default"
	beside = "deferred/beside-others.yaml#default"
)

var diverging = []spoiled{
	{"request-says-more", plain, body("d2", `"pending_calls":0`, `"pending_calls":1`)},
	{"request-lacks-a-message", plain, body("d2", `"new_from":0`, `"new_from":1`)},
	{"request-spelled-otherwise", plain, body("d2", `"pending_calls":0`, `"pending_calls": 0`)},
	{"request-at-another-time", plain, request("d2", func(r *spec.RequestEvent) { r.Now = "2026-08-28T12:00:01.000Z" })},
	{"request-with-another-header", plain, request("d2", func(r *spec.RequestEvent) { r.Headers[1][1] = "*/*" })},
	{"answer-says-another-thing", plain, answer("d2", `"role":"user"`, `"role":"system"`)},
	{"answer-of-a-tool-is-another", called, func(events []spec.Event) []spec.Event {
		return each(events, func(p *spec.PieceEvent) bool {
			held := strings.Contains(*p.Body.Text, `"text":"`)
			if p.Body = spec.BodyOf([]byte(strings.Replace(*p.Body.Text, `"text":"Open`, `"text":"Shut`, 1))); !held {
				panic("the first piece holds no text")
			}
			return true
		})
	}},
	{"answer-missing", called, drop(func(d spec.EventData) bool { r, ok := d.(*spec.ResponseEvent); return ok && r.D == "d4" })},
	{"answer-failed", called, response("d4", func(r *spec.ResponseEvent) { r.Status = 500 })},
	{"outcome-is-another", called, outcome("d4", func(o *spec.OutcomeEvent) { o.As = spec.OutcomeDropped })},
	{"step-missing", plain, drop(func(d spec.EventData) bool { s, ok := d.(*spec.StepEvent); return ok && s.Step == 1 })},
	{"seed-is-another", plain, header(func(h *spec.HeaderEvent) { h.Seed = 8 })},
	{"scenario-says-another-thing", plain, header(func(h *spec.HeaderEvent) {
		c := *h.Case
		c.Text = strings.Replace(c.Text, "user: ", "user: Well, ", 1)
		h.Case = &c
	})},
	{"ends-early", called, func(events []spec.Event) []spec.Event {
		i := slices.IndexFunc(events, func(e spec.Event) bool { return exchangeOf(e) == "d4" })
		return append(slices.Clone(events[:i]), events[len(events)-1])
	}},
	{"ends-for-another-reason", plain, func(events []spec.Event) []spec.Event {
		last := events[len(events)-1]
		c := *last.Data.(*spec.CloseEvent)
		c.Why = spec.CloseTurnFailed
		last.Data = &c
		return append(slices.Clone(events[:len(events)-1]), last)
	}},
	{"settles-in-another-order", async, swapInputs},
	{"settle-is-another", async, func(events []spec.Event) []spec.Event {
		return each(events, func(in *spec.InputEvent) bool {
			b, _ := in.Body.Bytes()
			changed := strings.Replace(string(b), `"tool.result"`, `"tool.error"`, 1)
			if in.From == "worker" {
				in.Body = spec.BodyOf([]byte(changed))
			}
			return in.From == "worker"
		})
	}},
	{"answers-on-and-on", plain, func(events []spec.Event) []spec.Event {
		// What was recorded goes on behind the end of the case.
		last := len(events) - 1
		again := events[slices.IndexFunc(events, func(e spec.Event) bool { return exchangeOf(e) == "d2" })]
		r := *again.Data.(*spec.RequestEvent)
		r.D = "d99"
		again.Data, again.T = &r, events[last].T
		return slices.Insert(slices.Clone(events), last, again)
	}},
	{"sum-is-another", plain, func(events []spec.Event) []spec.Event { return events }},
	{"captured-state-is-another", called, then(atTheDoor("d3", "d4"), body("d4", `"state":null,"agent"`, `"state":{"a":1},"agent"`))},
	{"captured-count-is-another", called, then(atTheDoor("d3", "d4"), body("d4", `"pending_calls":1`, `"pending_calls":2`))},
	{"captured-reading-is-another", called, then(atTheDoor("d3", "d4"), body("d4", `"status":"valid"`, `"status":"invalid","error":"no"`))},
	{"captured-proposal-is-another", called, then(atTheDoor("d4", "d5"), body("d5", `"type":"llm.call"`, `"type":"done"`))},
	{"captured-result-is-another", called, then(atTheDoor("d4", "d5"), body("d5", `"ok":true`, `"ok":false`))},
	{"captured-answer-is-another", called, then(atTheDoor("d3", "d4"), answer("d3", `"role":"assistant"`, `"role":"user"`))},
}

// answered are recordings whose answers are not those of the reference worker.
var answered = []spoiled{
	{"answer-says-another-thing", plain, answer("d2", `"role":"user"`, `"role":"system"`)},
	{"answer-spelled-otherwise", plain, answer("d2", `"role":"user"`, `"role": "user"`)},
	{"answer-is-no-json", called, answer("d3", `{"messages"`, `["messages"`)},
	{"answer-failed", called, response("d3", func(r *spec.ResponseEvent) { r.Status = 500 })},
	{"answer-missing", called, response("d3", func(r *spec.ResponseEvent) {
		*r = spec.ResponseEvent{D: "d3", End: spec.EndReset, Reason: "the connection was cut"}
	})},
	{"stream-says-another-thing", "stream/hosted.yaml#default", func(events []spec.Event) []spec.Event {
		return each(events, func(p *spec.PieceEvent) bool {
			if p.D != "d3" {
				return false
			}
			p.Body = replaced(p.Body, `"text":"Good "`, `"text":"Fine "`)
			return true
		})
	}},
}

var untold = []spoiled{
	{"unread", called, then(atTheDoor("d3", "d4"), body("d4", `{"type":"tool.execute"`, `["type":"tool.execute"`))},
	{"gap", plain, then(atTheDoor("d1", "d2"), body("d2", `"pending_calls":0`, `"pending_calls":1`), gapBefore("d2"))},
	{"gap-said-late", plain, then(atTheDoor("d1", "d2", "d3"), body("d2", `"pending_calls":0`, `"pending_calls":1`), gapBefore("d3"))},
	{"unknown-trigger", called, then(atTheDoor("d4", "d5"), body("d5", `{"type":"tool.finished"`, `{"type":"from.tomorrow"`))},
	{"delivery-unseen", "retry/second-attempt.yaml#default", atTheDoor("d9", "d10")},
	{"exchange-unseen", "client/answered.yaml#default", atTheDoor("d2", "d5")},
	{"unheard", "async/asked-again.yaml#default [fire_kiln]", atTheDoor("d4", "d5")},
	{"settled-elsewhere", beside, atTheDoor("d6", "d7")},
	{"queue-unseen", beside, atTheDoor("d5", "d6")},
	{"policy-unseen", "async/tried-again.yaml#default", atTheDoor("d4", "d5")},
	{"bytes-unseen", "hosted/shown-a-picture.yaml#default", atTheDoor("d6", "d7")},
	{"prompt-unseen", called, then(atTheDoor("d4", "d5"), body("d5", `"type":"llm.call","llm":"main"`, `"type":"llm.call","llm":"other"`))},
	{"branch-unseen", "state/config-of-a-branch.yaml#default", atTheDoor("d8", "d9")},
	{"older-turn", plain, then(atTheDoor("d1"), startAgain)},
	{"given", "client/shows-everything.yaml#default", only([]string{"d1", "d2"}, spec.KindRequest, spec.KindPiece, spec.KindResponse)},
	{"stand-in", called, then(atTheDoor("d3", "d4"), body("d4", `"state":null,"agent"`, `"state":"`+spec.StandInPrefix+`x","agent"`))},
	{"refused", called, then(atTheDoor("d2", "d3"), trigger("d3", `{"type":"client.messages","messages":[{"role":"user","content":"And?"}],"new_from":0,"client":{}}`))},
	{"not-simulated", "client/answered.yaml#default", then(atTheDoor("d3", "d4"), answeredInView("d4", `[{"type":"input_audio"}]`))},
	{"other-first", called, atTheDoor("d3", "d5")},
	{"no-way", "interrupt/goes-on.yaml#default", atTheDoor("d3", "d4")},
}

// expected is what is to be said of a spoiled recording.
type expected struct {
	File string `json:"file"`
	// Played is how it is played: one of the Played constants of the reports,
	// toWorker or toWorkerExactly. A recording may be played in several ways.
	Played   string `json:"played"`
	Code     string `json:"code"`
	Session  string `json:"session,omitzero"`
	Exchange string `json:"exchange,omitzero"`
	In       string `json:"in,omitzero"`
	Pointer  string `json:"pointer,omitzero"`
	Rules    string `json:"rules,omitzero"`
}

// expectations are those of a folder.
func expectations(folder string) (all []expected) {
	GinkgoHelper()
	text, err := os.ReadFile(filepath.Join(folder, "expect.json"))
	Expect(err).NotTo(HaveOccurred())
	Expect(json.Unmarshal(text, &all, json.RejectUnknownMembers(true))).To(Succeed())
	return all
}

// make makes a recording anew.
func (s spoiled) make(folder string) {
	GinkgoHelper()
	path, _, _ := strings.Cut(s.of, "#")
	text := written(s.change(recordingOf(run(chosen(path)), s.of)))
	if s.name == "sum-is-another" {
		text = withAnotherSum(text)
	}
	Expect(os.WriteFile(filepath.Join(folder, s.name+".jsonl"), text, 0o644)).To(Succeed())
}

// withAnotherSum puts another digest of what was asked into the closing line, and
// seals that line again.
func withAnotherSum(text []byte) []byte {
	text = bytes.TrimSuffix(text, []byte("\n"))
	from := bytes.LastIndexByte(text, '\n') + 1
	crc := regexp.MustCompile(`,"crc":"([0-9a-f]{8})"\}`)
	before := crc.FindAllSubmatch(text[:from], -1)
	line := crc.ReplaceAll(text[from:], nil)
	line = regexp.MustCompile(`"asked":"[0-9a-f]+"`).ReplaceAll(line, fmt.Appendf(nil, `"asked":"%064x"`, 7))
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(crc32.Checksum(before[len(before)-1][1], table), table, line)
	return slices.Concat(text[:from], line, fmt.Appendf(nil, `,"crc":"%08x"}`+"\n", sum))
}

// Recordings are sent to the reference worker, which does nothing wrong, too. Its
// answers are held against the recorded ones by meaning, or byte for byte.
const (
	toWorker        = "to-a-worker"
	toWorkerExactly = "to-a-worker, exactly"
)

// sentTo sends a file to the reference worker and gives what is said of it first.
func sentTo(file string, exact bool) (said expected) {
	GinkgoHelper()
	r := resent([]string{file}, referenceWorker(settling()), replay.ResendConfig{Exact: exact})
	if all := divergences(r); len(all) > 0 {
		d := all[0]
		said.Code, said.Session, said.Exchange, said.In, said.Pointer = d.Code, d.Session, d.Exchange, d.In, d.Pointer
	}
	return said
}

// saidOf plays a file and gives what is said of it first.
func saidOf(file, played string) expected {
	GinkgoHelper()
	var c reports.Case
	switch played {
	case toWorker, toWorkerExactly:
		said := sentTo(file, played == toWorkerExactly)
		said.File, said.Played = filepath.Base(file), played
		return said
	case reports.PlayedWhole:
		r, err := replay.File(context.Background(), file)
		Expect(err).NotTo(HaveOccurred())
		c = replayed.Whole(r).Case
	default:
		s, err := replay.StepFile(context.Background(), file)
		Expect(err).NotTo(HaveOccurred())
		c = replayed.Steps(s).Case
	}
	said := expected{File: filepath.Base(file), Played: played}
	if all := append(c.Divergences, c.Unexplained...); len(all) > 0 {
		d := all[0]
		said.Code, said.Session, said.Exchange = d.Code, d.Session, d.Exchange
		said.In, said.Pointer, said.Rules = d.In, d.Pointer, d.Rules
	}
	return said
}

// ofAnswers are the codes that only the answers of a worker can have.
var ofAnswers = []string{"answer", "status", "failure", "stream", "bytes"}

func codesOf(all []replay.Code, names ...string) []replay.Code {
	return slices.DeleteFunc(all, func(c replay.Code) bool { return !slices.Contains(names, c.Name) })
}

func codesBut(all []replay.Code, names ...string) []replay.Code {
	return slices.DeleteFunc(all, func(c replay.Code) bool { return slices.Contains(names, c.Name) })
}

var _ = Describe("a recording that was spoiled", func() {
	for _, of := range []struct {
		folder string
		made   []spoiled
		codes  []replay.Code
		// never are the codes of which no recording can be made, and why.
		never map[string]string
	}{
		{"diverge", diverging, codesBut(replay.DivergenceCodes(), ofAnswers...), nil},
		{"answers", answered, codesOf(replay.DivergenceCodes(), ofAnswers...), nil},
		{"unexplained", untold, replay.UnexplainedCodes(), map[string]string{
			"not-loaded": "an engine can be loaded from each request that reads",
		}},
	} {
		folder := filepath.Join("testdata", of.folder)
		Describe("in "+folder, Ordered, func() {
			BeforeAll(func() {
				if *update {
					for _, s := range of.made {
						s.make(folder)
					}
				}
			})

			It("is told as expected", func() {
				var said []expected
				for _, want := range expectations(folder) {
					said = append(said, saidOf(filepath.Join(folder, want.File), want.Played))
				}
				Expect(cmp.Diff(expectations(folder), said)).To(BeEmpty())
			})

			It("is one that is made here, and no other file is kept", func() {
				names := []string{filepath.Join(folder, "expect.json")}
				for _, s := range of.made {
					names = append(names, filepath.Join(folder, s.name+".jsonl"))
				}
				Expect(filepath.Glob(filepath.Join(folder, "*"))).To(ConsistOf(names))
				var told []string
				for _, want := range expectations(folder) {
					if file := filepath.Join(folder, want.File); !slices.Contains(told, file) {
						told = append(told, file)
					}
				}
				Expect(told).To(ConsistOf(names[1:]))
			})

			It("is there for each code", func() {
				var have []string
				for _, want := range expectations(folder) {
					have = append(have, want.Code)
				}
				for _, c := range of.codes {
					if of.never[c.Name] == "" {
						Expect(have).To(ContainElement(c.Name))
					} else {
						Expect(have).NotTo(ContainElement(c.Name))
					}
				}
			})
		})
	}
})
