package recorder_test

import (
	"testing"
	"time"

	"github.com/hallmarkdev/hallmark/recorder"
)

func TestFileName(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 21, 10, 45, 599_999_999, time.FixedZone("", 3600))
	for _, c := range []struct{ id, want string }{
		{"01989a3c-5400-7c01-8f10-3b7a1d6e0001", "20261130T201045.599Z-054ef8f1c002b518-01989a3c-5400-7c01-8f10.jsonl"},
		{"", "20261130T201045.599Z-e3b0c44298fc1c14.jsonl"},
		{"../../étc/päss wd\x00", "20261130T201045.599Z-0acddff87a683258-tcpsswd.jsonl"},
		{"--", "20261130T201045.599Z-d8156bae0c4243d3.jsonl"},
		{"日本", "20261130T201045.599Z-cf2abf0c5be326cb.jsonl"},
	} {
		got := recorder.FileName(at, c.id)
		if got != c.want {
			t.Errorf("FileName(%q) = %q, want %q", c.id, got, c.want)
		}
	}
}
