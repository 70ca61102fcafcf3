package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/internal/parts"
	"github.com/hallmarkdev/hallmark/internal/retell"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

func scenarioFrom(io streams) *cobra.Command {
	var f fromFlags
	cmd := &cobra.Command{
		Use:   "from PATH",
		Short: "Write a scenario that repeats what a recording shows",
		Long: `Write a scenario that repeats what a recording shows. A capture of production holds
no script: what the client said and what the model proposed is taken from the
requests, arguments as they were spelled, and what the recording shows is expected
again, but for what a requirement breaks. A recording of hallmark test gives its own
scenario back, with the tool and the arguments that it ran with. Ids and deadlines
are never copied. What cannot be said is named in comments.

Where a file or a folder holds several sessions they are listed, and --session
chooses one. The parts of a rotated recording are told as one, where the folder that
holds them is named.

With --minimize the scenario is run at a worker, which is named by --worker or
started by --start, again and again with less in it, while it fails for the same
reason; the smallest that does is written, with its twin where a call can be put
right. Tools have side effects, and are called as hallmark test would call them:
the same consent is asked. What fails in one run and not in the next is refused.
What was learned is kept in --work FILE, or beside --out, so that the same command
goes on after an interruption.`,
		Example: `  hallmark scenario from captures/FILE.jsonl.zst > scenarios/incident.yaml
  hallmark scenario from captures --session 01989a3c-5400-7c01-8f10-3b7a1d6e0001
  hallmark scenario from --minimize --worker http://127.0.0.1:4444 --out small.yaml captures/FILE.jsonl.zst`,
		Args: cobra.ExactArgs(1),
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.run(cmd, io, args[0]) }
	f.register(cmd)
	return cmd
}

// fromFlags are the flags of scenario from.
type fromFlags struct {
	session string
	out     string
	minimizeFlags
}

func (f *fromFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.session, "session", "", "tell the session with this `ALIAS` or id; of a run's recordings, the case with this id")
	fl.StringVar(&f.out, "out", "", "write the scenario to `FILE`, which must not be there; without it to stdout")
	f.minimizeFlags.register(cmd)
}

func (f *fromFlags) run(cmd *cobra.Command, io streams, path string) error {
	if err := f.check(); err != nil {
		return err
	}
	if err := f.minimizeFlags.check(cmd); err != nil {
		return err
	}
	told, err := f.tell(path)
	if err != nil {
		return err
	}
	if f.minimize {
		return f.smaller(cmd, io, told)
	}
	f.sayLeft(io, told)
	return f.write(io, told.Tree.YAML())
}

// check refuses what cannot be written before anything is read.
func (f *fromFlags) check() error {
	if f.out == "" {
		return nil
	}
	if folder := filepath.Dir(f.out); !isFolder(folder) {
		return failedIO(fmt.Errorf("write the scenario: %s is no folder", folder))
	}
	if _, err := os.Stat(f.out); !errors.Is(err, fs.ErrNotExist) {
		return usage("--out %s: is there already", f.out).hinted("name another file, or take that one away")
	}
	return nil
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// sayLeft says what the scenario cannot say, beside its comments.
func (f *fromFlags) sayLeft(io streams, told *retell.Retold) {
	for _, text := range told.Left {
		fmt.Fprintf(io.err, "not told: %s\n", reports.Clean(text))
	}
}

// write writes the scenario where it is wanted.
func (f *fromFlags) write(io streams, text []byte) error {
	if f.out == "" {
		_, err := io.out.Write(text)
		return err
	}
	to, err := os.OpenFile(f.out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return failedIO(fmt.Errorf("write the scenario: %w", err))
	}
	_, err = to.Write(text)
	if err = errors.Join(err, to.Close()); err != nil {
		return failedIO(fmt.Errorf("write the scenario: %w", err))
	}
	return nil
}

// tell tells the session that is meant.
func (f *fromFlags) tell(path string) (*retell.Retold, error) {
	names, err := recordingFiles([]string{path})
	if err != nil {
		return nil, err
	}
	all := parts.Join(names)
	files, session := all[0], f.session
	if len(all) > 1 {
		found, err := f.choose(all)
		if err != nil {
			return nil, err
		}
		files, session = found.files, found.session
	}
	told, err := retellFiles(files, session)
	var several *retell.ChoiceError
	if errors.As(err, &several) {
		all := make([]choice, len(several.Sessions))
		for i, s := range several.Sessions {
			all[i] = choice{files: files, session: s.Alias, id: s.ID, exchanges: s.Exchanges, said: s.Said}
		}
		return nil, notChosen(f.session, all, false)
	}
	return told, err
}

// retellFiles tells a session of one recording, which may be in several parts.
func retellFiles(files []string, session string) (*retell.Retold, error) {
	var name string
	told, err := retell.From(eventsOfFiles(files, &name), retell.Options{Name: filepath.Base(files[0]), Session: session})
	var several *retell.ChoiceError
	var size *retell.SizeError
	var opening *exitError
	switch {
	case err == nil, errors.As(err, &several), errors.As(err, &opening):
		return told, err
	case errors.As(err, &size):
		return nil, usage("%s: %w", name, err).hinted(size.Fix)
	case errors.Is(err, retell.ErrNothing):
		return nil, usage("%s: %w", name, err)
	case damaged(err):
		return nil, readError(name, err)
	}
	return nil, usage("%s: %w", name, err)
}

// eventsOfFiles gives the events of a recording in its parts, as often as it is
// asked. at is the file that is read.
func eventsOfFiles(files []string, at *string) iter.Seq2[spec.Event, error] {
	return func(yield func(spec.Event, error) bool) {
		for _, name := range files {
			if *at = name; !eventsOfFile(name, yield) {
				return
			}
		}
	}
}

// eventsOfFile gives the events of one file, and reports whether more are wanted.
func eventsOfFile(name string, yield func(spec.Event, error) bool) bool {
	f, err := openFile(name)
	if err != nil {
		yield(spec.Event{}, err)
		return false
	}
	defer f.Close()
	var fault error
	for e, err := range eventsOf(f, &fault) {
		if !yield(e, err) {
			return false
		}
	}
	return fault == nil
}

// choice is one thing to choose: a session of a capture, or a case of a run.
type choice struct {
	files       []string
	session, id string
	exchanges   int
	said        string
}

// choose looks through several recordings for the session that is meant.
func (f *fromFlags) choose(recordings [][]string) (choice, error) {
	var all []choice
	for _, files := range recordings {
		sessions, err := sessionsOf(files)
		if err != nil {
			return choice{}, err
		}
		all = append(all, sessions...)
	}
	fit := slices.DeleteFunc(slices.Clone(all), func(t choice) bool {
		return f.session != "" && f.session != t.id && f.session != t.session
	})
	if len(fit) == 1 {
		return fit[0], nil
	}
	if f.session != "" && len(fit) > 1 {
		all = fit
	}
	return choice{}, notChosen(f.session, all, true)
}

// sessionsOf lists what a recording has to tell.
func sessionsOf(files []string) ([]choice, error) {
	var header *spec.HeaderEvent
	var name string
	watch := func(yield func(spec.Event, error) bool) {
		for e, err := range eventsOfFiles(files, &name) {
			if h, ok := e.Data.(*spec.HeaderEvent); ok {
				header = h
			}
			if !yield(e, err) {
				return
			}
		}
	}
	sessions, err := retell.Sessions(watch)
	if err != nil {
		return nil, readError(name, err)
	}
	if header != nil && header.Case != nil && header.Case.Text != "" {
		one := choice{files: files, id: header.ID}
		for _, s := range sessions {
			one.exchanges += s.Exchanges
		}
		return []choice{one}, nil
	}
	var all []choice
	for _, s := range sessions {
		all = append(all, choice{files: files, session: s.Alias, id: s.ID, exchanges: s.Exchanges, said: s.Said})
	}
	return all, nil
}

// mostChoices is how many choices are listed.
const mostChoices = 30

// notChosen lists the choices. Where they are of several files an alias is not
// enough.
func notChosen(wanted string, all []choice, files bool) error {
	var b strings.Builder
	switch {
	case len(all) == 0:
		return usage("the recordings hold no session that could be told")
	case wanted == "":
		fmt.Fprintf(&b, "there are %s to choose from:", counted(len(all), "session"))
	case len(all) == 1 || !slices.ContainsFunc(all, func(t choice) bool { return t.id == wanted || t.session == wanted }):
		fmt.Fprintf(&b, "no session is called %q; there are:", wanted)
	default:
		fmt.Fprintf(&b, "%q is %s:", wanted, counted(len(all), "session"))
	}
	for i, t := range all {
		if i == mostChoices {
			fmt.Fprintf(&b, "\n  and %d more", len(all)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %s", reports.Clean(t.line(files)))
	}
	e := usage("%s", b.String())
	if wanted != "" && !slices.ContainsFunc(all, func(c choice) bool { return c.id != wanted }) {
		// Copies of one recording, or parts of it between which one is missing.
		return e.hinted("name one of the files")
	}
	longest := slices.MaxFunc(all, func(a, b choice) int { return cmp.Compare(a.exchanges, b.exchanges) })
	word := longest.id
	if !files && longest.session != "" {
		word = longest.session
	}
	return e.hinted("name one, such as --session " + reports.Quote(reports.Clean(word)))
}

func (t choice) line(files bool) string {
	words := []string{}
	if t.session != "" {
		words = append(words, t.session)
	}
	words = append(words, t.id, counted(t.exchanges, "exchange"))
	if files {
		words = append(words, t.files[0])
	}
	if t.said != "" {
		words = append(words, t.said)
	}
	return strings.Join(words, "  ")
}
