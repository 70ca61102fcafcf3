package proxy_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/recorder/proxy"
	"github.com/hallmarkdev/hallmark/spec"
)

// authority signs certificates for loopback.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority() *authority {
	GinkgoHelper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Expect(err).NotTo(HaveOccurred())
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	Expect(err).NotTo(HaveOccurred())
	cert, err := x509.ParseCertificate(der)
	Expect(err).NotTo(HaveOccurred())
	a := &authority{cert: cert, key: key, pool: x509.NewCertPool()}
	a.pool.AddCert(cert)
	return a
}

// issue gives a certificate for loopback, of servers and clients alike.
func (a *authority) issue(name string) tls.Certificate {
	GinkgoHelper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Expect(err).NotTo(HaveOccurred())
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	Expect(err).NotTo(HaveOccurred())
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

var _ = Describe("TLS", func() {
	It("is spoken on either side, with an authority of one's own and certificates of clients", func() {
		ours := newAuthority()
		who := make(chan string, 1)
		worker := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			who <- req.TLS.PeerCertificates[0].Subject.CommonName + " " + req.Proto
			_, _ = io.Copy(w, req.Body)
		}))
		worker.EnableHTTP2 = true
		worker.TLS = &tls.Config{Certificates: []tls.Certificate{ours.issue("worker")}, ClientCAs: ours.pool, ClientAuth: tls.RequireAndVerifyClientCert}
		worker.StartTLS()
		DeferCleanup(worker.Close)
		r := front(worker.URL, func(c *proxy.Config) {
			c.TLS = &tls.Config{RootCAs: ours.pool, Certificates: []tls.Certificate{ours.issue("the proxy")}}
		})
		plain, err := net.Listen("tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		l := tls.NewListener(plain, &tls.Config{
			Certificates: []tls.Certificate{ours.issue("front")}, NextProtos: []string{"http/1.1"},
			ClientCAs: ours.pool, ClientAuth: tls.RequireAndVerifyClientCert,
		})
		served := make(chan error, 1)
		go func() { served <- r.Serve(l) }()
		transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: ours.pool, Certificates: []tls.Certificate{ours.issue("engine")}}}
		DeferCleanup(transport.CloseIdleConnections)
		body := decision("s", "d", "session.start", `,"x":"`+strings.Repeat("é", 200_000)+`"`)
		for range 3 {
			resp, err := (&http.Client{Transport: transport}).Post("https://"+plain.Addr().String(), "application/json", strings.NewReader(body))
			Expect(err).NotTo(HaveOccurred())
			text, err := io.ReadAll(resp.Body)
			Expect(err).NotTo(HaveOccurred())
			Expect(resp.Body.Close()).To(Succeed())
			Expect(string(text) == body).To(BeTrue())
			Expect(<-who).To(Equal("the proxy HTTP/1.1"))
		}
		// A client without a certificate is refused, and that ends nothing else.
		_, err = (&http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: ours.pool}}}).Get("https://" + plain.Addr().String())
		Expect(err).To(HaveOccurred())
		x := exchanges(r.events())
		Expect(x).To(HaveLen(3))
		Expect(string(x[2].RequestBody) == body).To(BeTrue())
		Expect(<-served).To(Succeed())
	})

	It("that fails towards the worker is a 502 that says so", func() {
		worker := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		worker.Config.ErrorLog = nil
		DeferCleanup(worker.Close)
		r := front(worker.URL, nil)
		Expect(r.send("{}")).To(ContainSubstring("TLS failure"))
		Expect(of[*spec.ResponseEvent](r.events())[0].Reason).To(Equal(spec.ReasonTLS))
	})
})
