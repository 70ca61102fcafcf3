package recorder

import (
	"bufio"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
)

// tailBytes is how much of the end of a file its index line holds: the sum over
// the content that ends a zstd frame, or the checksum of the closing line, which
// is chained to those before it (rule 3).
const tailBytes = 16

// Stamp sets Bytes and Tail to those of the file at path, which the line then
// describes.
func (l *IndexLine) Stamp(path string) error {
	size, tail, err := stampOf(path)
	if err == nil {
		l.Bytes, l.Tail = size, tail
	}
	return err
}

// Describes reports whether l is about the file at path as it is now: an index
// is never believed over a file. A line without a stamp describes nothing.
func (l IndexLine) Describes(path string) bool {
	size, tail, err := stampOf(path)
	return err == nil && l.Tail != "" && l.Bytes == size && l.Tail == tail
}

func stampOf(path string) (size int64, tail string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return 0, "", err
	}
	last := make([]byte, min(info.Size(), tailBytes))
	if _, err := f.ReadAt(last, info.Size()-int64(len(last))); err != nil {
		return 0, "", err
	}
	return info.Size(), hex.EncodeToString(last), nil
}

// maxIndexLine bounds a line of an index that is read.
const maxIndexLine = 1 << 20

// ReadIndex reads the index at path and returns its lines by file. Of several
// lines on one file the last counts; a line that does not read counts for
// nothing, and so does an index that is not there.
func ReadIndex(path string) (map[string]IndexLine, error) {
	lines := map[string]IndexLine{}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return lines, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	in := newLineSource(bufio.NewReader(f), maxIndexLine)
	for {
		raw, err := in.next()
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
		if l, err := ReadIndexLine(raw.text); err == nil && l.File != "" {
			lines[l.File] = l
		}
	}
}
