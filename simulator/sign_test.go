package simulator

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The expected value is that of RFC 4231, test case 2.
func TestSign(t *testing.T) {
	t.Parallel()
	const want = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
	if got := Sign([]byte("Jefe"), []byte("what do ya want for nothing?")); got != want {
		t.Errorf("Sign = %s, want %s", got, want)
	}
	headers := [][2]string{{"a", "b"}}
	if diff := cmp.Diff(headers, signed(headers, nil, []byte("x"))); diff != "" {
		t.Error("no secret sends no signature", diff)
	}
	if got := signed(headers, []byte("Jefe"), []byte("what do ya want for nothing?")); len(got) != 2 || got[1] != [2]string{SignatureHeader, want} {
		t.Error(got)
	}
}
