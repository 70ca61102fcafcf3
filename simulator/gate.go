package simulator

import "sync"

// gate lets many in at once, or one alone. It is a condition and no RWMutex:
// under testing/synctest only the former counts as waiting, and fake time
// stands still for the latter.
type gate struct {
	mu   sync.Mutex
	cond sync.Cond
	// in counts who is in, wanting who wants to be alone; alone says that one
	// is.
	in, wanting int
	alone       bool
}

func newGate() *gate {
	g := &gate{}
	g.cond.L = &g.mu
	return g
}

// enter waits until nobody is alone in there or wants to be.
func (g *gate) enter() (leave func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.alone || g.wanting > 0 {
		g.cond.Wait()
	}
	g.in++
	return g.leave
}

// enterAlone waits until nobody is in there.
func (g *gate) enterAlone() (leave func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wanting++
	for g.alone || g.in > 0 {
		g.cond.Wait()
	}
	g.wanting--
	g.alone = true
	g.in++
	return g.leave
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.in--
	g.alone = false
	g.cond.Broadcast()
}
