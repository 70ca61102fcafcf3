package main

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/internal/handbook"
	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

func requirementsCommand(io streams) *cobra.Command {
	cmd := &cobra.Command{Use: "requirements", Short: "List the requirements, or explain one"}
	var asJSON bool
	list := &cobra.Command{
		Use:   "list",
		Short: "List every requirement with its level",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return writeRequirements(io)
			}
			for _, q := range spec.Requirements() {
				if _, err := fmt.Fprintf(io.out, "%-36s %-6s %s\n", q.ID, q.Level, q.Text); err != nil {
					return err
				}
			}
			return nil
		},
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(list, &cobra.Command{
		Use:   "show ID",
		Short: "Explain a requirement: its text, its source, a good and a bad exchange",
		Args:  cobra.ExactArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return requirementIDs(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			q, ok := spec.LookupRequirement(args[0])
			if !ok {
				return usage("no requirement is called %q", args[0]).hinted(didYouMean(args[0], requirementIDs()))
			}
			docs, err := scenarios.Load(scenarios.Corpus(), ".")
			if err != nil {
				return err
			}
			_, err = io.out.Write([]byte(handbook.Page(q, docs)))
			return err
		},
	})
	return cmd
}

func requirementIDs() []string {
	var ids []string
	for _, q := range spec.Requirements() {
		ids = append(ids, q.ID)
	}
	return ids
}

func writeRequirements(io streams) error {
	type row struct {
		ID       string        `json:"id"`
		Level    spec.Level    `json:"level"`
		Binds    string        `json:"binds"`
		Since    string        `json:"since"`
		Text     string        `json:"text"`
		Why      string        `json:"why"`
		Source   []string      `json:"source"`
		Evidence spec.Evidence `json:"evidence"`
	}
	var rows []row
	for _, q := range spec.Requirements() {
		rows = append(rows, row{q.ID, q.Level, q.Binds, q.Since, q.Text, q.Why, q.Source, q.Evidence})
	}
	return writeJSON(io, rows)
}

// writeJSON prints v as indented JSON with a line end.
func writeJSON(io streams, v any) error {
	text, err := json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	_, err = io.out.Write(append(text, '\n'))
	return err
}
