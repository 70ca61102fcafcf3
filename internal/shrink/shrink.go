package shrink

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/internal/minimize"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

// Options say how a scenario is shrunk.
type Options struct {
	// Requirement is the one whose breaking is looked for, "" for the first that is
	// broken: of Prefer, else of all, musts first, then expectations.
	Requirement string
	Prefer      []string
	// MaxRuns bounds the runs of scenarios, [DefaultMaxRuns] when 0, and is at least
	// [MinRuns].
	MaxRuns int
	// Works are arguments of calls that ran, by tool, as a call writes them.
	Works map[string]*scenarios.Tree
	// Journal keeps what was learned, nil for nothing.
	Journal *Journal
	// Progress, when set, is told of each run.
	Progress func(Progress)
}

// DefaultMaxRuns is how often scenarios are run at most.
const DefaultMaxRuns = 500

// What fails is run twice before and twice behind, and once with its twin.
const (
	runsBefore = 2
	runsBehind = 3
	// MinRuns is how often a scenario is run where nothing of it is taken out.
	MinRuns = runsBefore + runsBehind
)

// Progress is how far it is.
type Progress struct {
	// Runs is how many runs were made of MaxRuns, Size how many values the smallest
	// scenario has that fails, of From.
	Runs, MaxRuns, Size, From int
}

// Shrunk is what came of it.
type Shrunk struct {
	Tree *scenarios.Tree
	// Reason is why it fails, Got and Want are of its finding.
	Reason    Reason
	Got, Want string
	// Runs is how many runs it took, those of the journal not counted.
	Runs int
	// Stopped says that a bound was met before it was as small as it can be.
	Stopped string
	// Twin says what its twin puts right, NoTwin why it has none.
	Twin, NoTwin string
}

// NotFailingError says that there is nothing to shrink.
type NotFailingError struct {
	// Others are the reasons for which it did fail, where a requirement was named.
	Others []string
	Status string
}

// Error says that it does not fail.
func (e *NotFailingError) Error() string {
	if len(e.Others) > 0 {
		return "the scenario does not fail so at this worker; it fails by " + strings.Join(e.Others, ", ")
	}
	return "the scenario does not fail at this worker: " + e.Status
}

// FlakyError says that a scenario fails at one time and not at another.
type FlakyError struct {
	Reason Reason
	// Small says that it is the smallest one that does.
	Small bool
}

// Error says what happens.
func (e *FlakyError) Error() string {
	what := "the scenario"
	if e.Small {
		what = "the smallest scenario that was found"
	}
	return fmt.Sprintf("%s breaks %s in one run and not in the next: it is flaky", what, e.Reason)
}

// DiedError says that the worker could no longer be reached.
type DiedError struct{ Why string }

// Error says why.
func (e *DiedError) Error() string { return "the worker went away: " + e.Why }

// shrinker runs scenarios at one worker.
type shrinker struct {
	ctx    context.Context
	single *certify.Single
	o      Options
	reason Reason
	last   spec.Finding
	runs   int
	// silent counts the runs in a row in which the worker did not answer, hangs says
	// that it did not in the first.
	silent int
	hangs  bool
	size   int
	from   int
	// classes are those of the arguments of calls, by label: a call that is good
	// stays good, since a bad one is another story.
	classes map[string]spec.InputStatus
	// own is the twin that the scenario came with.
	own *scenarios.Tree
	// again counts the runs of one text, so that each has ids of its own.
	again map[string]int
}

// Run shrinks a scenario that fails at a worker. It has to fail twice in a row for
// the same reason, and so has what comes of it. The error is a [*NotFailingError],
// a [*FlakyError], a [*DiedError], that of the consent to call tools (R3), or of
// ctx where that is cancelled; a deadline of it is a bound like that of the runs.
func Run(ctx context.Context, single *certify.Single, t *scenarios.Tree, o Options) (*Shrunk, error) {
	if o.MaxRuns == 0 {
		o.MaxRuns = DefaultMaxRuns
	}
	o.MaxRuns = max(o.MaxRuns, MinRuns)
	s := &shrinker{ctx: ctx, single: single, o: o, again: map[string]int{}, from: t.Size(), size: t.Size()}
	s.own = t.Member("twin").Clone()
	t, err := s.begin(t)
	if err != nil {
		return nil, err
	}
	out := &Shrunk{Reason: s.reason}
	small, err := minimize.Tree(t, s.fails)
	switch {
	case errors.Is(err, minimize.ErrStopped):
		out.Stopped = fmt.Sprintf("it may still get smaller: --max-runs %d was met", o.MaxRuns)
	case errors.Is(err, context.DeadlineExceeded):
		out.Stopped = "it may still get smaller: --timeout was met"
		s.ctx = context.WithoutCancel(ctx)
	case err != nil:
		return nil, err
	}
	again, err := s.twice(small)
	if err != nil {
		return nil, err
	}
	if out.Tree, out.Twin, out.NoTwin, err = s.twin(small, again); err != nil {
		return nil, err
	}
	out.Runs, out.Got, out.Want = s.runs, s.last.Got, s.last.Want
	return out, nil
}

// begin runs the scenario twice and settles what is looked for.
func (s *shrinker) begin(t *scenarios.Tree) (*scenarios.Tree, error) {
	first, err := s.run(t)
	if err != nil {
		return nil, err
	}
	second, err := s.run(t)
	if err != nil {
		return nil, err
	}
	a, b := reasons(first.Judged), reasons(second.Judged)
	target, ok := s.choose(a)
	if !ok {
		if target, ok = s.choose(b); ok {
			return nil, &FlakyError{Reason: target.Reason}
		}
		e := &NotFailingError{Status: string(first.Judged.Case.Status)}
		if r := first.Judged.Case.Reason; r != "" {
			e.Status += ", " + r
		}
		for _, f := range a {
			if name := f.Reason.String(); !slices.Contains(e.Others, name) {
				e.Others = append(e.Others, name)
			}
		}
		return nil, e
	}
	if !has(b, target.Reason) {
		return nil, &FlakyError{Reason: target.Reason}
	}
	s.reason, s.last = target.Reason, target.finding
	s.classes = map[string]spec.InputStatus{}
	for _, c := range executed(first.Events) {
		s.classes[c.label] = c.class
	}
	// The scenario is about this one from now on.
	t = t.Clone()
	t.Delete("requirements")
	if id := s.reason.Requirement; id != "" {
		at := slices.Index(t.Keys, "steps")
		for _, key := range []string{"needs", "engine", "given"} {
			if i := slices.Index(t.Keys, key); i >= 0 {
				at = min(at, i)
			}
		}
		t.Keys = slices.Insert(t.Keys, at, "requirements")
		t.Items = slices.Insert(t.Items, at, scenarios.ListTree(scenarios.TextTree(id)))
	}
	t.Comment = ""
	run, err := s.single.Fingerprint()
	if err != nil {
		return nil, err
	}
	if err := s.o.Journal.begin(t, s.reason, run); err != nil {
		return nil, err
	}
	return t, nil
}

// choose is the reason that is looked for.
func (s *shrinker) choose(all []found) (found, bool) {
	wanted := s.o.Prefer
	if s.o.Requirement != "" {
		wanted = []string{s.o.Requirement}
	}
	for _, id := range wanted {
		if i := slices.IndexFunc(all, func(f found) bool { return f.Requirement == id }); i >= 0 {
			return all[i], true
		}
	}
	if s.o.Requirement != "" || len(all) == 0 {
		return found{}, false
	}
	return all[0], true
}

// run runs a scenario, which has to read and to apply.
func (s *shrinker) run(t *scenarios.Tree) (certify.SingleRun, error) {
	text := t.YAML()
	name := hash(text)
	s.again[name]++
	doc, err := scenarios.Parse(fmt.Sprintf("%s-%d.yaml", name[:16], s.again[name]), text)
	if err != nil {
		return certify.SingleRun{}, err
	}
	s.runs++
	ran, err := s.single.Run(s.ctx, doc)
	if err == nil {
		err = s.alive(ran.Judged)
	}
	if s.o.Progress != nil {
		s.o.Progress(Progress{Runs: s.runs, MaxRuns: s.o.MaxRuns, Size: s.size, From: s.from})
	}
	return ran, err
}

// alive ends it where the worker is gone, or has fallen silent (R16): each run
// would wait for it twice.
func (s *shrinker) alive(j *certify.Judged) error {
	if j.Unreachable {
		return &DiedError{Why: j.Case.Reason}
	}
	if j.Case.End != spec.CloseGaveUp {
		s.silent = 0
		return nil
	}
	s.silent++
	if s.runs == 1 {
		s.hangs = true
	}
	if !s.hangs && s.silent >= simulator.MaxSilentCases {
		return &DiedError{Why: fmt.Sprintf("it did not answer in %d runs, one after the other", s.silent)}
	}
	return nil
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// fails is the test of the minimisation.
func (s *shrinker) fails(t *scenarios.Tree) (bool, error) {
	key := hash(t.YAML())
	if answer, known := s.o.Journal.answer(key); known {
		if answer {
			s.size = t.Size()
		}
		return answer, nil
	}
	if _, err := scenarios.Parse("x.yaml", t.YAML()); err != nil {
		return false, nil
	}
	if s.runs+runsBehind >= s.o.MaxRuns {
		return false, minimize.ErrStopped
	}
	ran, err := s.run(t)
	var problems scenarios.Problems
	switch {
	case errors.As(err, &problems):
		return false, nil
	case err != nil:
		return false, err
	}
	answer := s.failed(ran) && s.sameClasses(ran)
	if answer {
		s.size = t.Size()
	}
	return answer, s.o.Journal.add(key, answer)
}

// failed reports whether a run failed for the reason that is looked for.
func (s *shrinker) failed(ran certify.SingleRun) bool {
	all := reasons(ran.Judged)
	i := slices.IndexFunc(all, func(f found) bool { return f.Reason == s.reason })
	if i < 0 {
		return false
	}
	s.last = all[i].finding
	return true
}

// sameClasses reports whether the arguments of each call are as good or as bad as
// they were.
func (s *shrinker) sameClasses(ran certify.SingleRun) bool {
	return !slices.ContainsFunc(executed(ran.Events), func(c executedCall) bool {
		class, known := s.classes[c.label]
		return known && class != c.class
	})
}

// twice wants a scenario to fail two times in a row, and gives the last of them.
func (s *shrinker) twice(t *scenarios.Tree) (ran certify.SingleRun, err error) {
	for range 2 {
		if ran, err = s.run(t); err != nil {
			return ran, err
		}
		if !s.failed(ran) {
			return ran, &FlakyError{Reason: s.reason, Small: true}
		}
	}
	return ran, nil
}

// twin adds the same case with the one thing put right, where there is one: what the
// twin says that the scenario came with, or a call whose arguments are not valid (R11).
// A twin that is refused too, or that lets the
// failure go, proves nothing and is left out. ran is a run without one.
func (s *shrinker) twin(t *scenarios.Tree, ran certify.SingleRun) (with *scenarios.Tree, twin, noTwin string, err error) {
	const asItCame = "what it does in the scenario that this was made of"
	if t.Member("twin") != nil {
		return t, asItCame, "", nil
	}
	label, tool := badCall(ran.Events)
	put, what := s.own, asItCame
	switch call := s.own.Member("call"); {
	case s.own != nil && (call == nil || call.Text == label):
	case label == "":
		return t, "", "nothing in it is wrong that could be put right", nil
	default:
		put, what = scenarios.ObjectTree().Add("call", scenarios.TextTree(label)), "the arguments of "+label
		if works := s.o.Works[tool]; works != nil {
			put.Add(works.Keys[0], works.Items[0])
		} else {
			put.Add("generate", scenarios.TextTree("valid"))
		}
	}
	with = t.Clone()
	at := slices.Index(with.Keys, "steps")
	with.Keys, with.Items = slices.Insert(with.Keys, at, "twin"), slices.Insert(with.Items, at, put)
	ran, err = s.run(with)
	var problems scenarios.Problems
	switch {
	case errors.As(err, &problems):
		return t, "", "what is wrong in it cannot be put right", nil
	case err != nil:
		return nil, "", "", err
	case !s.failed(ran):
		return t, "", "with what is right beside it the failure does not show", nil
	}
	return with, what, "", nil
}

// badCall is the first call of a recording whose arguments are not valid.
func badCall(events []spec.Event) (label, tool string) {
	for _, c := range executed(events) {
		if c.class != spec.InputValid {
			return c.label, c.tool
		}
	}
	return "", ""
}

// executedCall is a call of the script that was handed to the worker.
type executedCall struct {
	label, tool string
	class       spec.InputStatus
}

// executed are the calls of a recording, in the order in which they were handed
// to the worker first.
func executed(events []spec.Event) []executedCall {
	labels := map[string]string{}
	var all []executedCall
	for x := range spec.Exchanges(func(yield func(spec.Event) bool) {
		for _, e := range events {
			if h, ok := e.Data.(*spec.HeaderEvent); ok && h.Case != nil {
				labels = spec.LabelsByID(h.Case.Labels)
			}
			if !yield(e) {
				return
			}
		}
	}) {
		asked, fault := x.Asked()
		if fault != nil {
			continue
		}
		tr, ok := asked.Trigger.(spec.ToolExecuteTrigger)
		if !ok || labels[tr.ID] == "" || slices.ContainsFunc(all, func(c executedCall) bool { return c.label == labels[tr.ID] }) {
			continue
		}
		all = append(all, executedCall{labels[tr.ID], tr.Name, tr.Input.Status})
	}
	return all
}
