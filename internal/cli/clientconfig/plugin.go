package clientconfig

// Plugin is the plugin of this program for Claude Code, which deploy/plugin has.
const Plugin = "scratchpad@scratchpad"

// PluginIsOn reports whether Claude Code has [Plugin] on, by the settings of the user.
func PluginIsOn(settings string) bool {
	v, err := valueIn(settings, "enabledPlugins", Plugin)
	return err == nil && decoded(v) == true
}

// HasHook reports whether the settings of the user run a hook of this program.
func HasHook(settings string) bool {
	text, err := readFile(settings)
	if err != nil {
		return false
	}
	hooks, err := hooksIn(text, "")
	return err == nil && len(hooks) > 0
}
