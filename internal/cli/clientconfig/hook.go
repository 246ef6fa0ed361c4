package clientconfig

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"
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

// AddHook returns the change that makes Claude Code run a command when a session starts.
// It replaces an earlier command of this program. Other hooks stay.
func AddHook(file, command string) Change {
	return Change{File: file, edit: afterMark(func(old []byte) ([]byte, []string, error) {
		content, changed, err := editHooks(old, func(h hooks) ([]string, error) { return h.set(command) })
		if errors.Is(err, errComment) {
			where, text := inPlace(old, content, memberSpan(old, []string{"hooks"}), "hooks")
			return nil, nil, byHand(commentInside, where, text)
		}
		return content, changed, err
	})}
}

// RemoveHook returns the change that takes out what [AddHook] has added.
func RemoveHook(file string) Change {
	return Change{File: file, edit: afterMark(func(old []byte) ([]byte, []string, error) {
		if len(bytes.TrimSpace(old)) == 0 {
			return old, nil, nil
		}
		return editHooks(old, hooks.remove)
	})}
}

// hooks are the settings of Claude Code, as far as hooks go: an object of events, each
// with a list of groups, each with a list of hooks.
type hooks struct {
	top *hujson.Object
	l   layout
}

const hookEvent = "SessionStart"

func editHooks(old []byte, edit func(hooks) ([]string, error)) (content []byte, changed []string, err error) {
	return editJSON(old, func(top *hujson.Object, l layout) ([]string, error) { return edit(hooks{top, l}) })
}

func (h hooks) set(command string) ([]string, error) {
	events, _, err := h.l.object(h.top, 1, "hooks")
	if err != nil {
		return nil, err
	}
	groups, err := h.l.array(events, 2, hookEvent)
	if err != nil {
		return nil, err
	}
	for _, group := range groups.Elements {
		for _, hook := range hooksOf(group) {
			if !isOwn(hook, command) {
				continue
			}
			was, err := h.l.setField(hook.Value.(*hujson.Object), 6, "command", command)
			if err != nil || was == "" {
				return nil, err
			}
			return []string{"hook " + hookEvent + ": command was " + was + ", is " + quoteJSON(command)}, nil
		}
	}
	lines := []string{
		"{", h.l.unit + `"hooks": [`, h.l.unit + h.l.unit + `{"type": "command", "command": ` + quoteJSON(command) +
			"}", h.l.unit + "]", "}",
	}
	group, err := hujson.Parse([]byte(strings.Join(lines, h.l.newline+strings.Repeat(h.l.unit, 3))))
	if err != nil {
		return nil, err
	}
	h.l.addElement(groups, 3, group.Value)
	return []string{"hook " + hookEvent + ": added, " + quoteJSON(command)}, nil
}

// remove takes out the hooks of this program, and the lists that are empty then.
func (h hooks) remove() (changed []string, err error) {
	events, groups := h.find()
	if groups == nil {
		return nil, nil
	}
	dropElements(groups, func(group hujson.Value) bool {
		list := listOf(group)
		if list == nil || !dropElements(list, func(hook hujson.Value) bool { return isOwn(hook, "") }) {
			return false
		}
		changed = []string{"hook " + hookEvent + ": removed"}
		return len(list.Elements) == 0
	})
	if len(changed) == 0 {
		return nil, nil
	}
	if len(groups.Elements) == 0 {
		removeMember(events, hookEvent)
	}
	if len(events.Members) == 0 {
		removeMember(h.top, "hooks")
	}
	return changed, nil
}

// find returns the events and the groups of the one that counts, nil if there are none.
func (h hooks) find() (events *hujson.Object, groups *hujson.Array) {
	if events, _ = child(h.top, "hooks").(*hujson.Object); events != nil {
		groups, _ = child(events, hookEvent).(*hujson.Array)
	}
	return events, groups
}

// listOf returns the list of the hooks in a group, nil if it has none.
func listOf(group hujson.Value) *hujson.Array {
	list, _ := child(group.Value, "hooks").(*hujson.Array)
	return list
}

func hooksOf(group hujson.Value) []hujson.Value {
	if list := listOf(group); list != nil {
		return list.Elements
	}
	return nil
}

// isOwn reports whether a hook runs the command, or another of this program and nothing
// else.
func isOwn(hook hujson.Value, command string) bool {
	text, ok := child(hook.Value, "command").(hujson.Literal)
	if !ok || text.Kind() != '"' {
		return false
	}
	have := text.String()
	bare := unquoted(have)
	return command != "" && have == command || strings.Contains(bare, hookMark) && !strings.ContainsAny(bare, ";|&\n")
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
