package recorder

import "bytes"

// holds reports whether a secret stands in text as a whole.
func (r *Redactor) holds(text []byte) bool {
	for _, s := range r.secrets {
		if len(s.value) >= minSecret && bytes.Contains(text, []byte(s.value)) {
			return true
		}
	}
	return false
}

// at returns the longest secret that text begins with.
func (r *Redactor) at(text []byte) (secret, bool) {
	for _, s := range r.secrets {
		if len(s.value) >= minSecret && len(text) >= len(s.value) && string(text[:len(s.value)]) == s.value {
			return s, true
		}
	}
	return secret{}, false
}

// scan replaces secrets in a text that may come in parts. Secrets that overlap
// are replaced as one, so that no part of either is left.
type scan struct {
	// covered is how many of the bytes to come belong to a secret whose
	// stand-in has been written.
	covered int
	// found counts the places that were replaced.
	found int
}

// next returns what stands for the first limit bytes of text. What text holds
// beyond them is looked at only.
func (s *scan) next(r *Redactor, text []byte, limit int) []byte {
	out := make([]byte, 0, limit)
	for i := range limit {
		if known, ok := r.at(text[i:]); ok {
			if s.covered == 0 {
				out = append(out, known.standIn...)
				s.found++
			}
			s.covered = max(s.covered, len(known.value))
		}
		if s.covered > 0 {
			s.covered--
			continue
		}
		out = append(out, text[i])
	}
	return out
}
