package simulator

import (
	"context"
	"runtime"
	"sync"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// MaxSilentCases is how many cases in a row may get no answer before the rest
// is not run (R16).
const MaxSilentCases = 3

// RunConfig says how many cases are run.
type RunConfig struct {
	Settings
	// Features are those that the cases were planned with.
	Features []string
	// Jobs is how many cases run side by side; 0 means GOMAXPROCS.
	Jobs int
	// MaxFailures ends the run after so many failed cases; 0 is no bound.
	MaxFailures int
	// Origin, when set, says of a case whether it is of the built-in corpus,
	// and else which folder it was read from.
	Origin func(c scenarios.Case) (built bool, folder string)
	// Another, when set, starts another worker like the run's own, for a case that
	// restarts its worker while others run: their sessions are not disturbed then
	// (R15). Without it, and where it fails, such a case runs alone. It is called
	// from several goroutines.
	Another func(context.Context) (*Instance, error)
	// Sink, when set, gives the place where the events of a case go as they
	// happen. It is called before the case begins, from several goroutines.
	Sink func(in CaseInput) Sink
	// Failed says whether a case failed. That is the judge's to say; nil says
	// that none did. It is called from several goroutines.
	Failed func(r Ran) bool
	// Progress, when set, is told of each case that has ended, in the order
	// of ending, never twice at once.
	Progress func(p Progress)
}

// Sink takes the recording of one case.
type Sink interface {
	// Event takes the next event.
	Event(e spec.Event)
	// Close ends the recording.
	Close(r Result)
}

// Progress is how far a run is.
type Progress struct {
	Done, Total, Failed int
	// Last is the case that ended.
	Last string
}

// Ran is one case that was run, or that was not and says why.
type Ran struct {
	Input CaseInput
	Result
	// Events are all events of the recording but the closing line.
	Events []spec.Event
	// Failed is what RunConfig.Failed said.
	Failed bool
	// Again is the run of the same case with no other beside it, after it had
	// failed in company; nil when there was none (R18).
	Again *Ran
}

// skipped reports whether the case did not run, or not to its end, for a reason
// that is no verdict.
func (r Ran) skipped() bool {
	why, _ := spec.SplitCloseReason(r.Why)
	return why == spec.CloseNotRun || why == spec.CloseNotApplicable
}

// Run drives cases, so many at once as there are jobs, and hands each one to
// done in the order of cases, whatever the order of ending. done is never
// called twice at once. A case that failed in company runs once more while no
// other does (R18). After [MaxSilentCases] cases in a row without an answer
// the rest is not run (R16), and so it is when ctx is cancelled; what does not
// run gets a recording that says so. Run returns when all is over.
func Run(ctx context.Context, cfg RunConfig, cases []scenarios.Case, t Poster, done func(Ran)) {
	cfg.Settings = cfg.withDefaults()
	if cfg.Jobs <= 0 {
		cfg.Jobs = runtime.GOMAXPROCS(0)
	}
	r := &runner{cfg: cfg, t: t, cases: cases, done: done, company: newGate(), ended: map[int]Ran{}}
	var jobs sync.WaitGroup
	for range min(cfg.Jobs, len(cases)) {
		jobs.Go(func() {
			for i, n := r.take(); n > 0; i, n = r.take() {
				r.family(ctx, i, n)
			}
		})
	}
	jobs.Wait()
}

type runner struct {
	cfg   RunConfig
	t     Poster
	cases []scenarios.Case
	done  func(Ran)

	// company keeps a case that runs alone apart from all others.
	company *gate

	mu sync.Mutex
	// next is the case to be taken next, out the one to be handed out next.
	next, out int
	ended     map[int]Ran
	finished  int
	failed    int
	silent    int
	// stopped is why the rest is not run, "" while it is.
	stopped string
}

// take returns the next case with all further runs of it, how many that are,
// and 0 when none is left.
func (r *runner) take() (first, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first = r.next
	for r.next < len(r.cases) && (n == 0 || !r.cases[r.next].Variant.IsFirst()) {
		r.next++
		n++
	}
	return first, n
}

// family runs a case, and then its disturbed runs and what they are compared
// with (R6). They are handed out when all have ended.
func (r *runner) family(ctx context.Context, first, n int) {
	ended := make([]Ran, n)
	for k := range n {
		ended[k] = r.one(ctx, first+k, ended[0])
	}
	for k, ran := range ended {
		r.finish(first+k, ran)
	}
}

func (r *runner) why() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stopped
}

// one runs one case, and once more alone when it failed in company: beside
// other cases, or with several sessions of its own, which then come one after
// the other.
func (r *runner) one(ctx context.Context, i int, calm Ran) Ran {
	in := CaseInput{Settings: r.cfg.Settings, Case: r.cases[i], Ordinal: i + 1, Features: r.cfg.Features}
	if r.cfg.Origin != nil {
		in.Built, in.Folder = r.cfg.Origin(in.Case)
	}
	if !in.Case.Variant.IsFirst() && in.Case.NotApplicable == "" {
		if in.Case.NotApplicable = undisturbed(calm); in.Case.NotApplicable == "" && in.Case.Variant.Disturbed != nil {
			if in.Case.Variant.Disturbed = placed(in, calm.Events); in.Case.Variant.Disturbed == nil {
				in.Case.Variant.Disturbed, in.Case.NotApplicable = r.cases[i].Variant.Disturbed, "no delivery can be disturbed so"
			}
		}
	}
	company := r.cfg.Jobs > 1 && len(r.cases) > 1
	var ran Ran
	if here := in; in.Case.RestartsWorker() {
		// A restart would kill the sessions beside it (R15).
		t, leave := r.apart(ctx, &here)
		ran = r.drive(ctx, here, t)
		leave()
		company = false
	} else {
		leave := r.company.enter()
		ran = r.drive(ctx, in, r.t)
		leave()
	}
	company = company || in.Case.HasCompany()
	if !ran.Failed || !company || ran.GaveUp() || ctx.Err() != nil {
		return ran
	}
	defer r.company.enterAlone()()
	in.Alone, in.Case = true, in.Case.Apart()
	again := r.drive(ctx, in, r.t)
	ran.Again = &again
	return ran
}

// drive runs one case at a worker and records it.
func (r *runner) drive(ctx context.Context, in CaseInput, t Poster) Ran {
	ran := Ran{Input: in}
	var to Sink
	if r.cfg.Sink != nil {
		to = r.cfg.Sink(in)
	}
	sink := func(e spec.Event) {
		ran.Events = append(ran.Events, e)
		if to != nil {
			to.Event(e)
		}
	}
	switch why := r.why(); {
	case why != "":
		ran.Result = skip(in, why, sink)
	case ctx.Err() != nil:
		ran.Result = skip(in, spec.CloseReason(spec.CloseNotRun, "the run was stopped"), sink)
	default:
		ran.Result = Drive(ctx, in, t, sink)
		r.count(ran.Result)
	}
	if to != nil {
		to.Close(ran.Result)
	}
	ran.Failed = r.cfg.Failed != nil && !ran.skipped() && r.cfg.Failed(ran)
	return ran
}

// count stops the run when the worker has fallen silent (R16).
func (r *runner) count(result Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch why, _ := spec.SplitCloseReason(result.Why); {
	case why == spec.CloseGaveUp, why == spec.CloseUnreachable:
		r.silent++
	case result.Reached:
		r.silent = 0
	}
	if r.silent >= MaxSilentCases {
		r.stop("the worker does not answer")
	}
}

// stop keeps what has not begun from running. What has goes on to its end, which
// its own bounds keep near: it may be the very case that brought the worker
// down, and cut short it would not show that.
func (r *runner) stop(why string) {
	if r.stopped == "" {
		r.stopped = spec.CloseReason(spec.CloseNotRun, why)
	}
}

// finish hands out every case whose turn has come.
func (r *runner) finish(i int, ran Ran) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended[i] = ran
	r.finished++
	if ran.Failed && (ran.Again == nil || ran.Again.Failed) {
		r.failed++
	}
	if limit := r.cfg.MaxFailures; limit > 0 && r.failed >= limit {
		r.stop(count(r.failed, "case") + " had failed")
	}
	if r.cfg.Progress != nil {
		r.cfg.Progress(Progress{Done: r.finished, Total: len(r.cases), Failed: r.failed, Last: ran.Input.Case.ID})
	}
	for next, ok := r.ended[r.out]; ok; next, ok = r.ended[r.out] {
		delete(r.ended, r.out)
		r.out++
		r.done(next)
	}
}
