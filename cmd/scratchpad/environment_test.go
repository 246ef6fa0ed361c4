package main

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/agent-scratchpad/scratchpad/internal/failure"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
)

// An empty variable counts as unset, for each flag of each command.
func TestEmptyVariables(t *testing.T) {
	testkit.SkipInShort(t)
	clean, empty := new(commandLine), new(commandLine)
	parser := newParser(clean)
	all := commands(t)
	variables := 0
	for _, command := range all {
		for _, f := range slices.Concat(command.AllFlags(false)...) {
			for _, variable := range f.Envs {
				t.Setenv(variable, "")
				variables++
			}
		}
	}
	withEmpty := newParser(empty)
	for _, command := range all {
		if args := argumentsFor(command); len(command.Children) == 0 {
			_, err := parser.Parse(args)
			_, errOfEmpty := withEmpty.Parse(args)
			if err != nil || errOfEmpty != nil || !reflect.DeepEqual(clean, empty) {
				t.Errorf("%s with empty variables: %+v, %v, want as without: %+v, %v", strings.Join(args, " "), empty, errOfEmpty, clean, err)
			}
		}
	}
	if variables < 20 {
		t.Errorf("%d variables were tried", variables)
	}
}

// If a flag has two variables and the first is empty, the second counts.
func TestEmptyVariableBeforeAnother(t *testing.T) {
	testkit.SkipInShort(t)
	t.Setenv("SCRATCHPAD_DB", "")
	t.Setenv("SCRATCHPAD_DB_PATH", "old.db")
	if line := parsed(t, []string{"files", "ls"}); line == nil || line.DB == nil || *line.DB != "old.db" {
		t.Errorf("parsed as %+v, want old.db", line)
	}
}

// An empty variable with a key or a folder counts as unset.
func TestEmptyVariablesOfOthers(t *testing.T) {
	testkit.SkipInShort(t)
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
