package handbook

import (
	"io/fs"

	"github.com/hallmarkdev/hallmark/scenarios"
)

// PageFile is a page as a file of the project.
type PageFile struct {
	// Name is its slash path below the project's folder.
	Name string
	Text string
}

// Pages renders the pages that are kept as files. Root is the project's folder.
func Pages(root fs.FS) ([]PageFile, error) {
	docs, err := scenarios.Load(scenarios.Corpus(), ".")
	if err != nil {
		return nil, err
	}
	coverage, err := Coverage(docs, root)
	if err != nil {
		return nil, err
	}
	return []PageFile{
		{"docs/requirements.md", Requirements(docs)}, {"docs/coverage.md", coverage}, {"docs/divergences.md", Divergences()},
	}, nil
}
