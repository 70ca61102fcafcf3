package simulator

import (
	"context"
	"strings"
)

// Instance is a worker like that of the run, for one case alone.
type Instance struct {
	// Poster delivers to it.
	Poster Poster
	// Restart restarts it, as [Settings.Restart] does the run's own worker.
	Restart func(context.Context) error
	// Process is its process, nil when it has none.
	Process *Process
	// Close ends it. It returns when it is gone.
	Close func()
}

// Another returns what starts further workers like p, each at a port of its own,
// for [RunConfig.Another]; nil where the command does not name {port}, so that
// two of them would want the same. Nothing of them reaches the Event and Output of
// p. What it returns is safe for concurrent use.
func (p *Process) Another(t TransportConfig) func(context.Context) (*Instance, error) {
	fixed := p.cfg.URL != "" && !strings.Contains(p.cfg.URL, "{port}")
	if fixed || !strings.Contains(p.cfg.Command, "{port}") {
		return nil
	}
	cfg := p.cfg
	cfg.Event, cfg.Output = nil, nil
	return func(ctx context.Context) (*Instance, error) {
		q, err := Start(ctx, cfg)
		if err != nil {
			return nil, err
		}
		// A copy: two of them may be started at once.
		own := t
		own.URL = q.URL
		post, err := NewTransport(own)
		if err != nil {
			q.Stop()
			return nil, err
		}
		return &Instance{Poster: post, Restart: q.Restart, Process: q, Close: func() {
			post.Close()
			q.Stop()
		}}, nil
	}
}

// apart gives a case that restarts its worker one of its own, so that no other
// case has to wait (R15). Where there is none it runs alone, at the run's worker.
func (r *runner) apart(ctx context.Context, in *CaseInput) (t Poster, leave func()) {
	if r.cfg.Another != nil && r.cfg.Jobs > 1 && r.why() == "" && in.Case.NotApplicable == "" {
		leave := r.company.enter()
		if own, err := r.cfg.Another(ctx); err == nil {
			in.Restart, in.Process = own.Restart, own.Process
			return own.Poster, func() {
				own.Close()
				leave()
			}
		}
		leave()
	}
	return r.t, r.company.enterAlone()
}
