package retell

import (
	"testing"

	"github.com/hallmarkdev/hallmark/internal/wild"
)

func TestNumbersAreLeftOpen(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Fire it at cone 10.":              "Fire it at cone *.",
		"Refunded 12.30 EUR to card 0007.": "Refunded * EUR to card *.",
		"two * three":                      `two \* three`,
		`a\b 5`:                            `a\b *`,
		"on 2026-09-14 at 9:30":            "on * at *",
	} {
		got := like(text)
		if got != want || !wild.Match(got, text) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestVolatileTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"celadon: a clear grey-green.":            true,
		"ref 01989a3c-5400-7c01-8f10-3b7a1d6e00":  false,
		"It is 14:05.":                            false,
		"Booked for 2026-09-14.":                  false,
		"order 712040":                            false,
		"a job that took 3 ms":                    false,
		"done just now":                           false,
		"commit 9fa2ed7c1":                        false,
		"hm-red-secret-abcdefgh":                  false,
		"Both kilns are free, and nobody is here": true,
	} {
		if got := steady(text); got != want {
			t.Errorf("%q: steady %v", text, got)
		}
	}
}
