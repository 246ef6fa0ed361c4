package clientconfig

import (
	"path/filepath"
	"slices"
	"strings"
)

// The file of Claude Code, in the folder of a project, that has the settings of one user
// there.
const (
	hookFolder = ".claude"
	hookFile   = "settings.local.json"
)

// hookMark is in the command of a hook of this program.
const hookMark = " brief --mark claude-code"

// HookCommand returns the command line of a hook: a program, and arguments. Both are
// quoted for the shell.
func HookCommand(program string, args ...string) string {
	return strings.Join(append([]string{program + hookMark}, args...), " ")
}

// HookFile returns the file of Claude Code that has the hooks of this user in a project.
func HookFile(project string) string { return filepath.Join(project, hookFolder, hookFile) }

// hookList is where Claude Code has the hooks of the event that a session starts: a list of
// groups, each with a list of hooks.
var hookList = []string{"hooks", "SessionStart"}

// AddHook returns the change that makes Claude Code run a command when a session starts.
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
			group := strings.Join([]string{"{", unit + `"hooks": [`, unit + unit + `{"type": "command", "command": ` +
				quoteJSON(command) + "}", unit + "]", "}"}, newline+strings.Repeat(unit, 3))
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
			bare := unquoted(have)
			isOurs := strings.Contains(bare, hookMark) && !strings.ContainsAny(bare, ";|&\n")
			if command != "" && have == command || isOurs {
				own = append(own, hook{have, append(slices.Clip(hookList), group.name, "hooks", it.name)})
			}
		}
	}
	return own, nil
}

// unquoted returns a command line without what the shell takes as it stands: the texts in
// quotes, and the characters after a backslash.
func unquoted(command string) string {
	var b strings.Builder
	for i, quote := 0, byte(0); i < len(command); i++ {
		switch c := command[i]; {
		case c == '\\' && quote != '\'':
			i++
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote == 0:
			b.WriteByte(c)
		case c == quote:
			quote = 0
		}
	}
	return b.String()
}
