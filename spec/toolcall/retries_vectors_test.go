package toolcall_test

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

type retryVector struct {
	head     `yaml:",inline"`
	Kind     string
	Config   *string
	Action   *string
	Policy   *string
	WaitsS   *[]int64 `yaml:"waits_s"`
	Timeline yaml.Node
}

// The vectors with a timeline are those of the state machine that keeps the
// calls: here they are counted only.
const timelines = 38

func TestRetriesVectors(t *testing.T) {
	t.Parallel()
	vectors := readVectors[retryVector](t, "retries.yaml", 74)
	left := 0
	for _, v := range vectors {
		if v.Timeline.Kind != 0 {
			left++
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			v.check(t)
		})
	}
	if left != timelines {
		t.Errorf("%d vectors have a timeline, want %d", left, timelines)
	}
}

func (v retryVector) check(t *testing.T) {
	want := decode[spec.RetryPolicy](t, v.Policy)
	if v.WaitsS != nil {
		got := []int64{}
		for n := 1; n < toolcall.Attempts(*want); n++ {
			got = append(got, int64(toolcall.Wait(*want, n)/time.Second))
		}
		if d := cmp.Diff(*v.WaitsS, got); d != "" {
			t.Errorf("waits (-want +got):\n%s", d)
		}
		return
	}
	kind := toolcall.PolicyKind(v.Kind)
	layers := append(toolcall.Layers(kind, decode[spec.RetryConfig](t, v.Config)), decode[spec.RetryOverride](t, v.Action))
	if d := cmp.Diff(*want, toolcall.Policy(kind, layers...)); d != "" {
		t.Errorf("policy (-want +got):\n%s", d)
	}
}

// decode reads JSON text that the test itself holds; nil gives nil.
func decode[T any](t *testing.T, text *string) *T {
	t.Helper()
	if text == nil {
		return nil
	}
	v := new(T)
	if err := json.Unmarshal([]byte(*text), v, json.RejectUnknownMembers(true)); err != nil {
		t.Fatal(err)
	}
	return v
}
