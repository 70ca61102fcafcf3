package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hallmarkdev/hallmark/spec"
)

// certified lists the rules that this registry answers for.
const certified = `A1-A5 B1-B9 C1-C3 C5-C9 D1-D14 E1-E9 F1-F15 G1-G12 H1-H10 I1-I5 J1-J4 K1-K8 L1-L4 M1-M5 N1-N5 O1-O7`

func certifiedRules(t *testing.T) []string {
	t.Helper()
	var rules []string
	for word := range strings.FieldsSeq(certified) {
		var from, to int
		letter := word[:1]
		if _, err := fmt.Sscanf(strings.ReplaceAll(word[1:], letter, ""), "%d-%d", &from, &to); err != nil {
			to = from
		}
		for n := from; n <= to; n++ {
			rules = append(rules, fmt.Sprintf("%s%d", letter, n))
		}
	}
	return rules
}

func TestEveryCertifiedRuleIsAnsweredFor(t *testing.T) {
	t.Parallel()
	rules := certifiedRules(t)
	if len(rules) != 120 {
		t.Fatalf("%d rules: %v", len(rules), rules)
	}
	cited := map[string]string{}
	for _, r := range spec.Requirements() {
		for _, s := range r.Source {
			if rule, ok := strings.CutPrefix(s, "rule:"); ok {
				cited[rule] = r.ID
			}
		}
	}
	excluded := map[string]bool{}
	for _, e := range spec.Exclusions() {
		if excluded[e.Rule] {
			t.Errorf("%s: excluded twice", e.Rule)
		}
		if e.Reason == "" {
			t.Errorf("%s: excluded without a reason", e.Rule)
		}
		excluded[e.Rule] = true
	}
	for _, rule := range rules {
		switch {
		case cited[rule] != "" && excluded[rule]:
			t.Errorf("%s: a source of %s and excluded", rule, cited[rule])
		case cited[rule] == "" && !excluded[rule]:
			t.Errorf("%s: neither the source of a requirement nor excluded", rule)
		}
		delete(excluded, rule)
	}
	for rule := range excluded {
		t.Errorf("%s: excluded, but not certified", rule)
	}
}
