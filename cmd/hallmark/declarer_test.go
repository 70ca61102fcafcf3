package main

import (
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// declarer is a worker of the tools that it is given. Each says that it is done;
// all else is answered as proposed.
type declarer struct{ tools []byte }

// ServeHTTP implements http.Handler.
func (d declarer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	kind, _ := jsonv.Get(body, "/trigger/type")
	w.Header().Set("Content-Type", "application/json")
	switch string(kind) {
	case `"session.start"`:
		_, _ = fmt.Fprintf(w, `{"agent":{"model":"m","llm":"main","tools":%s}}`, d.tools)
	case `"tool.execute"`:
		_, _ = io.WriteString(w, `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"done"}]}}]}`)
	default:
		proposed, _ := jsonv.Get(body, "/proposed")
		_, _ = w.Write(proposed)
	}
}

// declarerMain is such a worker as a program: declarer FILE.
func declarerMain() {
	tools, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), declarer{tools})
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
