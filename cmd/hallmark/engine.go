package main

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hallmarkdev/hallmark/internal/certify"
	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/simulator"
)

// The environment of a worker that settles calls later: where the engine is and
// the key that it takes (R19). --start sets both.
const (
	engineURLVariable = "HALLMARK_ENGINE_URL"
	engineKeyVariable = "HALLMARK_API_KEY"
)

// engineFlags say where a worker settles the calls that it keeps (I2).
type engineFlags struct {
	engineListen string
	startEnv     []string
}

func (f *engineFlags) flags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.engineListen, "engine-listen", "", "where a worker settles the calls that it keeps: listen at `ADDRESS`; with --start a free port of loopback is used without it. The key is that in "+engineKeyVariable)
	fl.StringArrayVar(&f.startEnv, "start-env", nil, "set `NAME=VALUE` in the environment of the worker that --start starts; {engine_url}, {api_key} and {port} stand for those of the run; may be repeated")
}

// leastKey is how long a key of the user's must be: a recording never holds it,
// and what is shorter could not be told from other text.
const leastKey = 16

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// engineServer is an endpoint that is served, and what a worker must know of it.
type engineServer struct {
	url, key string
	server   *http.Server
	done     chan struct{}
}

// openEngine serves the endpoint of a run where there is to be one, nil where
// not: a worker that runs already cannot know of it unless it was told (R19).
func (f *testFlags) openEngine(io streams, cfg *certify.Config) (*engineServer, error) {
	if f.engineListen == "" && f.start == "" {
		return nil, nil
	}
	key := rand.Text()
	if given := os.Getenv(engineKeyVariable); given != "" && f.engineListen != "" {
		if key = given; len(given) < leastKey {
			return nil, usage("the key in %s has %d characters, want %d or more", engineKeyVariable, len(given), leastKey)
		}
	} else if f.start == "" {
		return nil, usage("--engine-listen: the worker must know the key").hinted(
			"set " + engineKeyVariable + " to a text of " + fmt.Sprint(leastKey) + " characters or more, here and where the worker runs")
	}
	e, err := f.serveEngine(cfg, cmp.Or(f.engineListen, anyPort), key)
	if err == nil && f.engineListen != "" {
		fmt.Fprintf(io.err, "calls are settled at %s with the key in %s\n", e.url, engineKeyVariable)
	}
	return e, err
}

// anyPort is a free port of loopback.
const anyPort = "127.0.0.1:0"

// serveEngine serves the endpoint of a run at an address.
func (f *testFlags) serveEngine(cfg *certify.Config, address, key string) (*engineServer, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, usage("--engine-listen %s: %w", address, listenFault(err)).hinted("for example 127.0.0.1:8700")
	}
	e := &engineServer{url: "http://" + reachable(l.Addr().(*net.TCPAddr)), key: key, done: make(chan struct{})}
	cfg.Endpoint = simulator.NewEndpoint(e.key)
	f.secrets = append(f.secrets, recorder.Secret{Value: e.key, Variable: engineKeyVariable})
	e.server = workerServer(cfg.Endpoint)
	go func() {
		defer close(e.done)
		_ = e.server.Serve(l)
	}()
	return e, nil
}

// listenFault is what the system says, without the address once more.
func listenFault(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		return op.Err
	}
	return err
}

// reachable is the address at which a listener can be called from this machine.
func reachable(a *net.TCPAddr) string {
	if a.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", a.Port)
	}
	return a.String()
}

// close ends the endpoint; nil is none.
func (e *engineServer) close() {
	if e != nil {
		_ = e.server.Close()
		<-e.done
	}
}

// checkStartEnv reads --start-env.
func (f *engineFlags) checkStartEnv(start string) error {
	if len(f.startEnv) > 0 && start == "" {
		return usage("--start-env: there is no worker to start").hinted("name its command by --start")
	}
	for _, text := range f.startEnv {
		name, _, ok := strings.Cut(text, "=")
		if !ok || !variableName.MatchString(name) {
			return usage("--start-env %q: want NAME=VALUE", name)
		}
	}
	return nil
}

// startEnvironment is what is set for a worker that is started.
func (f *engineFlags) startEnvironment(e *engineServer) []string {
	env := []string{engineURLVariable + "=" + e.url, engineKeyVariable + "=" + e.key}
	known := strings.NewReplacer("{engine_url}", e.url, "{api_key}", e.key)
	for _, text := range f.startEnv {
		name, value, _ := strings.Cut(text, "=")
		env = append(env, name+"="+known.Replace(value))
	}
	return env
}
