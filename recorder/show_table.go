package recorder

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/hallmarkdev/hallmark/spec"
)

// The columns of an exchange's line. The last is not padded.
const (
	colTime = iota
	colSession
	colExchange
	colTrigger
	colCall
	colStatus
	colSize
	colTook
	colSummary
	columns
)

// rightAligned says which columns hold numbers.
var rightAligned = [columns]bool{colTime: true, colSize: true, colTook: true}

// tableBatch is how many lines are aligned together. It bounds the memory for a
// file of any length; widths only grow from one batch to the next.
const tableBatch = 1000

// tableLine is one line of the table: the cells of an exchange, or a slim text
// after the time and the session.
type tableLine struct {
	cells [columns]string
	slim  bool
	// before are the slim lines that its request tells, above it.
	before []*tableLine
	// request is that of an exchange that is not ready.
	request *spec.RequestEvent
	// ready says that nothing will change any more.
	ready bool
}

// table aligns lines and writes them.
type table struct {
	out    io.Writer
	limit  int
	widths [columns]int
	batch  []*tableLine
}

// add takes the next line, and writes what is full.
func (t *table) add(l *tableLine) error {
	t.batch = append(t.batch, l)
	if len(t.batch) < tableBatch {
		return nil
	}
	return t.flush()
}

// flush writes the lines that were taken.
func (t *table) flush() error {
	for _, l := range t.batch {
		for i, c := range l.cells[:colSummary] {
			if !l.slim || i <= colSession {
				t.widths[i] = max(t.widths[i], utf8.RuneCountInString(c))
			}
		}
	}
	var b strings.Builder
	for _, l := range t.batch {
		b.WriteString(t.render(l))
		b.WriteByte('\n')
	}
	t.batch = t.batch[:0]
	_, err := io.WriteString(t.out, b.String())
	return err
}

// render lays one line out.
func (t *table) render(l *tableLine) string {
	var b strings.Builder
	last := columns - 1
	if l.slim {
		last = colSession
	}
	for i := 0; i <= last; i++ {
		if i > 0 {
			b.WriteString("  ")
		}
		cell := l.cells[i]
		pad := strings.Repeat(" ", max(0, t.widths[i]-utf8.RuneCountInString(cell)))
		switch {
		case i == colSummary:
			b.WriteString(cell)
		case rightAligned[i]:
			b.WriteString(pad + cell)
		default:
			b.WriteString(cell + pad)
		}
	}
	if l.slim {
		b.WriteString("  · " + l.cells[colSummary])
	}
	return fit(strings.TrimRight(b.String(), " "), t.limit)
}

// fit cuts a line to limit characters; 0 cuts nothing.
func fit(s string, limit int) string {
	if limit <= 0 || utf8.RuneCountInString(s) <= limit {
		return s
	}
	runes := []rune(s)
	return string(runes[:max(limit-1, 0)]) + "…"
}
