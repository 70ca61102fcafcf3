package scenarios

// Options let the caller decide what a reader of scenarios cannot know. The
// zero value checks everything but these.
type Options struct {
	// Requirements are the known requirement ids. Nil leaves the ids of a
	// scenario unchecked.
	Requirements []string
}
