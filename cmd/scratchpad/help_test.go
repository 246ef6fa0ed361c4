package main

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// The help of each command has an example, and each example is a valid command line.
func TestHelpExamples(t *testing.T) {
	testkit.SkipInShort(t)
	if runtime.GOOS == "windows" {
		t.Skip("the examples are for a Unix shell")
	}
	dir := t.TempDir()
	for _, name := range []string{"plan.md", "notes.txt", "app.log"} {
		writeFile(t, filepath.Join(dir, name), "text")
	}
	for _, command := range commands(t) {
		found := false
		for line := range strings.Lines(command.Detail) {
			if !strings.HasPrefix(line, "  scratchpad ") {
				continue
			}
			found = true
			// The shell splits the words as for a user.
			sh := exec.Command("sh", "-c", `scratchpad() { for a; do printf '%s\037' "$a"; done; printf '\036'; }; `+line)
			sh.Dir = dir
			out, err := sh.Output()
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
			for words := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x1f\x1e"), "\x1f\x1e") {
				if _, err := newParser(new(commandLine)).Parse(strings.Split(words, "\x1f")); err != nil {
					t.Errorf("%s: %v", line, err)
				}
			}
		}
		if !found && len(command.Children) == 0 && command.Name != "mcp" && !command.Hidden {
			t.Errorf("the help of %s has no example", command.FullPath())
		}
	}
}

// commands are all of the command line.
func commands(t *testing.T) []*kong.Node {
	t.Helper()
	parser := newParser(&commandLine{})
	var all []*kong.Node
	err := kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		if n, ok := node.(*kong.Node); ok && n.Type == kong.CommandNode {
			all = append(all, n)
		}
		return next(nil)
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("visiting the commands: %v, %d of them", err, len(all))
	}
	return all
}
