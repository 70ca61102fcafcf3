package judge

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/internal/suggest"
	"github.com/hallmarkdev/hallmark/spec"
)

func keyChecks() []check {
	return []check{
		{id: "response.says-something-known", moment: "no answer held an object", see: seeKnown},
		{id: "response.has-no-unknown-keys", moment: "no answer held an object", see: seeKeys},
	}
}

var decisionType = reflect.TypeFor[spec.Decision]()

// saysNothingKnown reports whether the answer is an object of unknown keys
// only, and which.
func saysNothingKnown(x *exchange) (names []string, nothing bool) {
	members, err := jsonv.Members(x.text)
	if err != nil {
		return nil, false
	}
	has := membersOf(decisionType).names
	for _, m := range members {
		if slices.Contains(has, m.Name) {
			return nil, false
		}
		names = append(names, m.Name)
	}
	return names, len(names) > 0
}

func seeKnown(x *exchange) {
	const id = "response.says-something-known"
	if jsonv.Kind(x.text) != '{' {
		return
	}
	names, nothing := saysNothingKnown(x)
	if !nothing {
		x.held(id)
		return
	}
	x.broke(id, spec.Finding{
		Pointer: "/" + jsonv.Escape(names[0]),
		Got:     "nothing but unknown keys: " + show(x.text),
		Want:    "messages, actions, state, agent or channels, or {}",
		Hint:    suggest.Hint(names[0], membersOf(decisionType).names),
	})
}

func seeKeys(x *exchange) {
	const id = "response.has-no-unknown-keys"
	if _, nothing := saysNothingKnown(x); nothing || jsonv.Kind(x.text) != '{' {
		return
	}
	w := keyWalk{}
	w.walk(decisionType, x.text, "")
	if len(w.found) > 0 {
		// What the engine itself proposed may be of a later protocol.
		proposed, _ := jsonv.Get(x.RequestBody, "/proposed")
		later := keyWalk{}
		later.walk(decisionType, proposed, "")
		w.found = slices.DeleteFunc(w.found, func(k unknownKey) bool {
			return slices.ContainsFunc(later.found, func(p unknownKey) bool { return p.name == k.name })
		})
	}
	if len(w.found) == 0 {
		x.held(id)
		return
	}
	for _, k := range w.found {
		x.broke(id, spec.Finding{
			Pointer: k.pointer, Got: "the unknown key " + quote(k.name),
			Want: "keys of the protocol only", Hint: suggest.Hint(k.name, k.known),
		})
	}
}

// maxUnknownKeys bounds the findings of one answer.
const maxUnknownKeys = 20

type unknownKey struct {
	name, pointer string
	known         []string
}

// keyWalk looks for keys that the types of the protocol do not have. Free
// values and content blocks, which may carry annotations, are not entered.
type keyWalk struct{ found []unknownKey }

var (
	freeType    = reflect.TypeFor[jsontext.Value]()
	actionType  = reflect.TypeFor[spec.Action]()
	blockType   = reflect.TypeFor[spec.ToolContent]()
	actionTypes = func() map[string]reflect.Type {
		types := map[string]reflect.Type{}
		for _, a := range []spec.Action{
			spec.ToolCallAction{}, spec.ToolResultAction{}, spec.ToolErrorAction{}, spec.LlmCallAction{},
			spec.LlmResultAction{}, spec.LlmErrorAction{}, spec.SubagentSpawnAction{}, spec.MessageSendAction{},
			spec.InterruptAction{}, spec.InterruptResolveAction{}, spec.ConnectorSyncAction{}, spec.DoneAction{},
			spec.FailAction{},
		} {
			types[string(a.ActionType())] = reflect.TypeOf(a)
		}
		return types
	}()
)

// free reports whether values of a type are not looked into: free values,
// blocks and scalars.
func free(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Struct, reflect.Interface:
		return t == freeType || t == blockType
	}
	return true
}

func (w *keyWalk) walk(t reflect.Type, v jsontext.Value, pointer string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case free(t):
	case t == actionType:
		w.action(v, pointer)
	case t.Kind() == reflect.Slice:
		items, err := jsonv.Elements(v)
		if err != nil {
			return
		}
		for i, item := range items {
			w.walk(t.Elem(), item, fmt.Sprintf("%s/%d", pointer, i))
		}
	case t.Kind() == reflect.Struct:
		w.object(t, v, pointer)
	}
}

func (w *keyWalk) action(v jsontext.Value, pointer string) {
	tag, ok := jsonv.Get(v, "/type")
	if !ok {
		return
	}
	name, _ := jsonv.Text(tag)
	if t, ok := actionTypes[name]; ok {
		w.object(t, v, pointer, "type")
	}
}

func (w *keyWalk) object(t reflect.Type, v jsontext.Value, pointer string, also ...string) {
	list, err := jsonv.Members(v)
	if err != nil {
		return
	}
	has := membersOf(t)
	for _, m := range list {
		i := slices.Index(has.names, m.Name)
		switch {
		case i >= 0:
			if !free(has.types[i]) {
				w.walk(has.types[i], m.Value, pointer+"/"+jsonv.Escape(m.Name))
			}
		case slices.Contains(also, m.Name):
		case len(w.found) < maxUnknownKeys:
			at := pointer + "/" + jsonv.Escape(m.Name)
			w.found = append(w.found, unknownKey{name: m.Name, pointer: at, known: has.names})
		}
	}
}

// members are the JSON names of a struct and the types of their values, in the
// order of its fields.
type members struct {
	names []string
	types []reflect.Type
}

// known caches the members of each struct of the protocol.
var known sync.Map

func membersOf(t reflect.Type) members {
	if m, ok := known.Load(t); ok {
		return m.(members)
	}
	var m members
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		m.names = append(m.names, name)
		m.types = append(m.types, f.Type)
	}
	known.Store(t, m)
	return m
}
