package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/suggest"
	"github.com/hallmarkdev/hallmark/spec"
)

// Dialect picks among forms that the protocol leaves open or changed over time
// (gaps 1, 2 and 9, wire 2).
type Dialect struct {
	Pos
	// FirstAttempt is 0 or 1.
	FirstAttempt int
	// EmptyProposed is full or short.
	EmptyProposed string
	// FailedCall is interrupt or fail.
	FailedCall string
	// Identity is current or older.
	Identity string
}

// The two forms of an identity: with subject and visibility, or as builds
// before 0.7 sent it (wire 2, gap 20).
const (
	identityCurrent = "current"
	identityOlder   = "older"
)

// DefaultDialect is the reading of the baseline.
func DefaultDialect() Dialect {
	return Dialect{EmptyProposed: "full", FailedCall: "interrupt", Identity: identityCurrent}
}

// setting is one thing in which dialects differ: its key in scenarios, the two
// values, that of the baseline first, and where it stands.
type setting struct {
	key    string
	values [2]string
	in     func(*Dialect) string
	set    func(*Dialect, string)
}

func textSetting(key string, values [2]string, at func(*Dialect) *string) setting {
	return setting{key, values, func(d *Dialect) string { return *at(d) }, func(d *Dialect, v string) { *at(d) = v }}
}

// dialectSettings lists them in the order in which they are named.
var dialectSettings = []setting{
	{
		"first_attempt", [2]string{"0", "1"},
		func(d *Dialect) string { return fmt.Sprint(d.FirstAttempt) },
		func(d *Dialect, v string) { d.FirstAttempt = strings.Index("01", v) },
	},
	textSetting("empty_proposed", [2]string{"full", "short"}, func(d *Dialect) *string { return &d.EmptyProposed }),
	textSetting("failed_call", [2]string{"interrupt", "fail"}, func(d *Dialect) *string { return &d.FailedCall }),
	textSetting("identity", [2]string{identityCurrent, identityOlder}, func(d *Dialect) *string { return &d.Identity }),
}

// suffix names what differs from the default dialect.
func (d Dialect) suffix() string {
	var parts []string
	for _, s := range dialectSettings {
		if s.in(&d) == s.values[1] {
			parts = append(parts, s.key+" "+s.values[1])
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// Word names a dialect as [ParseDialects] reads it: "default", or what differs
// from it, "first-attempt=1,identity=older".
func (d Dialect) Word() string {
	var parts []string
	for _, s := range dialectSettings {
		if s.in(&d) == s.values[1] {
			parts = append(parts, strings.ReplaceAll(s.key, "_", "-")+"="+s.values[1])
		}
	}
	if len(parts) == 0 {
		return dialectDefault
	}
	return strings.Join(parts, ",")
}

// The names of lists of dialects.
const (
	// dialectDefault is the baseline.
	dialectDefault = "default"
	// dialectEach is the baseline, and each thing changed alone.
	dialectEach = "each"
	// dialectAll is every one.
	dialectAll = "all"
)

var dialectNames = []string{dialectDefault, dialectEach, dialectAll}

// ParseDialects reads dialects as a command line writes them: each text is
// default, each, all, or settings such as "first-attempt=1,empty-proposed=short"
// that make up one dialect. What stands twice is returned once. The error names
// what is not known and says what is.
func ParseDialects(texts []string) ([]Dialect, error) {
	var all []Dialect
	for _, text := range texts {
		some, ok := dialectsNamed(text)
		if !ok {
			one, err := parseDialect(text)
			if err != nil {
				return nil, err
			}
			some = []Dialect{one}
		}
		all = append(all, some...)
	}
	return distinctDialects(all), nil
}

// SpeaksDefault reports whether cases run in the default dialect too, and so
// whether a plan with these dialects holds every case that one without has.
func SpeaksDefault(dialects []Dialect) bool {
	return len(dialects) == 0 || slices.Contains(dialects, DefaultDialect())
}

func distinctDialects(all []Dialect) []Dialect {
	var distinct []Dialect
	for _, d := range all {
		d.Pos = Pos{}
		if !slices.Contains(distinct, d) {
			distinct = append(distinct, d)
		}
	}
	return distinct
}

// dialectsNamed is the list of a name, and whether there is one.
func dialectsNamed(name string) ([]Dialect, bool) {
	all := []Dialect{DefaultDialect()}
	switch name {
	case dialectDefault:
	case dialectEach:
		for _, s := range dialectSettings {
			d := DefaultDialect()
			s.set(&d, s.values[1])
			all = append(all, d)
		}
	case dialectAll:
		for _, s := range dialectSettings {
			for _, d := range slices.Clone(all) {
				s.set(&d, s.values[1])
				all = append(all, d)
			}
		}
	default:
		return nil, false
	}
	return all, true
}

func parseDialect(text string) (Dialect, error) {
	d := DefaultDialect()
	for part := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			return d, &DialectError{Text: text, Hint: hintAmong(part, append(slices.Clone(dialectNames), settingWords()...))}
		}
		i := slices.IndexFunc(dialectSettings, func(s setting) bool { return s.key == strings.ReplaceAll(key, "-", "_") })
		if i < 0 {
			return d, &DialectError{Text: text, Hint: hintAmong(part, settingWords())}
		}
		s := dialectSettings[i]
		if !slices.Contains(s.values[:], value) {
			return d, &DialectError{Text: text, Hint: fmt.Sprintf("%s is %s or %s", key, s.values[0], s.values[1])}
		}
		s.set(&d, value)
	}
	return d, nil
}

// settingWords are the settings that differ from the baseline.
func settingWords() []string {
	var words []string
	for _, s := range dialectSettings {
		words = append(words, strings.ReplaceAll(s.key, "_", "-")+"="+s.values[1])
	}
	return words
}

func hintAmong(text string, known []string) string {
	if hint := suggest.Hint(text, known); hint != "" && strings.TrimSpace(text) != "" {
		return hint
	}
	return "one of: " + strings.Join(known, ", ")
}

// DialectError says that a dialect does not read.
type DialectError struct {
	Text string
	// Hint says what reads.
	Hint string
}

// Error returns the message without the hint.
func (e *DialectError) Error() string { return fmt.Sprintf("%q names no dialect", e.Text) }

// Spec is d in the words of a recording.
func (d Dialect) Spec() spec.Dialect {
	out := spec.DefaultDialect()
	out.FirstAttempt = uint32(d.FirstAttempt)
	if d.EmptyProposed != "" {
		out.EmptyProposed = d.EmptyProposed
	}
	if d.FailedCall != "" {
		out.FailedCall = d.FailedCall
	}
	if d.Identity == identityOlder {
		out.Identity = spec.IdentityOlder
	}
	return out
}

// DialectOf is the dialect that a recording names.
func DialectOf(d spec.Dialect) Dialect {
	out := DefaultDialect()
	out.FirstAttempt = int(d.FirstAttempt)
	if d.EmptyProposed != "" {
		out.EmptyProposed = d.EmptyProposed
	}
	if d.FailedCall != "" {
		out.FailedCall = d.FailedCall
	}
	if d.Identity == spec.IdentityOlder {
		out.Identity = identityOlder
	}
	return out
}

// DialectWord names the dialect of a recording as [ParseDialects] reads it.
func DialectWord(d spec.Dialect) string { return DialectOf(d).Word() }
