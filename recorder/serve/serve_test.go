package serve_test

import (
	"maps"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder/serve"
	"github.com/hallmarkdev/hallmark/simulator"
)

// calm are scenarios whose cases are the same for every seed: no arguments of
// theirs are made up.
var calm = []string{
	"parallel/two-tools.yaml", "parallel/eight.yaml", "parallel/one-fails.yaml", "finished/*", "result/as-blocks.yaml", "result/a-flagged-failure.yaml",
	"retry/lost-answer.yaml", "retry/late-answer.yaml", "retry/busy.yaml", "retry/lost-request.yaml", "retry/asked-three-times.yaml",
	"subagent/*", "interrupt/*", "hosted/*", "stream/*", "client/acts.yaml", "client/by-view-with-more.yaml", "deferred/found-and-called.yaml",
	"session/*", "sessions/*", "state/edited.yaml", "state/voided.yaml", "async/on-its-behalf.yaml",
	"turn/*", "model/fails.yaml", "dialect/failed-call.yaml",
}

var _ = Describe("what was recorded, served to an engine that has other ids", func() {
	It("answers every request of a case as recorded, and all of it is asked for", func() {
		_, folder := certified(worker(), 7, calm...)
		_, other := certified(worker(), 8, calm...)
		then, now := recordings(folder), recordings(other)
		var discovery string
		for id, name := range then {
			if !strings.Contains(id, ".yaml") {
				discovery = name
			}
		}
		played := 0
		for _, id := range slices.Sorted(maps.Keys(then)) {
			if now[id] == "" || then[id] == discovery {
				continue
			}
			s := serving(serve.Config{}, discovery, then[id])
			again, _ := certified(s, 8, id)
			r := s.Report()
			Expect(r.Unknown).To(BeEmpty(), "%s\n%s", id, r)
			Expect(r.Unused).To(BeEmpty(), "%s\n%s", id, r)
			Expect(r.NotServed).To(BeEmpty(), "%s\n%s", id, r)
			// The engine tells a model the session of a subagent in a text, where an id
			// stays as it is (L3, R8).
			drifted := slices.DeleteFunc(r.Drifted, func(f serve.Finding) bool { return strings.Contains(f.Want, `,\"session\":`) })
			Expect(drifted).To(BeEmpty(), "%s\n%s", id, r)
			Expect(r.Served).To(Equal(r.Exchanges), id)
			// Two: the case needs what this worker has not.
			Expect(again.Exit).To(BeElementOf(0, 2), id)
			Expect(s.Done()).To(BeClosed(), id)
			played++
		}
		Expect(played).To(BeNumerically(">", 50))
	})

	It("tells the sessions of many recordings apart by what they say", func() {
		together := []string{"parallel/*", "session/*", "sessions/*", "state/edited.yaml", "turn/*", "finished/*"}
		_, folder := certified(worker(), 7, together...)
		s := serving(serve.Config{}, slices.Sorted(maps.Values(recordings(folder)))...)
		again, _ := certifiedAt(s, 7, simulator.DefaultAt.Add(1000*time.Hour), together...)
		r := s.Report()
		Expect(r.Unknown).To(BeEmpty(), "%s", r)
		Expect(r.Unused).To(BeEmpty(), "%s", r)
		Expect(r.Drifted).To(BeEmpty(), "%s", r)
		Expect(again.Exit).To(Equal(0))
	})
})
