package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/workertest"
)

// replayedAt sends recordings to a worker, and wants them sent whole.
func replayedAt(t *testing.T, url string, files []string) replay.Resent {
	t.Helper()
	to, err := simulator.NewTransport(simulator.TransportConfig{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	r, err := replay.Resend(t.Context(), files, to, replay.ResendConfig{Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	// Some scenarios send what no engine sends; nothing else may be left out.
	outside := 0
	for _, s := range r.Sessions {
		for _, n := range s.Notes {
			if n.Code != replay.NoteOutside && n.Code != replay.NoteLost {
				t.Errorf("%s %s: %s (%s)", s.Of, s.Session, n.Text, n.Code)
			}
			outside += n.Count
		}
	}
	if r.Sent+outside != r.Requests || r.Sent < 50 {
		t.Errorf("%d of %d requests were sent, and %d are none of an engine's", r.Sent, r.Requests, outside)
	}
	return r
}

// One sentence of one tool of the worker in Node is changed. What was recorded of
// the worker shows that sentence and nothing else, whether a run recorded it or a
// proxy; the worker as it is answers as it did, however often it is started.
func TestReplayShowsOneSentence(t *testing.T) {
	t.Parallel()
	needs(t, "node")
	languages(t) // the sources count for what is remembered of this test
	node := []string{"node", "node/server.mjs"}
	chosen := workertest.Config{
		Run:    []string{"execute/valid.yaml", "execute/invalid-missing.yaml", "parallel/two-tools.yaml", "session/*", "retry/second-attempt.yaml"},
		Record: t.TempDir(),
	}
	filesOf := func(r *reports.Report) (files []string) {
		for _, c := range r.Cases {
			files = append(files, c.Recording)
		}
		return files
	}
	through, captured := proxied(t, start(t, node, nil))
	report, err := workertest.Check(t.Context(), workertest.URL(through), chosen)
	if err != nil {
		t.Fatal(err)
	}
	recorded, captures := filesOf(report), filesOf(captured())

	const was, now = "is reserved for the night of", "is booked for the night of"
	source, err := os.ReadFile("node/server.mjs")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(source), was) != 1 {
		t.Fatalf("the worker says %q more than once, or not at all", was)
	}
	changed := filepath.Join(t.TempDir(), "server.mjs")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(source), was, now, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	same, other := start(t, node, nil), start(t, []string{"node", changed}, nil)
	for name, files := range map[string][]string{"recorded by a run": recorded, "captured by a proxy": captures} {
		t.Run(name, func(t *testing.T) {
			// Once more at the same process: it remembers what it answered.
			for range 2 {
				for _, s := range replayedAt(t, same, files).Sessions {
					if s.Divergence != nil {
						t.Errorf("%s: %s", s.Of, s.Divergence)
					}
				}
			}
			found := 0
			for _, s := range replayedAt(t, other, files).Sessions {
				d := s.Divergence
				if d == nil {
					continue
				}
				found++
				if d.Code != replay.CodeAnswer || d.Pointer != "/actions/0/result/content/0/text" ||
					d.Got != strings.Replace(d.Want, was, now, 1) || d.Got == d.Want || s.AfterDiffer > 0 {
					t.Errorf("%s: %s", s.Of, d)
				}
			}
			if found == 0 {
				t.Error("the other sentence was not found")
			}
		})
	}
}
