package shrink

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/go-json-experiment/json"

	"github.com/hallmarkdev/hallmark/scenarios"
)

// Journal is a file that keeps what was learned of which scenarios fail, so that a
// minimisation that was interrupted goes on where it was. Make one with
// [OpenJournal]. A nil Journal keeps nothing. It is not safe for concurrent use.
type Journal struct {
	name    string
	f       *os.File
	answers map[string]bool
	head    journalHead
	begun   bool
}

// journalHead is the first line: what is minimised, and where.
type journalHead struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Of is the hash of the scenario that is made smaller.
	Of string `json:"of"`
	// Run is the fingerprint of how scenarios are run; see [certify.Single].
	Run    string `json:"run"`
	Reason Reason `json:"reason"`
	Worker string `json:"worker"`
}

const journalFormat = "hallmark-minimize"

// journalStart is how every journal begins.
const journalStart = `{"format":"` + journalFormat + `"`

// journalLine is one answer.
type journalLine struct {
	Scenario string `json:"scenario"`
	Fails    bool   `json:"fails"`
}

// maxJournal bounds what is read of a journal.
const maxJournal = 16 << 20

// OtherJournalError says that a journal is of another minimisation, or none at all.
type OtherJournalError struct{ Name, Why string }

// Error says why.
func (e *OtherJournalError) Error() string { return e.Name + ": " + e.Why }

// OpenJournal opens the journal of that name, a new one where there is none. worker
// says which worker is asked: a journal of another one is not gone on with.
func OpenJournal(name, worker string) (*Journal, error) {
	j := &Journal{name: name, answers: map[string]bool{}}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &OtherJournalError{name, "is no file"}
	case info.Size() > maxJournal:
		return nil, &OtherJournalError{name, "is too long for a journal"}
	default:
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := j.read(text); err != nil {
			return nil, err
		}
		if j.begun && j.head.Worker != worker {
			return nil, &OtherJournalError{name, "is of the worker " + j.head.Worker}
		}
	}
	j.head.Worker = worker
	j.f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	return j, nil
}

// read takes what an earlier minimisation has written; a last line that was cut off
// is passed over and written anew.
func (j *Journal) read(text []byte) error {
	whole := bytes.LastIndexByte(text, '\n') + 1
	lines := bufio.NewScanner(bytes.NewReader(text[:whole]))
	for lines.Scan() {
		if !j.begun {
			if err := json.Unmarshal(lines.Bytes(), &j.head); err != nil || j.head.Format != journalFormat || j.head.Version != 1 {
				return &OtherJournalError{j.name, "is no journal of a minimisation"}
			}
			j.begun = true
			continue
		}
		var l journalLine
		if err := json.Unmarshal(lines.Bytes(), &l); err == nil {
			j.answers[l.Scenario] = l.Fails
		}
	}
	// A first line that was cut off is one that this wrote, or the file is no journal.
	if !j.begun && !bytes.HasPrefix(text, []byte(journalStart)) && !bytes.HasPrefix([]byte(journalStart), text) {
		return &OtherJournalError{j.name, "is no journal of a minimisation"}
	}
	if whole < len(text) {
		return os.Truncate(j.name, int64(whole))
	}
	return nil
}

// Known is how many answers it holds.
func (j *Journal) Known() int {
	if j == nil {
		return 0
	}
	return len(j.answers)
}

// begin holds the journal against what is minimised.
func (j *Journal) begin(t *scenarios.Tree, r Reason, run string) error {
	if j == nil {
		return nil
	}
	of := hash(t.YAML())
	if j.begun {
		if j.head.Of != of || j.head.Reason != r {
			return &OtherJournalError{j.name, "is of another scenario, or of another failure of it"}
		}
		if j.head.Run != run {
			return &OtherJournalError{j.name, "is of another Hallmark, of other flags, or of a worker that declared something else"}
		}
		return nil
	}
	j.head.Format, j.head.Version, j.head.Of, j.head.Reason, j.head.Run, j.begun = journalFormat, 1, of, r, run, true
	return j.write(j.head)
}

func (j *Journal) answer(key string) (fails, known bool) {
	if j == nil {
		return false, false
	}
	fails, known = j.answers[key]
	return fails, known
}

func (j *Journal) add(key string, fails bool) error {
	if j == nil {
		return nil
	}
	j.answers[key] = fails
	return j.write(journalLine{key, fails})
}

func (j *Journal) write(line any) error {
	text, err := json.Marshal(line)
	if err == nil {
		_, err = j.f.Write(append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", j.name, err)
	}
	return nil
}

// Close closes the file.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	return j.f.Close()
}

// Remove takes the file away: nothing is left to go on with.
func (j *Journal) Remove() error {
	if j == nil {
		return nil
	}
	return os.Remove(j.name)
}
