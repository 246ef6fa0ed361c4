package setup

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/agent-scratchpad/scratchpad/internal/cli/clientconfig"
	"github.com/agent-scratchpad/scratchpad/internal/cli/terminal"
)

// claudeFor returns the command of Claude Code if it has to edit a file: a session that runs
// writes the file too. It returns "" for another file, or if the command is not on the PATH.
func claudeFor(file string) string {
	if filepath.Base(file) != ".claude.json" {
		return ""
	}
	claude, err := exec.LookPath("claude")
	if err != nil {
		return ""
	}
	return claude
}

// byClaude makes Claude Code write the entry, and returns the content of its file. [Client.Check]
// says whether the entry is there.
func (c *Client) byClaude(ctx context.Context, claude string, p clientconfig.Preview) (left []byte, err error) {
	have, err := c.EntryIn(p.File, p.Old, ServerName)
	if err == nil && have.Exists() {
		err = removeByClaude(ctx, claude)
	}
	if err == nil {
		s := c.Entry.Server
		err = runClaude(ctx, claude, append([]string{"add", "-s", "user", ServerName, "--", s.Command}, s.Args...)...)
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(p.File)
}

func removeByClaude(ctx context.Context, claude string) error {
	return runClaude(ctx, claude, "remove", "-s", "user", ServerName)
}

// runClaude runs a command of claude mcp. It runs in a folder without settings of a project.
func runClaude(ctx context.Context, claude string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	dir, err := os.MkdirTemp("", "scratchpad-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	said := &tail{}
	cmd := exec.CommandContext(ctx, claude, append([]string{"mcp"}, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = dir, said, said, time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("claude mcp %s: %v%s; run what scratchpad client-config claude-code prints yourself", args[0],
			err, terminal.OneLine(said.String()))
	}
	return nil
}
