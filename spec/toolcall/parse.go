package toolcall

import (
	"errors"

	"github.com/hallmarkdev/hallmark/internal/jsonv"
)

// parse reports why text is not JSON for an engine (E1, gap 26).
func parse(text string) error {
	if err := jsonv.Valid([]byte(text), jsonv.MaxDepth); err != nil {
		return err
	}
	if jsonv.LoneSurrogate([]byte(text)) {
		return errors.New("lone leading surrogate in hex escape")
	}
	return nil
}
