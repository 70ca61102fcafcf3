package spec_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
	"github.com/hallmarkdev/hallmark/spec"
)

// everyMember is a decision that has every member that the protocol knows, once
// in each kind of place. Free values are numbers.
const everyMember = `{
"messages":[{"id":"m","role":"user","content":"hi","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}],"tool_call_id":"c","name":"f","reasoning":1}],
"actions":[
 {"type":"tool.call","id":"a","name":"f","arguments":1,"retry":{"queue_timeout_secs":1,"run_timeout_secs":1,"total_timeout_secs":1,"max_attempts":1,"backoff_base_secs":1,"backoff_max_secs":1}},
 {"type":"tool.result","id":"a","attempt":1,"result":1,"content":[{"type":"text","text":"t"},{"type":"image","data":"d","mimeType":"m"},{"type":"audio","data":"d","mimeType":"m"},
  {"type":"resource","resource":{"uri":"u","mimeType":"m","text":"t","blob":"b"}},{"type":"resource_link","uri":"u","name":"n","mimeType":"m"}],"structured_content":1,"is_error":true},
 {"type":"tool.error","id":"a","attempt":1,"error":"e","retryable":true,"code":"internal","detail":1},
 {"type":"llm.call","id":"l","llm":"b","model":"m","messages":[],"tools":[{"name":"f","description":"d","input":1,"output":1,"defer":true}],"temperature":1,
  "max_completion_tokens":1,"reasoning":{"effort":"low","max_tokens":1,"exclude":true,"enabled":true},"stream":true,"retry":{}},
 {"type":"llm.result","id":"l","attempt":1,"response":1},
 {"type":"llm.error","id":"l","attempt":1,"error":"e","retryable":true,"code":"internal","detail":1},
 {"type":"subagent.spawn","session_id":"s","agent_id":"a","tool_call_id":"c","message":{"role":"user"},"retry":{},"mode":"wait"},
 {"type":"message.send","session_id":"s","message":{"role":"user"}},
 {"type":"interrupt","interrupt_id":"i","reason":"r","payload":1},
 {"type":"interrupt.resolve","interrupt_id":"i","payload":1},
 {"type":"connector.sync","path":"p"},
 {"type":"done","data":1},
 {"type":"fail","error":{"message":"m","code":"internal","param":"p","detail":1}}],
"state":1,
"agent":{"model":"m","llm":"b","system":"s","effort":"low","retry":{"default":{},"llm":{},"tool":{},"subagent":{},"connector":{}},
 "tools":[{"name":"f","description":"d","input":1,"output":1,"handler":"worker","defer":true}],
 "subagents":[{"id":"s","description":"d","defer":true,"prefix":true,"mode":"any"}],"subagent_tools":{"strategy":"single","wait":true},"max_subagent_depth":1,
 "mcp":[{"path":"p","id":"i","tools":{"include":[],"exclude":[],"read_only":true,"non_destructive":true,"idempotent":true,"defer":true},"auth_failure":"degrade","tool_sync_failure":"warn","approve":"never"}],
 "plugins":[{"id":"p","description":"d","servers":[],"skills":[{"name":"n","description":"d"}],"tools":{},"approve":"never","auth_failure":"degrade","tool_sync_failure":"warn"}],
 "defer_tools":{"strategy":"search","max_matches":1},"mcp_announce":"auto","attachments":{"tools":["read"],"max_inline":1,"rules":{}}},
"channels":{}}`

// Members that spoil a decision when they are null (wire 3), and those that do
// when they are left out.
const (
	refusedAsNull = `
/messages /messages/0/role /messages/0/tool_calls/0/id /messages/0/tool_calls/0/type
/messages/0/tool_calls/0/function /messages/0/tool_calls/0/function/name /messages/0/tool_calls/0/function/arguments
/actions
/actions/0/type /actions/0/name
/actions/1/type /actions/1/content/0/type /actions/1/content/0/text /actions/1/content/1/type /actions/1/content/1/data /actions/1/content/1/mimeType
/actions/1/content/2/type /actions/1/content/2/data /actions/1/content/2/mimeType
/actions/1/content/3/type /actions/1/content/3/resource /actions/1/content/3/resource/uri /actions/1/content/4/type /actions/1/content/4/uri
/actions/1/is_error
/actions/2/type /actions/2/error /actions/2/retryable
/actions/3/type /actions/3/tools/0/name /actions/3/tools/0/description
/actions/4/type
/actions/5/type /actions/5/error /actions/5/retryable
/actions/6/type /actions/6/agent_id /actions/6/tool_call_id /actions/6/message/role
/actions/7/type /actions/7/session_id /actions/7/message /actions/7/message/role
/actions/8/type /actions/8/reason
/actions/9/type /actions/9/interrupt_id
/actions/10/type /actions/10/path
/actions/11/type
/actions/12/type /actions/12/error /actions/12/error/message /actions/12/error/code
/agent/model
/agent/tools /agent/tools/0/name /agent/tools/0/description
/agent/subagents /agent/subagents/0/id /agent/subagents/0/description
/agent/mcp /agent/mcp/0/auth_failure /agent/mcp/0/tool_sync_failure /agent/mcp/0/approve
/agent/plugins /agent/plugins/0/id /agent/plugins/0/description /agent/plugins/0/skills/0/name /agent/plugins/0/skills/0/description
/agent/plugins/0/approve /agent/plugins/0/auth_failure /agent/plugins/0/tool_sync_failure
/agent/mcp_announce
/channels`
	refusedAsAbsent = `
/messages/0/role /messages/0/tool_calls/0/id /messages/0/tool_calls/0/type
/messages/0/tool_calls/0/function /messages/0/tool_calls/0/function/name /messages/0/tool_calls/0/function/arguments
/actions/0/type /actions/0/name /actions/0/arguments
/actions/1/type /actions/1/content/0/type /actions/1/content/0/text /actions/1/content/1/type /actions/1/content/1/data /actions/1/content/1/mimeType
/actions/1/content/2/type /actions/1/content/2/data /actions/1/content/2/mimeType
/actions/1/content/3/type /actions/1/content/3/resource /actions/1/content/3/resource/uri /actions/1/content/4/type /actions/1/content/4/uri
/actions/2/type /actions/2/error
/actions/3/type /actions/3/tools/0/name /actions/3/tools/0/description
/actions/4/type /actions/4/response
/actions/5/type /actions/5/error
/actions/6/type /actions/6/agent_id /actions/6/tool_call_id /actions/6/message/role
/actions/7/type /actions/7/session_id /actions/7/message /actions/7/message/role
/actions/8/type /actions/8/reason
/actions/9/type /actions/9/interrupt_id
/actions/10/type /actions/10/path
/actions/11/type
/actions/12/type /actions/12/error /actions/12/error/message /actions/12/error/code
/agent/model
/agent/tools/0/name
/agent/subagents/0/id
/agent/plugins/0/id /agent/plugins/0/skills/0/name`
	// takenAsAny are the members that hold any value at all.
	takenAsAny = `
/messages/0/reasoning /actions/0/arguments /actions/1/result /actions/1/structured_content /actions/2/detail
/actions/3/tools/0/input /actions/3/tools/0/output /actions/4/response /actions/5/detail /actions/8/payload /actions/9/payload
/actions/11/data /actions/12/error/detail /state /agent/tools/0/input /agent/tools/0/output`
)

// eachMember calls do with the pointer of every member of v, and with a function
// that returns the whole text with that member replaced, or left out for "".
func eachMember(v jsontext.Value, at string, wrap func(string) string, do func(pointer string, with func(string) string)) {
	members, _ := jsonv.Members(v)
	for i, m := range members {
		with := func(text string) string {
			var b strings.Builder
			b.WriteByte('{')
			for j, o := range members {
				value := string(o.Value)
				if i == j {
					value = text
				}
				if value == "" {
					continue
				}
				if b.Len() > 1 {
					b.WriteByte(',')
				}
				b.WriteString(string(jsonv.Quote(o.Name)) + ":" + value)
			}
			return wrap(b.String() + "}")
		}
		do(at+"/"+m.Name, with)
		eachMember(m.Value, at+"/"+m.Name, with, do)
	}
	elements, _ := jsonv.Elements(v)
	for i, e := range elements {
		with := func(text string) string {
			all := make([]string, len(elements))
			for j, o := range elements {
				all[j] = string(o)
			}
			all[i] = text
			return wrap("[" + strings.Join(all, ",") + "]")
		}
		eachMember(e, at+"/"+strconv.Itoa(i), with, do)
	}
}

// TestEveryMember tries each member of the protocol as null, left out, and as
// an object that fits nowhere.
func TestEveryMember(t *testing.T) {
	t.Parallel()
	if _, fault := spec.ParseDecision([]byte(everyMember)); fault != nil {
		t.Fatal(fault)
	}
	var null, absent, odd []string
	all := 0
	eachMember(jsontext.Value(everyMember), "", func(s string) string { return s }, func(pointer string, with func(string) string) {
		all++
		if _, fault := spec.ParseDecision([]byte(with("null"))); fault != nil {
			null = append(null, pointer)
		}
		if _, fault := spec.ParseDecision([]byte(with(""))); fault != nil {
			absent = append(absent, pointer)
		}
		if _, fault := spec.ParseDecision([]byte(with(`[{"x":1}]`))); fault == nil {
			odd = append(odd, pointer)
		} else if !strings.HasPrefix(fault.Pointer, pointer) && fault.Pointer != strings.TrimSuffix(pointer, "/type") {
			t.Errorf("%s: the fault is at %s", pointer, fault.Pointer)
		}
	})
	if all != 179 {
		t.Errorf("%d members, want 179", all)
	}
	for _, c := range []struct {
		what, want string
		got        []string
	}{{"null", refusedAsNull, null}, {"absent", refusedAsAbsent, absent}, {"any", takenAsAny, odd}} {
		if diff := cmp.Diff(strings.Fields(c.want), c.got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.what, diff)
		}
	}
}

// TestEveryMemberOfAnLlmResponse does the same for what a hosted model answers.
func TestEveryMemberOfAnLlmResponse(t *testing.T) {
	t.Parallel()
	const every = `{"model":"m","content":"c","tool_calls":[],"finish_reason":"stop","usage":{"input":1,"output":1,"uncached_input":1,` +
		`"cache_read":1,"cache_write":1,"total":1,"provider":1},"cost":"1","images":[{"url":"u"}],"reasoning":1}`
	const required = "/model /usage/input /usage/output /usage/uncached_input /usage/cache_read /usage/cache_write /usage/total /images/0/url"
	var null, absent []string
	eachMember(jsontext.Value(every), "", func(s string) string { return s }, func(pointer string, with func(string) string) {
		if _, fault := spec.ParseLlmResponse([]byte(with("null"))); fault != nil {
			null = append(null, pointer)
		}
		if _, fault := spec.ParseLlmResponse([]byte(with(""))); fault != nil {
			absent = append(absent, pointer)
		}
	})
	if diff := cmp.Diff(strings.Fields(required), null); diff != "" {
		t.Error("null:", diff)
	}
	if diff := cmp.Diff(strings.Fields(required), absent); diff != "" {
		t.Error("absent:", diff)
	}
}
