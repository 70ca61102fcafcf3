package scenarios

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/suggest"
)

//go:embed all:corpus
var corpusFiles embed.FS

// Corpus returns the built-in scenarios. Names in it, such as
// execute/valid.yaml, are the names of its cases. Safe for concurrent use.
func Corpus() fs.FS {
	sub, err := fs.Sub(corpusFiles, "corpus")
	if err != nil {
		panic(err) // the path is a constant and valid
	}
	return sub
}

// maxFiles bounds how many scenario files one folder may hold.
const maxFiles = 10_000

// Load reads every *.yaml file below root in fsys, at any depth, in the order
// of their slash paths. root may also be one file, with any ending. Documents
// are named by their path below root; a single file by its own name. The
// problems of all files come back together as [Problems], with paths that
// begin with root, as the reader knows them. A root without a scenario is an
// error: a suite that runs nothing must not look green (R10).
func Load(fsys fs.FS, root string) ([]*Document, error) {
	return LoadWith(fsys, root, Options{})
}

// LoadWith is [Load] with the checks that the options add.
func LoadWith(fsys fs.FS, root string, options Options) ([]*Document, error) {
	root = path.Clean(root)
	info, err := fs.Stat(fsys, root)
	if err != nil {
		return nil, missing(fsys, root, err)
	}
	files := []string{root}
	if info.IsDir() {
		files, err = scenarioFiles(fsys, root)
		if err != nil {
			return nil, err
		}
	}
	var docs []*Document
	var problems Problems
	for _, file := range files {
		doc, err := loadFile(fsys, file, options)
		var found Problems
		switch {
		case errors.As(err, &found):
			problems = append(problems, found...)
		case err != nil:
			return nil, err
		default:
			doc.Name = below(root, file)
			docs = append(docs, doc)
		}
	}
	if err := problems.err(); err != nil {
		return nil, err
	}
	return docs, nil
}

// below is the path of file as seen from root.
func below(root, file string) string {
	switch root {
	case file:
		return path.Base(file)
	case ".":
		return file
	default:
		return strings.TrimPrefix(file, root+"/")
	}
}

// missing explains a root that cannot be read, with the nearest name beside it.
func missing(fsys fs.FS, root string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read scenarios: %w", err)
	}
	problem := Problem{Pos: Pos{File: root}, Message: "no such scenario file or folder"}
	var names []string
	entries, _ := fs.ReadDir(fsys, path.Dir(root))
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if near, ok := suggest.Nearest(path.Base(root), names); ok {
		problem.Hint = fmt.Sprintf("did you mean %s?", path.Join(path.Dir(root), near))
	} else {
		problem.Hint = "name a folder with *.yaml files, or one file"
	}
	return Problems{problem}
}

func scenarioFiles(fsys fs.FS, root string) ([]string, error) {
	var files []string
	err := fs.WalkDir(fsys, root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() || path.Ext(file) != ".yaml" {
			return nil
		}
		files = append(files, file)
		if len(files) > maxFiles {
			return fmt.Errorf("%s holds more than %d scenario files", root, maxFiles)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read scenarios: %w", err)
	}
	if len(files) == 0 {
		return nil, Problems{{Pos: Pos{File: root}, Message: "the folder holds no scenario", Hint: "scenario files end in .yaml"}}
	}
	slices.Sort(files)
	return files, nil
}

// loadFile reads one file, at most one byte more than is allowed.
func loadFile(fsys fs.FS, file string, options Options) (*Document, error) {
	f, err := fsys.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read scenario: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read scenario %s: %w", file, err)
	}
	return ParseWith(file, text, options)
}
