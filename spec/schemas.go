package spec

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

//go:embed schemas/*.json
var schemaFiles embed.FS

// schemaURN is what the $id of every schema begins with.
const schemaURN = "urn:hallmark:schema:"

// schemaNames lists the schemas, those of whole bodies first.
var schemaNames = []string{
	"request", "decision", "trigger", "action", "agent", "tool", "result", "content", "message",
	"error", "usage", "llm-request", "llm-response", "stream-frame", "client-input", "retry",
}

// SchemaNames lists the names that [Schema] knows, those of whole bodies first.
func SchemaNames() []string { return slices.Clone(schemaNames) }

// Schema returns the JSON Schema (2020-12) of that name: "decision" for a
// worker's answer, "request" for what an engine sends, and their parts. It is
// closed, as the protocol's published one is, so it refuses unknown members
// that an engine would ignore (gap 13). The document stands alone: the schemas
// that it refers to are bundled under $defs by their $id. The result is the
// caller's. It is safe for concurrent use.
func Schema(name string) ([]byte, bool) {
	b, ok := bundles()[name]
	return slices.Clone(b), ok
}

// bundles builds every document once.
var bundles = sync.OnceValue(func() map[string][]byte {
	parts := make(map[string]jsontext.Value, len(schemaNames))
	for _, name := range schemaNames {
		b, err := schemaFiles.ReadFile("schemas/" + name + ".json")
		if err != nil {
			panic(fmt.Sprintf("embedded schema: %v", err))
		}
		parts[name] = b
	}
	out := make(map[string][]byte, len(parts))
	for _, name := range schemaNames {
		out[name] = bundle(name, parts)
	}
	return out
})

// bundle returns the schema of that name with all that it refers to.
func bundle(name string, parts map[string]jsontext.Value) []byte {
	needs := map[string]bool{name: true}
	for queue := []string{name}; len(queue) > 0; queue = queue[1:] {
		for _, n := range schemaRefs(parts[queue[0]]) {
			if !needs[n] {
				needs[n] = true
				queue = append(queue, n)
			}
		}
	}
	var defs []jsonv.Member
	doc := []byte{'{'}
	members, err := jsonv.Members(parts[name])
	if err != nil {
		panic(fmt.Sprintf("embedded schema %s: %v", name, err))
	}
	for _, m := range members {
		if m.Name == "$defs" {
			defs, _ = jsonv.Members(m.Value)
			continue
		}
		doc = appendMember(doc, m)
	}
	for _, n := range schemaNames {
		if n != name && needs[n] {
			defs = append(defs, jsonv.Member{Name: schemaURN + n, Value: parts[n]})
		}
	}
	slices.SortStableFunc(defs, func(a, b jsonv.Member) int { return cmp.Compare(a.Name, b.Name) })
	if len(defs) > 0 {
		all := []byte{'{'}
		for _, m := range defs {
			all = appendMember(all, m)
		}
		doc = appendMember(doc, jsonv.Member{Name: "$defs", Value: append(all, '}')})
	}
	v := jsontext.Value(append(doc, '}'))
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		panic(fmt.Sprintf("embedded schema %s: %v", name, err))
	}
	return append(v, '\n')
}

// appendMember adds a member to an object that is not closed yet.
func appendMember(dst []byte, m jsonv.Member) []byte {
	if len(dst) > 1 {
		dst = append(dst, ',')
	}
	dst = append(append(dst, jsonv.Quote(m.Name)...), ':')
	return append(dst, m.Value...)
}

// schemaRefs names the other schemas that v refers to, in the order of the text.
func schemaRefs(v jsontext.Value) []string {
	var out []string
	members, _ := jsonv.Members(v)
	for _, m := range members {
		if to, ok := jsonv.Text(m.Value); ok && m.Name == "$ref" {
			if n, ok := strings.CutPrefix(to, schemaURN); ok {
				n, _, _ = strings.Cut(n, "#")
				out = append(out, n)
			}
			continue
		}
		out = append(out, schemaRefs(m.Value)...)
	}
	elements, _ := jsonv.Elements(v)
	for _, e := range elements {
		out = append(out, schemaRefs(e)...)
	}
	return out
}
