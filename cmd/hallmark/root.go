package main

import (
	"context"
	"errors"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hallmarkdev/hallmark/internal/suggest"
	"github.com/hallmarkdev/hallmark/reports"
)

// streams are where a command reads and writes. Results go to out; progress,
// warnings and errors go to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// run runs one command line and returns its exit code.
func run(args []string, in io.Reader, out, err io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first signal ends the run in good order; the second ends the process.
	context.AfterFunc(ctx, stop)
	// The HTTP client logs what a worker sends out of turn; a worker must not
	// write to this terminal.
	log.SetOutput(io.Discard)
	streams := streams{in, out, err}
	root := rootCommand(streams)
	root.SetArgs(args)
	cmd, failed := root.ExecuteContextC(ctx)
	return report(err, explained(cmd, failed))
}

// explained gives an error of cobra itself, such as a missing argument, the
// command that it is about and a way to its help.
func explained(cmd *cobra.Command, err error) error {
	var known *exitError
	if err == nil || errors.As(err, &known) {
		return err
	}
	name := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "hallmark"), " ")
	if name == "" {
		return usage("%w", err).hinted("hallmark help")
	}
	return usage("%s: %w", name, err).hinted("hallmark help " + name)
}

func rootCommand(io streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "hallmark",
		Short: "Certify tool-call workers",
		Long: `Hallmark certifies tool-call workers. It plays the agent engine and the model,
drives a worker through scenarios over HTTP, records every exchange, and judges
the recordings.

  hallmark demo                        certify the built-in worker, to see how it looks
  hallmark test http://127.0.0.1:4444  certify a worker of your own

Exit codes: 0 all good; 1 a requirement or an expectation failed, or a replay
diverged; 2 a bad invocation, scenario or config, or nothing was observed; 3 the
worker could not be reached or started; 4 I/O failed, or a recording is damaged;
5 the harness erred.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          needsSubcommand,
		RunE:          showHelp,
	}
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCommand())
	root.AddCommand(
		demoCommand(io),
		initCommand(io),
		judgeCommand(io),
		recordCommand(io),
		recordingCommand(io),
		referenceCommand(io),
		replayCommand(io),
		requirementsCommand(io),
		scenarioCommand(io),
		specCommand(io),
		testCommand(io),
		versionCommand(io),
	)
	for _, group := range root.Commands() {
		if group.HasSubCommands() {
			group.Args, group.RunE = needsSubcommand, showHelp
		}
	}
	return root
}

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// helpCommand is cobra's own but for a topic that does not exist, which is an
// error.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				if err := needsSubcommand(about, rest); err != nil && about.HasSubCommands() {
					return err
				}
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// needsSubcommand refuses a word that is no subcommand, and offers the near
// one, as cobra itself does for the root only.
func needsSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	return usage("unknown command %q for %q", args[0], cmd.CommandPath()).hinted(didYouMean(args[0], known))
}

// flagError says which flag was meant.
func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	e := usage("%s", err)
	if !errors.As(err, &missing) {
		return e.hinted("hallmark help " + strings.TrimPrefix(cmd.CommandPath(), "hallmark "))
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, "--"+f.Name) })
	return e.hinted(didYouMean("--"+missing.GetSpecifiedName(), known))
}

func didYouMean(word string, known []string) string {
	if near, ok := suggest.Nearest(word, known); ok {
		return "did you mean " + near + "?"
	}
	return ""
}

// exitCode is what err asks for; an error that says nothing is a usage error,
// since cobra's own are.
func exitCode(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return reports.ExitGood
	case errors.As(err, &e):
		return e.code
	default:
		return reports.ExitUsage
	}
}
