package logged_test

import (
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hallmarkdev/hallmark/recorder/logged"
	"github.com/hallmarkdev/hallmark/spec"
)

func all(seq iter.Seq2[logged.Exchange, error]) ([]logged.Exchange, error) {
	var out []logged.Exchange
	for x, err := range seq {
		if err != nil {
			return out, err
		}
		out = append(out, x)
	}
	return out, nil
}

func lines(text string) ([]logged.Exchange, error) {
	return all(logged.Lines(strings.NewReader(text), "x.log"))
}

func har(text string) ([]logged.Exchange, int, error) {
	n := 0
	list, err := all(logged.HAR(strings.NewReader(text), "x.har", func() { n++ }))
	return list, n, err
}

func TestLinesKeepBodiesExact(t *testing.T) {
	t.Parallel()
	got, err := lines(`{"time":"2026-11-30T20:10:45.5Z","took_ms":1.5,"request":{ "n":1.0, "a":1,"a":2},"status":503,"response":"x\ny","request_headers":{"A":"b"},"response_headers":[["C","d"],["C","e"]],"method":"PUT","target":"/x","more":[]}

{"request":"no json","response_base64":"/w==","error":""}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []logged.Exchange{
		{
			At: time.Date(2026, 11, 30, 20, 10, 45, 5e8, time.UTC), Took: 1500 * time.Microsecond, Method: "PUT", Target: "/x",
			Headers: [][2]string{{"A", "b"}}, AnswerHeaders: [][2]string{{"C", "d"}, {"C", "e"}},
			Request: []byte(`{ "n":1.0, "a":1,"a":2}`), Answer: []byte("x\ny"), Status: 503,
		},
		{
			Request: []byte("no json"), Answer: []byte("\xff"), Status: 200,
			Lacks: []string{logged.LacksTime, logged.LacksHeaders, logged.LacksAnswerHeaders, logged.LacksStatus},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{spec.AssumedStatus, spec.AssumedHeaders, spec.AssumedTime}, got[1].Assumed()); diff != "" {
		t.Error(diff)
	}
}

func TestLinesSayHowAnAnswerEnded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]spec.BodyEnd{
		`{"request":{},"error":"timeout"}`:             spec.EndTimeout,
		`{"request":{},"error":"ECONNRESET"}`:          spec.EndReset,
		`{"request":{},"status":200}`:                  spec.EndOmitted,
		`{"request":{},"status":200,"response":null}`:  "",
		`{"request":{},"status":204}`:                  "",
		`{"request":{},"status":200,"response":""}`:    "",
		`{"request":{},"status":200,"response":"{}"}`:  "",
		`{"request":"","status":200,"response":[1,2]}`: "",
	} {
		got, err := lines(text)
		if err != nil || len(got) != 1 || got[0].End != want {
			t.Errorf("%s: %v, %v; want %q", text, got, err, want)
		}
	}
}

func TestLinesNameWhatIsWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{}\n":                                             "import x.log: line 1: no request",
		"{\"request\":{}}\nhello\n":                        "import x.log: line 2: ",
		"{\"request\":{},\"status\":\"x\"}":                "import x.log: line 1: ",
		"{\"request\":{},\"time\":\"noon\"}":               `import x.log: line 1: "noon" is no time: want 2026-11-30T20:10:45.599Z`,
		"{\"request\":{},\"request_headers\":3}":           "request_headers: want an object or a list of pairs",
		"{\"request\":{},\"response_headers\":{\"a\":1}}":  `response_headers: "a" has no text`,
		"{\"request_base64\":\"*\"}":                       "request: illegal base64",
		"{\"request\":" + strings.Repeat("[", 5000) + "\n": "line 1: ",
		strings.Repeat("x", 65<<20):                        "line 1: the line is over the limit of 67108864 bytes",
	} {
		_, err := lines(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v; want %s", text, err, want)
		}
	}
}

const archive = `{"log":{"version":"1.2","entries":[
 {"startedDateTime":"2026-11-30T20:10:45.5+01:00","time":12,"request":{"method":"POST","url":"http://w:1/hook?a=1","httpVersion":"HTTP/2.0","headers":[{"name":":path","value":"/"},{"name":"A","value":"b"}],"postData":{"mimeType":"application/json","text":"{}"}},
  "response":{"status":200,"headers":[{"name":"content-encoding","value":"br"},{"name":"C","value":"d"}],"content":{"size":2,"text":"e30=","encoding":"base64"}}},
 {"startedDateTime":"2026-11-30T20:10:46Z","request":{"method":"GET","url":"http://w/","headers":[]},"response":{}},
 {"startedDateTime":"2026-11-30T20:10:47Z","request":{"method":"POST","url":"http://w/","headers":[],"postData":{"text":"{}"}},"response":{"status":200,"headers":[],"content":{"size":10,"text":"{\"a\""}}},
 {"startedDateTime":"2026-11-30T20:10:48Z","request":{"method":"POST","url":"http://w/","headers":[],"postData":{"text":"{}"}},"response":{"status":200,"headers":[{"name":"C","value":"d"}],"content":{"size":10}}},
 {"startedDateTime":"2026-11-30T20:10:49Z","request":{"method":"POST","url":"http://w/","headers":[{"name":"A","value":"b"}],"postData":{"text":"{}"}},"response":{"status":0,"headers":[],"content":{"size":0},"_error":"net::ERR_CONNECTION_RESET"}}
],"pages":[]}}`

func TestHARSaysWhatItHolds(t *testing.T) {
	t.Parallel()
	got, passed, err := har(archive)
	if err != nil || passed != 1 || len(got) != 4 {
		t.Fatalf("%d exchanges, %d passed over, %v", len(got), passed, err)
	}
	want := logged.Exchange{
		At: time.Date(2026, 11, 30, 19, 10, 45, 5e8, time.UTC), Took: 12 * time.Millisecond, Method: "POST", Target: "/hook?a=1", Proto: "HTTP/2.0",
		Headers: [][2]string{{"A", "b"}}, AnswerHeaders: [][2]string{{"C", "d"}}, Request: []byte("{}"), Answer: []byte("{}"), Status: 200,
		Lacks: []string{logged.LacksExactness},
	}
	if diff := cmp.Diff(want, got[0], cmp.Comparer(time.Time.Equal)); diff != "" {
		t.Error(diff)
	}
	for i, w := range []struct {
		end    spec.BodyEnd
		reason string
		lacks  string
	}{
		{"", "", logged.LacksExactness},
		{spec.EndCut, "the archive holds 4 of 10 bytes", logged.LacksAnswerEnd},
		{spec.EndOmitted, "the archive does not hold the body", logged.LacksAnswer},
		{spec.EndReset, "net::ERR_CONNECTION_RESET", logged.LacksAnswer},
	} {
		if got[i].End != w.end || got[i].Reason != w.reason || !strings.Contains(strings.Join(got[i].Lacks, "\n"), w.lacks) {
			t.Errorf("entry %d: %+v", i, got[i])
		}
	}
}

func TestHARNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                                   "import x.har: ",
		`[]`:                                 "not an HTTP archive",
		`{"lag":{}}`:                         `it has no "log"`,
		`{"log":{"pages":[]}}`:               `it has no "entries"`,
		`{"log":{"entries":{}}}`:             "its entries are no list",
		`{"log":{"entries":[{"time":"x"}]}}`: "entry 1: ",
		archive[:600]:                        "entry 3: ",
		strings.Replace(archive, "2026-11-30T20:10:47Z", "noon", 1): `entry 3: "noon" is no time`,
	} {
		if _, _, err := har(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v; want %s", text, err, want)
		}
	}
}

func TestPairs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := all(logged.Pairs(dir)); err == nil || !strings.Contains(err.Error(), "no pairs here") {
		t.Error(err)
	}
	put("b.request.json", "{\"b\": 1}\n")
	put("a.request.json", "{}")
	put("a.response.json", "[]")
	put("notes.txt", "")
	got, err := all(logged.Pairs(dir))
	if err != nil || len(got) != 2 || string(got[0].Answer) != "[]" || string(got[1].Request) != "{\"b\": 1}\n" {
		t.Errorf("%+v, %v", got, err)
	}
	if got[1].End != spec.EndOmitted || got[1].Reason != "there is no b.response.json" {
		t.Errorf("%+v", got[1])
	}
	put("c.response.json", "{}")
	if _, err := all(logged.Pairs(dir)); err == nil || !strings.Contains(err.Error(), "c.request.json") {
		t.Error(err)
	}
}

func TestHowLongAnAnswerTook(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ms   string
		want time.Duration
	}{{"0", 0}, {"-1", 0}, {"1.5", 1500 * time.Microsecond}, {"1e300", 365 * 24 * time.Hour}} {
		got, err := lines(`{"time":"2026-11-30T20:10:45.5Z","took_ms":` + c.ms + `,"request":{},"status":200,"response":"{}"}`)
		if err != nil || len(got) != 1 || got[0].Took != c.want {
			t.Errorf("%s ms are read as %v (%v), want %v", c.ms, got, err, c.want)
		}
	}
}
