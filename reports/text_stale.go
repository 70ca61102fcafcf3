package reports

// stale shows the entries of a baseline that no longer hold.
func (t *text) stale(r *Report) {
	if len(r.Stale) == 0 {
		return
	}
	t.line("the baseline is stale:")
	for _, s := range r.Stale {
		t.line("  %s: %s %s", Clean(s.Place), Clean(s.Entry), Clean(s.Got))
		t.line("    hint: %s", Clean(s.Hint))
	}
	t.line("")
}
