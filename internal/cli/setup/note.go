package setup

import (
	"fmt"
	"path/filepath"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/native"
)

// note adds what the user has to know about the client.
func (c *Client) note(p *Plan) error {
	say := func(text string) { c.Notes = append(c.Notes, text) }
	settings := c.HookFile()
	switch {
	case p.o.Share:
		say("Commit the file. Each colleague approves the server once, and has scratchpad on the PATH.")
	case c.OfProject:
		say("git shows this file. It has the path of the program on this computer, so do not commit it.")
	case c.Name == "cursor" && p.o.Project == "" && p.o.IsRepo:
		say("Cursor knows its folder only from a file there. For the memory of this project in Cursor, run: " +
			"scratchpad setup --client cursor --project " + native.Quote(p.o.Here))
	case c.Name == "gemini-cli":
		say("Gemini CLI starts the server only in folders that you trust.")
	case c.Name == "claude-code" && !clientconfig.AutoMemoryIsOff(settings):
		say("Claude Code has a memory of its own, which is on. The two do not mix: ours begins at START.md, its own " +
			"at MEMORY.md. To turn that one off, set autoMemoryEnabled to false in " + settings + ".")
	}
	if c.OfProject {
		return nil
	}
	return c.noteHiding(p)
}

// noteByPlugin notes that the plugin connects the client, and reports whether it does so in place
// of setup. If setup has connected the client before, both do, and the user removes one.
func (c *Client) noteByPlugin(p *Plan, have clientconfig.Entry) bool {
	if c.Name != "claude-code" || !clientconfig.PluginIsOn(c.HookFile()) {
		return false
	}
	if have.Exists() {
		c.Notes = append(c.Notes, clientconfig.ConnectedTwice)
		return false
	}
	c.Notes = append(c.Notes, "Its plugin connects it, by the program on the PATH, so setup writes nothing for it, "+
		"and flags have no effect on it. To have setup do it: run "+clientconfig.RemovePlugin+", and this command "+
		"again.")
	return true
}

// noteHiding adds what else the client has under the name of the server, which setup did not
// write, and which hides the server for all projects.
func (c *Client) noteHiding(p *Plan) error {
	hides := func(where, how string) {
		c.Notes = append(c.Notes, fmt.Sprintf("%s has a server %s of its own, which hides the one for all projects. "+
			"To remove it: %s. Its agent stays the memory of that folder with scratchpad projects set FOLDER AGENT",
			where, ServerName, how))
	}
	if c.Name == "claude-code" {
		folders, err := clientconfig.LocalFolders(c.File, ServerName)
		if err != nil {
			return err
		}
		for _, folder := range folders {
			hides(folder, "cd "+native.Quote(folder)+" && claude mcp remove -s local "+ServerName)
		}
		hook := filepath.Join(p.o.Here, ".claude", "settings.local.json")
		own, err := clientconfig.RemoveHook(hook).Preview()
		if err == nil && len(own.Changed) > 0 && p.journal.entry(hook) == nil {
			c.Notes = append(c.Notes, hook+" has a hook of an older setup, which runs too. To remove it: take the "+
				"command of SessionStart out of that file")
		}
	}
	file := c.ProjectFile(p.o.Here)
	if file == "" || file == c.File || p.journal.entry(file) != nil {
		return nil
	}
	have, err := c.ReadEntry(file, ServerName)
	s, found := have.Server()
	switch {
	case err != nil || !found || clientconfig.MemoryOf(s.Args).Folder != "":
	case c.Name == "claude-code":
		hides(file, "cd "+native.Quote(p.o.Here)+" && claude mcp remove -s project "+ServerName)
	default:
		hides(file, "take "+ServerName+" out of that file")
	}
	return nil
}
