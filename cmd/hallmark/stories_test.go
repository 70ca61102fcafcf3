package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestStories runs the commands of docs/stories.md: each section is a script of its
// own, in an empty folder. A block of sh holds one command a line, a comment
// "# exit N" what it exits with; one that ends in & stays until "kill %N". A block
// of yaml is a file, named by its first line. Each line of a block of text must be
// in what the last command printed, where … stands for anything.
func TestStories(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "stories.md"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	sections := strings.Split(string(page), "\n## ")[1:]
	if len(sections) != 3 {
		t.Fatalf("the page has %d stories", len(sections))
	}
	for i, section := range sections {
		script, err := storyScript(section)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("story%d.txtar", i+1)), []byte(script), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:                 folder,
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"code": code, "accepts": accepts},
	})
}

var exits = regexp.MustCompile(`\s+# exit (\d)$`)

// storyScript makes a script of a section.
func storyScript(section string) (string, error) {
	section, err := withFreePorts(section)
	if err != nil {
		return "", err
	}
	var script, files strings.Builder
	jobs := 0
	for n, block := range strings.Split(section, "\n```") {
		if n%2 == 0 {
			continue
		}
		kind, text, _ := strings.Cut(block, "\n")
		switch kind {
		case "sh":
			for line := range strings.SplitSeq(text, "\n") {
				if err := storyCommand(&script, line, &jobs); err != nil {
					return "", err
				}
			}
		case "text":
			for line := range strings.SplitSeq(text, "\n") {
				words := regexp.MustCompile(`\s+`).ReplaceAllString(regexp.QuoteMeta(strings.TrimSpace(line)), `\s+`)
				fmt.Fprintf(&script, "stdout %s\n", scriptWord(strings.ReplaceAll(words, "…", ".*")))
			}
		case "yaml":
			name, ok := strings.CutPrefix(strings.SplitN(text, "\n", 2)[0], "# ")
			if !ok {
				return "", fmt.Errorf("a block of yaml whose first line names no file: %s", text)
			}
			fmt.Fprintf(&files, "-- %s --\n%s\n", name, text)
		default:
			return "", fmt.Errorf("a block of kind %q, of which nothing is known", kind)
		}
	}
	return script.String() + files.String(), nil
}

// withFreePorts puts free ports in place of those of the page.
func withFreePorts(section string) (string, error) {
	for _, port := range []string{"4444", "4445"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", err
		}
		defer l.Close()
		section = strings.ReplaceAll(section, "127.0.0.1:"+port, l.Addr().String())
	}
	return section, nil
}

// storyCommand writes one command of a page as a line of a script.
func storyCommand(script *strings.Builder, line string, jobs *int) error {
	want := "0"
	if m := exits.FindStringSubmatch(line); m != nil {
		line, want = strings.TrimSuffix(line, m[0]), m[1]
	}
	if command, stays := strings.CutSuffix(line, " &"); stays {
		*jobs++
		address := regexp.MustCompile(`--listen (\S+)`).FindStringSubmatch(command)
		if address == nil {
			return fmt.Errorf("%s: it stays, and does not say where it listens", line)
		}
		fmt.Fprintf(script, "exec %s &job%d&\naccepts %s\n", command, *jobs, address[1])
		return nil
	}
	if job, ok := strings.CutPrefix(line, "kill %"); ok {
		fmt.Fprintf(script, "kill -INT job%s\nwait job%s\n", job, job)
		return nil
	}
	fmt.Fprintf(script, "code %s sh -c %s\n", want, scriptWord(line))
	return nil
}

// scriptWord quotes text for a script.
func scriptWord(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
