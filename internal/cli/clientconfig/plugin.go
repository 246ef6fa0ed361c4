package clientconfig

import (
	"os/exec"
	"slices"
)

// Plugin is the plugin of this program for Claude Code, which deploy/plugin has.
const Plugin = "scratchpad@scratchpad"

// RemovePlugin is the command that takes [Plugin] away.
const RemovePlugin = "claude plugin uninstall " + Plugin

// ConnectedTwice says that both [Plugin] and setup connect Claude Code.
const ConnectedTwice = "Scratchpad is connected twice, by its plugin and by scratchpad setup. Keep one: run " +
	RemovePlugin + ", or scratchpad setup --undo --client claude-code"

// PluginIsOn reports whether Claude Code has [Plugin] on, by the settings of the user.
func PluginIsOn(settings string) bool {
	on, err := valueIn(settings, "enabledPlugins", Plugin)
	return err == nil && on == true
}

// HasHook reports whether the settings of the user run a hook of this program, which can be run.
func HasHook(settings string) bool {
	groups, err := valueIn(settings, hookList...)
	return err == nil && slices.ContainsFunc(hooksIn(groups, ""), func(h hook) bool {
		_, err := exec.LookPath(programOf(h.command))
		return err == nil
	})
}
