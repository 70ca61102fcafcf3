package shrink_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/memnet"
	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/internal/shrink"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// A file that is something else is left as it is, whether or not its line ends;
// a journal whose very first line was cut off is begun anew.
func TestAJournalIsNoOtherFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "work")
	for _, text := range []string{"notes without an end", "notes\n", "{}", `{"format":"hallmark-recording"`, "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := shrink.OpenJournal(name, "http://worker.example/")
		var other *shrink.OtherJournalError
		if !errors.As(err, &other) {
			t.Errorf("%q: %v", text, err)
		}
		if left, err := os.ReadFile(name); err != nil || string(left) != text {
			t.Errorf("%q became %q, %v", text, left, err)
		}
	}
	for _, text := range []string{"", `{"for`, `{"format":"hallmark-minimize","version":1,"of":"12`} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		j, err := shrink.OpenJournal(name, "http://worker.example/")
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadFile(name); err != nil || len(left) > 0 {
			t.Errorf("%q became %q, %v", text, left, err)
		}
	}
	_, err := shrink.OpenJournal(filepath.Dir(name), "http://worker.example/")
	var other *shrink.OtherJournalError
	if !errors.As(err, &other) {
		t.Errorf("a folder: %v", err)
	}
}

// Answers of runs that were made in another way are not taken for answers.
func TestAJournalIsOfOneWayToRun(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "work")
	h, err := reference.New(reference.Options{Faults: []string{"breaks-output"}})
	if err != nil {
		t.Fatal(err)
	}
	network, stop := memnet.Serve(h)
	t.Cleanup(stop)
	poster, err := simulator.NewTransport(simulator.TransportConfig{URL: "http://worker.example/", Dial: network.Dial, MaxBody: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	run := func(change func(*certify.Config)) error {
		cfg := certify.Config{Settings: settings(), Consent: simulator.ConsentOptions{Started: true}}
		cfg.Worker = spec.WorkerHeader{URL: "http://worker.example/"}
		change(&cfg)
		single, err := certify.NewSingle(t.Context(), cfg, poster)
		if err != nil {
			t.Fatal(err)
		}
		j, err := shrink.OpenJournal(name, "http://worker.example/")
		if err != nil {
			t.Fatal(err)
		}
		_, err = shrink.Run(t.Context(), single, tree(t, evening), shrink.Options{MaxRuns: 9, Journal: j})
		return errors.Join(err, j.Close())
	}
	for range 2 {
		if err := run(func(*certify.Config) {}); err != nil {
			t.Fatal(err)
		}
	}
	for what, change := range map[string]func(*certify.Config){
		"seed":     func(c *certify.Config) { c.Seed = 8 },
		"hallmark": func(c *certify.Config) { c.MadeBy.Hallmark = "younger" },
		"agent":    func(c *certify.Config) { c.AgentID = "desk" },
		"vars":     func(c *certify.Config) { c.Vars = map[string]string{"a": "b"} },
		"tools":    func(c *certify.Config) { c.Consent.AllTools = true },
	} {
		err := run(change)
		var other *shrink.OtherJournalError
		if !errors.As(err, &other) || !strings.Contains(err.Error(), "of other flags") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
