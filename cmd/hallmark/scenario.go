package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/scenarios"
)

func scenarioCommand(io streams) *cobra.Command {
	cmd := &cobra.Command{Use: "scenario", Short: "List, show, check or write scenarios"}
	cmd.AddCommand(scenarioList(io), scenarioShow(io), scenarioCheck(io), scenarioFrom(io))
	return cmd
}

func scenarioList(io streams) *cobra.Command {
	var asJSON bool
	var ref string
	cmd := &cobra.Command{
		Use:   "list [PATH...]",
		Short: "List the built-in scenarios, or those of files and folders",
		RunE: func(cmd *cobra.Command, args []string) error {
			docs, err := loadAll(args)
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("ref") {
				if docs, err = withRef(docs, ref); err != nil {
					return err
				}
			}
			if asJSON {
				return writeJSON(io, scenarioRows(docs))
			}
			for _, d := range docs {
				if _, err := fmt.Fprintf(io.out, "%-40s %s\n", d.Name, reports.Clean(d.Title)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&ref, "ref", "", "only those that name a reference, such as rule:D5 or field-report:041")
	return cmd
}

// scenarioRow is one scenario as `scenario list --json` prints it.
type scenarioRow struct {
	Path         string   `json:"path"`
	Title        string   `json:"title"`
	About        string   `json:"about,omitzero"`
	Refs         []string `json:"refs"`
	Tags         []string `json:"tags"`
	Requirements []string `json:"requirements"`
	Cases        []string `json:"cases"`
}

func scenarioRows(docs []*scenarios.Document) []scenarioRow {
	rows := make([]scenarioRow, len(docs))
	for i, d := range docs {
		rows[i] = scenarioRow{Path: d.Name, Title: d.Title, About: d.About, Refs: d.Refs, Tags: d.Tags}
		for _, q := range d.Requirements {
			rows[i].Requirements = append(rows[i].Requirements, q.ID)
		}
		for _, c := range d.Cases {
			rows[i].Cases = append(rows[i].Cases, c.Name)
		}
	}
	return rows
}

func scenarioShow(io streams) *cobra.Command {
	return &cobra.Command{
		Use:   "show PATH",
		Short: "Print a scenario: a built-in one by its path, or a file",
		Args:  cobra.ExactArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return corpusPaths(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(_ *cobra.Command, args []string) error {
			path, _, _ := strings.Cut(args[0], "#")
			text, err := fs.ReadFile(scenarios.Corpus(), filepath.ToSlash(path))
			if err != nil {
				docs, err := loadPath(path)
				if errors.Is(err, fs.ErrNotExist) {
					return notThere(path, corpusPaths())
				}
				if err != nil {
					return err
				}
				if len(docs) != 1 {
					return usage("%s is a folder of %d scenarios", path, len(docs)).hinted("name one file")
				}
				text = docs[0].Source
			}
			_, err = io.out.Write(append(bytes.Clone(text), fieldReportsOf(text)...))
			return err
		},
	}
}

func scenarioCheck(io streams) *cobra.Command {
	return &cobra.Command{
		Use:   "check PATH...",
		Short: "Check scenario files and folders, every problem with its line",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			docs, err := loadAll(args)
			if err != nil {
				return err
			}
			for _, d := range docs {
				for _, w := range d.Warnings {
					if _, err := fmt.Fprintf(io.err, "warning: %s\n", reports.Clean(w.Error())); err != nil {
						return err
					}
				}
			}
			_, err = fmt.Fprintf(io.out, "%s without a problem\n", counted(len(docs), "scenario"))
			return err
		},
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// reading are the checks that a scenario goes through on the command line.
func reading() scenarios.Options {
	return scenarios.Options{Requirements: requirementIDs()}
}

// loadAll reads the files and folders named, or the corpus when none is.
func loadAll(paths []string) ([]*scenarios.Document, error) {
	if len(paths) == 0 {
		return scenarios.LoadWith(scenarios.Corpus(), ".", reading())
	}
	var docs []*scenarios.Document
	var problems scenarios.Problems
	for _, path := range paths {
		found, err := loadPath(path)
		var faults scenarios.Problems
		if errors.As(err, &faults) {
			problems = append(problems, faults...)
			continue
		}
		if err != nil {
			return nil, err
		}
		docs = append(docs, found...)
	}
	if len(problems) > 0 {
		return nil, usage("%s\n%w", counted(len(problems), "problem"), problems)
	}
	return docs, nil
}

// loadPath reads one file or folder of the file system. Problems name the path
// as it was given.
func loadPath(path string) ([]*scenarios.Document, error) {
	folder, base := filepath.Split(filepath.Clean(path))
	if folder == "" {
		folder = "."
	}
	if base == "." || base == ".." {
		folder, base = path, "."
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		var beside []string
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			beside = append(beside, filepath.Join(folder, e.Name()))
		}
		return nil, notThere(path, beside)
	}
	docs, err := scenarios.LoadWith(os.DirFS(folder), base, reading())
	if err != nil {
		return nil, prefixed(folder, err)
	}
	return docs, nil
}

// notThere says that a path does not exist, and which known one may be meant.
func notThere(path string, known []string) error {
	e := usage("%w", missingError{path}).hinted(didYouMean(path, known))
	if e.hint == "" {
		e.hint = "name a folder with *.yaml files, or one file"
	}
	return e
}

// missingError is [fs.ErrNotExist] in words that say what was looked for.
type missingError struct{ path string }

func (e missingError) Error() string { return e.path + ": no such scenario file or folder" }

func (missingError) Is(target error) bool { return target == fs.ErrNotExist }

// prefixed puts the folder before the files that problems name.
func prefixed(folder string, err error) error {
	var problems scenarios.Problems
	if !errors.As(err, &problems) {
		return usage("%w", err)
	}
	out := make(scenarios.Problems, len(problems))
	for i, p := range problems {
		p.File = filepath.ToSlash(filepath.Join(folder, p.File))
		out[i] = p
	}
	return out
}

func corpusPaths() []string {
	docs, err := scenarios.Load(scenarios.Corpus(), ".")
	if err != nil {
		return nil
	}
	var paths []string
	for _, d := range docs {
		paths = append(paths, d.Name)
	}
	return paths
}
