package reference

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Journal is where a worker writes down the calls that it has let go, until
// their settle was taken: what outlives the process, so that a worker which is
// started anew goes on with them. It is safe for concurrent use, and for one
// worker after the other.
type Journal struct {
	mu   sync.Mutex
	file string
	open []entry
}

// entry is one call that was let go.
type entry struct {
	// Asked tells the decision that asked for it from all others.
	Asked   string         `json:"asked"`
	Session string         `json:"session"`
	Tool    string         `json:"tool"`
	Action  jsontext.Value `json:"action"`
}

// NewJournal returns an empty journal in memory.
func NewJournal() *Journal { return &Journal{} }

// maxJournal bounds a journal's file. What one call takes is bounded by a
// request, and few are under way at once.
const maxJournal = 64 << 20

// OpenJournal returns the journal in a file, which need not be there yet. The
// error names the file.
func OpenJournal(file string) (*Journal, error) {
	j := &Journal{file: file}
	info, err := os.Stat(file)
	switch {
	case os.IsNotExist(err):
		return j, j.save()
	case err != nil:
		return nil, fmt.Errorf("journal: %w", err)
	case info.Size() > maxJournal:
		return nil, fmt.Errorf("journal %s: over %d bytes, so it is none of this worker", file, maxJournal)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := json.Unmarshal(text, &j.open, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("journal %s: %w", file, err)
	}
	return j, nil
}

// begin writes a call down. A worker that cannot, goes on without.
func (j *Journal) begin(e entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.open = append(j.open, e)
	_ = j.save()
}

// end strikes a call out.
func (j *Journal) end(asked string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.open = slices.DeleteFunc(j.open, func(e entry) bool { return e.Asked == asked })
	_ = j.save()
}

// entries are the calls that are open, in the order in which they were let go.
func (j *Journal) entries() []entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.open)
}

// save writes the file anew, so that it is the old one or the new one whenever
// the process goes down.
func (j *Journal) save() error {
	if j.file == "" {
		return nil
	}
	text, err := json.Marshal(j.open)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(j.file), filepath.Base(j.file)+".*")
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	_, err = f.Write(text)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), j.file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}
