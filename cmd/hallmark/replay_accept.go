package main

import (
	"errors"
	"fmt"
	stdio "io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/replay"
	"github.com/hallmarkdev/hallmark/reports"
)

// acceptFlags say which answers of a worker are to be the recorded ones from now
// on.
type acceptFlags struct {
	places []string
	out    string
	policy policyFlags

	rules *recorder.Rules
	taken *replay.Acceptance
}

// acceptAll accepts every place.
const acceptAll = "all"

// beforeSuffix ends the name of a recording as it was before answers were
// accepted.
const beforeSuffix = ".before"

const acceptHelp = `
--accept POINTER takes what the worker answers now, at a place that differs, for
what it is to answer: the recording is written anew with it, and the one that was
there is kept as FILE.before; --accept all takes every place. With --out DIR the
files go there and nothing is replaced. Secrets are taken out first, as hallmark
record does. What the answer said before is replaced in the rest of its session
too, where it is a whole text. An answer after which an engine would have gone
another way is not accepted, since what follows in the recording is not what would
follow: record that session again.
`

func (f *acceptFlags) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.places, "accept", nil, "write recordings anew with what the worker answers at the JSON `POINTER`, or at all places with all; may be repeated")
	fl.StringVar(&f.out, "out", "", "with --accept: write into the folder `DIR`, and leave the recordings as they are")
	f.policy.flags(fl)
}

// open checks the flags, before anything is sent, for recordings of these names.
func (f *acceptFlags) open(names []string) error {
	if len(f.places) == 0 {
		if f.out != "" {
			return usage("--out %s: nothing is written without --accept", f.out)
		}
		return nil
	}
	if !slices.Contains(f.places, acceptAll) {
		var err error
		if f.rules, err = recorder.ParseRules(f.places); err != nil {
			return usage("--accept %w", err).hinted("name a place of answers, or all")
		}
	} else if len(f.places) > 1 {
		return usage("--accept all: takes every place already").hinted("leave the other places out")
	}
	seen := map[string]string{}
	for _, name := range names {
		to := f.target(name)
		if other := seen[to]; f.out != "" && other != "" {
			return usage("--out %s: %s and %s have one name", f.out, other, name).hinted("accept their answers one by one")
		}
		seen[to] = name
		old := name + beforeSuffix
		if f.out != "" {
			old = to
		}
		if _, err := os.Lstat(old); err == nil {
			return usage("%s is there already", old).hinted("put it away, so that nothing is lost")
		}
	}
	f.taken = replay.NewAcceptance(f.rules)
	return nil
}

func (f *acceptFlags) target(name string) string {
	if f.out == "" {
		return name
	}
	return filepath.Join(f.out, filepath.Base(name))
}

// write writes the recordings in which answers were accepted.
func (f *acceptFlags) write(io streams, secrets []recorder.Secret) error {
	if f.taken == nil {
		return nil
	}
	known := make([]string, len(secrets))
	for i, s := range secrets {
		known[i] = s.Value
	}
	policy, err := f.policy.policy(known)
	if err != nil {
		return err
	}
	for _, name := range f.taken.Files() {
		if err := f.amend(policy, name); err != nil {
			return readError(name, err)
		}
	}
	files := len(f.taken.Files())
	if files > 0 {
		where := "what was there is kept beside each as FILE" + beforeSuffix
		if f.out != "" {
			where = "written to " + f.out
		}
		fmt.Fprintf(io.err, "accepted %s in %s; %s\n", counted(f.taken.Answers, "answer"), counted(files, "recording"), reports.Clean(where))
	}
	if f.taken.Left > 0 {
		fmt.Fprintf(io.err, "not accepted: %s, after which an engine goes another way, or of which stand-ins may be the cause; record those sessions again\n", counted(f.taken.Left, "answer"))
	}
	return nil
}

// amend writes one recording anew, whole or not at all.
func (f *acceptFlags) amend(policy *recorder.Policy, name string) (err error) {
	to := f.target(name)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	part := to + ".tmp"
	out, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part)
		}
	}()
	err = f.amendTo(policy, name, out)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	if f.out == "" {
		// A link, so that at no moment there is no recording of that name.
		if err = os.Link(name, name+beforeSuffix); err != nil {
			return err
		}
	}
	return os.Rename(part, to)
}

func (f *acceptFlags) amendTo(policy *recorder.Policy, name string, to stdio.Writer) error {
	in, err := openFile(name)
	if err != nil {
		return err
	}
	defer in.Close()
	if !strings.HasSuffix(name, recorder.CompressedSuffix) {
		return f.taken.Amend(name, policy, in, to)
	}
	packed, text := stdio.Pipe()
	done := make(chan error, 1)
	go func() {
		err := f.taken.Amend(name, policy, in, text)
		_ = text.CloseWithError(err) // nil gives io.EOF
		done <- err
	}()
	err = recorder.Compress(to, packed)
	_ = packed.CloseWithError(err)
	return errors.Join(<-done, err)
}

// unusedRule is the error of the first place of --accept where nothing differs.
func (f *acceptFlags) unusedRule() error {
	if f.rules == nil {
		return nil
	}
	var unused []*recorder.RuleError
	for _, e := range f.rules.Check() {
		if len(e.Instead) == 0 {
			// Answers that are as recorded were not looked into.
			e.Reason = "nothing differs there"
			unused = append(unused, e)
		}
	}
	return refusedRule("--accept", unused)
}
