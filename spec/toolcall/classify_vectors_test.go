package toolcall_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"gopkg.in/yaml.v3"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

type classifyVector struct {
	head      `yaml:",inline"`
	Arguments recipe
	Schema    *string
	Status    string
	Value     *string
	Error     *string
	At        []string
	AtOf      []string `yaml:"at_of"`
	Count     *int
}

// recipe is a string, or how to make a long one.
type recipe string

func (r *recipe) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*r = recipe(n.Value)
		return nil
	}
	var parts struct {
		Before, Repeat string
		Times          int
		Then, Close    string
		After          string
	}
	if err := n.Decode(&parts); err != nil {
		return err
	}
	*r = recipe(parts.Before + strings.Repeat(parts.Repeat, parts.Times) + parts.Then +
		strings.Repeat(parts.Close, parts.Times) + parts.After)
	return nil
}

func TestClassifyVectors(t *testing.T) {
	t.Parallel()
	vectors := readVectors[classifyVector](t, "classify.yaml", 186)
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			v.check(t)
		})
	}
}

func (v classifyVector) check(t *testing.T) {
	var schema jsontext.Value
	if v.Schema != nil {
		schema = jsontext.Value(*v.Schema)
	}
	in := toolcall.Classify(string(v.Arguments), schema)
	if string(in.Status) != v.Status {
		t.Errorf("status is %s, want %s", in.Status, v.Status)
	}
	want := v.Value
	if want != nil && *want == "same" {
		same := string(v.Arguments)
		want = &same
	}
	switch {
	case want == nil && in.Value != nil:
		t.Errorf("value is %s, want none", in.Value)
	case want != nil && !jsonv.Equal(in.Value, jsontext.Value(*want)):
		t.Errorf("value is %s, want %s", in.Value, *want)
	}
	switch {
	case v.Error == nil && in.Error != nil:
		t.Errorf("error is %q, want none", *in.Error)
	case v.Error != nil && (in.Error == nil || *in.Error == ""):
		t.Error("no error")
	case v.Error != nil && *v.Error != "any" && *in.Error != *v.Error:
		t.Errorf("error is %q, want %q", *in.Error, *v.Error)
	}
	if in.Status == spec.InputInvalid {
		v.checkPieces(t, strings.Split(*in.Error, "; "))
	}
}

func (v classifyVector) checkPieces(t *testing.T, pieces []string) {
	var places []string
	for _, p := range pieces {
		place := ""
		if strings.HasPrefix(p, "/") {
			place, _, _ = strings.Cut(p, ": ")
		}
		places = append(places, place)
	}
	for _, p := range v.At {
		if !slices.Contains(places, p) {
			t.Errorf("no piece for %q in %q", p, pieces)
		}
	}
	for _, p := range places {
		if v.AtOf != nil && !slices.Contains(v.AtOf, p) {
			t.Errorf("piece for %q in %q", p, pieces)
		}
	}
	if v.Count != nil && len(pieces) != *v.Count {
		t.Errorf("%d pieces, want %d: %q", len(pieces), *v.Count, pieces)
	}
}
