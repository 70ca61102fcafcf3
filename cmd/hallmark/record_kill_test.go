package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/spec"
)

// TestRecordKilled kills the proxy with -9 while eight clients post. Whatever
// was answered more than a second before the last answer of all is in the
// files, and the next start mends them.
func TestRecordKilled(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		_, _ = io.WriteString(w, "{}")
	}))
	t.Cleanup(worker.Close)
	const canary = "canary-of-the-killed-5e1f"
	dir := filepath.Join(t.TempDir(), "captures")
	proxy, at := startRecord(t, worker.URL, dir)

	answered := struct {
		sync.Mutex
		at map[string]time.Time
	}{at: map[string]time.Time{}}
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				id := fmt.Sprintf("d-%d-%d", i, n)
				body := fmt.Sprintf(`{"session_id":"s-%d","decision_id":%q,"agent_id":"a","trigger":{"type":"client.action","name":%q,"args":{"password":%q}}}`, n%40, id, strings.Repeat("x", n%2000), canary)
				resp, err := http.Post(at, "application/json", strings.NewReader(body))
				if err != nil {
					return
				}
				_, err = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				if err != nil || resp.StatusCode != 200 {
					return
				}
				answered.Lock()
				answered.at[id] = time.Now()
				answered.Unlock()
			}
		})
	}
	g.Eventually(func() int {
		answered.Lock()
		defer answered.Unlock()
		old := 0
		for _, when := range answered.at {
			if time.Since(when) > 1100*time.Millisecond {
				old++
			}
		}
		return old
	}).WithTimeout(60 * time.Second).Should(BeNumerically(">", 300))
	killed := time.Now()
	g.Expect(proxy.Process.Kill()).To(Succeed())
	_ = proxy.Wait()
	stop()
	clients.Wait()
	holdsNowhere(g, dir, canary)

	second, _ := startRecord(t, worker.URL, dir)
	g.Eventually(func() []string {
		plain, _ := filepath.Glob(filepath.Join(dir, "*-*.jsonl"))
		return plain
	}).WithTimeout(60 * time.Second).Should(BeEmpty())
	g.Expect(second.Process.Signal(os.Interrupt)).To(Succeed())
	g.Expect(second.Wait()).To(Succeed())

	holdsNowhere(g, dir, canary)

	recorded := map[string]bool{}
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl.zst"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(names).To(HaveLen(40))
	for _, name := range names {
		rep, err := verifyFile(name)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(rep.Faults).To(BeEmpty())
		f, err := recorder.Open(name)
		g.Expect(err).NotTo(HaveOccurred())
		decisions := map[string]string{}
		for e, err := range recorder.NewReader(f).All() {
			g.Expect(err).NotTo(HaveOccurred())
			switch d := e.Data.(type) {
			case *spec.RequestEvent:
				decisions[e.Session+d.D] = d.Decision
			case *spec.ResponseEvent:
				if d.End == spec.EndWhole {
					recorded[decisions[e.Session+d.D]] = true
				}
			}
		}
		g.Expect(f.Close()).To(Succeed())
	}
	old := 0
	for id, when := range answered.at {
		if killed.Sub(when) > time.Second {
			old++
			g.Expect(recorded).To(HaveKey(id))
		}
	}
	g.Expect(old).To(BeNumerically(">", 300), "there was load")
}

// holdsNowhere looks for a secret in every file of a folder, those that were
// left half done included, packed and unpacked.
func holdsNowhere(g *WithT, dir, secret string) {
	entries, err := os.ReadDir(dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entries).NotTo(BeEmpty())
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		raw, err := os.ReadFile(name)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(bytes.Contains(raw, []byte(secret))).To(BeFalse(), name)
		f, err := recorder.Open(name)
		g.Expect(err).NotTo(HaveOccurred())
		text, _ := io.ReadAll(f) // as far as it unpacks
		g.Expect(f.Close()).To(Succeed())
		g.Expect(bytes.Contains(text, []byte(secret))).To(BeFalse(), name)
	}
}

// startRecord starts hallmark record as a process of its own, and gives its
// address.
func startRecord(t *testing.T, to, dir string, more ...string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command("hallmark", append([]string{"record", "--to", to, "--dir", dir, "--listen", "127.0.0.1:0"}, more...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	at, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		t.Fatalf("%q: %v", line, err)
	}
	return cmd, at
}
