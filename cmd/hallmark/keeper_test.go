package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// keeper is a worker that keeps every call and settles it at the engine.
type keeper struct{ engine, key string }

// ServeHTTP implements http.Handler.
func (k keeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	at := func(pointer string) string {
		v, _ := jsonv.Get(body, pointer)
		if text, ok := jsonv.Text(v); ok {
			return text
		}
		return string(v)
	}
	w.Header().Set("Content-Type", "application/json")
	switch at("/trigger/type") {
	case "session.start":
		_, _ = io.WriteString(w, `{"agent":{"model":"m","llm":"main","tools":[{"name":"press"}]}}`)
	case "tool.execute":
		go k.settle(at("/session_id"), at("/trigger/id"))
		_, _ = io.WriteString(w, "{}")
	default:
		_, _ = io.WriteString(w, at("/proposed"))
	}
}

func (k keeper) settle(session, call string) {
	// A worker that says its key in a result shows whether it is written down.
	text := fmt.Sprintf(`{"type":"tool.result","id":%q,"result":%q}`, call, "pressed with "+k.key)
	req, err := http.NewRequest(http.MethodPost, k.engine+"/api/machine/sessions/"+session+"/calls/settle", strings.NewReader(text))
	if err != nil {
		return
	}
	req.Header.Set("Authorization", "Bearer "+k.key)
	if resp, err := http.DefaultClient.Do(req); err == nil {
		_ = resp.Body.Close()
	}
}

// keeperMain is such a worker as a program: keeper ENGINE_VARIABLE KEY_VARIABLE.
func keeperMain() {
	k := keeper{os.Getenv(os.Args[1]), os.Getenv(os.Args[2])}
	fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), k))
	os.Exit(1)
}

// keep serves such a worker until the script ends and puts its address into a
// variable: keep URL ENGINE-PORT. It has the key that stands in the script's
// HALLMARK_API_KEY.
func keep(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	server := workerServer(keeper{"http://127.0.0.1:" + args[1], ts.Getenv(engineKeyVariable)})
	done := make(chan struct{})
	go func() {
		_ = server.Serve(l)
		close(done)
	}()
	ts.Defer(func() {
		_ = server.Close()
		<-done
	})
	ts.Setenv(args[0], "http://"+l.Addr().String())
}
