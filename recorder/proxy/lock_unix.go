//go:build unix

package proxy

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lockFolder keeps a second proxy out of a folder. The lock ends with the
// process, however that ends.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("folder for recordings: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("folder for recordings %s: %w", dir, ErrInUse)
	}
	return f, nil
}
