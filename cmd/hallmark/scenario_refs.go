package main

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// withRef are the scenarios that name a reference. That none does is an error,
// since a misspelled reference would look the same.
func withRef(docs []*scenarios.Document, ref string) ([]*scenarios.Document, error) {
	var named []*scenarios.Document
	var known []string
	for _, d := range docs {
		known = append(known, d.Refs...)
		if slices.Contains(d.Refs, ref) {
			named = append(named, d)
		}
	}
	if len(named) == 0 {
		return nil, usage("no scenario names %q", ref).hinted(didYouMean(ref, known))
	}
	return named, nil
}

// fieldReportsOf tells of the field reports that a scenario names, as comments
// to stand behind it: what is printed is a scenario still.
func fieldReportsOf(text []byte) []byte {
	doc, err := scenarios.Parse("", text)
	if err != nil {
		return nil
	}
	var out bytes.Buffer
	for _, ref := range doc.Refs {
		r, ok := spec.LookupFieldReport(ref)
		if !ok {
			continue
		}
		if out.Len() == 0 && !bytes.HasSuffix(text, []byte("\n")) {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "\n# %s: %s\n", r.Ref(), r.Title)
		for _, url := range r.Sources {
			fmt.Fprintf(&out, "#   %s\n", url)
		}
	}
	return out.Bytes()
}
