package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
)

// projectFlag adds --config, which names a project's file.
func projectFlag(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "config", "", "read `FILE`; without it "+scenarios.ConfigName+" in this folder, where there is one; none reads none")
}

// readProject reads a project's file. Without a path one that is not there is
// no fault, and gives nil.
func readProject(streams streams, path string) (*scenarios.Config, error) {
	if path == "none" {
		return nil, nil
	}
	name := path
	if name == "" {
		name = scenarios.ConfigName
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		if path == "" {
			return nil, nil
		}
		return nil, usage("open %s: no such file", name).hinted("hallmark init URL writes one")
	}
	if err != nil {
		return nil, failedIO(err)
	}
	c, err := scenarios.ParseConfig(name, text)
	if err != nil {
		return nil, usage("%w", err)
	}
	for _, w := range c.Warnings {
		fmt.Fprintf(streams.err, "warning: %s\n", reports.Clean(w.Error()))
	}
	return c, nil
}

// fill takes from the project's file what no flag has said.
func (f *testFlags) fill(cmd *cobra.Command, c *scenarios.Config, url *string) {
	said := func(flag string) bool { return cmd.Flags().Changed(flag) }
	beside := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(filepath.Dir(c.File), path)
	}
	if *url == "" && !said("start") {
		*url, f.start = c.URL, c.Start
	}
	if f.start == "" && !said("restart-cmd") {
		f.restartCmd = c.RestartCommand
	}
	take := func(flag string, to *string, value string) {
		if value != "" && !said(flag) {
			*to = value
		}
	}
	if f.start != "" && !said("start-env") {
		f.startEnv = c.StartEnv
	}
	take("engine-listen", &f.engineListen, c.EngineListen)
	take("agent", &f.agentID, c.AgentID)
	take("form", &f.form, c.Form)
	take("signature-header", &f.signatureHeader, c.SignatureHeader)
	take("profile", &f.profile, c.Profile)
	take("worker-name", &f.workerName, c.WorkerName)
	take("worker-version", &f.workerVersion, c.WorkerVersion)
	if c.Baseline != "" && !said("baseline") && !said("write-baseline") {
		f.baseline = beside(c.Baseline)
	}
	if !said("scenarios") {
		for _, path := range c.Scenarios {
			f.scenarioPaths = append(f.scenarioPaths, beside(path))
		}
	}
	if !said("disturb") {
		f.disturb = c.Disturb
	}
	if !said("dialect") {
		f.dialects = c.Dialects
	}
	if !said("no-corpus") {
		f.noCorpus = c.WithoutCorpus
	}
}

// apply gives a run what a project's file says and no flag can.
func (f *testFlags) apply(c *scenarios.Config, url string, cfg *certify.Config) error {
	cfg.Samples, cfg.Features = c.Samples(), c.Features
	f.badArguments = c.Policies()
	if c.Propose != nil {
		cfg.Agent = c.Propose
	}
	if err := f.workerFlags.apply(c, url, cfg); err != nil {
		return err
	}
	if c.Reset != nil {
		cfg.Reset, cfg.Jobs = resetHook(*c.Reset), 1
	}
	return nil
}

// resetTimeout bounds one reset of the worker's world.
const resetTimeout = 30 * time.Second

// resetHook puts the worker's world back before each case.
func resetHook(r scenarios.Reset) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, resetTimeout)
		defer cancel()
		if r.Run != "" {
			return runReset(ctx, r.Run)
		}
		return postReset(ctx, r.Post)
	}
}

func runReset(ctx context.Context, command string) error {
	words, err := simulator.SplitCommand(command)
	if err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	// What the command leaves running may hold its output open.
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("reset: %s: %w: %.200s", command, err, out)
	}
	return nil
}

func postReset(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, http.NoBody)
	if err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	if resp.StatusCode >= 300 {
		return fmt.Errorf("reset: POST %s: status %d", url, resp.StatusCode)
	}
	return nil
}
