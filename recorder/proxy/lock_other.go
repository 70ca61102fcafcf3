//go:build !unix

package proxy

import (
	"fmt"
	"os"
	"path/filepath"
)

// lockFolder opens the file that is locked elsewhere; here nothing keeps a
// second proxy out of the folder.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("folder for recordings: %w", err)
	}
	return f, nil
}
