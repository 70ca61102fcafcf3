package main

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hallmarkdev/hallmark/internal/reference"
)

// code runs a command and wants its exit code: code 2 hallmark test. What it
// printed can be looked at as after exec.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d\n%s%s", got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// fits validates a file against a schema of the command line: fits report
// out.json. The file may be stdout.
func fits(ts *testscript.TestScript, neg bool, args []string) {
	text, ok := schemaText(args[0])
	if !ok {
		ts.Fatalf("no schema %s", args[0])
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	ts.Check(err)
	c := jsonschema.NewCompiler()
	ts.Check(c.AddResource("schema.json", doc))
	schema, err := c.Compile("schema.json")
	ts.Check(err)
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(ts.ReadFile(args[1])))
	ts.Check(err)
	if err := schema.Validate(value); (err == nil) == neg {
		ts.Fatalf("%s against %s: %v", args[1], args[0], err)
	}
}

// serveWorker serves the reference worker until the script ends and puts its
// address into a variable: serve URL 127.0.0.1 hangs. The address outside may
// stand for any of this machine that is not loopback; without one the script is
// skipped.
func serveWorker(ts *testscript.TestScript, neg bool, args []string) {
	host := args[1]
	if host == "outside" {
		if host = outside(); host == "" {
			ts.Fatalf("no address but loopback: guard the script by [outside]")
		}
	}
	handler, err := reference.New(reference.Options{Faults: args[2:]})
	ts.Check(err)
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	ts.Check(err)
	server := workerServer(handler)
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

// reword stands in front of a worker until the script ends and puts another word
// into its answers to tool.execute, where it has one: reword VAR URL OLD NEW. In
// the new one, {now} is the time and {n} counts the answers.
func reword(ts *testscript.TestScript, neg bool, args []string) {
	to, err := url.Parse(args[1])
	ts.Check(err)
	var answered atomic.Int64
	front := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) },
		ModifyResponse: func(r *http.Response) error {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			if bytes.Contains(body, []byte(`"tool.result"`)) {
				by := strings.NewReplacer("{now}", time.Now().UTC().Format(time.RFC3339Nano), "{n}", strconv.FormatInt(answered.Add(1), 10)).Replace(args[3])
				body = bytes.ReplaceAll(body, []byte(args[2]), []byte(by))
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			r.ContentLength = int64(len(body))
			r.Header.Set("Content-Length", strconv.Itoa(len(body)))
			return nil
		},
	}
	server := httptest.NewServer(front)
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

// outside is an IPv4 address of this machine that is not loopback, "" for none.
func outside() string {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLoopback() {
			return n.IP.String()
		}
	}
	return ""
}

// port puts a port of loopback into a variable: port taken PORT is one that
// accepts connections until the script ends, port free PORT one that does not.
func port(ts *testscript.TestScript, neg bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(args[1], strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	if args[0] == "free" {
		ts.Check(l.Close())
		return
	}
	ts.Defer(func() { _ = l.Close() })
}

// accepts returns when something listens at an address: accepts 127.0.0.1:8080.
func accepts(ts *testscript.TestScript, neg bool, args []string) {
	for again := time.NewTicker(5 * time.Millisecond); ; <-again.C {
		conn, err := net.Dial("tcp", args[0])
		if err == nil {
			_ = conn.Close()
			again.Stop()
			return
		}
	}
}

// damage copies the last recording of a folder and harms the copy: damage
// byte rec bad.jsonl changes one character in the middle, damage cut rec
// bad.jsonl leaves the closing line out.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	names, err := filesBelow(ts.MkAbs(args[1]))
	ts.Check(err)
	if len(names) == 0 {
		ts.Fatalf("no recordings in %s", args[1])
	}
	text, err := os.ReadFile(names[len(names)-1])
	ts.Check(err)
	lines := bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	switch args[0] {
	case "cut":
		text = bytes.Join(lines[:len(lines)-1], nil)
	case "byte":
		line := lines[4]
		i := bytes.Index(line, []byte(`"k":"`)) + 5
		line[i] ^= 1
	default:
		ts.Fatalf("unknown damage %s", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(filepath.FromSlash(args[2])), text, 0o666))
}
