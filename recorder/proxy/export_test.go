package proxy

// IdleUpstreams counts connections to the worker on which nothing is under way.
func (p *Proxy) IdleUpstreams() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for c := range p.pairs {
		c.mu.Lock()
		if c.up != nil && c.x == nil {
			n++
		}
		c.mu.Unlock()
	}
	return n
}

// Queued is how many bytes stand between the traffic and the disk.
func (p *Proxy) Queued() int64 { return p.rec.budget.used.Load() }

// Lost is how many exchanges were not recorded whole.
func (p *Proxy) Lost() int64 { return p.m.losses.Load() }
