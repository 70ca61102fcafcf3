package reference_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/internal/reference"
	"github.com/hallmarkdev/hallmark/spec"
)

// mailed is one request that reached the engine.
type mailed struct{ path, authorization, body string }

// office is an engine that answers with the given statuses, then with 200.
type office struct {
	mu       sync.Mutex
	statuses []int
	got      []mailed
	// hold keeps the answers back until it is closed; nil holds nothing.
	hold chan struct{}
}

func (o *office) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	o.got = append(o.got, mailed{r.Method + " " + r.URL.String(), r.Header.Get("Authorization"), string(body)})
	status := 200
	if len(o.statuses) > 0 {
		status, o.statuses = o.statuses[0], o.statuses[1:]
	}
	o.mu.Unlock()
	if o.hold != nil {
		<-o.hold
	}
	if status == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return &http.Response{StatusCode: status, Body: http.NoBody, Request: r}, nil
}

func (o *office) posts() []mailed {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]mailed(nil), o.got...)
}

// laterCall is a valid call under a decision, of the fourth attempt.
func laterCall(session, decision, id, tool, arguments string) string {
	return `{"session_id":"` + session + `","decision_id":"` + decision + `","trigger":{"type":"tool.execute","id":"` + id + `","name":"` + tool +
		`","arguments":"","input":{"status":"valid","value":` + arguments + `},"attempt":3},"proposed":{"messages":[],"actions":[],"state":null}}`
}

const fireEast = `{"kiln":"east","cone":"6"}`

// later runs f in a bubble against a worker that settles at o.
func later(t *testing.T, o *office, f func(send func(body string) string, ran func() int)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		runs := 0
		h, err := reference.New(reference.Options{
			Engine: reference.Engine{URL: "http://engine.example/base/", Key: "k1", Client: &http.Client{Transport: o}},
			Ran: func(reference.Run) {
				mu.Lock()
				defer mu.Unlock()
				runs++
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		transport, stop := overPipe(h)
		defer stop()
		p := &tape{post: transport, budget: time.Second}
		f(func(body string) string { return string(p.raw(body)) }, func() int {
			mu.Lock()
			defer mu.Unlock()
			return runs
		})
	})
}

const eastFired = `{"type":"tool.result","result":{"content":[{"type":"text","text":"The east kiln has been fired to cone 6."}]},"id":"c1","attempt":3}`

func TestCallsAreLetGoAndSettledOnce(t *testing.T) {
	t.Parallel()
	o := &office{}
	later(t, o, func(send func(string) string, ran func() int) {
		call := laterCall("s 1", "d1", "c1", "fire_kiln", fireEast)
		if got := send(call); got != "{}" {
			t.Errorf("the first delivery: %s", got)
		}
		if got := send(call); got != "{}" {
			t.Errorf("the second delivery: %s", got)
		}
		if n := len(o.posts()); n != 0 {
			t.Errorf("%d settles before the session is quiet", n)
		}
		time.Sleep(time.Second) // of the bubble's time
		if got := send(call); got != "{}" {
			t.Errorf("a delivery after the settle: %s", got)
		}
		time.Sleep(time.Second) // of the bubble's time
		want := []mailed{{"POST http://engine.example/base/api/machine/sessions/s%201/calls/settle", "Bearer k1", eastFired}}
		if diff := cmp.Diff(want, o.posts(), cmp.AllowUnexported(mailed{})); diff != "" {
			t.Errorf("settles (-want +got):\n%s", diff)
		}
		if ran() != 1 {
			t.Errorf("ran %d times", ran())
		}
	})
}

func TestLateErrorsSayWhetherTheyMayBeTriedAgain(t *testing.T) {
	t.Parallel()
	o := &office{}
	later(t, o, func(send func(string) string, _ func() int) {
		send(laterCall("s1", "d1", "c1", "fire_kiln", `{"kiln":"raku","cone":"10"}`))
		time.Sleep(time.Second) // of the bubble's time
		if got := o.posts(); len(got) != 1 || !strings.Contains(got[0].body, `"type":"tool.error"`) || !strings.HasSuffix(got[0].body, `"attempt":3,"retryable":false}`) {
			t.Errorf("settles: %v", got)
		}
	})
}

// Jobs end in the order in which they began; one whose settle is held back does
// not keep the next from ending.
func TestJobsOverlap(t *testing.T) {
	t.Parallel()
	o := &office{}
	later(t, o, func(send func(string) string, _ func() int) {
		o.hold = make(chan struct{})
		send(laterCall("s1", "d1", "c1", "fire_kiln", fireEast))
		send(laterCall("s1", "d2", "c2", "mix_glaze", `{"glaze":"celadon","grams":3000}`))
		time.Sleep(time.Second) // of the bubble's time
		got := o.posts()
		if len(got) != 2 || !strings.Contains(got[0].body, `"id":"c1"`) || !strings.Contains(got[1].body, `"structuredContent":{"buckets":2,"glaze":"celadon","grams":3000}`) {
			t.Errorf("settles: %v", got)
		}
		close(o.hold)
	})
}

func TestASettleIsSentAgainOnlyWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name     string
		statuses []int
		posts    int
		// after is the answer to a delivery that comes then.
		after string
	}{
		{"taken at the second try", []int{0, 200}, 2, "{}"},
		{"taken at the third try", []int{503, 0, 200}, 3, "{}"},
		{"never taken", []int{503, 502, 500}, 3, `{"actions":[` + eastFired + `]}`},
		{"refused", []int{409}, 1, `{"actions":[` + eastFired + `]}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := &office{statuses: c.statuses}
			later(t, o, func(send func(string) string, _ func() int) {
				call := laterCall("s1", "d1", "c1", "fire_kiln", fireEast)
				send(call)
				time.Sleep(10 * time.Second)
				if n := len(o.posts()); n != c.posts {
					t.Errorf("%d settles, not %d", n, c.posts)
				}
				if got := send(call); got != c.after {
					t.Errorf("then it answers %s", got)
				}
			})
		})
	}
}

// What the worker would refuse anyway, and tools that take no time, are answered
// at once.
func TestOtherCallsAreAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	o := &office{}
	later(t, o, func(send func(string) string, _ func() int) {
		for _, call := range []string{
			laterCall("s1", "d1", "c1", "list_kilns", `{}`),
			strings.Replace(laterCall("s1", "d2", "c1", "fire_kiln", `{}`), `"valid"`, `"invalid"`, 1),
			laterCall("s1", "d3", "c1", "no_such_tool", `{}`),
			laterCall("s1", "", "c1", "fire_kiln", fireEast),
		} {
			if got := send(call); !strings.Contains(got, `"type":"tool.`) {
				t.Errorf("%s: answered %s", call, got)
			}
		}
		time.Sleep(time.Second) // of the bubble's time
		if got := o.posts(); len(got) > 0 {
			t.Errorf("settles: %v", got)
		}
	})
}

// Without an engine the tools answer at once.
func TestWithoutAnEngineNothingIsLetGo(t *testing.T) {
	t.Parallel()
	h, err := reference.New(reference.Options{})
	if err != nil {
		t.Fatal(err)
	}
	transport, stop := overPipe(h)
	defer stop()
	p := &tape{post: transport, budget: 20 * time.Second}
	want := `{"actions":[` + eastFired + `]}`
	if got := string(p.raw(laterCall("s1", "d1", "c1", "fire_kiln", fireEast))); got != want {
		t.Errorf("got %s", got)
	}
}

func TestBatches(t *testing.T) {
	t.Parallel()
	h, err := reference.New(reference.Options{})
	if err != nil {
		t.Fatal(err)
	}
	transport, stop := overPipe(h)
	defer stop()
	p := &tape{post: transport, budget: 20 * time.Second}
	for i, c := range []struct{ tool, arguments, want string }{
		{"fire_kiln", `{"kiln":"raku","cone":"06"}`, `The raku kiln has been fired to cone 06.`},
		{"fire_kiln", `{"kiln":"raku","cone":"6"}`, `fire_kiln: the raku kiln went out below cone 6`},
		{"fire_kiln", `{"kiln":"east","cone":7}`, `fire_kiln: cone must be`},
		{"fire_kiln", `{"kiln":"south","cone":"6"}`, `fire_kiln: there is no kiln`},
		{"mix_glaze", `{"glaze":"oribe","grams":2000}`, `"structuredContent":{"buckets":1,"glaze":"oribe","grams":2000}`},
		{"mix_glaze", `{"glaze":"oribe","grams":2001.0}`, `"structuredContent":{"buckets":2,"glaze":"oribe","grams":2001}`},
		{"mix_glaze", `{"glaze":"oribe","grams":99}`, `mix_glaze: grams must be`},
		{"mix_glaze", `{"glaze":"oribe","grams":150.5}`, `mix_glaze: grams must be`},
		{"mix_glaze", `{"glaze":"oribe","grams":"200"}`, `mix_glaze: grams must be`},
		{"mix_glaze", `{"glaze":"olive","grams":200}`, `mix_glaze: glaze \"olive\" is not on the shelf`},
	} {
		got := string(p.raw(laterCall("s1", string(rune('a'+i)), "c1", c.tool, c.arguments)))
		if !strings.Contains(got, strings.ReplaceAll(c.want, `\"`, `\\\"`)) && !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %s", c.tool, c.arguments, got)
		}
	}
}

// Every fault that is seen later is marked, and no other is.
func TestLaterFaultsAreMarked(t *testing.T) {
	t.Parallel()
	for _, f := range reference.Faults() {
		async := false
		for _, id := range f.Breaks {
			q, _ := spec.LookupRequirement(id)
			async = async || q.Area() == "async"
		}
		if async && !f.Later {
			t.Errorf("%s breaks %v and is not marked", f.Name, f.Breaks)
		}
	}
}
