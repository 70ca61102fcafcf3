package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hallmarkdev/hallmark/workertest"
)

// photoLab are the files of the worker that settles its calls later. Reading them makes a passed test run again once
// one of them changes.
func photoLab(t *testing.T) {
	t.Helper()
	needs(t, "node")
	for _, source := range []string{"server.mjs", "lab.mjs", "json.mjs", "hallmark.yaml"} {
		if _, err := os.ReadFile("node-async/" + source); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPhotoLabCertified(t *testing.T) {
	t.Parallel()
	photoLab(t)
	workertest.Run(t, workertest.Command("node", "node-async/server.mjs", "0", filepath.Join(t.TempDir(), "work.json")), workertest.Config{File: "node-async/hallmark.yaml", Strict: true})
}

// Without an engine to tell, the photo lab waits for its work and answers directly, the same each time.
func TestPhotoLabWithoutAnEngine(t *testing.T) {
	t.Parallel()
	photoLab(t)
	url := start(t, []string{"node", "node-async/server.mjs"}, []string{"HALLMARK_ENGINE_URL="})
	film := call{name: "develop_film", value: `{"film":"F-101"}`, attempt: 1}.String()
	want := `{"actions":[{"type":"tool.result","id":"c1","attempt":1,"result":{"content":[{"type":"text","text":"film F-101 (black and white, ISO 400) is developed, 36 frames came out"}]}}]`
	for range 2 {
		if got := decide(t, url, film); !strings.Contains(got, want[1:]) {
			t.Errorf("got %s", got)
		}
	}
	print := call{name: "make_print", decision: "d2", value: `{"film":"F-103","frame":13,"size":"10x15"}`, attempt: 1}.String()
	if got := decide(t, url, print); !strings.Contains(got, `"error":"film F-103 has frames 1 to 12; frame must be one of them","retryable":false`) {
		t.Errorf("got %s", got)
	}
	unknown := call{name: "constructor", decision: "d3", value: `{}`, attempt: 1}.String()
	if got := decide(t, url, unknown); !strings.Contains(got, `no tool named \"constructor\"; the tools are develop_film, make_print`) {
		t.Errorf("got %s", got)
	}
}
