package simulator

import (
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// The ports that workers are started at lie below those that systems give to
// outgoing connections: one of these could take the port of a worker while that
// is restarted.
const (
	firstPort  = 20000
	portsCount = 12000
	portTries  = 100
)

// ports are those of the workers that this process has started and not stopped.
// One that is being restarted does not listen, and keeps its port all the same.
var ports = struct {
	sync.Mutex
	taken map[string]bool
}{taken: map[string]bool{}}

// takePort picks a port of loopback that nobody uses now. It is kept until it is
// given back.
func takePort() (string, error) {
	ports.Lock()
	defer ports.Unlock()
	for range portTries {
		port := strconv.Itoa(firstPort + rand.IntN(portsCount))
		if ports.taken[port] || !isFree(port) {
			continue
		}
		ports.taken[port] = true
		return port, nil
	}
	// A machine as full as that has perhaps one elsewhere.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = l.Close() }()
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	ports.taken[port] = true
	return port, nil
}

func isFree(port string) bool {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return false
	}
	_ = l.Close()
	return true
}

// givePortBack ends that a port is kept; "" is none.
func givePortBack(port string) {
	ports.Lock()
	defer ports.Unlock()
	delete(ports.taken, port)
}
