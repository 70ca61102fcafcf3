package spec_test

import (
	"bytes"
	"encoding/base64"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/vectors"
	"github.com/hallmarkdev/hallmark/spec"
)

// readVectors reads one file of golden vectors, which the engine runs too.
func readVectors[T interface{ Vector() vectors.Head }](t *testing.T, name string, count int) []T {
	t.Helper()
	return vectors.Read[T](t, filepath.Join("..", "simulator", "engine", "testdata", "vectors", name), count)
}

type deliveryVector struct {
	vectors.Head `yaml:",inline"`
	Trigger      string
	HTTP         struct {
		Status          int
		ContentType     string `yaml:"content_type"`
		ContentEncoding string `yaml:"content_encoding"`
		Headers         map[string]string
		Body            string
		BodyBase64      string  `yaml:"body_base64"`
		AfterS          float64 `yaml:"after_s"`
		Fault           string
		RunTimeoutS     float64 `yaml:"run_timeout_s"`
	}
	AttemptsBefore int `yaml:"attempts_before"`
	Expect         struct {
		Class, Code   string
		Message       *string
		MessageStarts string `yaml:"message_starts"`
		Param         string
		Detail        string
		Decision      string
		Turn          string
		NextDeliveryS float64 `yaml:"next_delivery_after_s"`
	}
	Deltas []int
	Others map[string]string
}

// notRead are the vectors in which no answer is read at all.
var notRead = map[string]string{
	"no-worker-for-the-agent": "nobody is contacted, so there is no answer to read",
}

// faultEnds says how the transport reports each fault of the vectors.
var faultEnds = map[string]spec.Answer{
	"":                                   {End: spec.EndWhole},
	"connection refused":                 {End: spec.EndReset, Reason: spec.ReasonRefused},
	"dns failure":                        {End: spec.EndReset, Reason: spec.ReasonUnreachable},
	"tls failure":                        {End: spec.EndReset, Reason: spec.ReasonTLS},
	"connect timeout":                    {End: spec.EndReset, Reason: spec.ReasonUnreachable},
	"reset before the response head":     {End: spec.EndReset, Reason: spec.ReasonClosed},
	"close before the response head":     {End: spec.EndReset, Reason: spec.ReasonClosed},
	"garbage instead of a response head": {End: spec.EndReset, Reason: spec.ReasonNotHTTP},
	"close before the announced length":  {End: spec.EndCut},
	"reset inside a chunked body":        {End: spec.EndCut},
	"reset after the bytes given":        {End: spec.EndCut},
	"no answer":                          {End: spec.EndTimeout},
	"one byte a second":                  {End: spec.EndTimeout},
}

func (v deliveryVector) answer(t *testing.T) spec.Answer {
	a, ok := faultEnds[v.HTTP.Fault]
	if !ok {
		t.Fatalf("unknown fault %q", v.HTTP.Fault)
	}
	if v.HTTP.RunTimeoutS > v.HTTP.AfterS {
		a.Reason = spec.ReasonSilence
	}
	a.Status, a.Body = v.HTTP.Status, []byte(v.HTTP.Body)
	if v.HTTP.BodyBase64 != "" {
		b, err := base64.StdEncoding.DecodeString(v.HTTP.BodyBase64)
		if err != nil {
			t.Fatal(err)
		}
		a.Body = b
	}
	if v.HTTP.ContentType != "" {
		a.Headers = append(a.Headers, [2]string{"Content-Type", v.HTTP.ContentType})
	}
	for name, value := range v.HTTP.Headers {
		a.Headers = append(a.Headers, [2]string{name, value})
	}
	return a
}

// vectorTrigger makes a trigger of the type that a vector names.
func vectorTrigger(t *testing.T, kind, id string, attempt uint32) spec.Trigger {
	t.Helper()
	switch kind, _, _ = strings.Cut(kind, ","); kind {
	case "", "tool.execute":
		return spec.ToolExecuteTrigger{ID: id, Attempt: attempt}
	case "llm.execute":
		return spec.LlmExecuteTrigger{ID: id, Attempt: attempt}
	case "llm.execute stream":
		return spec.LlmExecuteTrigger{ID: id, Attempt: attempt, Stream: true}
	case "session.start", "client.action", "turn.finished", "client.messages", "llm.finished", "tool.finished", "interrupt.resumed":
		return spec.UnknownTrigger{Type: spec.TriggerType(kind)}
	}
	t.Fatalf("unknown trigger %q", kind)
	return nil
}

func TestDeliveryVectors(t *testing.T) {
	t.Parallel()
	left := 0
	for _, v := range readVectors[deliveryVector](t, "delivery.yaml", 99) {
		if notRead[v.Name] != "" {
			left++
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			trigger := vectorTrigger(t, v.Trigger, "c1", 1)
			a := v.answer(t)
			d, failure := spec.ReadAnswerTo(trigger, a)
			if failure == nil {
				failure = spec.ResolveDecision(d, trigger, spec.ResolveContext{})
			}
			if v.Deltas != nil {
				var got []int
				spec.ReadStream(a.Body, func(f spec.StreamFrame) bool {
					if f.Event == spec.FrameTokenDelta {
						got = append(got, len(got))
					}
					return true
				})
				if diff := cmp.Diff(v.Deltas, got); diff != "" {
					t.Error(diff)
				}
			}
			if v.Expect.Class == "success" {
				checkSuccess(t, v, d, failure)
				return
			}
			if failure == nil {
				t.Fatalf("read as a decision, want %s", v.Expect.Class)
			}
			checkFailure(t, failure, v.Expect.Class, v.Expect.Code, v.Expect.Param, v.Expect.Message, v.Expect.Detail)
			if !strings.HasPrefix(failure.Info.Message, v.Expect.MessageStarts) {
				t.Errorf("message %q does not start with %q", failure.Info.Message, v.Expect.MessageStarts)
			}
		})
	}
	if left != len(notRead) {
		t.Errorf("%d vectors left out, want %d", left, len(notRead))
	}
}

func checkSuccess(t *testing.T, v deliveryVector, d spec.Decision, failure *spec.Failure) {
	t.Helper()
	if failure != nil {
		t.Fatalf("failed: %+v", failure)
	}
	if empty := v.Expect.Decision == "empty"; d.IsEmpty() != empty {
		t.Errorf("empty is %t, want %t", d.IsEmpty(), empty)
	}
	if v.Expect.Decision != "as sent" || !strings.HasPrefix(v.HTTP.Body, "{") {
		return
	}
	sent, err := spec.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	// Unknown keys are the only thing that is not carried over.
	pointer, got, want, equal := jsonv.Diff(sent, jsontext.Value(v.HTTP.Body))
	if unknown := []string{"/error", "/message"}; !equal && !slices.Contains(unknown, pointer) {
		t.Errorf("%s: got %s, sent %s", pointer, got, want)
	}
}

func checkFailure(t *testing.T, failure *spec.Failure, class, code, param string, message *string, detail string) {
	t.Helper()
	if string(failure.Class) != class || string(failure.Info.Code) != code {
		t.Errorf("got %s %s, want %s %s (%s)", failure.Class, failure.Info.Code, class, code, failure.Info.Message)
	}
	if failure.Info.Param != param {
		t.Errorf("param %q, want %q", failure.Info.Param, param)
	}
	if message != nil && failure.Info.Message != *message {
		t.Errorf("message %q, want %q", failure.Info.Message, *message)
	}
	if detail != "" && !jsonv.Equal(failure.Info.Detail, jsontext.Value(detail)) {
		t.Errorf("detail %s, want %s", failure.Info.Detail, detail)
	}
}

type answerVector struct {
	vectors.Head `yaml:",inline"`
	Trigger      struct {
		Type, ID string
		Attempt  uint32
	}
	Open []struct {
		ID, Handler, Status string
		Attempt             uint32
	}
	Finished []string
	Config   *string
	// config null differs from an absent one.
	HasConfig bool `yaml:"-"`
	Decision  string
	Via       string
	Caller    string
	Response  string
	Verdict   string
	Actions   []string
	Fatal     struct {
		Code, Param, Reason, Detail string
		Message                     *string
	}
	Calls      map[string]string
	Recorded   string
	Path       []string
	PathAfter  []string `yaml:"path_after"`
	StateAfter string   `yaml:"state_after"`
	Arguments  *string
	Status     int
	Error      string
}

// UnmarshalYAML notes whether config is given at all.
func (v *answerVector) UnmarshalYAML(n *yaml.Node) error {
	type plain answerVector
	var b bytes.Buffer
	if err := yaml.NewEncoder(&b).Encode(n); err != nil {
		return err
	}
	d := yaml.NewDecoder(&b)
	d.KnownFields(true)
	if err := d.Decode((*plain)(v)); err != nil {
		return err
	}
	for i := 0; i < len(n.Content); i += 2 {
		v.HasConfig = v.HasConfig || n.Content[i].Value == "config"
	}
	return nil
}

func (v answerVector) context(t *testing.T) spec.ResolveContext {
	text := `{"model":"m-small","llm":"main"}`
	if v.HasConfig {
		if v.Config == nil {
			return spec.ResolveContext{Blocks: []string{"main", "spare"}}
		}
		text = *v.Config
	}
	agent, fault := spec.ParseAgent([]byte(text))
	if fault != nil {
		t.Fatal(fault)
	}
	return spec.ResolveContext{Agent: &agent, Blocks: []string{"main", "spare"}}
}

// TestAnswerVectors runs what concerns reading alone: every response is read
// and resolved as the vector says; what becomes of its actions is the engine's.
func TestAnswerVectors(t *testing.T) {
	t.Parallel()
	const fatal = 63
	ran := 0
	for _, v := range readVectors[answerVector](t, "answers.yaml", 153) {
		if v.Via != "" && v.Via != "decision" {
			continue
		}
		if v.Verdict == "fatal" {
			ran++
		}
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			if v.Trigger.ID == "" {
				v.Trigger.ID, v.Trigger.Attempt = "c1", 1
			}
			trigger := vectorTrigger(t, v.Trigger.Type, v.Trigger.ID, v.Trigger.Attempt)
			d, failure := spec.ReadAnswerTo(trigger, spec.Answer{Status: 200, Body: []byte(v.Response), End: spec.EndWhole})
			if failure == nil {
				failure = spec.ResolveDecision(d, trigger, v.context(t))
			}
			if v.Verdict != "fatal" {
				if failure != nil {
					t.Fatalf("failed: %+v", failure)
				}
				if v.Verdict == "applied" && len(d.Actions) != len(v.Actions) {
					t.Errorf("%d actions, want %d", len(d.Actions), len(v.Actions))
				}
				if v.Arguments != nil {
					if got := d.Actions[0].(spec.ToolCallAction).RawArguments(); got != *v.Arguments {
						t.Errorf("arguments %q, want %q", got, *v.Arguments)
					}
				}
				return
			}
			if failure == nil {
				t.Fatal("read as a decision, want a fatal failure")
			}
			checkFailure(t, failure, "fatal", v.Fatal.Code, v.Fatal.Param, v.Fatal.Message, v.Fatal.Detail)
			reason := ""
			if got, ok := jsonv.Get(failure.Info.Detail, "/reason"); ok {
				reason, _ = jsonv.Text(got)
			}
			if reason != v.Fatal.Reason {
				t.Errorf("reason %q, want %q", reason, v.Fatal.Reason)
			}
		})
	}
	if ran != fatal {
		t.Errorf("%d fatal vectors, want %d", ran, fatal)
	}
}
