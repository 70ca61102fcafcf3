package judge_test

import (
	"strings"
	"testing"

	"github.com/hallmarkdev/hallmark/spec"
	"github.com/hallmarkdev/hallmark/spec/judge"
)

// longSession is a session whose transcript has grown: its requests are large
// and its answers echo them.
func longSession() []spec.Event {
	t := newTape()
	head := user
	recorded := user
	for range 200 {
		m := `,{"id":"m` + strings.Repeat("9", 8) + `","role":"user","content":"` + strings.Repeat("How is it now? ", 20) + `"}`
		head += m
		recorded += m
	}
	given := `{"messages":[` + recorded + `,` + asks + `],"proposed":{"messages":[` + head + `,` + asks + `,` + tool1 + `],"actions":[` + prompt + `]}}`
	for range 10 {
		t.exchange("s1", onExecute, given, sunny)
		t.exchange("s1", onFinished, given, `{"messages":[`+head+`,`+asks+`,`+tool1+`],"actions":[`+prompt+`]}`)
	}
	return t.done().events
}

// BenchmarkJudge and BenchmarkDecode give the ratio of the budget: judging
// costs at most three times what decoding the same bytes once does.
func BenchmarkJudge(b *testing.B) {
	events := longSession()
	b.ReportAllocs()
	for b.Loop() {
		j := judge.New(judge.Options{})
		for _, e := range events {
			j.Add(e)
		}
		if len(broken(j.Verdict())) != 0 {
			b.Fatal("the session is not clean")
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	events := longSession()
	b.ReportAllocs()
	for b.Loop() {
		for _, e := range events {
			switch d := e.Data.(type) {
			case *spec.RequestEvent:
				body, _ := d.Body.Bytes()
				if _, fault := spec.ParseRequest(body); fault != nil {
					b.Fatal(fault)
				}
			case *spec.ResponseEvent:
				body, _ := d.Body.Bytes()
				if _, fault := spec.ParseDecision(body); fault != nil {
					b.Fatal(fault)
				}
			}
		}
	}
}
