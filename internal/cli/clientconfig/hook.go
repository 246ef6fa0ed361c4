package clientconfig

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-scratchpad/scratchpad/internal/native"
)

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
	text, err := ReadFile(file)
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

// AutoMemoryIsOff reports whether Claude Code's own memory is off in the user's settings.
func AutoMemoryIsOff(settings string) bool {
	on, err := valueIn(settings, "autoMemoryEnabled")
	return err == nil && on == false
}

// hookList is where Claude Code and Codex have the hooks of the event that a session starts: a list of
// groups, each with a list of hooks.
var hookList = []string{"hooks", "SessionStart"}

// editHooks returns a change of a file with hooks. fn gets those of this program, and of the command.
func editHooks(file, command string, fn func(d *document, own []hook) (changed string, err error)) Change {
	return Change{File: file, edit: func(old []byte) (content []byte, changed []string, err error) {
		d, err := parseJSON(old)
		if err != nil {
			return nil, nil, err
		}
		did, err := fn(&d, hooksIn(d.value(hookList...), command))
		if err != nil || did == "" {
			return old, nil, err
		}
		return d.top.Pack(), []string{did}, nil
	}}
}

// AddHook returns the change that makes a client run a command when a session starts.
// It replaces an earlier command of this program. Other hooks stay.
func AddHook(file, command string) Change {
	return editHooks(file, command, func(d *document, own []hook) (string, error) {
		switch {
		case len(own) == 0:
			group := fmt.Sprintf(`{"matcher": %q, "hooks": [{"type": "command", "command": %s, "timeout": %d}]}`,
				hookMatcher, quoteJSON(command), hookSeconds)
			if err := d.ensure("[]", hookList...); err != nil {
				return "", err
			}
			d.put(group, append(slices.Clip(hookList), "-")...)
			return "hook SessionStart: added, " + quoteJSON(command), nil
		case own[0].command == command:
			return "", nil
		}
		d.put(quoteJSON(command), append(own[0].path, "command")...)
		return sentence("hook SessionStart: command", own[0].command, command), nil
	})
}

// RemoveHook returns the change that takes out what [AddHook] has added, and the lists that
// are empty then.
func RemoveHook(file string) Change {
	return editHooks(file, "", func(d *document, own []hook) (did string, err error) {
		for _, h := range slices.Backward(own) {
			d.remove(h.path...)
			if list := h.path[:len(h.path)-1]; isEmpty(d.find(list...)) {
				d.remove(h.path[:len(hookList)+1]...)
			}
			did = "hook SessionStart: removed"
		}
		for n := len(hookList); did != "" && n > 0; n-- {
			d.removeEmpty(hookList[:n]...)
		}
		return did, nil
	})
}

// A hook is one of this program, and the path to it.
type hook struct {
	command string
	path    []string
}

// hooksIn returns the hooks in groups that run the command, or another of this program and
// nothing else.
func hooksIn(groups any, command string) (own []hook) {
	list, _ := groups.([]any)
	for i, group := range list {
		fields, _ := group.(map[string]any)
		hooks, _ := fields["hooks"].([]any)
		for j, one := range hooks {
			fields, _ := one.(map[string]any)
			have, _ := fields["command"].(string)
			if command != "" && have == command || programOf(have) != "" {
				own = append(own, hook{have, append(slices.Clip(hookList), strconv.Itoa(i), "hooks", strconv.Itoa(j))})
			}
		}
	}
	return own
}

// ownHook is the command line of a hook of this program, or of an older setup, with nothing else in it.
var ownHook = regexp.MustCompile(`^(?:"([^"]*)"|'([^']*)'|([^\s'"\\;|&]+)) (hook|brief --mark claude-code)` +
	`( ('[^']*'|\\'|[^\s'"\\;|&])+)*$`)

// programOf returns the program that a command line runs as a hook; "" if it is not this one.
func programOf(command string) string {
	m := ownHook.FindStringSubmatch(command)
	if m == nil {
		return ""
	}
	program := m[1] + m[2] + m[3]
	name := strings.TrimSuffix(path.Base(filepath.ToSlash(program)), ".exe")
	if m[4] == "hook" && name != "scratchpad" {
		return ""
	}
	return program
}
