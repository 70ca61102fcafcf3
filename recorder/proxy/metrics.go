package proxy

import (
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the counters of one proxy, in a registry of its own.
type metrics struct {
	reg *prometheus.Registry

	requests, recorded, losses atomic.Int64

	connections, openFiles    prometheus.Gauge
	answers, upstream, unread *prometheus.CounterVec
	lost, passed              *prometheus.CounterVec
	lostBytes                 prometheus.Counter
	writeErrors, panics       prometheus.Counter
	redacted, withheld        prometheus.Counter
	filesClosed, filesDeleted prometheus.Counter
	// statuses are the answers by the first digit of their status.
	statuses [6]prometheus.Counter
}

func newMetrics() *metrics {
	m := &metrics{reg: prometheus.NewRegistry()}
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Name: "hallmark_proxy_" + name, Help: help})
		m.reg.MustRegister(c)
		return c
	}
	vec := func(name, help, label string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "hallmark_proxy_" + name, Help: help}, []string{label})
		m.reg.MustRegister(c)
		return c
	}
	gauge := func(name, help string) prometheus.Gauge {
		g := prometheus.NewGauge(prometheus.GaugeOpts{Name: "hallmark_proxy_" + name, Help: help})
		m.reg.MustRegister(g)
		return g
	}
	m.connections = gauge("connections", "Connections of clients that are open.")
	read := func(name, help string, n *atomic.Int64) {
		m.reg.MustRegister(prometheus.NewCounterFunc(
			prometheus.CounterOpts{Name: "hallmark_proxy_" + name, Help: help}, func() float64 { return float64(n.Load()) },
		))
	}
	read("requests_total", "Requests that came.", &m.requests)
	read("recorded_total", "Exchanges whose request was recorded.", &m.recorded)
	m.answers = vec("answers_total", "Answers by class of status, the proxy's own 502 included.", "class")
	m.upstream = vec("upstream_failures_total", "Requests that the worker did not answer whole, by reason.", "reason")
	m.unread = vec("unread_total", "Connections passed on unread and not recorded, by reason.", "reason")
	m.lost = vec("lost_total", "Exchanges that were not recorded whole, by reason.", "reason")
	m.lostBytes = counter("lost_bytes_total", "Bytes that passed and were not recorded.")
	m.passed = vec("not_chosen_total", "Exchanges that were not recorded on purpose, by reason.", "reason")
	m.writeErrors = counter("write_errors_total", "Writes that the disk refused; they are tried again.")
	m.panics = counter("recorder_errors_total", "Faults of the recorder itself that it survived.")
	m.redacted = counter("redacted_total", "Places that were replaced by stand-ins.")
	m.withheld = counter("withheld_total", "Events withheld because a secret would have been written.")
	m.openFiles = gauge("open_files", "Files that are open.")
	m.filesClosed = counter("files_closed_total", "Recordings that were closed whole.")
	m.filesDeleted = counter("files_deleted_total", "Recordings that were deleted to keep the folder within its bounds.")
	for i := range m.statuses {
		class := "other"
		if i > 0 {
			class = strconv.Itoa(i) + "xx"
		}
		m.statuses[i] = m.answers.WithLabelValues(class)
	}
	return m
}

// watch adds the gauges of a recording's queue.
func (m *metrics) watch(r *recording) {
	m.reg.MustRegister(prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Name: "hallmark_proxy_queue_bytes", Help: "Bytes between the traffic and the disk."},
		func() float64 { return float64(r.budget.used.Load()) },
	), prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Name: "hallmark_proxy_queue_limit_bytes", Help: "The bound of the queue."},
		func() float64 { return float64(r.budget.limit) },
	))
}

// answered counts an answer.
func (m *metrics) answered(status int) {
	class := status / 100
	if class >= len(m.statuses) {
		class = 0
	}
	m.statuses[class].Inc()
}

// failed counts a request that the worker did not answer whole.
func (m *metrics) failed(reason string) { m.upstream.WithLabelValues(reason).Inc() }

// handler serves the counters in the text format of Prometheus.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.reg, promhttp.HandlerOpts{})
}

// lose counts exchanges that were not recorded whole.
func (m *metrics) lose(reason string, n int64) {
	m.losses.Add(n)
	m.lost.WithLabelValues(reason).Add(float64(n))
}
