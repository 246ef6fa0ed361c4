package clientconfig

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/native"
)

// The file of Claude Code, in the folder of a project, that has the settings of one user
// there. An older setup put the hook into it.
const (
	hookFolder = ".claude"
	hookFile   = "settings.local.json"
)

// hookMark is in the command of a hook of an older setup.
const hookMark = " brief --mark claude-code"

// When a hook runs, and for how many seconds at most.
const (
	hookMatcher = "startup|resume|clear|compact"
	hookSeconds = 10
)

// HookCommand returns the command line of a hook: a program, and arguments. They are quoted for
// the shell. The text stays the same from version to version, because Codex runs a hook only
// after the user has agreed to its text.
func HookCommand(program string, args ...string) string {
	quoted := native.QuoteSh(program)
	if !strings.ContainsAny(program, "\"$`\\!\n") {
		quoted = `"` + program + `"` // which the shells of Windows take too
	}
	return strings.Join(append([]string{quoted, "hook"}, args...), " ")
}

var quotedOnWindows = regexp.MustCompile(`^"([A-Za-z]:[\w./-]+)"`)

// ForPowerShell returns the command line of a hook for Claude Code, which on Windows runs it by
// PowerShell if there is no bash. There a program in quotes is a text, so one without spaces is bare.
func ForPowerShell(command string) string { return quotedOnWindows.ReplaceAllString(command, "$1") }

// HookInTOML returns what a user has to put into the file of Codex by hand, if the file has
// hooks already: Codex reads hooks from there or from the file with hooks, not from both.
// It returns "" if the file has none, or has the command.
func HookInTOML(file, command string) (string, error) {
	text, err := readFile(file)
	if err != nil {
		return "", unlessMissing(err)
	}
	all, err := readTOML(text)
	if err != nil {
		return "", ofFile(file, err)
	}
	hooks, _ := all["hooks"].(map[string]any)
	delete(hooks, "state") // which hooks the user trusts
	if len(hooks) == 0 || strings.Contains(string(text), encodeTOML(field{"command", command})) {
		return "", nil
	}
	return fmt.Sprintf("[[hooks.SessionStart]]\nmatcher = '%s'\n\n[[hooks.SessionStart.hooks]]\ntype = 'command'\n%s\n"+
		"timeout = %d\n", hookMatcher, encodeTOML(field{"command", command}), hookSeconds), nil
}

// AutoMemoryIsOff reports whether Claude Code's own memory is off: by a variable here, or in
// the user's settings.
func AutoMemoryIsOff(settings string) bool {
	if off, _ := strconv.ParseBool(os.Getenv("CLAUDE_CODE_DISABLE_AUTO_MEMORY")); off {
		return true
	}
	v, err := valueIn(settings, "autoMemoryEnabled")
	return err == nil && decoded(v) == false
}

// hookList is where Claude Code and Codex have the hooks of the event that a session starts: a list of
// groups, each with a list of hooks.
var hookList = []string{"hooks", "SessionStart"}

// AddHook returns the change that makes a client run a command when a session starts.
// It replaces an earlier command of this program. Other hooks stay.
func AddHook(file, command string) Change {
	return Change{File: file, edit: func(old []byte) (content []byte, changed []string, err error) {
		if content, err = ensure(old, hookList, "[]"); err != nil {
			return nil, nil, err
		}
		hooks, err := hooksIn(content, command)
		switch {
		case err != nil:
			return nil, nil, err
		case len(hooks) == 0:
			newline, unit := layoutOf(content)
			group := strings.Join([]string{"{", unit + `"matcher": "` + hookMatcher + `",`, unit + `"hooks": [`,
				fmt.Sprintf(`%s{"type": "command", "command": %s, "timeout": %d}`, unit+unit, quoteJSON(command),
					hookSeconds), unit + "]", "}"}, newline+strings.Repeat(unit, 3))
			content, err = insert(content, hookList, group)
			return content, []string{"hook SessionStart: added, " + quoteJSON(command)}, err
		case hooks[0].command == command:
			return old, nil, nil
		}
		content, err = setJSON(content, append(hooks[0].path, "command"), command)
		return content, []string{sentence("hook SessionStart: command", hooks[0].command, command)}, err
	}}
}

// RemoveHook returns the change that takes out what [AddHook] has added, and the lists that
// are empty then.
func RemoveHook(file string) Change {
	return Change{File: file, edit: func(old []byte) (content []byte, changed []string, err error) {
		hooks, err := hooksIn(old, "")
		if err != nil || len(hooks) == 0 {
			return old, nil, err
		}
		content = old
		for _, h := range slices.Backward(hooks) {
			if content, err = removeJSON(content, h.path); err != nil {
				return nil, nil, err
			}
			group := h.path[:3]
			if list, _, _ := find(content, h.path[:4]); len(itemsOf(list)) == 0 {
				content, err = removeJSON(content, group)
			}
		}
		for n := len(hookList); err == nil && n > 0; n-- {
			content, err = removeEmpty(content, hookList[:n])
		}
		return content, []string{"hook SessionStart: removed"}, err
	}}
}

// A hook is one of this program, and the path to it.
type hook struct {
	command string
	path    []string
}

// hooksIn returns the hooks of a text that run the command, or another of this program and
// nothing else.
func hooksIn(text []byte, command string) (own []hook, err error) {
	v, _, err := find(text, hookList)
	if err != nil {
		return nil, err
	}
	for _, group := range itemsOf(v) {
		list, _, err := find(text, append(slices.Clip(hookList), group.name, "hooks"))
		if err != nil {
			return nil, err
		}
		for _, it := range itemsOf(list) {
			fields, _ := decoded(it.value).(map[string]any)
			have, _ := fields["command"].(string)
			if command != "" && have == command || isOwnHook(have) {
				own = append(own, hook{have, append(slices.Clip(hookList), group.name, "hooks", it.name)})
			}
		}
	}
	return own, nil
}

// What the shell takes as it stands in a command line, and the first word of one.
var (
	inQuotes  = regexp.MustCompile(`(?s)'[^']*'|"(?:\\.|[^"\\])*"|\\.`)
	firstWord = regexp.MustCompile(`(?s)^(?:` + inQuotes.String() + `|[^ '"\\])*`)
)

// canRun reports whether the program of a hook is there and can be run.
func (h hook) canRun() bool {
	program := inQuotes.ReplaceAllStringFunc(firstWord.FindString(h.command), func(s string) string {
		if s[0] == '\\' {
			return s[1:]
		}
		return s[1 : len(s)-1]
	})
	_, err := exec.LookPath(program)
	return err == nil
}

// isOwnHook reports whether a command line runs a hook of this program and nothing else.
func isOwnHook(command string) bool {
	program := firstWord.FindString(command)
	rest := inQuotes.ReplaceAllString(command[len(program):], "") + " "
	bare := inQuotes.ReplaceAllString(program, "") + rest
	if strings.ContainsAny(bare, ";|&\n\"'") {
		return false
	}
	name := path.Base(strings.TrimSuffix(filepath.ToSlash(strings.Trim(program, `"'`)), ".exe"))
	return strings.Contains(rest, hookMark) || name == "scratchpad" && strings.HasPrefix(rest, " hook ")
}
