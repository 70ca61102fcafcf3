package renew

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"regexp"
	"strings"
)

// H is where new ids come from: a function of an id and of how often it was
// asked for that id before, and of nothing else that changes under way.
type H func(id string, try int) [sha256.Size]byte

// Seeded is H of a seed and a name, such as that of a recording (R20).
func Seeded(seed uint64, name string) H {
	return func(id string, try int) [sha256.Size]byte {
		b := binary.BigEndian.AppendUint64(make([]byte, 0, 128), seed)
		// Each part is preceded by its length, so that no two lists read alike.
		for _, part := range []string{"renew", name, id} {
			b = binary.BigEndian.AppendUint64(b, uint64(len(part)))
			b = append(b, part...)
		}
		return sha256.Sum256(binary.BigEndian.AppendUint64(b, uint64(try)))
	}
}

var uuidForm = regexp.MustCompile(`^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$`)

// Places in a UUID that say what kind it is; up to uuidTime stands the moment of
// one that is of version 7.
const (
	uuidVersion = 14
	uuidVariant = 19
	uuidTime    = 13
)

// keepers is how many tries leave the beginning of an id as it is, and
// maxTries how many there are.
const (
	keepers  = 16
	maxTries = 64
)

// varied are the places of an id that a new one may fill in another way: those
// that are neither its beginning nor what says of which kind it is. A later try
// may fill the beginning too.
func varied(id string, try int) []int {
	from, to := 0, len(id)
	uuid := uuidForm.MatchString(id)
	switch {
	case strings.HasPrefix(id, "blob://"):
		// Only the name of the blob: its host and its size are what they are.
		if i := strings.IndexByte(id, '?'); i >= 0 {
			to = i
		}
		from = max(strings.LastIndexByte(id[:to], '/')+1, len("blob://"))
	case uuid && id[uuidVersion] == '7':
		from = uuidTime
	case !uuid && try < keepers:
		if i := strings.LastIndexAny(id, "_-:./"); i+1 < len(id) {
			from = i + 1
		}
	}
	var out []int
	for i := from; i < to; i++ {
		if uuid && (i == uuidVersion || i == uuidVariant) {
			continue
		}
		if class(id[i]) != 0 {
			out = append(out, i)
		}
	}
	return out
}

// class is the kind of a character, 0 for one that is never replaced.
func class(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return '0'
	case c >= 'a' && c <= 'z':
		return 'a'
	case c >= 'A' && c <= 'Z':
		return 'A'
	}
	return 0
}

var alphabets = map[byte]string{'0': "0123456789", 'a': "abcdefghijklmnopqrstuvwxyz", 'A': "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}

// enough is how many places make an id so long that its own characters suffice
// for new ones, which then fit an alphabet that is not known, such as that of
// hexadecimal digits.
const enough = 12

// another is a new id in the form of an old one; it may be equal to it.
func another(id string, try int, h H) string {
	at, uuid := varied(id, try), uuidForm.MatchString(id)
	var own [128][]byte
	if len(at) >= enough {
		for _, i := range at {
			c := class(id[i])
			if bytes.IndexByte(own[c], id[i]) < 0 {
				own[c] = append(own[c], id[i])
			}
		}
	}
	for _, c := range []byte("0aA") {
		if len(own[c]) < 2 {
			if own[c] = []byte(alphabets[c]); uuid && c != '0' {
				own[c] = own[c][:6]
			}
		}
	}
	out := []byte(id)
	sum := h(id, try)
	for n, i := range at {
		if n > 0 && n%len(sum) == 0 {
			sum = sha256.Sum256(sum[:])
		}
		from := own[class(id[i])]
		out[i] = from[int(sum[n%len(sum)])%len(from)]
	}
	return string(out)
}
