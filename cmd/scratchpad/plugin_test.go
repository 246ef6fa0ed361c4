package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/testkit"
	"github.com/agent-scratchpad/scratchpad/tokens/o200k"
)

// pluginDir has the plugin for Claude Code, and marketplaceFile leads to it.
const (
	pluginDir       = "../../deploy/plugin"
	marketplaceFile = "../../.claude-plugin/marketplace.json"
)

// readPlugin decodes a file of the plugin.
func readPlugin(t *testing.T, name string, into any) {
	t.Helper()
	testkit.Must(t, json.Unmarshal([]byte(testkit.ReadFile(t, filepath.Join(pluginDir, name))), into))
}

// pluginHook returns the command of the plugin's hook.
func pluginHook(t *testing.T) string {
	t.Helper()
	var file struct {
		Hooks struct {
			SessionStart []struct{ Hooks []struct{ Command string } }
		}
	}
	readPlugin(t, "hooks/hooks.json", &file)
	return file.Hooks.SessionStart[0].Hooks[0].Command
}

// The plugin starts the server that setup writes, and its hook runs when that of setup does. The
// marketplace leads to it. TestVersionsAgree of the root holds its version.
func TestPluginIsAsSetup(t *testing.T) {
	a := newAccount(t)
	var made struct{ Server clientconfig.Server }
	testkit.Must(t, json.Unmarshal([]byte(a.run(t, "client-config", "claude-code", "--json").out), &made))
	made.Server.Command = "scratchpad"
	var file struct {
		MCPServers map[string]clientconfig.Server
	}
	readPlugin(t, ".mcp.json", &file)
	if diff := cmp.Diff(map[string]clientconfig.Server{"scratchpad": made.Server}, file.MCPServers); diff != "" {
		t.Errorf("the server of setup and that of the plugin: %s", diff)
	}

	command := pluginHook(t)
	if !strings.HasPrefix(command, "scratchpad hook --plugin; ") {
		t.Errorf("the hook runs %s", command)
	}
	settings := filepath.Join(t.TempDir(), "settings.json")
	preview, err := clientconfig.AddHook(settings, command).Preview()
	testkit.Must(t, err)
	var ours, theirs struct{ Hooks any }
	testkit.Must(t, json.Unmarshal(preview.New, &theirs))
	readPlugin(t, "hooks/hooks.json", &ours)
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Errorf("the hook of setup and that of the plugin: %s", diff)
	}

	var plugin struct{ Name string }
	readPlugin(t, ".claude-plugin/plugin.json", &plugin)
	var list struct {
		Name    string
		Plugins []struct{ Name, Source, Version string }
	}
	testkit.Must(t, json.Unmarshal([]byte(testkit.ReadFile(t, marketplaceFile)), &list))
	entry := list.Plugins[0]
	if entry.Version != "" {
		t.Errorf("the marketplace has version %s, want none: the plugin has one", entry.Version)
	}
	if entry.Name != plugin.Name || plugin.Name+"@"+list.Name != clientconfig.Plugin || filepath.Join("../..", entry.Source) != pluginDir {
		t.Errorf("the marketplace %s has %+v, and the plugin is %s", list.Name, entry, plugin.Name)
	}
}

// The skill names nothing but tools and files of the memory, and costs little.
func TestPluginSkill(t *testing.T) {
	text := testkit.ReadFile(t, filepath.Join(pluginDir, "skills/memory/SKILL.md"))
	s := connect(t, "mcp", "--db", filepath.Join(t.TempDir(), "test.db"))
	var tools []string
	for tool, err := range s.Tools(t.Context(), nil) {
		testkit.Must(t, err)
		tools = append(tools, tool.Name)
	}
	isFile := regexp.MustCompile(`^(~/)?([A-Za-z]+\.md)?$`)
	named := 0
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(text, -1) {
		switch {
		case slices.Contains(tools, m[1]):
			named++
		case !isFile.MatchString(m[1]) && m[1] != "scratchpad files redact":
			t.Errorf("the skill names %s, which is no tool", m[1])
		}
	}
	if named < 5 {
		t.Errorf("the skill names %d tools", named)
	}
	if n := o200k.Count(text); n > 500 {
		t.Errorf("the skill costs %d tokens", n)
	}
	instructions := s.InitializeResult().Instructions
	for _, both := range []string{"START.md", "changes", "search", "edit_file"} {
		if !strings.Contains(text, both) || !strings.Contains(instructions, both) {
			t.Errorf("%s is not in the skill or not in the instructions", both)
		}
	}
}

// hook runs a hook's command by a shell, as Claude Code does.
func (a *account) hook(t *testing.T, shell, command, source string) outcome {
	t.Helper()
	plugin, err := filepath.Abs(pluginDir)
	testkit.Must(t, err)
	cmd := exec.Command(shell, "-c", command)
	cmd.Dir, cmd.Env = a.project, append(a.environment(), "CLAUDE_PLUGIN_ROOT="+plugin)
	cmd.Stdin = strings.NewReader(`{"hook_event_name":"SessionStart","source":"` + source + `","cwd":"` + a.project + `"}`)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return outcome{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// Without the program on the PATH, the hook of the plugin says how to install it, and ends well.
// With it, the hook tells what the hook of setup tells, and nothing more if something else is wrong.
func TestPluginHook(t *testing.T) {
	ran := 0
	for _, name := range []string{"sh", "bash", "zsh"} {
		shell, err := exec.LookPath(name)
		if err != nil {
			t.Logf("there is no %s", name)
			continue
		}
		ran++
		a, command := newAccount(t), pluginHook(t)
		cat, err := exec.LookPath("cat")
		testkit.Must(t, err)
		a.path = t.TempDir() // the folder of cat may have the program too
		testkit.Must(t, os.Symlink(cat, filepath.Join(a.path, "cat")))
		missing := a.hook(t, shell, command, "startup")
		var said struct {
			SystemMessage      string
			HookSpecificOutput struct{ HookEventName, AdditionalContext string }
		}
		if err := json.Unmarshal([]byte(missing.out), &said); err != nil || missing.code != 0 {
			t.Errorf("%s: without the program: %+v, %v", name, missing, err)
		}
		const install = "go install github.com/agent-scratchpad/scratchpad/cmd/scratchpad@latest"
		context := said.HookSpecificOutput
		if !strings.Contains(said.SystemMessage, install) || !strings.Contains(context.AdditionalContext, install) || context.HookEventName != "SessionStart" {
			t.Errorf("%s: without the program: %+v", name, said)
		}
		a.path = filepath.Dir(a.program) + ":" + a.path
		a.hook(t, shell, command, "startup").must(t, 0, "This memory is empty")
		broken := filepath.Join(t.TempDir(), "scratchpad")
		testkit.Must(t, os.WriteFile(broken, []byte("#!/bin/sh\nexit 3\n"), 0o700))
		a.path = filepath.Dir(broken) + ":" + a.path
		if got := a.hook(t, shell, command, "startup"); got.out != "" || got.code != 0 {
			t.Errorf("%s: with a program that fails: %+v", name, got)
		}
	}
	if ran == 0 {
		t.Skip("there is no shell")
	}
}

// Where the plugin is on, setup writes nothing for Claude Code. If setup was there first, the
// memory is told once, the user is told of both, and each of the two can go, setup's program alone too.
func TestPluginAndSetup(t *testing.T) {
	a := newAccount(t)
	a.path = filepath.Dir(a.program) + ":/usr/bin:/bin"
	a.install(t, "claude-code", "")
	settings := filepath.Join(a.home, ".claude", "settings.json")
	on, off := `{"enabledPlugins": {"scratchpad@scratchpad": true}}`, `{"enabledPlugins": {"scratchpad@scratchpad": false}}`
	args := []string{"setup", "--yes", "--client", "claude-code"}
	writeFile(t, settings, on)
	before := contents(t, a.home)
	a.run(t, args...).must(t, 0, "Its plugin connects it, by the program on the PATH, so setup writes nothing", "claude plugin uninstall scratchpad@scratchpad", "Nothing was to be changed.")
	flags := append(slices.Clip(args), "--agent", "planner", "--db", filepath.Join(a.home, "x.db"), "--max-versions", "7", "--bin", filepath.Dir(a.program))
	a.variables = []string{"SCRATCHPAD_SECRETS=refuse"} // which the client passes on
	a.run(t, flags...).must(t, 0, "flags have no effect on it", "and this command again.")
	a.variables = nil
	a.mustBe(t, before, "setup beside the plugin")
	found := a.path
	a.path = "/nothing"
	dry := append(slices.Clip(args), "--dry-run")
	a.run(t, dry...).must(t, 0, "its folder is not on your PATH. To run scratchpad")
	a.path = found

	const sh = "/bin/sh"
	a.hook(t, sh, pluginHook(t), "startup").must(t, 0, "This memory is empty")
	writeFile(t, settings, off)
	a.run(t, args...).must(t, 0, "hook SessionStart: added")
	writeFile(t, settings, strings.Replace(testkit.ReadFile(t, settings), `"scratchpad@scratchpad": false`, `"scratchpad@scratchpad": true`, 1))
	a.run(t, args...).must(t, 0, "Scratchpad is connected twice, by its plugin and by scratchpad setup.", "claude plugin uninstall scratchpad@scratchpad", "scratchpad setup --undo --client claude-code")
	a.hook(t, sh, "scratchpad hook", "startup").must(t, 0, "This memory is empty")
	var said map[string]string
	got := a.hook(t, sh, pluginHook(t), "startup")
	if err := json.Unmarshal([]byte(got.out), &said); err != nil || len(said) != 1 || !strings.Contains(said["systemMessage"], "connected twice") {
		t.Errorf("the hook of the plugin beside that of setup: %+v, %v", got, err)
	}
	if got := a.hook(t, sh, pluginHook(t), "compact"); got.out != "" || got.code != 0 {
		t.Errorf("after a compaction: %+v", got)
	}
	both := testkit.ReadFile(t, settings)
	writeFile(t, settings, strings.ReplaceAll(both, a.program, filepath.Join(a.home, "gone", "scratchpad")))
	a.hook(t, sh, pluginHook(t), "resume").must(t, 0, "This memory is empty")
	writeFile(t, settings, both)
	a.run(t, "setup", "--undo", "--yes", "--client", "claude-code").must(t, 0)
	a.hook(t, sh, pluginHook(t), "startup").must(t, 0, "This memory is empty")
}
