// Command write renders the pages of package handbook below the
// folder that its argument names.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/hallmarkdev/hallmark/internal/handbook"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "write:", err)
		os.Exit(1)
	}
}

func write(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("want one argument, the project's folder")
	}
	pages, err := handbook.Pages(os.DirFS(args[0]))
	if err != nil {
		return err
	}
	for _, page := range pages {
		name := filepath.Join(args[0], filepath.FromSlash(page.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(page.Text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
