package workertest

import (
	"crypto/rand"
	"errors"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
)

// plan is a Config that was checked and read: all that a run needs but the
// worker.
type plan struct {
	certify.Config
	// file is what Config.File says, empty when it names none.
	file *scenarios.Config
	// origins tells where each scenario comes from, since cases are named by
	// the scenario.
	origins map[string]string
	strict  bool
	// baseline is the list of known failures, nil for none.
	baseline *reports.Baseline
	// secrets are values that nothing written may hold.
	secrets []recorder.Secret
	// partial says that cases are left out on purpose.
	partial bool
	// engine is where the worker settles calls, nil for none; key is that of an
	// engine which the run makes itself.
	engine *Engine
	key    string
}

// plan checks cfg and reads all that it names, before anything is run. one,
// when it is not nil, is the only scenario: that of [Scenario].
func (cfg Config) plan(one *scenarios.Document) (*plan, error) {
	if err := cfg.check(one != nil); err != nil {
		return nil, err
	}
	file, err := readFile(cfg.File, cfg.Reset != nil)
	if err != nil {
		return nil, err
	}
	p := &plan{file: file, origins: map[string]string{}, strict: cfg.Strict, partial: len(cfg.Run)+len(cfg.Skip) > 0}
	p.Run, p.Skip, p.Jobs, p.Record, p.Vars = cfg.Run, cfg.Skip, cfg.Jobs, cfg.Record, cfg.Vars
	p.Seed, p.MadeBy, p.Patience = max(cfg.Seed, 1), madeBy(), cfg.Patience
	p.engine, p.key = cfg.Engine, rand.Text()
	p.secrets = append(p.secrets, recorder.Secret{Value: p.key, Variable: "HALLMARK_API_KEY"})
	if p.engine != nil {
		p.secrets = append(p.secrets, recorder.Secret{Value: p.engine.key})
	}
	p.RunOf.ID = strings.ToLower(rand.Text()[:12])
	if err := p.applyFile(); err != nil {
		return nil, err
	}
	if p.Disturb, err = cfg.disturbances(file); err != nil {
		return nil, err
	}
	if err := cfg.overrule(p); err != nil {
		return nil, err
	}
	if cfg.Record != "" {
		if err := certify.ProbeFolder(cfg.Record); err != nil {
			return nil, misset("Record", "name another folder", "%s", err)
		}
	}
	p.Redact = recorder.NewRedactor(p.secrets, []byte(rand.Text()))
	if one != nil {
		p.Own, p.partial = []certify.Own{{Doc: one}}, true
		return p, nil
	}
	if err := cfg.readScenarios(p); err != nil {
		return nil, err
	}
	return p, cfg.readBaseline(p)
}

// check refuses what cannot be meant.
func (cfg Config) check(one bool) error {
	switch {
	case cfg.Jobs < 0:
		return misset("Jobs", "", "%d: want 0 or more", cfg.Jobs)
	case cfg.Reset != nil && cfg.Jobs > 1:
		return misset("Jobs", "leave it 0", "%d: with Reset cases run one by one", cfg.Jobs)
	case cfg.AllTools && len(cfg.OnlyTools) > 0:
		return misset("AllTools", "set one of the two", "OnlyTools is set as well")
	case one && cfg.Scenarios != nil:
		return misset("Scenarios", "run a folder by Run", "Scenario runs the one that it is given")
	case one && cfg.Baseline != "":
		return misset("Baseline", "give it to Run", "a baseline is of whole runs, and Scenario runs one scenario")
	}
	return nil
}

// overrule lets the fields of cfg win over what the file said.
func (cfg Config) overrule(p *plan) error {
	if cfg.AgentID != "" {
		p.AgentID = cfg.AgentID
	}
	if cfg.Agent != nil {
		p.Agent = cfg.Agent
	}
	if len(cfg.OnlyTools) > 0 {
		p.Consent.OnlyTools = cfg.OnlyTools
	}
	p.Consent.SkipTools, p.Consent.AllTools = cfg.SkipTools, cfg.AllTools
	if cfg.Reset != nil {
		p.Reset, p.Jobs = cfg.Reset, 1
	}
	if cfg.Secret != nil {
		p.Secret = cfg.Secret
		p.secrets = append(p.secrets, recorder.Secret{Value: string(cfg.Secret)})
	}
	if err := cfg.dialects(p); err != nil {
		return err
	}
	if cfg.SignatureHeader != "" {
		p.SignatureHeader = cfg.SignatureHeader
	}
	if err := p.checkSigning(); err != nil {
		return err
	}
	headers, err := headersOf(cfg.Header)
	for _, h := range headers {
		p.Headers = append(p.Headers, h)
		p.secrets = append(p.secrets, recorder.Secret{Value: h[1], Variable: variableOf(h[0])})
	}
	return err
}

// disturbances are those that cfg names, or else the file.
func (cfg Config) disturbances(file *scenarios.Config) ([]string, error) {
	if cfg.Disturb == nil {
		return file.Disturb, nil
	}
	chosen, err := scenarios.ChooseDisturbances(cfg.Disturb)
	var unknown *scenarios.DisturbanceError
	if errors.As(err, &unknown) {
		return nil, misset("Disturb", unknown.Hint, "%s", unknown.Error())
	}
	return chosen, err
}

// dialects reads those of cfg, or else of the file.
func (cfg Config) dialects(p *plan) error {
	texts := cfg.Dialect
	if texts == nil {
		texts = p.file.Dialects
	}
	dialects, err := scenarios.ParseDialects(texts)
	var unknown *scenarios.DialectError
	if errors.As(err, &unknown) {
		return misset("Dialect", unknown.Hint, "%s", err)
	}
	p.Dialects = dialects
	p.partial = p.partial || !scenarios.SpeaksDefault(dialects)
	return err
}
