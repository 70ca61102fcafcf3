package judge_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/judge"
)

// someText is text that an answer or a request may be made of: whole examples
// of the registry, cut and spliced.
func someText() *rapid.Generator[string] {
	var texts []string
	for _, r := range spec.Requirements() {
		for _, e := range []spec.Example{r.Good, r.Bad} {
			texts = append(texts, e.Answer)
			if e.Given != "" {
				texts = append(texts, e.Given)
			}
		}
	}
	texts = append(texts, "", "{}", "null", "[", `{"a":`, "\xff")
	return rapid.Custom(func(t *rapid.T) string {
		s := rapid.SampledFrom(texts).Draw(t, "text")
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			s = s[:rapid.IntRange(0, len(s)).Draw(t, "cut")]
		case 1:
			other := rapid.SampledFrom(texts).Draw(t, "other")
			at := rapid.IntRange(0, len(s)).Draw(t, "at")
			s = s[:at] + other + s[at:]
		case 2:
			if len(s) > 0 {
				b := []byte(s)
				b[rapid.IntRange(0, len(b)-1).Draw(t, "byte")] = rapid.Byte().Draw(t, "value")
				s = string(b)
			}
		}
		return s
	})
}

func someEvent(triggers []string) *rapid.Generator[spec.Event] {
	text := someText()
	return rapid.Custom(func(t *rapid.T) spec.Event {
		d := fmt.Sprintf("d%d", rapid.IntRange(1, 4).Draw(t, "d"))
		e := spec.Event{Session: fmt.Sprintf("s%d", rapid.IntRange(0, 2).Draw(t, "s"))}
		body := spec.BodyOf([]byte(text.Draw(t, "body")))
		switch rapid.IntRange(0, 11).Draw(t, "kind") {
		case 0:
			e.Data = &spec.HeaderEvent{Evidence: allEvidence, Source: rapid.SampledFrom([]spec.Source{spec.SourceTest, spec.SourceCapture}).Draw(t, "source"), Engine: []byte(text.Draw(t, "engine"))}
		case 1, 2, 3:
			tape := newTapeWith(nil)
			tape.ask(e.Session, rapid.SampledFrom(triggers).Draw(t, "trigger"), "")
			r := tape.events[0].Data.(*spec.RequestEvent)
			r.D = d
			if rapid.Bool().Draw(t, "odd") {
				r.Body = body
			}
			e.Data = r
		case 4, 5, 6:
			e.Data = &spec.ResponseEvent{
				D: d, Status: rapid.SampledFrom([]int{0, 101, 200, 200, 200, 204, 301, 401, 500, 999}).Draw(t, "status"), Body: body,
				End: rapid.SampledFrom([]spec.BodyEnd{spec.EndWhole, spec.EndWhole, spec.EndWhole, spec.EndCut, spec.EndReset, spec.EndTimeout, spec.EndOverLimit, spec.EndStale, "odd"}).Draw(t, "end"),
			}
			if rapid.Bool().Draw(t, "stream") {
				e.Data.(*spec.ResponseEvent).Headers = [][2]string{{"content-type", "text/event-stream"}}
			}
		case 7:
			e.Data = &spec.PieceEvent{D: d, Of: rapid.SampledFrom([]string{"request", "response"}).Draw(t, "of"), Offset: rapid.Int64Range(-1, 9).Draw(t, "offset"), Body: body}
		case 8:
			e.Data = &spec.OutcomeEvent{D: d, As: rapid.SampledFrom([]string{"accepted", "failed", "dropped"}).Draw(t, "as"), Code: spec.CodeDeadlineExceeded}
		case 9:
			e.Data = &spec.DisturbEvent{D: d, Do: "lose-answer"}
		case 10:
			e.Data = &spec.InputEvent{From: "worker", Body: body}
		case 11:
			e.Data = rapid.SampledFrom([]spec.EventData{
				&spec.CloseEvent{Why: spec.CloseScriptDone}, &spec.TurnEvent{Event: spec.TurnFailed},
				&spec.StepEvent{Step: 1}, &spec.UnknownEvent{Kind: "later"}, &spec.GapEvent{},
			}).Draw(t, "other")
		}
		return e
	})
}

// Whatever the events are, the judge does not panic, says the same of the same
// events, and speaks of each requirement once and with a reason.
func TestJudgeIsTotalAndDeterministic(t *testing.T) {
	t.Parallel()
	triggers := []string{onStart, onExecute, onUnknown, onTurnEnd, onFinished, onBroken, onAsk, `{"type":"later"}`}
	for _, r := range spec.Requirements() {
		triggers = append(triggers, r.Bad.Trigger)
	}
	events := rapid.SliceOfN(someEvent(triggers), 0, 30)
	rapid.Check(t, func(t *rapid.T) {
		all := events.Draw(t, "events")
		if rapid.Bool().Draw(t, "headed") {
			all = append([]spec.Event{{Data: &spec.HeaderEvent{Source: spec.SourceTest, Evidence: allEvidence}}}, all...)
		}
		run := func() judge.Verdict {
			j := judge.New(judge.Options{})
			for _, e := range all {
				j.Add(e)
			}
			return j.Verdict()
		}
		v := run()
		if diff := cmp.Diff(v, run()); diff != "" {
			t.Fatalf("two runs differ:\n%s", diff)
		}
		for i, r := range spec.Requirements() {
			o := v.Observations[i]
			switch o.Status {
			case spec.StatusFail, spec.StatusWarn:
				if len(o.Findings) == 0 || o.Count < len(o.Findings) {
					t.Fatalf("%s: %s with %d findings, count %d", r.ID, o.Status, len(o.Findings), o.Count)
				}
				if o.Status == spec.StatusFail && r.Level != spec.Must {
					t.Fatalf("%s: a %s failed", r.ID, r.Level)
				}
			case spec.StatusPass:
				if o.Count == 0 {
					t.Fatalf("%s: passed without being observed", r.ID)
				}
			default:
				if o.Reason == "" || o.Count != 0 {
					t.Fatalf("%s: %s, reason %q, count %d", r.ID, o.Status, o.Reason, o.Count)
				}
			}
		}
	})
}
