// Package examples_test holds the three example workers to one behaviour: it starts each as its reader would, sends all
// of them the same requests, and compares the answers with what is written here.
package examples_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	_ "github.com/hallmarkdev/hallmark/internal/outgoing/fits"
)

// goWorker is the Go worker as a program. It is built before the tests, so that a signal reaches the worker and not the
// tool that runs it.
var goWorker string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		folder, err := os.MkdirTemp("", "observatory")
		if err != nil {
			fmt.Fprintln(os.Stderr, "make a folder for the Go worker:", err)
			return 1
		}
		defer func() { _ = os.RemoveAll(folder) }()
		goWorker = filepath.Join(folder, "observatory")
		if output, err := exec.Command("go", "build", "-o", goWorker, "./go").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build the Go worker: %v\n%s", err, output)
			return 1
		}
		return m.Run()
	}())
}

type language struct {
	name    string
	command []string
}

func languages(t *testing.T) []language {
	t.Helper()
	// A passed test is remembered until a file that it opened changes, and what its processes open does not count.
	for _, source := range []string{"go/main.go", "go/observatory.go", "node/server.mjs", "python/worker.py"} {
		if _, err := os.ReadFile(source); err != nil {
			t.Fatal(err)
		}
	}
	return []language{
		{"go", []string{goWorker}},
		{"node", []string{"node", "node/server.mjs"}},
		{"python", []string{"python3", "python/worker.py"}},
	}
}

// needs ends the test of a worker whose interpreter this machine lacks. The
// project's tests need nothing but Go; CI has all three and accepts no gap.
func needs(t *testing.T, program string) {
	t.Helper()
	_, err := exec.LookPath(program)
	switch {
	case err == nil:
	case os.Getenv("CI") != "":
		t.Fatalf("look for %s: %v", program, err)
	default:
		t.Skipf("%s is not installed, so the worker in it is not tested here", program)
	}
}

// each runs a test against every worker, each in a process of its own.
func each(t *testing.T, env []string, test func(t *testing.T, url string)) {
	t.Parallel()
	for _, language := range languages(t) {
		t.Run(language.name, func(t *testing.T) {
			needs(t, language.command[0])
			test(t, start(t, language.command, env))
		})
	}
}

// start runs a worker on a free port until the end of the test, and then asks it to stop.
func start(t *testing.T, command, env []string) string {
	t.Helper()
	worker := exec.Command(command[0], command[1:]...)
	worker.Env = append(append(os.Environ(), "PORT=0", "WORKER_SECRET="), env...)
	var stderr bytes.Buffer
	worker.Stderr = &stderr
	stdout, err := worker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	t.Cleanup(func() {
		if err := worker.Process.Signal(syscall.SIGTERM); err != nil {
			t.Errorf("the worker did not live to the end: %v\n%s", err, stderr.String())
		}
		if err := worker.Wait(); err != nil {
			t.Errorf("end of the worker after SIGTERM: %v\n%s", err, stderr.String())
		}
	})
	if err != nil || !ok {
		t.Fatalf("first line of the worker: %q, %v\n%s", line, err, stderr.String())
	}
	return url
}

var client = &http.Client{Timeout: 20 * time.Second}

func send(t *testing.T, method, url string, body io.Reader, headers ...string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(answer)
}

func decide(t *testing.T, url, body string) string {
	t.Helper()
	status, answer := send(t, http.MethodPost, url, strings.NewReader(body))
	if status != http.StatusOK {
		t.Fatalf("status %d for %.300s\n%s", status, body, answer)
	}
	return answer
}

// canonical makes texts of equal meaning equal.
func canonical(t *testing.T, text string) string {
	t.Helper()
	value := jsontext.Value(text)
	if err := value.Canonicalize(); err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
	return string(value)
}

// A call is a tool.execute to be.
type call struct {
	session, decision, name, value, status string
	attempt                                int
	proposed                               string
}

func (c call) String() string {
	if c.session == "" {
		c.session = "s1"
	}
	if c.decision == "" {
		c.decision = "d-" + c.name
	}
	input := fmt.Sprintf(`{"status":"valid","value":%s}`, c.value)
	switch c.status {
	case "malformed":
		input = `{"status":"malformed","error":"expected value at line 1 column 1"}`
	case "invalid":
		input = fmt.Sprintf(`{"status":"invalid","value":%s,"error":"/name: 5 is not a string"}`, c.value)
	}
	if c.proposed == "" {
		c.proposed = "{}"
	}
	return fmt.Sprintf(`{"session_id":%q,"decision_id":%q,"turn_id":"t1","trigger":{"type":"tool.execute","id":"c1",`+
		`"name":%q,"arguments":"not to be parsed","input":%s,"attempt":%d},"proposed":%s,"state":null}`,
		c.session, c.decision, c.name, input, c.attempt, c.proposed)
}

func refused(text string) string {
	return fmt.Sprintf(`{"actions":[{"type":"tool.error","id":"c1","error":%q,"retryable":false}]}`, text)
}

const (
	busy     = `{"actions":[{"type":"tool.error","id":"c1","error":"the dome computer of the north telescope is busy; the same request can be sent again","retryable":true,"code":"rate_limited"}]}`
	reserved = `{"actions":[{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"the north telescope is reserved for the night of 2026-08-28"}]}}]}`
	known    = `"Vega", "Sirius", "Betelgeuse", "Polaris", "M31", "M13"`
	tools    = "find_object, measure_brightness, reserve_telescope, take_exposure"
	picture  = "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAAAAACMmsGiAAAAGklEQVR42mNgEBFhYBD5f0KEQeTEFhBThAEAJ9MD5IcDrPgAAAAASUVORK5CYII="
)

func TestCalls(t *testing.T) {
	night := `{"telescope":"north","night":"2026-08-28","busy_for":`
	unknownStar := func(name string) string {
		return refused(`no object named "` + name + `" in the catalogue; try one of ` + known + ` as name`)
	}
	steps := []struct {
		name string
		call call
		want string
	}{
		{"position", call{name: "find_object", value: `{"name":"Vega"}`},
			`{"actions":[{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"Vega (star in Lyra): right ascension 18h 36m 56s, declination +38d 47m 01s"}]}}]}`},
		{"the rest of the proposal stays", call{name: "find_object", value: `{"name":"M13"}`, proposed: `{"messages":[],"actions":[],"state":null,"channels":{"slack":{"n":1}}}`},
			`{"messages":[],"state":null,"channels":{"slack":{"n":1}},"actions":[{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"M13 (globular cluster in Hercules): right ascension 16h 41m 42s, declination +36d 27m 37s"}]}}]}`},
		{"unknown object", call{name: "find_object", value: `{"name":"Xyz"}`}, unknownStar("Xyz")},
		{"object named as a property", call{name: "find_object", value: `{"name":"__proto__"}`}, unknownStar("__proto__")},
		{"long name", call{name: "find_object", value: `{"name":"` + strings.Repeat("é", 5000) + `"}`}, unknownStar(strings.Repeat("é", 40))},
		{"half a character", call{name: "find_object", value: `{"name":"x\ud835y"}`}, unknownStar("x\ufffdy")},
		{"keys are exact", call{name: "find_object", value: `{"name":"Vega","Name":"M31"}`, decision: "case"},
			`{"actions":[{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"Vega (star in Lyra): right ascension 18h 36m 56s, declination +38d 47m 01s"}]}}]}`},
		{"no name", call{name: "find_object", value: `{"NAME":"Vega"}`, decision: "absent"}, refused(`name must be a string such as "Vega"`)},
		{"name of another type", call{name: "find_object", value: `{"name":null}`}, refused(`name must be a string such as "Vega"`)},

		{"brightness", call{name: "measure_brightness", value: `{"name":"Betelgeuse","filter":"R"}`},
			`{"actions":[{"type":"tool.result","id":"c1","result":{"content":[{"type":"text","text":"Betelgeuse has magnitude -1.17 in filter R"}],"structuredContent":{"name":"Betelgeuse","magnitude":-1.17,"filter":"R"}}}]}`},
		{"brightness of nothing", call{name: "measure_brightness", value: `{"name":"toString","filter":"V"}`}, unknownStar("toString")},
		{"unknown filter", call{name: "measure_brightness", value: `{"name":"Vega","filter":"constructor"}`}, refused(`filter must be one of "B", "V", "R"`)},

		{"reserved at once", call{name: "reserve_telescope", value: `{"telescope":"north","night":"2026-08-28"}`}, reserved},
		{"busy twice, 1", call{session: "s2", decision: "b1", name: "reserve_telescope", value: night + `2}`, attempt: 1}, busy},
		{"busy twice, 1 again", call{session: "s2", decision: "b1", name: "reserve_telescope", value: night + `2}`, attempt: 1}, busy},
		{"another session in between", call{session: "s3", decision: "b1", name: "reserve_telescope", value: night + `0}`, attempt: 7}, reserved},
		{"busy twice, 2", call{session: "s2", decision: "b2", name: "reserve_telescope", value: night + `2.0}`, attempt: 2}, busy},
		{"busy twice, 3", call{session: "s2", decision: "b3", name: "reserve_telescope", value: night + `2}`, attempt: 3}, reserved},
		{"busy twice, 2 late", call{session: "s2", decision: "b2", name: "reserve_telescope", value: night + `2.0}`, attempt: 2}, busy},
		{"busy twice, 3 again", call{session: "s2", decision: "b3", name: "reserve_telescope", value: night + `2}`, attempt: 3}, reserved},
		{"out of order, 5", call{session: "s5", decision: "o1", name: "reserve_telescope", value: night + `1}`, attempt: 5}, busy},
		{"out of order, 4", call{session: "s5", decision: "o2", name: "reserve_telescope", value: night + `1}`, attempt: 4}, busy},
		{"out of order, 5 anew", call{session: "s5", decision: "o3", name: "reserve_telescope", value: night + `1}`, attempt: 5}, reserved},
		{"attempts from zero, 0", call{session: "s4", decision: "z0", name: "reserve_telescope", value: night + `1}`, attempt: 0}, busy},
		{"attempts from zero, 1", call{session: "s4", decision: "z1", name: "reserve_telescope", value: night + `1}`, attempt: 1}, reserved},
		{"no such day", call{name: "reserve_telescope", value: `{"telescope":"south","night":"2026-02-30"}`, decision: "day"}, refused(`night must be a date written YYYY-MM-DD, such as "2026-08-28"`)},
		{"no such dome", call{name: "reserve_telescope", value: `{"telescope":"west","night":"2026-08-28"}`, decision: "dome"}, refused(`telescope must be "north" or "south"`)},
		{"busy_for of null", call{name: "reserve_telescope", value: night + `null}`, decision: "null"}, refused("busy_for must be a whole number from 0 to 5, or left out")},

		{"exposure", call{name: "take_exposure", value: `{"name":"M31","seconds":5}`},
			`{"actions":[{"type":"tool.result","id":"c1","result":{"content":[{"type":"image","data":"` + picture + `","mimeType":"image/png"},{"type":"text","text":"exposure of M31, 5 s"}]}}]}`},
		{"half a second", call{name: "take_exposure", value: `{"name":"M31","seconds":0.5}`, decision: "half"}, refused("seconds must be a whole number from 1 to 30")},
		{"true seconds", call{name: "take_exposure", value: `{"name":"M31","seconds":true}`, decision: "true"}, refused("seconds must be a whole number from 1 to 30")},
		{"a huge number", call{name: "take_exposure", value: `{"name":"M31","seconds":1e1000000000}`, decision: "1e"}, refused("seconds must be a whole number from 1 to 30")},
		{"a long number", call{name: "take_exposure", value: `{"name":"M31","seconds":` + strings.Repeat("9", 6000) + `}`, decision: "999"}, refused("seconds must be a whole number from 1 to 30")},

		{"unknown tool", call{name: "warp_drive", value: `{}`}, refused(`no tool named "warp_drive"; the tools are ` + tools)},
		{"tool named as a property", call{name: "constructor", value: `{}`}, refused(`no tool named "constructor"; the tools are ` + tools)},
		{"name in other case", call{name: "Find_Object", value: `{"name":"Vega"}`}, refused(`no tool named "Find_Object"; the tools are ` + tools)},
		{"malformed, nothing proposed", call{name: "find_object", status: "malformed", decision: "m1"},
			refused("find_object was not run, its arguments are not usable (expected value at line 1 column 1); send one JSON object that fits its input schema")},
		{"invalid, nothing proposed", call{name: "find_object", status: "invalid", value: `{"name":5}`, decision: "i1"},
			refused("find_object was not run, its arguments are not usable (/name: 5 is not a string); send one JSON object that fits its input schema")},
	}
	each(t, nil, func(t *testing.T, url string) {
		for number, step := range steps {
			if step.call.decision == "" {
				step.call.decision = fmt.Sprint("step-", number)
			}
			got := canonical(t, decide(t, url, step.call.String()))
			if diff := cmp.Diff(canonical(t, step.want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", step.name, diff)
			}
		}
	})
}

// What the engine proposes goes back byte for byte: numbers beyond 2^53, spellings, half characters, spaces.
func TestProposedComesBack(t *testing.T) {
	proposed := `{ "messages":[{"role":"user","content":"x\ud835y } \\\" \" {"}], "n":9007199254740993, "f":1.10,` +
		`"deep":` + strings.Repeat("[", 120) + strings.Repeat("]", 120) + `,"e":1e400,` +
		`"actions":[{"type":"tool.error","id":"c1","error":"no","retryable":false}],"state" : null }`
	triggers := []string{
		`{"type":"client.messages","messages":[],"new_from":0,"client":{}}`, `{"type":"client.action","name":"press"}`,
		`{"type":"tool.finished","id":"c1","ok":true,"name":"find_object"}`, `{"type":"llm.finished","id":"m1","ok":true}`,
		`{"type":"llm.execute","id":"m1","request":{},"stream":true,"attempt":1}`,
		`{"type":"subagent.finished","id":"c1","ok":true}`, `{"type":"interrupt.resumed","interrupt_id":"i1"}`,
		`{"type":"turn.finished","turn_id":"t1"}`, `{"type":"not.known.yet","n":12345678901234567890}`,
		`{"type":"tool.execute","id":"c1","name":"find_object","input":{"status":"valid","value":{"name":"Vega"}}}`,
		`{"type":"tool.execute","id":"c1","name":"warp_drive","arguments":"` + strings.Repeat("[", 20000) + `","input":{"status":"malformed"}}`,
	}
	each(t, nil, func(t *testing.T, url string) {
		for _, trigger := range triggers {
			body := `{"session_id":"s1","decision_id":"d1","trigger":` + trigger + `,"proposed": ` + proposed + ` }`
			if diff := cmp.Diff(proposed, decide(t, url, body)); diff != "" {
				t.Errorf("%.80s (-want +got):\n%s", trigger, diff)
			}
		}
		body := `{"trigger":{"type":"client.action","name":"press"},"proposed":null}`
		if got := decide(t, url, body); got != "{}" {
			t.Errorf("nothing proposed: %s", got)
		}
	})
}

func TestRequestsThatAreNone(t *testing.T) {
	large := `{"trigger":{"type":"` + strings.Repeat("x", 16<<20) + `"}}`
	cases := []struct {
		name, method, body string
		status             int
	}{
		{"get", http.MethodGet, "", 405},
		{"empty", http.MethodPost, "", 400},
		{"no JSON", http.MethodPost, "hello", 400},
		{"cut off", http.MethodPost, `{"trigger":{"type":"client.act`, 400},
		{"two values", http.MethodPost, `{"trigger":{"type":"x"}} {}`, 400},
		{"not a number", http.MethodPost, `{"trigger":{"type":"x"},"proposed":{"n":NaN}}`, 400},
		{"byte-order mark", http.MethodPost, "\ufeff" + `{"trigger":{"type":"x"}}`, 400},
		{"no UTF-8", http.MethodPost, "{\"trigger\":{\"type\":\"\xff\"}}", 400},
		{"a list", http.MethodPost, `[1]`, 400},
		{"null", http.MethodPost, `null`, 400},
		{"no trigger", http.MethodPost, `{}`, 400},
		{"trigger of another type", http.MethodPost, `{"trigger":"tool.execute"}`, 400},
		{"trigger without type", http.MethodPost, `{"trigger":{"type":null}}`, 400},
		{"proposed of another type", http.MethodPost, `{"trigger":{"type":"x"},"proposed":[]}`, 400},
		{"too large", http.MethodPost, large, 413},
	}
	each(t, nil, func(t *testing.T, url string) {
		for _, c := range cases {
			status, answer := send(t, c.method, url+"/", strings.NewReader(c.body))
			if status != c.status || !strings.HasPrefix(answer, `{"error":`) {
				t.Errorf("%s: want %d and an error, got %d %.200s", c.name, c.status, status, answer)
			}
		}
		decide(t, url, call{name: "find_object", value: `{"name":"Vega"}`}.String())
	})
}

func TestSignature(t *testing.T) {
	const (
		body = `{"trigger":{"type":"client.action"},"proposed":{}}`
		mac  = "sha256=b4b44e15436fccb1ca2a5efd78030b0182069dd8b3e055335d0741b5fd1fa204"
	)
	cases := []struct {
		name, body, header string
		status             int
	}{
		{"right", body, mac, 200},
		{"no header", body, "", 401},
		{"another body", body + " ", mac, 401},
		{"upper case", body, strings.ToUpper(mac), 401},
		{"no JSON and no signature", "hello", "", 401},
		{"odd characters", body, "sha256=é", 401},
	}
	each(t, []string{"WORKER_SECRET=open sesame"}, func(t *testing.T, url string) {
		for _, c := range cases {
			status, answer := send(t, http.MethodPost, url, strings.NewReader(c.body), "X-Substructure-Signature", c.header)
			if status != c.status {
				t.Errorf("%s: want %d, got %d %s", c.name, c.status, status, answer)
			}
		}
	})
}

// Many sessions at once, each of which must see its own answers only.
func TestSessionsSideBySide(t *testing.T) {
	stars := []string{"Vega", "Sirius", "Betelgeuse", "Polaris"}
	each(t, nil, func(t *testing.T, url string) {
		var group sync.WaitGroup
		for session := range 16 {
			group.Go(func() {
				for turn := range 8 {
					star := stars[(session+turn)%len(stars)]
					body := call{session: fmt.Sprint("s", session), decision: "d", name: "find_object", attempt: turn, value: `{"name":"` + star + `"}`}.String()
					response, err := client.Post(url, "application/json", strings.NewReader(body))
					if err != nil {
						t.Error(err)
						return
					}
					answer, err := io.ReadAll(response.Body)
					_ = response.Body.Close()
					if err != nil || !strings.Contains(string(answer), star+" (") {
						t.Errorf("session %d asked for %s: %s, %v", session, star, answer, err)
					}
				}
			})
		}
		group.Wait()
	})
}
