package main

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/internal/failure"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// An empty variable counts as unset, for each flag that reads it, and with
// SCRATCHPAD_TEST=full for each of each command.
func TestEmptyVariables(t *testing.T) {
	testkit.SkipInShort(t)
	tried := map[string]int{}
	for _, command := range commands(t) {
		if len(command.Children) > 0 {
			continue
		}
		args := argumentsFor(command)
		want := parsed(t, args)
		for _, group := range command.AllFlags(false) {
			for _, f := range group {
				for _, variable := range f.Envs {
					if tried[variable]++; tried[variable] > 1 && !testkit.Full() {
						continue
					}
					t.Setenv(variable, "")
					if got := parsed(t, args); !reflect.DeepEqual(got, want) {
						t.Errorf("%s with %s empty: %+v, want as without it: %+v", strings.Join(args, " "), variable, got, want)
					}
					os.Unsetenv(variable)
				}
			}
		}
	}
	if len(tried) < 20 {
		t.Errorf("%d variables were tried", len(tried))
	}
}

// If a flag has two variables and the first is empty, the second counts.
func TestEmptyVariableBeforeAnother(t *testing.T) {
	t.Setenv("SCRATCHPAD_DB", "")
	t.Setenv("SCRATCHPAD_DB_PATH", "old.db")
	if line := parsed(t, []string{"files", "ls"}); line == nil || line.DB == nil || *line.DB != "old.db" {
		t.Errorf("parsed as %+v, want old.db", line)
	}
}

// An empty variable with a key or a folder counts as unset.
func TestEmptyVariablesOfOthers(t *testing.T) {
	dir := t.TempDir()
	empty := []string{"ANTHROPIC_API_KEY=", "OPENAI_API_KEY=", "XDG_DATA_HOME=", "APPDATA=", "CODEX_HOME=", "NO_COLOR=", "EDITOR=", "VISUAL=", "GOGC=", "HOME=" + dir}
	runCommand(t, dir, empty, "files", "ls").must(t, failure.ExitNotFound, "there is no database at "+dir)
	o := runCommand(t, dir, empty, "client-config", "codex", "--json")
	o.must(t, 0, dir, "config.toml")
	if strings.Contains(o.out+o.err, "API_KEY") {
		t.Errorf("an empty key is taken for one: %+v", o)
	}
	runCommand(t, dir, empty, "client-config", "codex", "--pass-key").must(t, failure.ExitUsage, "neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set")
}

// argumentsFor is a command with a value for each of its arguments.
func argumentsFor(command *kong.Node) []string {
	args := strings.Fields(fullPath(command))[1:]
	for _, p := range command.Positional {
		value := "1"
		if p.Enum != "" {
			value = p.EnumSlice()[0]
		}
		args = append(args, value)
	}
	return args
}

// parsed is a command line as it is understood.
func parsed(t *testing.T, args []string) *commandLine {
	t.Helper()
	line := new(commandLine)
	parser := newParser(line)
	if _, err := parser.Parse(args); err != nil {
		t.Errorf("%s: %v", strings.Join(args, " "), err)
		return nil
	}
	return line
}
