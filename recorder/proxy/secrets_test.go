package proxy_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder"
	"github.com/hallmarkdev/hallmark/recorder/proxy"
	"github.com/hallmarkdev/hallmark/spec"
)

// zipped is a body in gzip.
func zipped(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return b.Bytes()
}

// expectNowhere looks for the canaries in every file below a folder, unpacked
// where it is packed, and in its name.
func expectNowhere(folder string, canaries []string) {
	GinkgoHelper()
	seen := 0
	Expect(filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		seen++
		raw, err := os.ReadFile(path)
		Expect(err).NotTo(HaveOccurred())
		for _, text := range [][]byte{raw, read(path), []byte(path)} {
			for _, c := range canaries {
				for _, form := range []string{c, base64.StdEncoding.EncodeToString([]byte(c))[:8]} {
					Expect(bytes.Contains(text, []byte(form))).To(BeFalse(), "%s holds %s", path, form)
				}
			}
		}
		return nil
	})).To(Succeed())
	Expect(seen).To(BeNumerically(">", 0))
}

var _ = Describe("a canary", func() {
	const (
		// The first is told to the proxy; the others are secret by their name or
		// form only.
		known  = "canary-known-7f3a9c"
		byName = "canary-byname-51e0d2"
		token  = "canary-bearer-0a1b2c"
	)
	canaries := []string{known, byName, token}

	It("planted anywhere reaches the worker and the client, and no file", func() {
		tmp := GinkgoT().TempDir()
		GinkgoT().Setenv("TMPDIR", tmp)
		execute := func(id, arguments, state string) string {
			body := decision("session-1", id, "tool.execute", `,"id":"c1","name":"login","arguments":`+arguments+`,"input":{"status":"valid","value":{"password":"`+byName+`"}},"attempt":0`)
			body = strings.Replace(body, `"state":null,"agent"`, `"state":`+state+`,"agent"`, 1)
			return strings.Replace(body, `"metadata":{}`, `"metadata":{"api_key":"`+byName+`"}`, 1)
		}
		answers := map[string]func(w http.ResponseWriter){
			"d1": func(w http.ResponseWriter) {
				w.Header().Set("Set-Cookie", "session="+byName)
				w.Header().Set("X-Note", "it was "+known)
				_, _ = io.WriteString(w, `{"actions":[{"type":"tool.result","result":{"content":[{"type":"text","text":"logged in with `+byName+` and `+known+`"}],"structuredContent":{"access_token":"`+token+`"}}}],"state":{"token":"`+token+`"},"agent":{"model":"m","tools":[],"system":"key `+known+`"}}`)
			},
			"d2": func(w http.ResponseWriter) {
				w.WriteHeader(500)
				_, _ = io.WriteString(w, "Traceback: password="+byName+" token "+known+" at postgres://u:"+token+"@h/db")
			},
			"d3": func(w http.ResponseWriter) {
				w.Header().Set("Content-Type", "text/event-stream")
				for _, part := range []string{"event: llm.token.delta\ndata: {\"text\":\"" + known[:9], known[9:] + "\"}\n", "\nevent: decision.result\ndata: {\"state\":{\"password\":\"" + byName[:4], byName[4:] + "\"}}\n\n"} {
					_, _ = io.WriteString(w, part)
					w.(http.Flusher).Flush()
				}
			},
			"d4": func(w http.ResponseWriter) {
				w.Header().Set("Content-Encoding", "gzip")
				_, _ = w.Write(zipped(`{"state":{"secret":"` + byName + `","t":"` + known + `"}}`))
			},
			"d5": func(w http.ResponseWriter) {
				w.Header().Set("Content-Encoding", "br")
				_, _ = io.WriteString(w, "packed "+known)
			},
			"d6": func(w http.ResponseWriter) {
				w.Header().Set("Content-Length", "1000")
				_, _ = io.WriteString(w, `{"state":"cut in the middle of `+known[:12])
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			},
			"d7": func(w http.ResponseWriter) {
				_, _ = w.Write(append([]byte{0xff, 0xfe, 0}, known...))
			},
			"d8": func(w http.ResponseWriter) {
				_, _ = io.WriteString(w, `{"actions":[{"type":"tool.result","content":[{"type":"image","mimeType":"image/png","data":"`+base64.StdEncoding.EncodeToString([]byte("xx"+known+"yy"))+`"}]}]}`)
			},
		}
		var got []string
		worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			body, _ := io.ReadAll(req.Body)
			got = append(got, string(body)+req.Header.Get("Authorization")+req.URL.RawQuery)
			w.Header().Set("Content-Type", "application/json")
			for id, answer := range answers {
				if strings.Contains(string(body), `"decision_id":"`+id+`"`) {
					answer(w)
				}
			}
		}))
		worker.Config.ErrorLog = nil
		DeferCleanup(worker.Close)
		r := front(worker.URL, func(c *proxy.Config) {
			c.Redact = policy(recorder.PolicyConfig{Secrets: []string{known}})
		})
		client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
		var came []string
		for i := range 8 {
			id := "d" + itoa(i+1)
			body := execute(id, `"{\"password\":\"`+byName+`\",\"note\":\"`+known+`\",\"deep\":\"{\\\"api_key\\\":\\\"`+byName+`\\\"}\""`, `{"token":"`+token+`","config":{"headers":{"Authorization":"Bearer `+token+`"}}}`)
			req, err := http.NewRequest("POST", "http://"+r.addr+"/hook?key="+known+"&api_key="+byName, strings.NewReader(body))
			Expect(err).NotTo(HaveOccurred())
			req.Header.Set("Authorization", "Bearer "+token)
			req.Header.Set("X-Vendor", known)
			resp, err := client.Do(req)
			Expect(err).NotTo(HaveOccurred())
			text, _ := io.ReadAll(resp.Body)
			Expect(resp.Body.Close()).To(Succeed())
			came = append(came, string(text))
		}
		for _, one := range got {
			Expect(one).To(And(ContainSubstring(known), ContainSubstring(byName), ContainSubstring(token)), "the worker gets what was sent")
		}
		Expect(came[0]).To(And(ContainSubstring(byName), ContainSubstring(token)))
		Expect(came[3]).To(Equal(string(zipped(`{"state":{"secret":"` + byName + `","t":"` + known + `"}}`))))

		r.flushed()
		expectNowhere(r.dir, canaries) // plain files, while they are written
		events := r.events()
		expectNowhere(r.dir, append(canaries, known[:12]))
		expectEmptyOr(tmp, canaries)
		x := exchanges(events)
		Expect(x).To(HaveLen(8))
		for _, one := range x {
			Expect(one.Request.Redacted).To(BeNumerically(">=", 8))
			_, fault := one.Asked()
			Expect(fault).To(BeNil(), "what is redacted is a request still")
		}
		for i, n := range []int{6, 3, 2, 2, 0, 0, 1, 1} {
			Expect(x[i].Response.Redacted).To(BeNumerically(">=", n), x[i].D)
		}
		Expect(x[3].Response.Was).To(Equal("gzip"))
		Expect(string(x[3].ResponseBody)).To(HavePrefix(`{"state":{"secret":"hm-red-`))
		Expect(header(x[3].Response.Headers, "Content-Encoding")).To(Equal("gzip"))
		Expect(x[4].Response.End).To(Equal(spec.EndOmitted))
		Expect(x[4].Response.Reason).To(Equal(`content coding "br" is not undone, so it could not be redacted`))
		Expect(x[5].Response.End).To(Equal(spec.EndCut))
		Expect(x[6].ResponseBody).To(HavePrefix("\xff\xfe\x00hm-red-secret-"))
	})

	It("in a stream that is packed is not written as it came", func() {
		for _, says := range []string{"gzip", ""} {
			worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				if says != "" {
					w.Header().Set("Content-Encoding", says)
				}
				text := zipped("data: {\"password\":\"" + byName + "\"}\n\n")
				_, _ = w.Write(text[:20])
				w.(http.Flusher).Flush()
				_, _ = w.Write(text[20:])
			}))
			DeferCleanup(worker.Close)
			r := front(worker.URL, nil)
			r.send(decision("s", "d", "session.start", ""))
			x := exchanges(r.events())
			Expect(bytes.Contains(x[0].ResponseBody, []byte{0x1f, 0x8b})).To(BeFalse())
			if says == "" {
				Expect(x[0].Response.End).To(Equal(spec.EndOmitted))
				continue
			}
			Expect(x[0].Response.Was).To(Equal("gzip"))
			Expect(string(x[0].ResponseBody)).To(HavePrefix(`data: {"password":"hm-red-`))
		}
	})

	It("that would slip through is withheld at the last look", func() {
		// A name of a session is written as it is; here it is the secret.
		r := front(echoWorker(fine), func(c *proxy.Config) {
			c.Redact = policy(recorder.PolicyConfig{Secrets: []string{known}})
		})
		r.send(strings.Replace(decision("s", "d1", "session.start", ""), `"d1"`, `"`+known+`"`, 1))
		events := r.events()
		expectNowhere(r.dir, canaries)
		d := of[*spec.RequestEvent](events)
		Expect(d).To(HaveLen(1))
		Expect(d[0].End).To(Equal(spec.EndOmitted))
		Expect(d[0].Reason).To(Equal("withheld: it holds a secret"))
	})
})

func header(list [][2]string, name string) string {
	for _, h := range list {
		if strings.EqualFold(h[0], name) {
			return h[1]
		}
	}
	return ""
}

// expectEmptyOr is expectNowhere for a folder that may be empty.
func expectEmptyOr(folder string, canaries []string) {
	GinkgoHelper()
	entries, err := os.ReadDir(folder)
	Expect(err).NotTo(HaveOccurred())
	if len(entries) > 0 {
		expectNowhere(folder, canaries)
	}
}

// flushed waits until what was answered is in the files.
func (r *rig) flushed() {
	GinkgoHelper()
	Eventually(func() bool {
		n := 0
		for _, name := range r.files() {
			n += bytes.Count(read(name), []byte(`"k":"response"`))
		}
		return n >= 8
	}).WithTimeout(10 * 1e9).Should(BeTrue())
}
