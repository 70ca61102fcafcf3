package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

func specCommand(io streams) *cobra.Command {
	cmd := &cobra.Command{Use: "spec", Short: "Print the protocol as data"}
	cmd.AddCommand(&cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print a JSON Schema, or the names of all",
		Long: `Print a JSON Schema (2020-12) that stands alone: request and decision, their
parts, and the formats of Hallmark itself (scenario, report). Without a name,
print the names.`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return schemaNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := io.out.Write([]byte(strings.Join(schemaNames(), "\n") + "\n"))
				return err
			}
			text, ok := schemaText(args[0])
			if !ok {
				return usage("no schema is called %q", args[0]).hinted(didYouMean(args[0], schemaNames()))
			}
			_, err := io.out.Write(text)
			return err
		},
	})
	return cmd
}

func schemaNames() []string { return append(spec.SchemaNames(), "report", "scenario") }

func schemaText(name string) ([]byte, bool) {
	switch name {
	case "report":
		return reports.Schema(), true
	case "scenario":
		return scenarios.Schema(), true
	default:
		return spec.Schema(name)
	}
}
