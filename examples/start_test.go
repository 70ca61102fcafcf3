package examples_test

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

type declaration struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Input       jsontext.Value `json:"input"`
	Output      jsontext.Value `json:"output"`
}

type agent struct {
	Model  string         `json:"model"`
	LLM    string         `json:"llm"`
	System string         `json:"system"`
	Tools  []declaration  `json:"tools"`
	Retry  jsontext.Value `json:"retry"`
}

func startSession(t *testing.T, url, proposed string) agent {
	t.Helper()
	answer := decide(t, url, `{"session_id":"s1","decision_id":"d0","trigger":{"type":"session.start"},"proposed":`+proposed+`}`)
	var decision struct {
		Agent agent `json:"agent"`
	}
	if err := json.Unmarshal([]byte(answer), &decision); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
	return decision.Agent
}

func names(a agent) string {
	var all []string
	for _, tool := range a.Tools {
		all = append(all, tool.Name)
	}
	return strings.Join(all, ", ")
}

func TestBothFormsOfStart(t *testing.T) {
	each(t, nil, func(t *testing.T, url string) {
		for _, proposed := range []string{`{}`, `null`, `{"messages":[],"actions":[],"state":null}`, `{"agent":null}`} {
			bare := startSession(t, url, proposed)
			if bare.Model != "observatory-model" || bare.LLM != "main" || bare.System == "" || names(bare) != tools {
				t.Errorf("started from %s: %+v", proposed, bare)
			}
		}
		given := startSession(t, url, `{"agent":{"model":"m-small","llm":"spare","retry":{"tool":{"max_attempts":9007199254740993}},"tools":null}}`)
		if given.Model != "m-small" || given.LLM != "spare" || names(given) != tools || !strings.Contains(string(given.Retry), "9007199254740993") {
			t.Errorf("started from an agent: %+v", given)
		}
		more := startSession(t, url, `{"agent":{"model":"m","tools":[{"name":"ring","input":{"maximum":9007199254740993}},{"name":"take_exposure","handler":"client"}]}}`)
		if want := "ring, take_exposure, find_object, measure_brightness, reserve_telescope"; names(more) != want {
			t.Errorf("started from an agent with tools: want %s, got %s", want, names(more))
		} else if !strings.Contains(string(more.Tools[0].Input), "9007199254740993") {
			t.Errorf("a declared tool has changed: %s", more.Tools[0].Input)
		}
	})
}

// The declarations are the same in the three languages, they can be built, and every example fits its own schema.
func TestDeclarations(t *testing.T) {
	t.Parallel()
	request := `{"session_id":"s1","decision_id":"d0","trigger":{"type":"session.start"},"proposed":{}}`
	first := ""
	for _, language := range languages(t) {
		t.Run(language.name, func(t *testing.T) {
			needs(t, language.command[0])
			url := start(t, language.command, nil)
			answer := canonical(t, decide(t, url, request))
			if first == "" {
				first = answer
			}
			if diff := cmp.Diff(first, answer); diff != "" {
				t.Errorf("declares something else than the Go worker (-go +%s):\n%s", language.name, diff)
			}
			for _, tool := range startSession(t, url, `{}`).Tools {
				checkExamples(t, tool)
			}
		})
	}
}

func checkExamples(t *testing.T, tool declaration) {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema := compile(t, compiler, tool.Name+"-input.json", tool.Input)
	seen := 0
	for name, property := range schema.Properties {
		if property.Description == "" {
			t.Errorf("%s: %s has no description", tool.Name, name)
		}
		for _, example := range property.Examples {
			seen++
			if err := property.Validate(example); err != nil {
				t.Errorf("%s: %v", tool.Name, err)
			}
		}
	}
	if seen == 0 {
		t.Errorf("%s has no example", tool.Name)
	}
	if tool.Name == "measure_brightness" {
		output := compile(t, compiler, tool.Name+"-output.json", tool.Output)
		for text, fits := range map[string]bool{
			`{"name":"Vega","magnitude":0.03,"filter":"V"}`:       true,
			`{"name":"Vega","magnitude":0.03,"filter":"V","x":1}`: false,
			`{"name":"Vega","filter":"V"}`:                        false,
		} {
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := output.Validate(value); (err == nil) != fits {
				t.Errorf("output schema on %s: %v", text, err)
			}
		}
	}
}

func compile(t *testing.T, compiler *jsonschema.Compiler, name string, raw jsontext.Value) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiler.AddResource(name, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestPicture(t *testing.T) {
	t.Parallel()
	raw, err := base64.StdEncoding.Strict().DecodeString(picture)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(raw)); err != nil {
		t.Fatal(err)
	}
}
