package simulator

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/scenarios"
	"github.com/hallmarkdev/hallmark/spec"
)

// The expected value is that of RFC 4231, test case 2.
const (
	jefe     = "Jefe"
	question = "what do ya want for nothing?"
	answered = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
)

func TestSign(t *testing.T) {
	t.Parallel()
	if got := Sign([]byte(jefe), []byte(question)); got != "sha256="+answered {
		t.Errorf("Sign = %s", got)
	}
}

// sent returns what goes out for a body under a kind of signature.
func sent(kind, secret, header string) *delivery {
	s := &session{ids: Ids{Seed: 1, Case: "c", Session: "s1"}}
	s.in.Case.Engine.Signature = scenarios.Signature{Is: kind}
	s.in.Secret, s.in.SignatureHeader = []byte(secret), header
	x := &delivery{body: []byte(question), forgery: s.forgeryOf(spec.OnToolExecute)}
	s.sign(x)
	return x
}

func TestKindsOfSignatures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, value, signature, broken string }{
		{"valid", "sha256=" + answered, "valid", ""},
		{"", "sha256=" + answered, "valid", ""},
		{"absent", "", "absent", "signature: absent"},
		{"bare-hex", answered, "wrong", "signature: bare-hex"},
		{"upper-hex", "sha256=" + strings.ToUpper(answered), "wrong", "signature: upper-hex"},
		{"changed-body", "sha256=" + answered, "wrong", "signature: changed-body"},
	} {
		x := sent(c.kind, jefe, "")
		var headers [][2]string
		if c.value != "" {
			headers = [][2]string{{SignatureHeader, c.value}}
		}
		if diff := cmp.Diff(headers, x.headers); diff != "" {
			t.Errorf("%s: %s", c.kind, diff)
		}
		if x.signature != c.signature || x.broken() != c.broken {
			t.Errorf("%s: recorded as %q, %q", c.kind, x.signature, x.broken())
		}
		if changed := string(x.wire) != question; changed != (c.kind == "changed-body") {
			t.Errorf("%s: sends %s", c.kind, x.wire)
		}
	}
	for _, kind := range []string{"forged", "other-secret"} {
		one, again := sent(kind, jefe, "").headers, sent(kind, jefe, "").headers
		if diff := cmp.Diff(one, again); diff != "" {
			t.Errorf("%s: differs between two runs: %s", kind, diff)
		}
		if value := one[0][1]; len(value) != len("sha256=")+64 || value == "sha256="+answered || !strings.HasPrefix(value, "sha256=") {
			t.Errorf("%s: %s", kind, value)
		}
		if diff := cmp.Diff(one, sent(kind, "another secret", "").headers); diff != "" {
			t.Errorf("%s: depends on the secret: %s", kind, diff)
		}
	}
}

func TestNothingIsSignedWithoutASecret(t *testing.T) {
	t.Parallel()
	for _, kind := range spec.SignatureKinds() {
		x := sent(kind, "", "")
		if len(x.headers) > 0 || x.signature != "" || x.broken() != "" || string(x.wire) != question {
			t.Errorf("%s: %+v", kind, x)
		}
	}
}

func TestTheHeaderOfASignatureIsTheOneNamed(t *testing.T) {
	t.Parallel()
	if got := sent("valid", jefe, "X-Hub-Signature-256").headers[0][0]; got != "X-Hub-Signature-256" {
		t.Error(got)
	}
}

// A changed body keeps the form of the protocol and says another thing.
func TestChangedBodies(t *testing.T) {
	t.Parallel()
	for before, after := range map[string]string{
		`{"identity":{"visibility":"shared","metadata":{}},"x":{"metadata":{}}}`: `{"identity":{"visibility":"shared","metadata":{"hallmark":"changed"}},"x":{"metadata":{}}}`,
		`{"identity":{"metadata":{"plan":"pro"}}}`:                               `{"identity":{"metadata":{"hallmark":"changed","plan":"pro"}}}`,
		`{}`: `{} `,
	} {
		if got := string(changed([]byte(before))); got != after {
			t.Errorf("%s becomes %s", before, got)
		}
	}
}

func TestWhichDeliveriesAreBadlySigned(t *testing.T) {
	t.Parallel()
	on := scenarios.Signature{Is: "forged", On: "tool.execute"}
	if on.Of(spec.OnToolExecute) != "forged" || on.Of(spec.OnSessionStart) != "valid" {
		t.Error("a trigger that is named is the only one")
	}
	if all := (scenarios.Signature{Is: "forged"}); all.Of(spec.OnSessionStart) != "forged" {
		t.Error("without a trigger all are")
	}
	if right := (scenarios.Signature{Is: "valid"}); right.Broken() || right.Of(spec.OnSessionStart) != "valid" {
		t.Error("a right signature is not broken")
	}
}
