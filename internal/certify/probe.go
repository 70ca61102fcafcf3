package certify

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ProbeFolder says why nothing can be written into a folder, which need not be
// there yet, and leaves nothing behind. A run asks before its first request: an
// hour later is too late.
func ProbeFolder(path string) error {
	for at := filepath.Clean(path); ; {
		info, err := os.Stat(at)
		switch {
		case err == nil && !info.IsDir():
			return fmt.Errorf("%s is no folder", at)
		case err == nil:
			return probeIn(at)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		parent := filepath.Dir(at)
		if parent == at {
			return err
		}
		at = parent
	}
}

// ProbeFile says why a file cannot be written, which need not be there yet, and
// leaves nothing behind.
func ProbeFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder", path)
	case err == nil:
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return f.Close()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no folder %s", folder)
	}
	return probeIn(folder)
}

func probeIn(folder string) error {
	f, err := os.CreateTemp(folder, ".hallmark-*")
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			return fmt.Errorf("%s cannot be written to: %w", folder, path.Err)
		}
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
