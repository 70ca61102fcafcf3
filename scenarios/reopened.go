package scenarios

import "sync"

// reopened keeps the documents of the recordings that were opened last: the
// cases of a run share a few texts, and each recording holds its whole text.
var reopened = &parsed{docs: map[parsedKey]*Document{}}

// parsed keeps documents by their name and text. Planning changes none, so they
// may be shared. It is safe for concurrent use.
type parsed struct {
	mu   sync.Mutex
	docs map[parsedKey]*Document
	size int
}

type parsedKey struct{ file, text string }

// maxParsedBytes bounds the texts that are kept. The built-in corpus is less
// than a tenth of it; what is beyond begins anew.
const maxParsedBytes = 2 << 20

// parse is [Parse]. What does not read is not kept.
func (p *parsed) parse(file, text string) (*Document, error) {
	key := parsedKey{file, text}
	p.mu.Lock()
	doc := p.docs[key]
	p.mu.Unlock()
	if doc != nil {
		return doc, nil
	}
	doc, err := Parse(file, []byte(text))
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.size += len(text); p.size > maxParsedBytes {
		clear(p.docs)
		p.size = len(text)
	}
	p.docs[key] = doc
	return doc, nil
}
