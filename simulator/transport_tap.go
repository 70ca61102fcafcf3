package simulator

import (
	"bytes"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// tapConn keeps the first bytes of a response as they came: net/http turns
// header names into its own spelling and forgets their order, and a recording
// wants both.
type tapConn struct {
	net.Conn
	limit int

	mu sync.Mutex
	on bool
	// cut asks for writes that end inside letters.
	cut  bool
	head []byte
	// ended says that the other side has hung up.
	ended bool
}

// Read implements net.Conn.
func (c *tapConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = c.ended || err != nil
	if c.on && n > 0 {
		c.head = append(c.head, p[:min(n, c.limit-len(c.head))]...)
		c.on = len(c.head) < c.limit
	}
	return n, err
}

// begin forgets the last response. cut asks for writes that end inside letters.
func (c *tapConn) begin(cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.head, c.on, c.cut = nil, true, cut
}

// taken stops keeping and hands over what was kept: the next response gets
// memory of its own, since its bytes may come while these are still read. A nil
// tapConn kept nothing.
func (c *tapConn) taken() []byte {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	head := c.head
	c.on, c.head = false, nil
	return head
}

// hungUp reports whether the other side closed or reset the connection.
func (c *tapConn) hungUp() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}

// headers returns the response's headers in their order and spelling. Without
// a tap (a RoundTripper that was given, a proxy's tunnel) they are sorted by
// name.
func (x *exchange) headers(resp *http.Response) [][2]string {
	if h, ok := parseHead(x.tap.taken()); ok {
		return h
	}
	var out [][2]string
	for name, values := range resp.Header {
		for _, v := range values {
			out = append(out, [2]string{name, v})
		}
	}
	if len(resp.TransferEncoding) > 0 {
		out = append(out, [2]string{"Transfer-Encoding", strings.Join(resp.TransferEncoding, ", ")})
	}
	slices.SortStableFunc(out, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return out
}

// headEnd returns where the first head in b ends, just past its empty line, or
// -1 when it is not whole.
func headEnd(b []byte) int {
	for i := 0; ; {
		j := bytes.IndexByte(b[i:], '\n')
		if j < 0 {
			return -1
		}
		line := bytes.TrimSuffix(b[i:i+j], []byte("\r"))
		i += j + 1
		if len(line) == 0 {
			return i
		}
	}
}

// parseHead reads the header fields of the final response in b; interim ones
// (1xx) before it are skipped.
func parseHead(b []byte) ([][2]string, bool) {
	for {
		end := headEnd(b)
		if end < 0 {
			return nil, false
		}
		lines := strings.Split(string(b[:end]), "\n")
		_, status, _ := strings.Cut(lines[0], " ")
		b = b[end:]
		if strings.HasPrefix(status, "1") && !strings.HasPrefix(status, "101") {
			continue
		}
		return parseFields(lines[1:]), true
	}
}

func parseFields(lines []string) [][2]string {
	var out [][2]string
	for _, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		if line == "" {
			continue
		}
		if line[0] == ' ' || line[0] == '\t' {
			if n := len(out); n > 0 {
				out[n-1][1] += " " + strings.Trim(line, " \t")
			}
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		out = append(out, [2]string{name, strings.Trim(value, " \t")})
	}
	return out
}
