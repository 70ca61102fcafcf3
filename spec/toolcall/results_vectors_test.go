package toolcall_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/toolcall"
)

type resultVector struct {
	head     `yaml:",inline"`
	Action   string
	Output   *string
	Via      string
	Untraced bool
	Store    string
	Retry    *string
	Stored   *string
	Rendered *string
	Message  *string
	Finished *finished
	Final    *bool
	Fatal    *fatal
}

type finished struct {
	OK    bool
	Error *struct {
		Message       *string
		MessageStarts string `yaml:"message_starts"`
		Code          string
		Param         string
		Detail        *string
	}
}

type fatal struct {
	Code    string
	Message *string
	Param   *string
	Detail  *string
}

// memory is a store of tenant acme that takes everything, or nothing.
type memory struct{ refuses bool }

func (m memory) Put(mime string, name *string, data []byte) (string, error) {
	if m.refuses {
		return "", errors.New("full")
	}
	return toolcall.BlobURI("acme", "{uuid}", mime, len(data), name), nil
}

// What these vectors say beside is checked where the calls are kept: via,
// retry and final say which door a result takes and what may follow it, and
// nothing of the result depends on them.
func TestResultsVectors(t *testing.T) {
	t.Parallel()
	vectors := readVectors[resultVector](t, "results.yaml", 159)
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			v.check(t)
		})
	}
}

func (v resultVector) check(t *testing.T) {
	body := `{"actions":[` + v.Action + `]}`
	trigger := spec.ToolExecuteTrigger{ID: "c1", Name: "tide_table"}
	d, failure := spec.ReadAnswerTo(trigger, spec.Answer{Status: 200, Body: []byte(body)})
	if failure == nil {
		failure = spec.ResolveDecision(d, trigger, spec.ResolveContext{})
	}
	if v.Fatal != nil || failure != nil {
		v.checkFatal(t, failure)
		return
	}
	if got := d.Actions[0]; got.ActionType() == spec.DoToolError {
		got, _ := got.(spec.ToolErrorAction)
		v.checkFinished(t, toolcall.Failed("c1", "tide_table", toolcall.ErrorOf(got)))
		return
	}
	a, ok := d.Actions[0].(spec.ToolResultAction)
	if !ok {
		t.Fatalf("action is %T", d.Actions[0])
	}
	stored := toolcall.ReadResult(a, memory{v.Store == "refuses"})
	var output jsontext.Value
	if v.Output != nil && !v.Untraced {
		output = jsontext.Value(*v.Output)
	}
	if v.Rendered != nil && toolcall.Rendered(stored) != *v.Rendered {
		t.Errorf("rendered is %q, want %q", toolcall.Rendered(stored), *v.Rendered)
	}
	v.checkFinished(t, toolcall.Finished("c1", "tide_table", stored, output))
}

func (v resultVector) checkFatal(t *testing.T, got *spec.Failure) {
	switch {
	case v.Fatal == nil:
		t.Fatalf("the answer is refused: %v", got.Info)
	case got == nil:
		t.Fatal("the answer is not refused")
	}
	if string(got.Info.Code) != v.Fatal.Code {
		t.Errorf("code is %s, want %s", got.Info.Code, v.Fatal.Code)
	}
	if v.Fatal.Message != nil && got.Info.Message != *v.Fatal.Message {
		t.Errorf("message is %q, want %q", got.Info.Message, *v.Fatal.Message)
	}
	if v.Fatal.Param != nil && got.Info.Param != *v.Fatal.Param {
		t.Errorf("param is %q, want %q", got.Info.Param, *v.Fatal.Param)
	}
	sameJSON(t, "detail", got.Info.Detail, v.Fatal.Detail, v.Fatal.Detail == nil)
}

func (v resultVector) checkFinished(t *testing.T, got spec.ToolFinishedTrigger) {
	if got.OK != v.Finished.OK {
		t.Fatalf("ok is %t, want %t; error %v", got.OK, v.Finished.OK, got.Error)
	}
	if (got.Result != nil) != got.OK || (got.Error != nil) == got.OK {
		t.Fatalf("result %v and error %v do not go with ok %t", got.Result, got.Error, got.OK)
	}
	message := toolcall.Message(got)
	if message.Role != spec.RoleTool || message.ToolCallID != "c1" || message.Name != "tide_table" || message.ID != "" {
		t.Errorf("tool message is %+v", message)
	}
	if *v.Message == "error" {
		text := string(jsonv.Quote(got.Error.Message))
		v.Message = &text
	}
	sameJSON(t, "message", message.Content, v.Message, false)
	if got.OK {
		stored, err := json.Marshal(got.Result)
		if err != nil {
			t.Fatal(err)
		}
		sameJSON(t, "stored", stored, v.Stored, false)
		return
	}
	want := v.Finished.Error
	if want.Message != nil && got.Error.Message != *want.Message {
		t.Errorf("message is %q, want %q", got.Error.Message, *want.Message)
	}
	if !strings.HasPrefix(got.Error.Message, want.MessageStarts) || want.Message == nil && got.Error.Message == want.MessageStarts {
		t.Errorf("message is %q, want one that starts with %q", got.Error.Message, want.MessageStarts)
	}
	if string(got.Error.Code) != want.Code || got.Error.Param != want.Param {
		t.Errorf("code %q param %q, want %q and %q", got.Error.Code, got.Error.Param, want.Code, want.Param)
	}
	sameJSON(t, "detail", got.Error.Detail, want.Detail, false)
}

// sameJSON compares by meaning; nil is absent, and with free set not pinned.
func sameJSON(t *testing.T, what string, got jsontext.Value, want *string, free bool) {
	t.Helper()
	switch {
	case want == nil && (free || got == nil):
	case want == nil:
		t.Errorf("%s is %s, want none", what, got)
	case got == nil || !jsonv.Equal(got, jsontext.Value(*want)):
		t.Errorf("%s is %s, want %s", what, got, *want)
	}
}
