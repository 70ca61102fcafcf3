package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/simulator"
	"github.com/hallmarkdev/hallmark/spec"
)

func initCommand(io streams) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init [URL]",
		Short: "Write a commented " + scenarios.ConfigName + " for a worker",
		Long: `Ask a worker how it starts and what it declares (session.start, and nothing
else), and write a commented ` + scenarios.ConfigName + ` with the rest left to fill in.`,
		Example: `  hallmark init http://127.0.0.1:4444
  hallmark init --start "node server.mjs {port}"`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), io, strings.Join(args, ""))
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.start, "start", "", "start the worker with `COMMAND`; {port} in it, and PORT in its environment, are the port")
	fl.StringVar(&f.agentID, "agent", "agent", "the agent `ID` that requests name")
	fl.StringVar(&f.file, "file", scenarios.ConfigName, "the `FILE` to write; - is standard output")
	fl.BoolVar(&f.force, "force", false, "write over a file that is there")
	return cmd
}

type initFlags struct {
	start, agentID, file string
	force                bool
}

func (f *initFlags) run(ctx context.Context, io streams, url string) error {
	if url == "" && f.start == "" {
		return usage("init: name the worker's URL").hinted("hallmark init http://127.0.0.1:4444")
	}
	if _, err := os.Lstat(f.file); err == nil && !f.force && f.file != "-" {
		return usage("%s is there already", f.file).hinted("write over it with --force")
	}
	draft := scenarios.Draft{URL: url, Start: f.start, AgentID: f.agentID, Remote: f.start == "" && !simulator.IsLoopback(url)}
	if f.start != "" {
		p, err := simulator.Start(ctx, simulator.ProcessConfig{Command: f.start, URL: url})
		if err != nil {
			return startError(io, err)
		}
		defer p.Stop()
		url = p.URL
	}
	found, err := f.discover(ctx, url)
	if err != nil {
		return err
	}
	draft.Form, draft.Declared = found.Form, found.Declared
	text := draft.Text()
	if f.file == "-" {
		_, err := io.out.Write([]byte(text))
		return err
	}
	if err := f.write(text); err != nil {
		return err
	}
	fmt.Fprintf(io.out, "wrote %s: %s declared\n", f.file, counted(len(found.Declared.Tools), "tool"))
	return nil
}

// discover asks session.start in both forms.
func (f *initFlags) discover(ctx context.Context, url string) (simulator.Discovery, error) {
	t, err := simulator.NewTransport(simulator.TransportConfig{URL: url})
	if err != nil {
		return simulator.Discovery{}, usage("%w", err)
	}
	settings := simulator.Settings{Seed: 1, AgentID: f.agentID}
	found := simulator.Discover(ctx, settings, "", t, func(spec.Event) {})
	switch {
	case found.Unreachable():
		return found, &exitError{code: reports.ExitUnreachable, err: fmt.Errorf("the worker at %s cannot be reached", url)}
	case found.Form == "":
		e := &exitError{code: reports.ExitFailed, err: errors.New("the worker yields no config in either form of session.start")}
		return found, e.hinted("hallmark test " + reports.Quote(url) + " says what it answered")
	}
	return found, nil
}

// write puts the file down; without force a file that came in the meantime is
// left alone.
func (f *initFlags) write(text string) error {
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if f.force {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	out, err := os.OpenFile(f.file, flags, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return usage("%s is there already", f.file).hinted("write over it with --force")
	}
	if err != nil {
		return failedIO(err)
	}
	_, err = out.WriteString(text)
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return failedIO(err)
	}
	return nil
}
