package proxy_test

import (
	"bufio"
	"io"
	"net"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/hallmarkdev/hallmark/spec"
)

var _ = Describe("a body that breaks off", func() {
	DescribeTable("is passed on as far as it came, and marked with the reason",
		func(sent, kept string, end spec.BodyEnd) {
			r := front(rawWorker(func(c net.Conn) {
				_ = readHead(bufio.NewReader(c))
				_, _ = io.WriteString(c, sent)
			}), nil)
			c := r.dial()
			_, err := io.WriteString(c, "GET / HTTP/1.1\r\n\r\n")
			Expect(err).NotTo(HaveOccurred())
			got, _ := io.ReadAll(c)
			Expect(string(got)).To(Equal(sent), "the client gets every byte")
			x := exchanges(r.events())
			Expect(x).To(HaveLen(1))
			Expect(x[0].Response.End).To(Equal(end))
			Expect(x[0].Response.Reason).NotTo(BeEmpty())
			Expect(string(x[0].ResponseBody)).To(Equal(kept))
			_, failure := x[0].Decided()
			Expect(failure).NotTo(BeNil(), "it is no answer")
		},
		Entry("inside a chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n8\r\n{} {", "{} {", spec.EndCut),
		Entry("between chunks", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n", "{}", spec.EndCut),
		Entry("inside the size of a chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n1", "{}", spec.EndCut),
		Entry("in the trailer", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", "{}", spec.EndCut),
		Entry("at a chunk that is none", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\nxyz\r\nabc", "{}", spec.EndCut),
		Entry("before its length, in bytes that are no text", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n\xff\xfe \x00 ", "\xff\xfe \x00 ", spec.EndCut),
		Entry("in an event stream", "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n9\r\ndata: {}\n\r\n", "data: {}\n", spec.EndCut),
		Entry("packed", "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 90\r\n\r\n"+string(zipped("{}"))[:12], "", spec.EndOmitted),
	)
})
