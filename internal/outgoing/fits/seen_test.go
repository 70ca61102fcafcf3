package fits

import "testing"

func TestSeen(t *testing.T) {
	t.Parallel()
	const one = `{"id":"01a0483d-ba01-7747-9aa7-3de64fefad90","at":"2026-08-28T12:00:00.123Z","text":"a \"01a0483d-ba01-7747-9aa7-3de64fefad90\" b"}`
	s := newSeen()
	if s.fits(s.of([]byte(one))) {
		t.Fatal("nothing was seen")
	}
	s.remember(s.of([]byte(one)))
	for body, want := range map[string]bool{
		one: true,
		`{"id":"01a0483d-ba01-7747-9aa7-000000000000","at":"2027-01-31T23:59:59.000Z","text":"a \"01a0483d-ba01-7747-9aa7-3de64fefad90\" b"}`: true,
		`{"id":"01a0483d-ba01-7747-9aa7-3de64fefad9g","at":"2026-08-28T12:00:00.123Z","text":"a \"01a0483d-ba01-7747-9aa7-3de64fefad90\" b"}`: false,
		`{"id":"01a0483d-ba01-7747-9aa7-3de64fefad9","at":"2026-08-28T12:00:00.123Z","text":"a \"01a0483d-ba01-7747-9aa7-3de64fefad90\" b"}`:  false,
		`{"id":"01a0483d-ba01-7747-9aa7-3de64fefad90","at":"2026-13-28T12:00:00.123Z","text":"a \"01a0483d-ba01-7747-9aa7-3de64fefad90\" b"}`: false,
		`{"id":"01a0483d-ba01-7747-9aa7-3de64fefad90","at":"2026-08-28T12:00:00.123Z","text":"a"}`:                                            false,
		`{"id":"2026-08-28T12:00:00.000Z","at":"2026-08-28T12:00:00.123Z","text":"a \"01a0483d-ba01-7747-9aa7-3de64fefad90\" b"}`:             false,
		`{"id":7,"at":"2026-08-28T12:00:00.123Z","text":"a \"01a0483d-ba01-7747-9aa7-3de64fefad90\" b"}`:                                      false,
		one + " ": false,
		``:        false,
	} {
		if got := s.fits(s.of([]byte(body))); got != want {
			t.Errorf("%s: got %t", body, got)
		}
	}
}
