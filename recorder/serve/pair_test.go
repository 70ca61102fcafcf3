package serve_test

import (
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder/serve"
	"github.com/hallmarkdev/hallmark/spec"
)

// inFlight puts calls, given as id and tool, into a request.
func inFlight(body string, calls ...[2]string) string {
	var list []string
	for _, c := range calls {
		list = append(list, fmt.Sprintf(`{"id":%q,"kind":"tool_call","status":"pending","attempt":0,"name":%q,"arguments":"{}","handler":"worker"}`, c[0], c[1]))
	}
	return strings.Replace(body, `"calls":[]`, `"calls":[`+strings.Join(list, ",")+`]`, 1)
}

// saidSo puts messages into a request, given as role and id.
func saidSo(body string, messages ...[2]string) string {
	var list []string
	for _, m := range messages {
		list = append(list, fmt.Sprintf(`{"id":%q,"role":%q,"content":"x","tool_calls":[]}`, m[1], m[0]))
	}
	return strings.Replace(body, `"messages":[],"message_tree"`, `"messages":[`+strings.Join(list, ",")+`],"message_tree"`, 1)
}

const acts = `{"type":"client.action","name":"go"}`

var _ = Describe("ids of both stories", func() {
	It("are paired for calls in flight, which are listed in the order of their ids, by what the calls say", func() {
		s := newStory().session("s1").
			ask("s1", decision("then", "s1", "d1", start), ok(`{}`)).
			ask("s1", inFlight(decision("then", "s1", "d2", acts), [2]string{"c1", "find"}, [2]string{"c2", "look"}), ok(`{"state":["c1","c2"]}`)).
			ask("s1", decision("then", "s1", "d3", runs("c2", "look", 0)), ok(`{"state":"c2"}`)).
			served(serve.Config{})
		post(s, decision("now", "x", "d1", start))
		Expect(text(post(s, inFlight(decision("now", "x", "d2", acts), [2]string{"k1", "look"}, [2]string{"k2", "find"})))).To(Equal(`{"state":["k2","k1"]}`))
		Expect(text(post(s, decision("now", "x", "d3", runs("k1", "look", 0))))).To(Equal(`{"state":"k1"}`))
		Expect(s.Report().Drifted).To(BeEmpty())
	})

	It("are not paired for calls that cannot be told apart", func() {
		s := newStory().session("s1").
			ask("s1", decision("then", "s1", "d1", start), ok(`{}`)).
			ask("s1", inFlight(decision("then", "s1", "d2", acts), [2]string{"c1", "find"}, [2]string{"c2", "find"}), ok(`{"state":["c1","c2"]}`)).
			served(serve.Config{})
		post(s, decision("now", "x", "d1", start))
		Expect(text(post(s, inFlight(decision("now", "x", "d2", acts), [2]string{"k1", "find"}, [2]string{"k2", "find"})))).To(Equal(`{"state":["c1","c2"]}`))
	})

	It("are paired for messages as far as both have the same roles", func() {
		s := newStory().session("s1").
			ask("s1", decision("then", "s1", "d1", start), ok(`{}`)).
			ask("s1", saidSo(decision("then", "s1", "d2", acts), [2]string{"user", "m1"}, [2]string{"assistant", "m2"}, [2]string{"user", "m3"}), ok(`{"state":["m1","m2","m3"]}`)).
			served(serve.Config{})
		post(s, decision("now", "x", "d1", start))
		Expect(text(post(s, saidSo(decision("now", "x", "d2", acts), [2]string{"user", "n1"}, [2]string{"user", "n2"}, [2]string{"user", "n3"})))).To(Equal(`{"state":["n1","m2","m3"]}`))
	})

	It("keep to their own session, where two sessions use the same short ones", func() {
		s := newStory().session("s1").session("s2").
			ask("s1", decision("then", "s1", "a1", start), ok(`{}`)).
			ask("s1", decision("then", "s1", "a2", runs("call_0", "find", 0)), ok(`{"state":"call_0"}`)).
			ask("s2", decision("then", "s2", "b1", start), ok(`{}`)).
			ask("s2", decision("then", "s2", "b2", runs("call_0", "look", 0)), ok(`{"state":"call_0"}`)).
			served(serve.Config{})
		for _, l := range []string{"x", "y"} {
			post(s, decision("now", l, l+"1", start))
		}
		Expect(text(post(s, decision("now", "x", "x2", runs("call_7", "look", 0))))).To(Equal(`{"state":"call_7"}`))
		Expect(text(post(s, decision("now", "y", "y2", runs("call_8", "find", 0))))).To(Equal(`{"state":"call_8"}`))
	})
})

var _ = Describe("what a person reads", func() {
	It("tells all that was not as recorded, and sums up", func() {
		st := newStory().session("s1").
			ask("s1", decision("then", "s1", "d1", start), ok(`{}`)).
			ask("s1", decision("then", "s1", "d2", says("Good day.")), ok(`{}`)).
			ask("s1", decision("then", "s1", "d3", runs("c", "look", 0)), &spec.ResponseEvent{Status: 200, Body: spec.BodyOf([]byte("{")), End: spec.EndCut, Reason: "gone"}).
			ask("s1", decision("then", "s1", "d4", acts), ok(`{}`))
		st.write("", &spec.GapEvent{Lost: 2, Reason: "the disk was full"})
		s := st.served(serve.Config{Secrets: [][]byte{[]byte("one")}})
		for _, body := range []string{
			decision("now", "x", "d1", start), decision("now", "x", "d2", says("Good night.")), decision("now", "x", "d2", says("Good night.")),
			decision("now", "x", "d3", runs("k", "look", 0)), decision("now", "x", "d5", runs("k", "burn", 0)),
		} {
			post(s, body)
		}
		Expect(s.Report().String()).To(Equal(`unknown: tool.execute burn k in the session that stands for s1 of story.jsonl
  session now-x, decision now-d5
  the closest is story.jsonl: s1/d3, line 7 (tool.execute look call 1)
  differs at /trigger/name
  got  "burn"
  want "look"
not served: story.jsonl: s1/d3, line 7 (tool.execute look call 1)
  it was not whole (cut): gone
drifted: story.jsonl: s1/d2, line 5 (client.messages)
  differs at /trigger/messages/0/content
  got  "Good night."
  want "Good day."
unused: story.jsonl: s1/d4, line 9 (client.action)
note: story.jsonl: 2 lost, so what stood there is not known: the disk was full
signatures: 0 right, 0 wrong, 5 absent
served 2 of 4 recorded answers to 5 requests; 1 given again; 1 unknown; 1 not served; 1 drifted; 1 unused
`))
	})
})
