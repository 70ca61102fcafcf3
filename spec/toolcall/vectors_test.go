package toolcall_test

import (
	"path/filepath"
	"testing"

	"github.com/hallmarkdev/hallmark/internal/vectors"
)

type head = vectors.Head

func readVectors[T interface{ Vector() head }](t *testing.T, file string, count int) []T {
	t.Helper()
	return vectors.Read[T](t, filepath.Join("testdata", "vectors", file), count)
}
