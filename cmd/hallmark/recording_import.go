package main

import (
	"bufio"
	"errors"
	"fmt"
	stdio "io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/recorder/logged"
	"github.com/hallmarkdev/hallmark/recorder/proxy"
	"github.com/hallmarkdev/hallmark/reports"
	"github.com/hallmarkdev/hallmark/spec"
)

// importFlags are the flags of recording import.
type importFlags struct {
	dir, worker string
	policy      policyFlags
	onlyAgents  []string
	// passed counts what is no decision.
	passed int
	asJSON bool
}

func recordingImport(io streams) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import IN... --dir DIR",
		Short: "Make recordings of what was logged: pairs of files, HAR, lines of JSON",
		Long: `Make recordings of what something else wrote down, as hallmark record would have:
one file a session, secrets replaced, marked as imported, with what the source
lacks said in the file and here. DIR must be empty or not there yet.

IN is one of these, in the order in which the requests were sent:
  a folder with NAME.request.json and NAME.response.json, or one such request
  an HTTP archive (.har)
  any other file: a log with an object a line, of which only request is needed

    time              2026-11-30T20:10:45.599Z
    took_ms           12.5
    request           the decision request: an object as it was sent, or its text
    response          the answer, likewise; or error: "timeout", or another text
    status            200
    method, target    POST and / where left out
    request_headers   {"name": "value"} or [["name", "value"], ...]
    response_headers  likewise
    request_base64, response_base64   bodies that are no text`,
		Example: `  hallmark recording import night.har --dir imported
  kubectl logs worker | grep '"request"' > night.log && hallmark recording import night.log --dir imported
  hallmark judge imported`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return f.run(io, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.dir, "dir", "", "write recordings into the folder `DIR`")
	fl.StringVar(&f.worker, "worker", "", "the `URL` of the worker, for the header")
	fl.StringArrayVar(&f.onlyAgents, "only-agent", nil, "import the sessions of agent `ID` only; may be repeated")
	fl.BoolVar(&f.asJSON, "json", false, "print what was written and what is missing as JSON")
	f.policy.flags(fl)
	if err := cmd.MarkFlagRequired("dir"); err != nil {
		panic(err)
	}
	return cmd
}

func (f *importFlags) run(io streams, args []string) error {
	policy, err := f.policy.policy(nil)
	if err != nil {
		return err
	}
	cfg := proxy.Config{
		Dir: f.dir, Redact: policy, OnlyAgents: f.onlyAgents,
		MadeBy: spec.MadeBy{Hallmark: version, Registry: spec.RegistryVersion},
		Log:    lineLog(io),
	}
	if f.worker != "" {
		if cfg.To, err = proxy.ParseAddress(f.worker); err != nil {
			return usage("--worker: %w", err)
		}
	}
	for _, name := range args {
		if _, err := os.Stat(name); err != nil {
			return usage("open %s: no such file or folder", name)
		}
	}
	if entries, err := os.ReadDir(f.dir); err == nil && len(entries) > 0 {
		return usage("--dir %s: is not empty", f.dir).hinted("name a folder that is not there yet")
	}
	done, err := proxy.Import(cfg, f.exchanges(args))
	if err != nil {
		var at *logged.Error
		if errors.As(err, &at) {
			return failedIO(at).hinted(at.Hint())
		}
		return failedIO(err)
	}
	if done.Exchanges == 0 {
		return usage("nothing to import in %s", strings.Join(args, " ")).hinted("hallmark help recording import tells what it reads")
	}
	if f.asJSON {
		return writeJSON(io, importedRow{
			Dir: f.dir, Exchanges: done.Exchanges, Recordings: done.Files, Missing: done.Lacks, Loose: done.Loose, PassedOver: f.passed,
		})
	}
	return f.tell(io.out, done)
}

// importedRow is what import --json prints.
type importedRow struct {
	Dir        string `json:"dir"`
	Exchanges  int    `json:"exchanges"`
	Recordings int    `json:"recordings"`
	// Missing counts the exchanges of which the source lacks a thing, by that.
	Missing map[string]int `json:"missing"`
	// Loose are no decision of a session, PassedOver no POST with a body.
	Loose      int `json:"loose"`
	PassedOver int `json:"passed_over"`
}

func (f *importFlags) tell(w stdio.Writer, done proxy.Imported) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s in %s\n", f.dir, counted(done.Exchanges, "exchange"), counted(done.Files, "recording"))
	if s := done.LacksText(); s != "" {
		fmt.Fprintf(&b, "missing: %s\n", s)
	}
	if done.Loose > 0 {
		fmt.Fprintf(&b, "no decision of a session: %d\n", done.Loose)
	}
	if f.passed > 0 {
		fmt.Fprintf(&b, "passed over, no POST with a body: %d\n", f.passed)
	}
	fmt.Fprintln(&b, "what is missing is not observed; hallmark judge "+reports.Quote(f.dir)+" tells the rest")
	_, err := stdio.WriteString(w, reports.Clean(b.String()))
	return err
}

// exchanges gives what all sources hold, one after the other.
func (f *importFlags) exchanges(args []string) iter.Seq2[logged.Exchange, error] {
	return func(yield func(logged.Exchange, error) bool) {
		for _, name := range args {
			for x, err := range f.source(name) {
				if !yield(x, err) || err != nil {
					return
				}
			}
		}
	}
}

// source reads one of them.
func (f *importFlags) source(name string) iter.Seq2[logged.Exchange, error] {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return logged.Pairs(name)
	case strings.HasSuffix(name, logged.RequestSuffix):
		return func(yield func(logged.Exchange, error) bool) { yield(logged.Pair(name)) }
	}
	return func(yield func(logged.Exchange, error) bool) {
		in, err := os.Open(name)
		if err != nil {
			yield(logged.Exchange{}, err)
			return
		}
		defer in.Close()
		r := bufio.NewReaderSize(in, 64<<10)
		read := logged.Lines(r, name)
		if strings.EqualFold(filepath.Ext(name), ".har") || beginsHAR(r) {
			read = logged.HAR(r, name, func() { f.passed++ })
		}
		for x, err := range read {
			if !yield(x, err) {
				return
			}
		}
	}
}

// beginsHAR reports whether a file begins with an object whose first member is
// log, whatever its name says.
func beginsHAR(r *bufio.Reader) bool {
	begin, _ := r.Peek(1 << 10)
	dec := jsontext.NewDecoder(strings.NewReader(string(begin)))
	open, err := dec.ReadToken()
	if err != nil || open.Kind() != '{' {
		return false
	}
	name, err := dec.ReadToken()
	return err == nil && name.Kind() == '"' && name.String() == "log" && dec.PeekKind() == '{'
}
