package engine

import (
	"fmt"
	"testing"
)

// long is a session whose path holds a given number of messages and whose
// tool.execute is out.
func long(messages int) *bench {
	b := opened(testConfig())
	b.unchecked = true
	for n := 0; len(b.Transcript()) < messages; n++ {
		call, _ := b.Asked()
		b.step(calls(call, [3]string{fmt.Sprint("c", n), "crane_status", `{}`}))
		b.echo()
		b.answer(`{"actions":[{"type":"tool.result","result":"free"}]}`)
		b.echo()
	}
	return b
}

// BenchmarkDecision is one round of a session: a model's answer, its tool call
// and the result, each request encoded. sent-B/op tells how much of the
// cost is the size of the requests.
func BenchmarkDecision(b *testing.B) {
	for _, messages := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(messages), func(b *testing.B) {
			s := long(messages)
			size, n := 0, 0
			from := len(s.delivered)
			b.ResetTimer()
			for b.Loop() {
				call, _ := s.Asked()
				s.step(calls(call, [3]string{fmt.Sprint("x", n), "crane_status", `{}`}))
				n++
				s.echo()
				s.answer(`{"actions":[{"type":"tool.result","result":"free"}]}`)
				s.echo()
			}
			b.StopTimer()
			for _, d := range s.delivered[from:min(len(s.delivered), from+30)] {
				body, err := d.Body(start)
				if err != nil {
					b.Fatal(err)
				}
				size += len(body)
			}
			b.ReportMetric(float64(size)/float64(min(len(s.delivered)-from, 30))*3, "sent-B/op")
		})
	}
}
