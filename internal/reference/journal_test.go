package reference_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/reference"
)

// A worker with the journal of one that went down settles what that one had let
// go, whether it is another worker of this process or reads the journal's file.
func TestTheNextWorkerGoesOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, fault string
		want        int
	}{{"the right one", "", 1}, {"one that forgets", "loses-its-work-over-a-restart", 0}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "journal.json")
			synctest.Test(t, func(t *testing.T) {
				o := &office{}
				options := reference.Options{
					Engine: reference.Engine{URL: "http://engine.example", Key: "k1", Client: &http.Client{Transport: o}},
				}
				if c.fault != "" {
					options.Faults = []string{c.fault}
				}
				open := func() *reference.Journal {
					j, err := reference.OpenJournal(file)
					if err != nil {
						t.Fatal(err)
					}
					return j
				}
				options.Journal = open()
				r, err := reference.NewRestartable(options)
				if err != nil {
					t.Fatal(err)
				}
				transport, stop := overPipe(r)
				defer stop()
				p := &tape{post: transport, budget: time.Second}
				if got := string(p.raw(laterCall("s1", "d1", "c1", "fire_kiln", fireEast))); got != "{}" {
					t.Fatalf("answered %s", got)
				}
				if err := r.Restart(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second) // of the bubble's time
				var bodies []string
				for _, m := range o.posts() {
					bodies = append(bodies, m.body)
				}
				if len(bodies) != c.want || c.want > 0 && bodies[0] != eastFired {
					t.Errorf("settled %q", bodies)
				}
				// What was settled is struck out: the next one has nothing to do.
				options.Journal = open()
				if _, err := reference.New(options); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second) // of the bubble's time
				if n := len(o.posts()); n != c.want {
					t.Errorf("%d settles after all was settled", n)
				}
			})
		})
	}
}

func TestAJournalThatDoesNotReadIsNamed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"torn": `[{"asked":"00`, "other": `{"asked":"00"}`, "unknown": `[{"asked":"00","when":1}]`, "null": `5`,
	} {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := reference.OpenJournal(file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := reference.OpenJournal(filepath.Join(folder, "none", "journal")); err == nil {
		t.Error("a folder that is not there")
	}
	// What is no call of this worker is left out.
	file := filepath.Join(folder, "odd")
	if err := os.WriteFile(file, []byte(`[{"asked":"zz","session":"s","tool":"fire_kiln","action":{}}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	j, err := reference.OpenJournal(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reference.New(reference.Options{Journal: j}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if diff := cmp.Diff("[]", string(text)); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}
