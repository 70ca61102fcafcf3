package recorder

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/hallmarkdev/hallmark/spec"
)

// The endings of the names of recordings: plain while they are written, and
// compressed when a capture was closed.
const (
	PlainSuffix      = ".jsonl"
	CompressedSuffix = ".jsonl.zst"
)

// IndexName is the file beside captures that has a line for each closed one. It
// is no recording.
const IndexName = "index.jsonl"

// IsRecordingName reports whether a file called so is a recording, by the
// ending of its name.
func IsRecordingName(name string) bool {
	return name != IndexName && (strings.HasSuffix(name, PlainSuffix) || strings.HasSuffix(name, CompressedSuffix))
}

// zstdMagic begins every zstd frame.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// maxWindow bounds the memory that a compressed recording may ask for.
const maxWindow = 32 << 20

// Open opens a recording for reading, plain or compressed whatever its name
// says. Text is unpacked as it is read, in bounded memory. A plain one that has
// been packed since its name was listed is opened under the name it has now. The
// error is that of opening the file.
func Open(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) && strings.HasSuffix(name, PlainSuffix) {
		if packed, other := os.Open(strings.TrimSuffix(name, PlainSuffix) + CompressedSuffix); other == nil {
			f, err = packed, nil
		}
	}
	if err != nil {
		return nil, err
	}
	var first [4]byte
	n, err := io.ReadFull(f, first[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		// It is read again by who reads the rest, and said there.
		return &opened{Reader: f, close: f.Close}, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		// What cannot go back, such as a pipe, gives what was read once more.
		return open(name, io.MultiReader(bytes.NewReader(first[:n]), f), f, first[:n])
	}
	return open(name, f, f, first[:n])
}

// open reads plain text or unpacks it, by how it begins.
func open(name string, in io.Reader, f *os.File, first []byte) (io.ReadCloser, error) {
	if !bytes.Equal(first, zstdMagic) {
		return &opened{Reader: in, close: f.Close}, nil
	}
	in = bufio.NewReaderSize(in, 64<<10)
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("unpack %s: %w", name, err)
	}
	return &opened{Reader: unpacker{z}, close: func() error {
		z.Close()
		return f.Close()
	}}, nil
}

// unpacker names the errors of unpacking.
type unpacker struct{ in io.Reader }

func (u unpacker) Read(p []byte) (int, error) {
	n, err := u.in.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &PackedError{Err: err}
	}
	return n, err
}

type opened struct {
	io.Reader
	close func() error
}

func (o *opened) Close() error { return o.close() }

// Compress copies a recording from r to w as zstd. It holds one encoder for as
// long as it runs, about 20 MB.
func Compress(w io.Writer, r io.Reader) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		return fmt.Errorf("compress recording: %w", err)
	}
	if _, err := io.Copy(z, r); err != nil {
		_ = z.Close()
		return fmt.Errorf("compress recording: %w", err)
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("compress recording: %w", err)
	}
	return nil
}

// HeaderOf is the header of the recording in a file, which is opened as [Open]
// does and read no further. The error is that of reading.
func HeaderOf(name string) (*spec.HeaderEvent, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	e, err := NewReader(f).Next()
	if err != nil {
		return nil, err
	}
	h, ok := e.Data.(*spec.HeaderEvent)
	if !ok {
		return nil, &DamageError{Line: e.N, Reason: notOurs, Fix: fixNotOurs}
	}
	return h, nil
}
