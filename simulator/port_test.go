package simulator

import (
	"net"
	"strconv"
	"testing"
)

// A worker that is being restarted listens nowhere, and nobody else gets its port
// meanwhile.
func TestAPortIsKeptUntilItIsGivenBack(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 200 {
		port, err := takePort()
		if err != nil {
			t.Fatal(err)
		}
		defer givePortBack(port)
		n, err := strconv.Atoi(port)
		if seen[port] || err != nil || n < firstPort || n >= firstPort+portsCount {
			t.Errorf("the port %s: %v, taken before: %t", port, err, seen[port])
		}
		seen[port] = true
	}
}

func TestAPortInUseIsNotFree(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	if isFree(port) {
		t.Error("somebody listens there")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
