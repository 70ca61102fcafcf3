package recorder

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// PolicyConfig says what a [Policy] keeps out of recordings, beside its
// defaults.
type PolicyConfig struct {
	// Secrets are values that are known. Empty ones count for nothing.
	Secrets []string
	// Headers are names of headers, and Keys names of members of JSON objects,
	// form fields and query parameters, whose values are secret. Case, `-`, `_`
	// and `.` do not count.
	Headers, Keys []string
	// Pointers are JSON pointers into bodies; a `*` stands for any one segment, as
	// in a [Rule].
	Pointers []string
	// Patterns are regular expressions over texts. Where one has a group, the
	// first group is the secret, otherwise all that matches.
	Patterns []string
	// Key keys the stand-ins. Whoever has it can try values against a
	// recording; two recordings with one key can be compared. It must not be
	// empty.
	Key []byte
	// Bare leaves the default names and patterns out.
	Bare bool
}

// Policy decides what is replaced by stand-ins before anything of a capture is
// written (R9): whole values by the name they stand under, and texts that are
// known or have the form of a secret. Make one with [NewPolicy]; use it through
// a [Scope]. It is safe for concurrent use.
type Policy struct {
	key      []byte
	known    []needle
	headers  map[string]bool
	keys     keyNames
	pointers [][]string
	patterns []pattern
	sum      string

	// knownIn finds known secrets, literals what matches of patterns hold, of
	// the patterns in literalOf.
	knownIn, literals *matcher
	literalOf         []int
}

// needle is a spelling of a secret and what it is replaced by.
type needle struct{ text, standIn string }

// NewPolicy returns a Policy. The error names a pattern or a pointer that does
// not read.
func NewPolicy(c PolicyConfig) (*Policy, error) {
	if len(c.Key) == 0 {
		return nil, fmt.Errorf("redaction: no key for the stand-ins")
	}
	p := &Policy{key: c.Key, headers: map[string]bool{}, keys: newKeyNames()}
	if !c.Bare {
		p.patterns = slices.Clone(defaultPatterns)
		for _, k := range defaultKeys {
			p.keys.exact[plainName(k)] = true
		}
		for _, k := range defaultEndings {
			p.keys.addEnding(plainName(k))
		}
		for _, h := range defaultHeaders {
			p.headers[plainName(h)] = true
		}
	}
	for _, h := range c.Headers {
		p.headers[plainName(h)] = true
	}
	for _, k := range c.Keys {
		p.keys.exact[plainName(k)] = true
	}
	for _, text := range c.Patterns {
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, fmt.Errorf("redaction: pattern %q: %w", text, err)
		}
		var literals []string
		if prefix, _ := re.LiteralPrefix(); prefix != "" {
			literals = append(literals, prefix)
		}
		p.patterns = append(p.patterns, expression(re, literals...))
	}
	for _, text := range c.Pointers {
		parts, err := parsePlace(text)
		if err != nil {
			return nil, fmt.Errorf("redaction: pointer %w", err)
		}
		for i := range parts {
			parts[i] = jsonv.Unescape(parts[i])
		}
		p.pointers = append(p.pointers, parts)
	}
	for _, v := range c.Secrets {
		p.known = append(p.known, p.needles(v)...)
	}
	sortNeedles(p.known)
	p.prepare()
	p.sum = p.fingerprint(c)
	return p, nil
}

// prepare makes what finds secrets in one pass.
func (p *Policy) prepare() {
	texts := make([]string, len(p.known))
	for i, n := range p.known {
		texts[i] = n.text
	}
	p.knownIn = newMatcher(texts)
	var literals []string
	for i, pat := range p.patterns {
		for _, l := range pat.literals {
			if len(l) > 1 {
				literals = append(literals, l)
				p.literalOf = append(p.literalOf, i)
			}
		}
	}
	p.literals = newMatcher(literals)
}

// fingerprint tells one policy from another without naming a secret.
func (p *Policy) fingerprint(c PolicyConfig) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "hallmark redaction 1\nbare %v\nsecrets %d\n", c.Bare, len(c.Secrets))
	for _, list := range [][]string{c.Headers, c.Keys, c.Pointers, c.Patterns} {
		fmt.Fprintf(sum, "%q\n", list)
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

// Header is what the header of a recording says of the policy: by which rules
// secrets were replaced, and a name for the key by which stand-ins compare.
func (p *Policy) Header() *spec.Redaction {
	mac := hmac.New(sha256.New, p.key)
	mac.Write([]byte("hallmark: the name of this key"))
	return &spec.Redaction{Policy: p.sum, Key: hex.EncodeToString(mac.Sum(nil)[:6])}
}

// standInClasses are the lengths of stand-ins: one tells how long a secret was,
// roughly.
var standInClasses = []int{24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096}

// StandInPrefix begins every stand-in.
const StandInPrefix = spec.StandInPrefix

// standIn is what a value is replaced by: recognisable, equal for equal values,
// as long as its class. A value that is a stand-in already stays.
func (p *Policy) standIn(class, value string) string {
	if strings.HasPrefix(value, StandInPrefix) {
		return value
	}
	mac := hmac.New(sha256.New, p.key)
	mac.Write([]byte(value))
	s := StandInPrefix + class + "-" + strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil))[:8])
	want := len(s)
	for _, n := range standInClasses {
		if n >= len(s) && n >= len(value) {
			want = n
			break
		}
		want = max(want, n)
	}
	if n := want - len(s); n > 0 {
		s += "-" + strings.Repeat("0", n-1)
	}
	return s
}

// digits replaces every digit of a number by one that depends on all of it, so
// that it stays a number of its length.
func (p *Policy) digits(number string) string {
	mac := hmac.New(sha256.New, p.key)
	mac.Write([]byte(number))
	sum := mac.Sum(nil)
	out := []byte(number)
	for i, n := 0, 0; i < len(out) && out[i] != 'e' && out[i] != 'E'; i++ {
		if c := out[i]; c >= '0' && c <= '9' {
			// Never 0, so that no number begins with one.
			out[i] = '1' + sum[n%len(sum)]%9
			n++
		}
	}
	return string(out)
}

// needles are the spellings by which a known secret is looked for.
func (p *Policy) needles(v string) []needle {
	if len(v) < minSecret {
		return nil
	}
	in := p.standIn("secret", v)
	var out []needle
	for _, s := range deepSpellings(v) {
		out = append(out, needle{s, in})
	}
	return out
}

// sortNeedles puts longer ones first: a secret that is a part of another must
// not leave the rest of it behind.
func sortNeedles(list []needle) {
	slices.SortStableFunc(list, func(a, b needle) int {
		return cmp.Or(cmp.Compare(len(b.text), len(a.text)), strings.Compare(a.text, b.text))
	})
}

// Scope redacts the traffic of one session tree. It learns: a value that was
// secret by its name is looked for in what comes later, in texts too. It is
// used by one goroutine at a time.
type Scope struct {
	p         *Policy
	learned   []needle
	learnedIn *matcher
	// names are those of members that were met.
	names map[string]name
	// fresh says that something was learned since it was last cleared.
	fresh bool
}

// Scope returns a new Scope.
func (p *Policy) Scope() *Scope { return &Scope{p: p} }

// maxLearned bounds the spellings that one session tree may teach.
const maxLearned = 256

// learn keeps a value that was secret by its name, if it is long and odd enough
// not to be a word.
func (s *Scope) learn(v string) {
	if len(v) < minSecret || len(v) > 4096 || !strings.ContainsAny(v, "0123456789") && len(v) < 20 || strings.HasPrefix(v, StandInPrefix) {
		return
	}
	for _, n := range s.learned {
		if n.text == v {
			return
		}
	}
	if len(s.learned) >= maxLearned {
		return
	}
	in := s.p.standIn("learned", v)
	s.learned = append(s.learned, needle{v, in})
	if quoted := quoteInner(v); quoted != v {
		s.learned = append(s.learned, needle{quoted, in})
	}
	sortNeedles(s.learned)
	texts := make([]string, len(s.learned))
	for i, n := range s.learned {
		texts[i] = n.text
	}
	s.learnedIn = newMatcher(texts)
	s.fresh = true
}

// Leaks reports whether a line that is about to be written holds a secret that
// is known, in any spelling.
func (s *Scope) Leaks(line []byte) bool { return s.p.knownIn.any(line) || s.learnedIn.any(line) }

// keyNames are names under which secrets stand.
type keyNames struct {
	exact map[string]bool
	// endings are looked up by their length.
	endings map[string]bool
	lengths []int
}

func newKeyNames() keyNames {
	return keyNames{exact: map[string]bool{}, endings: map[string]bool{}}
}

func (k *keyNames) addEnding(e string) {
	k.endings[e] = true
	if !slices.Contains(k.lengths, len(e)) {
		k.lengths = append(k.lengths, len(e))
	}
}

// secret reports whether values under a name are secret.
func (k *keyNames) secret(name string) bool {
	plain := plainName(name)
	if k.exact[plain] {
		return true
	}
	for _, n := range k.lengths {
		if len(plain) >= n && k.endings[plain[len(plain)-n:]] {
			return true
		}
	}
	return false
}

// plainName is a name without case and separators.
func plainName(name string) string {
	plain := true
	for i := 0; i < len(name) && plain; i++ {
		c := name[i]
		plain = c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
	}
	if plain {
		return name
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == '-' || r == '.' || r == ' ':
			return -1
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return r
	}, name)
}
